//! From the bytes of a file to games: lenient where files in the wild differ
//! (move numbers, spacing, encodings), exact about where something is wrong.

use std::ops::Range;

use super::pgn::{Game, Item, Placed};

/// Reads all games of a file, in whatever encoding: names are taken for UTF-8
/// if they can be, else for Latin-1. A game that is malformed ends where it
/// goes wrong; the next one starts with the next tags. The bytes of all games
/// together are those of the file.
pub fn read(bytes: impl AsRef<[u8]>) -> Vec<Game> {
    let bytes = bytes.as_ref();
    // A mark that says it is UTF-8 comes before the first line.
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut reader = Reader { bytes, mark, at: mark, start: 0, line: 1 };
    let mut games: Vec<Game> = Vec::new();
    loop {
        reader.skip_blank();
        if reader.rest().is_empty() {
            if let Some(last) = games.last_mut() {
                last.bytes.extend_from_slice(&reader.bytes[reader.start..]);
            }
            return games;
        }
        games.push(reader.game(games.len() + 1));
    }
}

/// Text in UTF-8 or Latin-1.
fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    /// Where the first line begins.
    mark: usize,
    at: usize,
    /// Where the game begins.
    start: usize,
    line: usize,
}

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Takes so many bytes.
    fn take(&mut self, len: usize) -> &'a [u8] {
        let taken = &self.rest()[..len];
        self.line += taken.iter().filter(|&&byte| byte == b'\n').count();
        self.at += len;
        taken
    }

    fn take_line(&mut self) -> &'a [u8] {
        let end = self.rest().iter().position(|&byte| byte == b'\n');
        self.take(end.map_or(self.rest().len(), |i| i + 1))
    }

    fn at_line_start(&self) -> bool {
        self.at == self.mark || self.bytes[self.at - 1] == b'\n'
    }

    /// Skips white space, and lines that begin with `%`.
    fn skip_blank(&mut self) {
        loop {
            let blank = self.rest().len() - self.rest().trim_ascii_start().len();
            self.take(blank);
            if !(self.at_line_start() && self.rest().starts_with(b"%")) {
                return;
            }
            self.take_line();
        }
    }

    /// The bytes from a place to here, counted from the start of the game.
    fn span(&self, from: usize) -> Range<usize> {
        from - self.start..self.at - self.start
    }

    fn game(&mut self, number: usize) -> Game {
        let mut game = Game { number, line: self.line, ..Game::default() };
        self.tags(&mut game);
        if let Err((line, at, problem)) = self.moves(&mut game) {
            game.complain(line, problem);
            game.unread = Some(at - self.start);
            while !self.rest().is_empty() && !self.at_tag() {
                self.take_line();
            }
        }
        game.bytes = self.bytes[self.start..self.at].to_vec();
        self.start = self.at;
        game
    }

    /// Whether a line begins here that looks like a tag: `[Name "`.
    fn at_tag(&self) -> bool {
        let Some(rest) = self.rest().strip_prefix(b"[") else { return false };
        let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
        let len = name.count();
        self.at_line_start() && len > 0 && rest[len..].trim_ascii_start().starts_with(b"\"")
    }

    /// Reads the tags. A line in brackets that is none is remembered and
    /// passed over, as are comments between them.
    fn tags(&mut self, game: &mut Game) {
        while let Some(first @ (b'[' | b';')) = self.rest().first() {
            let (line, at) = (self.line, self.at);
            if *first == b';' {
                self.take_line();
                self.skip_blank();
                continue;
            }
            let text = decode(self.take_line().trim_ascii());
            match tag(&text) {
                Some(tag) => game.tags.push(tag),
                None => {
                    game.bad_tags.push(at - self.start);
                    game.complain(line, format!("'{text}' is not a tag such as [White \"Name\"]"));
                }
            }
            self.skip_blank();
        }
    }

    /// Reads the moves. The error is the line, the place, and what is wrong.
    fn moves(&mut self, game: &mut Game) -> Result<(), (usize, usize, String)> {
        let mut open: Vec<usize> = Vec::new();
        loop {
            self.skip_blank();
            let (line, at) = (self.line, self.at);
            match self.rest().first() {
                None => break,
                _ if self.at_tag() => break,
                Some(b'{' | b';') => self.comment(game),
                Some(bracket @ (b'(' | b')')) => {
                    self.take(1);
                    let item = if *bracket == b'(' { Item::Open } else { Item::Close };
                    match item {
                        Item::Open => open.push(line),
                        _ if open.pop().is_none() => {
                            return Err((line, at, "a ')' without its '('".to_owned()));
                        }
                        _ => {}
                    }
                    game.missing.brackets = open.len();
                    game.items.push(Placed { item, line, span: self.span(at) });
                }
                Some(_) => {
                    let token = decode(self.token());
                    if RESULTS.contains(&token.as_str()) && open.is_empty() {
                        game.result = Some(token);
                        game.result_at = Some(at - self.start);
                        self.comments_after(game);
                        break;
                    }
                    let span = self.span(at);
                    word(&token, line, span, &mut game.items).map_err(|why| (line, at, why))?;
                }
            }
        }
        if let Some(line) = open.pop() {
            game.complain(line, "a '(' without its ')'".to_owned());
        }
        Ok(())
    }

    /// Comments that follow the result belong to the game.
    fn comments_after(&mut self, game: &mut Game) {
        loop {
            self.skip_blank();
            match self.rest().first() {
                Some(b'{' | b';') => self.comment(game),
                _ => return,
            }
        }
    }

    /// A comment in braces, or to the end of the line. One in braces that runs
    /// into the tags of another game, or into the end of the file, has lost its
    /// end: it takes all of this game.
    fn comment(&mut self, game: &mut Game) {
        let (line, at) = (self.line, self.at);
        let text = if self.rest().starts_with(b";") {
            decode(self.take_line()[1..].trim_ascii())
        } else {
            self.take(1);
            let closed = loop {
                match self.rest().iter().position(|byte| matches!(byte, b'}' | b'\n')) {
                    Some(i) => {
                        if self.take(i + 1).ends_with(b"}") {
                            break true;
                        }
                    }
                    None => {
                        self.take(self.rest().len());
                        break false;
                    }
                }
                if self.at_tag() {
                    break false;
                }
            };
            if !closed {
                game.missing.brace = true;
                game.complain(line, "a comment without its '}'".to_owned());
            }
            let end = self.at - usize::from(closed);
            let text = decode(&self.bytes[at + 1..end]);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        game.items.push(Placed { item: Item::Comment(text), line, span: self.span(at) });
    }

    fn token(&mut self) -> &'a [u8] {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"{}()[];".contains(byte);
        // At least one byte, so that reading always advances.
        let len = self.rest()[1..].iter().position(ends).map_or(self.rest().len(), |i| i + 1);
        self.take(len)
    }
}

