//! Games written back with what was found.
//!
//! A game is its own text with something inserted: what nothing was found
//! about stays as it was, byte for byte.

use molien_values::Outcome;

use super::model::{GameReport, MoveReport};
use super::pgn::{Game, Item, Placed};

/// `??`: a blunder.
const BLUNDER: u32 = 4;
/// A forced move: the only one.
const FORCED: u32 = 7;
/// Annotations that judge a move; a second one would contradict or repeat.
const JUDGING: std::ops::RangeInclusive<u32> = 1..=9;
/// Where a line is broken before an insertion.
const COLUMNS: usize = 60;

/// The annotation of a judged move: numeric sign and comment.
fn note(m: &MoveReport) -> (Option<u32>, String) {
    let nag = match m.before.result() {
        _ if !m.kept() => Some(BLUNDER),
        Some(Outcome::Loss) => None,
        _ => m.unique().then_some(FORCED),
    };
    (nag, m.remark())
}

/// Braces do not nest, so a comment has none.
fn comment(text: &str) -> String {
    format!("{{{}}}", text.replace('{', "(").replace('}', ")"))
}

/// The game in PGN with numeric signs and comments on the moves judged. What
/// is there already is not said again, so that a file can be annotated twice.
/// Text that could not be read follows as comments, line by line.
pub fn annotated(game: &Game, report: &GameReport) -> Vec<u8> {
    let mut page = Page { out: Vec::new(), column: 0 };
    let end = unread(game, report).unwrap_or(game.text_end());
    let mut at = 0;
    for (place, text) in insertions(game, report, end) {
        page.copy(&game.bytes[at..place]);
        page.insert(&text);
        at = place;
    }
    page.copy(&game.bytes[at..end]);
    if end < game.text_end() {
        page.trim();
        for line in game.bytes[end..game.text_end()].split(|&byte| byte == b'\n') {
            page.copy(b"\n; ");
            page.copy(line.trim_ascii_end());
        }
        page.copy(b"\n");
        page.copy(claimed(game).as_bytes());
    }
    page.copy(&game.bytes[game.text_end()..]);
    page.out
}

/// The result to write where the text has none.
fn claimed(game: &Game) -> &str {
    const KNOWN: [&str; 3] = ["1-0", "0-1", "1/2-1/2"];
    game.tag("Result").filter(|result| KNOWN.contains(result)).unwrap_or("*")
}

/// Where the text begins that makes no sense as PGN.
fn unread(game: &Game, report: &GameReport) -> Option<usize> {
    let illegal = report.stopped_at.map(|item| game.items[item].span.start);
    [illegal, game.unread].into_iter().flatten().min()
}

/// What to insert where, in order.
fn insertions(game: &Game, report: &GameReport, end: usize) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    found.extend(game.bad_tags.iter().map(|&line| (line, "; ".to_owned())));
    for m in &report.moves {
        found.extend(about_move(&game.items, m));
    }
    let missing = tail(game, report, end);
    let said = |text: &str| {
        let same = |placed: &Placed| placed.item == Item::Comment(text.to_owned());
        game.items.iter().any(same)
    };
    let remarks = report.verdict().into_iter();
    let problem = report.problem.as_ref().map(|problem| format!("malformed: {problem}"));
    let remarks: Vec<String> =
        remarks.chain(problem).filter(|text| !said(text)).map(|text| comment(&text)).collect();
    // The result stays last.
    let before_result = match game.result_at.filter(|&at| at < end) {
        Some(result) => game.bytes[..result].trim_ascii_end().len(),
        None => end,
    };
    if !missing.is_empty() {
        found.push((end, missing));
    }
    found.extend(remarks.into_iter().map(|text| (before_result, text)));
    let touched = !found.is_empty();
    if touched && game.result.is_none() && end == game.text_end() {
        found.push((end, claimed(game).to_owned()));
    }
    found.sort_by_key(|(place, _)| *place);
    for (place, text) in &mut found {
        if in_line_comment(game, *place) {
            text.insert(0, '\n');
        }
    }
    found
}

/// Whether what is inserted here would be swallowed by a comment that runs to
/// the end of its line.
fn in_line_comment(game: &Game, place: usize) -> bool {
    let covers = |placed: &Placed| {
        let begins = game.bytes[placed.span.start] == b';';
        begins && placed.span.start < place && place <= placed.span.end
    };
    !game.bytes[..place].ends_with(b"\n") && game.items.iter().any(covers)
}

/// The closing brace and brackets that are missing at the end.
fn tail(game: &Game, report: &GameReport, end: usize) -> String {
    let brace = if game.missing.brace && end == game.text_end() { "}" } else { "" };
    // Where an illegal move stopped the reading, variations may be open.
    let open = match report.stopped_at {
        None => game.missing.brackets,
        Some(item) => {
            let count = |wanted: Item| {
                game.items[..item].iter().filter(|placed| placed.item == wanted).count()
            };
            count(Item::Open) - count(Item::Close)
        }
    };
    let brackets = ")".repeat(open);
    [brace, brackets.as_str()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The sign and the comment of a move, unless it has them.
fn about_move(items: &[Placed], m: &MoveReport) -> Vec<(usize, String)> {
    let (nag, text) = note(m);
    let after = &items[m.item + 1..];
    let nags = after.iter().take_while(|placed| matches!(placed.item, Item::Nag(_))).count();
    let judged = after[..nags].iter().any(|placed| match placed.item {
        Item::Nag(number) => JUDGING.contains(&number),
        _ => false,
    });
    let comments =
        after[nags..].iter().take_while(|placed| matches!(placed.item, Item::Comment(_)));
    let said = comments.into_iter().any(|placed| placed.item == Item::Comment(text.clone()));
    let nag = nag.filter(|_| !judged).map(|nag| (items[m.item].span.end, format!("${nag}")));
    let place = items[m.item + nags].span.end;
    let comment = (!said && !text.is_empty()).then(|| (place, comment(&text)));
    nag.into_iter().chain(comment).collect()
}

/// Text on its way out.
struct Page {
    out: Vec<u8>,
    column: usize,
}

impl Page {
    fn copy(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.column = match bytes.iter().rposition(|&byte| byte == b'\n') {
            Some(last) => bytes.len() - last - 1,
            None => self.column + bytes.len(),
        };
    }

    /// Puts text in, with a blank or a new line before it.
    fn insert(&mut self, text: &str) {
        let gap: &[u8] = match self.out.last() {
            None | Some(b'\n') => b"",
            _ if text.starts_with('\n') => b"",
            // A sign stays with its move.
            _ if !text.starts_with('$') && self.column + text.len() > COLUMNS => b"\n",
            _ => b" ",
        };
        self.copy(gap);
        self.copy(text.as_bytes());
    }

    fn trim(&mut self) {
        self.out.truncate(self.out.trim_ascii_end().len());
    }
}
