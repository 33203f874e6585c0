//! From text to an expression, by recursive descent.

use molien_board::{Bitboard, Color, Man, Material, Role, Square};
use molien_values::{Category, Metric};

use super::lex::{Placed, Token, tokens};
use super::{Atom, Expr, QueryError, Target};

/// How deep brackets and `not` may nest.
const MAX_NESTING: usize = 100;

pub(super) fn parse(text: &str, material: Material) -> Result<Expr, QueryError> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, nesting: 0, material };
    if parser.peek() == &Token::End {
        return Err(parser.error("the query is empty; expected something like 'dtm >= 30'"));
    }
    let expr = parser.either()?;
    match parser.peek() {
        Token::End => Ok(expr),
        _ => Err(parser.expected("'and', 'or' or the end of the query")),
    }
}

struct Parser {
    tokens: Vec<Placed>,
    next: usize,
    nesting: usize,
    material: Material,
}

impl Parser {
    fn peek(&self) -> &Token {
        // The last token is the end, and is never passed.
        &self.tokens[self.next.min(self.tokens.len() - 1)].token
    }

    fn column(&self) -> usize {
        self.tokens[self.next.min(self.tokens.len() - 1)].column
    }

    fn error(&self, message: impl Into<String>) -> QueryError {
        QueryError { column: self.column(), message: message.into() }
    }