/// The name and value of a tag.
fn tag(text: &str) -> Option<(String, String)> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.split_once([' ', '\t'])?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((name.to_owned(), value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

/// A move number, a numeric annotation, or a move with `!` and `?`.
fn word(
    token: &str,
    line: usize,
    span: Range<usize>,
    items: &mut Vec<Placed>,
) -> Result<(), String> {
    let mut push = |item| items.push(Placed { item, line, span: span.clone() });
    if let Some(nag) = token.strip_prefix('$') {
        push(Item::Nag(nag.parse().map_err(|_| format!("'{token}' is not an annotation"))?));
        return Ok(());
    }
    let after_number = token.trim_start_matches(|c: char| c.is_ascii_digit());
    let token = match after_number {
        "" if token != "0000" => return Ok(()),
        dots if dots.starts_with('.') => dots.trim_start_matches('.'),
        _ => token,
    };
    let name = token.trim_end_matches(['!', '?']);
    match name {
        // Written apart from the capture it belongs to.
        "" | "e.p." | "ep" => {}
        name => push(Item::Move(name.to_owned())),
    }
    let nag = match &token[name.len()..] {
        "!" => 1,
        "?" => 2,
        "!!" => 3,
        "??" => 4,
        "!?" => 5,
        "?!" => 6,
        _ => return Ok(()),
    };
    push(Item::Nag(nag));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(game: &Game) -> Vec<(Item, usize)> {
        game.items.iter().map(|placed| (placed.item.clone(), placed.line)).collect()
    }

    #[test]
    fn text_is_read_with_its_lines() {
        let text = "[White \"A \\\"B\\\"\"]\n\n1.e4! {good\nmove} e5 (1... c5 $6) 2. 0-0 *\n";
        let games = read(text);
        assert_eq!(games.len(), 1);
        let game = &games[0];
        assert_eq!(game.tag("White"), Some("A \"B\""));
        assert_eq!(game.result.as_deref(), Some("*"));
        let name = |name: &str| Item::Move(name.to_owned());
        let expected = [
            (name("e4"), 3),
            (Item::Nag(1), 3),
            (Item::Comment("good move".to_owned()), 3),
            (name("e5"), 4),
            (Item::Open, 4),
            (name("c5"), 4),
            (Item::Nag(6), 4),
            (Item::Close, 4),
            (name("0-0"), 4),
        ];
        assert_eq!(items(game), expected);
        let e5 = &game.items[3];
        assert_eq!(&game.bytes[e5.span.clone()], b"e5");
    }

    #[test]
    fn a_malformed_game_does_not_spoil_the_next() {
        let text = "[A \"1\"]\n\n1. e4 {lost end\n\n[A \"2\"]\n\n1. d4 )\n\n[B]\n\n1. c4 *\n\n[A \"4\"]\n1. f4 1-0";
        let games = read(text);
        let lines: Vec<_> =
            games.iter().map(|g| g.problem.as_ref().map(|p| (p.game, p.line))).collect();
        // What follows the stray bracket belongs to the second game.
        assert_eq!(lines, [Some((1, 3)), Some((2, 7)), None]);
        assert_eq!(games[2].tag("A"), Some("4"));
        let bad_tag = read("[B]\n[A \"4\"]\n1. c4 *\n");
        assert_eq!(bad_tag[0].problem.as_ref().map(|p| p.line), Some(1));
        assert_eq!((bad_tag[0].tag("A"), bad_tag[0].items.len()), (Some("4"), 1));
    }

    #[test]
    fn the_games_together_are_the_file() {
        let texts: [&[u8]; 6] = [
            b"",
            b"\n\n",
            b"\xef\xbb\xbf% escaped\n[A \"1\"]\r\n\r\n1. e4 *\r\n\r\n\r\n[A \"2\"]\n1. d4 {open\n",
            b"1. e4 e5 1-0 {after} ; and more\n\n1. d4 ( 1. c4 0-1",
            b"[Event \"M\xfcnchen\"]\n\n1. e4 {sch\xf6n} )x *\n\n[A \"2\"]\n\n*",
            b"[A \"1\"]\n\n1. e4 {a\n[%clk 1]\n} e5 [x *\n",
        ];
        for text in texts {
            let together: Vec<u8> = read(text).iter().flat_map(|g| g.bytes.clone()).collect();
            let blank = text.trim_ascii().is_empty();
            assert!(together == text || blank, "{:?}", decode(text));
        }
        let latin = &read(texts[4])[0];
        assert_eq!(latin.tag("Event"), Some("München"));
        assert!(read(texts[5])[0].items.len() > 1);
    }
}
