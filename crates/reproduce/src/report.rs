//! Published figures beside ours.

/// How a cell compares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The same.
    Equal,
    /// Not the same, and known why.
    Explained(&'static str),
    /// Not the same.
    Differs,
    /// Nothing to compare: not printed, or counted in another way.
    Beside(&'static str),
    /// Not computed this time.
    Skipped(String),
}

impl Verdict {
    /// One word, used in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::Explained(_) => "differs-explained",
            Verdict::Differs => "differs",
            Verdict::Beside(_) => "not-comparable",
            Verdict::Skipped(_) => "skipped",
        }
    }

    /// Why it is not simply equal.
    pub fn why(&self) -> Option<&str> {
        match self {
            Verdict::Equal | Verdict::Differs => None,
            Verdict::Explained(why) | Verdict::Beside(why) => Some(why),
            Verdict::Skipped(why) => Some(why),
        }
    }
}

/// One figure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The row: a material, a square, a position.
    pub row: String,
    /// What is counted.
    pub column: String,
    /// As printed.
    pub published: String,
    /// As we find it.
    pub ours: String,
    /// How they compare.
    pub verdict: Verdict,
}

impl Cell {
    /// A cell that must be equal.
    pub fn compare(
        row: impl ToString,
        column: impl ToString,
        published: impl ToString,
        ours: impl ToString,
    ) -> Cell {
        let (published, ours) = (published.to_string(), ours.to_string());
        let verdict = if published == ours { Verdict::Equal } else { Verdict::Differs };
        Cell { row: row.to_string(), column: column.to_string(), published, ours, verdict }
    }

    /// A cell that is shown only.
    pub fn beside(self, why: &'static str) -> Cell {
        Cell { verdict: Verdict::Beside(why), ..self }
    }

    /// The reason for a difference, should there be one.
    pub fn explain(self, why: &'static str) -> Cell {
        match self.verdict {
            Verdict::Differs => Cell { verdict: Verdict::Explained(why), ..self },
            _ => self,
        }
    }

    /// A cell that was not computed.
    pub fn skipped(
        row: impl ToString,
        column: impl ToString,
        published: impl ToString,
        why: impl Into<String>,
    ) -> Cell {
        Cell {
            row: row.to_string(),
            column: column.to_string(),
            published: published.to_string(),
            ours: String::new(),
            verdict: Verdict::Skipped(why.into()),
        }
    }
}

/// A published table beside ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The paper.
    pub paper: &'static str,
    /// The name by which it is asked for.
    pub table: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Its figures.
    pub cells: Vec<Cell>,
}

impl Section {
    /// How many cells have this verdict.
    pub fn count(&self, verdict: &str) -> usize {
        self.cells.iter().filter(|cell| cell.verdict.name() == verdict).count()
    }

    /// Whether a cell differs and nobody knows why.
    pub fn has_unexplained(&self) -> bool {
        self.count(Verdict::Differs.name()) > 0
    }

    /// The table as text.
    pub fn to_text(&self) -> String {
        let width = |field: fn(&Cell) -> &str, least: usize| {
            let widths = self.cells.iter().map(|cell| field(cell).chars().count());
            widths.max().unwrap_or(0).max(least)
        };
        let row = width(|cell| &cell.row, 3);
        let column = width(|cell| &cell.column, 4);
        let published = width(|cell| &cell.published, 9);
        let ours = width(|cell| &cell.ours, 4);
        let mut lines = vec![
            format!("{}, {}: {}", self.paper, self.table, self.title),
            format!(
                "  {:row$}  {:column$}  {:>published$}  {:>ours$}",
                "", "", "published", "ours"
            ),
        ];
        for cell in &self.cells {
            let Cell { row: r, column: c, published: p, ours: o, verdict } = cell;
            let verdict = match (verdict, verdict.why()) {
                (Verdict::Beside(_), Some(why)) => format!("({why})"),
                (Verdict::Explained(_), Some(why)) => format!("differs: {why}"),
                (Verdict::Skipped(_), Some(why)) => format!("skipped: {why}"),
                _ => verdict.name().to_owned(),
            };
            lines.push(format!("  {r:row$}  {c:column$}  {p:>published$}  {o:>ours$}  {verdict}"));
        }
        lines.push(format!("  {}", self.summary()));
        lines.join("\n")
    }

    /// How many cells are equal, differ, and were not compared.
    pub fn summary(&self) -> String {
        let words = [
            ("equal", "equal"),
            ("differs-explained", "different for a known reason"),
            ("differs", "different"),
            ("not-comparable", "not comparable"),
            ("skipped", "skipped"),
        ];
        let parts = words.iter().map(|(name, words)| (self.count(name), words));
        let parts = parts.filter(|(count, _)| *count > 0);
        parts.map(|(count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ")
    }
}