    fn expected(&self, what: &str) -> QueryError {
        let found = match self.peek() {
            Token::Word(word) => format!("'{word}'"),
            Token::Sign(sign) => format!("'{sign}'"),
            Token::End => "the end".to_owned(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    /// The next word in lower case, if it is one.
    fn word(&self) -> Option<String> {
        match self.peek() {
            Token::Word(word) => Some(word.to_ascii_lowercase()),
            _ => None,
        }
    }

    fn accept_word(&mut self, wanted: &str) -> bool {
        let found = self.word().is_some_and(|word| word == wanted);
        self.next += usize::from(found);
        found
    }

    fn accept_sign(&mut self, wanted: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(sign) if *sign == wanted);
        self.next += usize::from(found);
        found
    }

    fn expect_word(&mut self, wanted: &str) -> Result<(), QueryError> {
        if self.accept_word(wanted) { Ok(()) } else { Err(self.expected(&format!("'{wanted}'"))) }
    }

    fn either(&mut self) -> Result<Expr, QueryError> {
        let mut parts = vec![self.both()?];
        while self.accept_word("or") {
            parts.push(self.both()?);
        }
        Ok(Expr::any_of(parts))
    }

    fn both(&mut self) -> Result<Expr, QueryError> {
        let mut parts = vec![self.factor()?];
        while self.accept_word("and") {
            parts.push(self.factor()?);
        }
        Ok(Expr::all_of(parts))
    }

    fn factor(&mut self) -> Result<Expr, QueryError> {
        if self.nesting == MAX_NESTING {
            let message = format!("brackets and 'not' nest at most {MAX_NESTING} deep");
            return Err(self.error(message));
        }
        self.nesting += 1;
        let expr = if self.accept_word("not") {
            self.factor()?.not()
        } else if self.accept_sign("(") {
            let inner = self.either()?;
            if !self.accept_sign(")") {
                return Err(self.expected("'and', 'or' or ')'"));
            }
            inner
        } else {
            self.atom()?
        };
        self.nesting -= 1;
        Ok(expr)
    }

    fn atom(&mut self) -> Result<Expr, QueryError> {
        const WHAT: &str = "a man, a side, a value, a metric or a property";
        let Token::Word(word) = self.peek().clone() else { return Err(self.expected(WHAT)) };
        if let Some(man) = self.man()? {
            return self.about_man(man);
        }
        if let Ok(metric) = word.parse::<Metric>() {
            self.next += 1;
            return self.comparison("a number of plies", |from, to| Atom::Depth(metric, from, to));
        }
        let class = |category| Ok(Expr::Atom(Atom::Class(category)));
        let parsed = match word.to_ascii_lowercase().as_str() {
            "white" => return self.side(Color::White),
            "black" => return self.side(Color::Black),
            "distance" => return self.distance(),
            "wtm" => Ok(Expr::Atom(Atom::Turn(Color::White))),
            "btm" => Ok(Expr::Atom(Atom::Turn(Color::Black))),
            "win" => class(Category::Win),
            "cursed-win" => class(Category::CursedWin),
            "draw" => class(Category::Draw),
            "blessed-loss" => class(Category::BlessedLoss),
            "loss" => class(Category::Loss),
            "cursed" => {
                let either = [Category::CursedWin, Category::BlessedLoss];
                Ok(Expr::any_of(either.map(|category| Expr::Atom(Atom::Class(category))).into()))
            }
            "zugzwang" => Ok(Expr::Atom(Atom::Zugzwang)),
            "only-move" => Ok(Expr::Atom(Atom::OnlyMove)),
            "check" => Ok(Expr::Atom(Atom::Check)),
            "mate" | "checkmate" => Ok(Expr::Atom(Atom::Mate)),
            "stalemate" => Ok(Expr::Atom(Atom::Stalemate)),
            "capture" => Ok(Expr::Atom(Atom::Capture)),
            _ => Err(self.expected(WHAT)),
        };
        self.next += usize::from(parsed.is_ok());
        parsed
    }

    /// `white to move`, `white wins`.
    fn side(&mut self, color: Color) -> Result<Expr, QueryError> {
        self.next += 1;
        if self.accept_word("wins") {
            let case = |turn, category| {
                let atoms = [Atom::Turn(turn), Atom::Class(category)];
                Expr::all_of(atoms.map(Expr::Atom).into())
            };
            let cases = [case(color, Category::Win), case(!color, Category::Loss)];
            return Ok(Expr::any_of(cases.into()));
        }
        if !self.accept_word("to") {
            return Err(self.expected("'to move' or 'wins'"));
        }
        self.expect_word("move")?;
        Ok(Expr::Atom(Atom::Turn(color)))
    }

    /// `distance >= 3`, between the kings; `distance N k = 2`.
    fn distance(&mut self) -> Result<Expr, QueryError> {
        self.next += 1;
        let kings = Color::BOTH.map(|color| Man::new(color, Role::King));
        let men = match self.man()? {
            None => kings,
            Some(first) => match self.man()? {
                Some(second) => [first, second],
                None => return Err(self.expected("a second man, as in 'distance K n'")),
            },
        };
        self.comparison("a number of king moves", |from, to| Atom::Distance(men, from, to))
    }

    /// A man of the material, if the next word is one.
    fn man(&mut self) -> Result<Option<Man>, QueryError> {
        let Token::Word(word) = self.peek() else { return Ok(None) };
        let mut letters = word.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else { return Ok(None) };
        let Some(man) = Man::from_letter(letter) else { return Ok(None) };
        if self.material.count(man) == 0 {
            let message = format!("{} has no {letter} ({}'s)", self.material, man.color);
            return Err(self.error(message));
        }
        self.next += 1;
        Ok(Some(man))
    }

    /// `>= 30`, `in 10..20`.
    fn comparison(
        &mut self,
        what: &str,
        atom: impl Fn(u16, u16) -> Atom,
    ) -> Result<Expr, QueryError> {
        let range = |from, to| Expr::Atom(atom(from, to));
        let none = || range(1, 0);
        if self.accept_word("in") {
            let from = self.number(what)?;
            if !self.accept_sign("..") {
                return Err(self.expected("'..'"));
            }
            return Ok(range(from, self.number(what)?));
        }
        for sign in [">=", "<=", "!=", "==", "=", ">", "<"] {
            if !self.accept_sign(sign) {
                continue;
            }
            let number = self.number(what)?;
            return Ok(match sign {
                ">=" => range(number, u16::MAX),
                "<=" => range(0, number),
                ">" => number.checked_add(1).map_or_else(none, |first| range(first, u16::MAX)),
                "<" => number.checked_sub(1).map_or_else(none, |last| range(0, last)),
                "!=" => range(number, number).not(),
                _ => range(number, number),
            });
        }
        Err(self.expected("a comparison such as '>= 30' or 'in 10..20'"))
    }

    fn number(&mut self, what: &str) -> Result<u16, QueryError> {
        let number = self.word().and_then(|word| word.parse().ok());
        let number = number.ok_or_else(|| self.expected(what))?;
        self.next += 1;
        Ok(number)
    }

    /// `K = e4`, `k in a1..c3`, `R on file a`, `R attacks k`.
    fn about_man(&mut self, man: Man) -> Result<Expr, QueryError> {
        if ["attacks", "protects"].iter().any(|word| self.accept_word(word)) {
            let target = match self.man()? {
                Some(man) => Target::Man(man),
                None => Target::Squares(self.squares()?),
            };
            return Ok(Expr::Atom(Atom::Attacks(man, target)));
        }
        let unequal = self.accept_sign("!=");
        let related = unequal
            || ["=", "=="].iter().any(|sign| self.accept_sign(sign))
            || ["in", "on"].iter().any(|word| self.accept_word(word));
        if !related {
            return Err(self.expected("'=', '!=', 'in', 'on' or 'attacks'"));
        }
        let stands = Expr::Atom(Atom::Stands(man, self.squares()?));
        Ok(if unequal { stands.not() } else { stands })
    }

    fn squares(&mut self) -> Result<Bitboard, QueryError> {
        let mut squares = self.region()?;
        while self.accept_sign(",") {
            squares |= self.region()?;
        }
        Ok(squares)
    }

    fn region(&mut self) -> Result<Bitboard, QueryError> {
        const WHAT: &str =
            "squares such as e4, a1..c3, file a, rank 7, edge, corner, centre, light or dark";
        let Some(word) = self.word() else { return Err(self.expected(WHAT)) };
        if let Ok(from) = word.parse::<Square>() {
            self.next += 1;
            return self.rectangle(from);
        }
        let files = |a: i32, b: i32| Bitboard::file(a) | Bitboard::file(b);
        let ranks = |a: i32, b: i32| Bitboard::rank(a) | Bitboard::rank(b);
        let squares = match word.as_str() {
            "file" | "files" => return self.lines('a', Bitboard::file, "a file from a to h"),
            "rank" | "ranks" => return self.lines('1', Bitboard::rank, "a rank from 1 to 8"),
            "edge" => files(0, 7) | ranks(0, 7),
            "corner" => files(0, 7) & ranks(0, 7),
            "centre" | "center" => files(3, 4) & ranks(3, 4),
            "dark" => Bitboard::DARK,
            "light" => Bitboard(!Bitboard::DARK.0),
            _ => return Err(self.expected(WHAT)),
        };
        self.next += 1;
        Ok(squares)
    }

    /// What follows a square: `..` and the opposite corner, or nothing.
    fn rectangle(&mut self, from: Square) -> Result<Bitboard, QueryError> {
        if !self.accept_sign("..") {
            return Ok(Bitboard::from_square(from));
        }
        let to = self.word().and_then(|word| word.parse::<Square>().ok());
        let to = to.ok_or_else(|| self.expected("a square"))?;
        self.next += 1;
        let between = |a: i32, b: i32, x: i32| a.min(b) <= x && x <= a.max(b);
        let inside = |square: &Square| {
            between(from.file(), to.file(), square.file())
                && between(from.rank(), to.rank(), square.rank())
        };
        Ok(Square::all().filter(inside).collect())
    }

    /// `file a`, `files a..c`, `rank 7`.
    fn lines(
        &mut self,
        first: char,
        line: fn(i32) -> Bitboard,
        what: &str,
    ) -> Result<Bitboard, QueryError> {
        self.next += 1;
        let from = self.line_number(first, what)?;
        let to = if self.accept_sign("..") { self.line_number(first, what)? } else { from };
        let lines = from.min(to)..=from.max(to);
        Ok(lines.fold(Bitboard::EMPTY, |squares, i| squares | line(i)))
    }

    fn line_number(&mut self, first: char, what: &str) -> Result<i32, QueryError> {
        let word = self.word().filter(|word| word.len() == 1);
        let letter = word.and_then(|word| word.chars().next());
        let number = letter.map(|letter| letter as i32 - first as i32);
        let number = number.filter(|number| (0..8).contains(number));
        let number = number.ok_or_else(|| self.expected(what))?;
        self.next += 1;
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (usize, String) {
        let error = parse(text, "KRKN".parse().unwrap()).unwrap_err();
        (error.column, error.message)
    }

    #[test]
    fn mistakes_have_a_column() {
        assert_eq!(error("  ").0, 3);
        assert_eq!(error("win and").0, 8);
        assert_eq!(error("K=e9").0, 3);
        assert_eq!(
            error("K=e4 q=a1"),
            (6, "expected 'and', 'or' or the end of the query, found 'q'".to_owned())
        );
        assert_eq!(error("K=e4 and q=a1"), (10, "KRKN has no q (Black's)".to_owned()));
        assert_eq!(error("dtm ~ 3").0, 5);
        assert_eq!(error("(win or draw").0, 13);
        assert_eq!(error("dtm >= many").0, 8);
        assert_eq!(error("R on file k").0, 11);
        assert_eq!(error(&"(".repeat(5000)).0, 101);
        assert!(error(&"not ".repeat(5000)).1.contains("nest at most 100 deep"));
        assert_eq!(error("distance K = 3").0, 12);
        assert_eq!(error("R attacks q").0, 11);
        assert_eq!(error("R attacks").0, 10);
        assert_eq!(error("été").0, 1);
    }

    #[test]
    fn and_binds_closer_than_or() {
        let material: Material = "KRKN".parse().unwrap();
        let parsed = |text: &str| parse(text, material).unwrap();
        assert_eq!(parsed("win or draw and check"), parsed("win or (draw and check)"));
        assert_eq!(parsed("not win and check"), parsed("(not win) and check"));
        assert_eq!(parsed("K on files c..a"), parsed("K in a1..c8"));
        assert_eq!(parsed("K on rank 1, rank 8, file a, file h"), parsed("K on edge"));
        assert_eq!(parsed("n != e4"), parsed("not n = E4"));
        assert_eq!(parsed("distance K k < 3"), parsed("distance <= 2"));
        assert_eq!(parsed("(win or draw) or (check)"), parsed("win or draw or check"));
        assert_eq!(parsed("win or win or (win)"), parsed("win"));
        assert_eq!(parsed("R protects K"), parsed("R attacks K"));
    }

    /// Longer than any stack is deep.
    #[test]
    fn chains_may_be_as_long_as_they_like() {
        let material: Material = "KRKN".parse().unwrap();
        for terms in [500, 100_000] {
            for word in [" or ", " and "] {
                let terms = (0..terms).map(|i| format!("dtm = {}", i % 60_000));
                let text = terms.collect::<Vec<_>>().join(word);
                let query = parse(&text, material).unwrap();
                assert_eq!(query.swap_colors(), query);
            }
            let same = vec!["dtm = 31"; terms].join(" or ");
            assert_eq!(parse(&same, material), parse("dtm = 31", material));
        }
    }
}
