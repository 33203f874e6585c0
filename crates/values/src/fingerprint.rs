//! A number by which the values of two tables are compared.

use std::fmt;
use std::str::FromStr;

use molien_board::{Material, Square};
use molien_hyper::Tile;

use crate::{BoardValues, Graded, Metric, Table, UnknownName};

/// Fingerprints of all tables of three to five men in four metrics (without pawns DTZ
/// is DTC): material, metric, fingerprint.
const PUBLISHED: &str = include_str!("../data/fingerprints.tsv");

/// A number that two tables share if all their values are the same: who is
/// legal, won and lost, and every depth. It does not depend on how a table was
/// made or how its file is coded, so tables of two machines, two programs or two
/// codings can be compared by it. It guards against mistakes, not against malice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// The fingerprint of a table.
    pub fn of(table: &Table) -> Fingerprint {
        let mut print = Fingerprint::default();
        table.parts.iter().for_each(|part| print.add_board(part));
        print
    }

    /// What the table of a material should have, if it is among those known.
    pub fn published(material: Material, metric: Metric) -> Option<Fingerprint> {
        let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
        let name = material.canonical().to_string();
        let row = PUBLISHED.lines().find_map(|line| {
            let mut fields = line.split('\t');
            let is_it = fields.next() == Some(&name) && fields.next() == Some(metric.name());
            is_it.then(|| fields.next()).flatten()
        });
        row.and_then(|print| print.parse().ok())
    }

    /// Takes in the next part of a table. Parts come in the table's own order.
    pub fn add_board(&mut self, board: &BoardValues) {
        board.values.iter().for_each(|side| self.add_side(side));
    }

    /// Depths need as many planes as the deepest value has bits; planes without a
    /// bit, which some ways of making a table leave behind, do not count.
    fn add_side(&mut self, side: &Graded) {
        [&side.legal, &side.won, &side.lost].into_iter().for_each(|plane| self.add_plane(plane));
        for (bit, plane) in side.depth.iter().enumerate() {
            if plane.iter().any(|tile| *tile != Tile::EMPTY) {
                self.add_word(bit as u64);
                self.add_plane(plane);
            }
        }
    }

    fn add_plane(&mut self, plane: &[Tile]) {
        self.add_word(plane.len() as u64);
        for tile in plane {
            Square::all().for_each(|row| self.add_word(tile.row(row)));
        }
    }

    /// FNV-1a, a word at a time.
    fn add_word(&mut self, word: u64) {
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        self.0 = (self.0 ^ word).wrapping_mul(PRIME).rotate_left(29);
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Fingerprint, UnknownName> {
        let number = u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 16);
        let wanted = "16 hexadecimal digits";
        number.map(Fingerprint).ok_or_else(|| UnknownName::new("fingerprint", text, wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(depth: &[Tile]) -> Graded {
        let (legal, won, lost) = (vec![Tile::FULL], vec![Tile::FULL], vec![Tile::EMPTY]);
        let depth = depth.iter().map(|&tile| vec![tile]).collect();
        Graded { legal, won, lost, depth, stalemate: Vec::new() }
    }

    fn print(side: &Graded) -> Fingerprint {
        let mut print = Fingerprint::default();
        print.add_side(side);
        print
    }

    #[test]
    fn every_plane_and_bit_counts() {
        let one = Tile::from_rows(|row| u64::from(row.index() == 9) << 5);
        let plain = side(&[one, Tile::FULL]);
        let others = [
            side(&[Tile::FULL, one]),
            side(&[one]),
            side(&[Tile::EMPTY, one, Tile::FULL]),
            Graded { legal: vec![one], ..plain.clone() },
            Graded { won: vec![one], ..plain.clone() },
            Graded { lost: vec![one], ..plain.clone() },
        ];
        others.iter().for_each(|other| assert_ne!(print(other), print(&plain)));
    }

    #[test]
    fn planes_without_a_bit_do_not_count() {
        let depth = [Tile::FULL, Tile::EMPTY, Tile::FULL];
        let longer = [&depth[..], &[Tile::EMPTY]].concat();
        assert_eq!(print(&side(&longer)), print(&side(&depth)));
    }

    #[test]
    fn published_ones_are_read_and_shown() {
        let rows: Vec<&str> = PUBLISHED.lines().collect();
        let metrics = |material: &Material| if material.has_pawns() { 4 } else { 3 };
        assert_eq!(rows.len(), 1 + Material::all(5).iter().map(metrics).sum::<usize>());
        for row in &rows[1..] {
            let fields: Vec<&str> = row.split('\t').collect();
            let [material, metric, shown] = fields[..] else { panic!("{row}") };
            let (material, metric) = (material.parse().unwrap(), metric.parse().unwrap());
            let found = Fingerprint::published(material, metric);
            assert_eq!(found.map(|print| print.to_string()).as_deref(), Some(shown), "{row}");
        }
        let unknown = "KRRKRR".parse().unwrap();
        assert_eq!(Fingerprint::published(unknown, Metric::Dtm), None);
        assert!("12".parse::<Fingerprint>().is_err());
    }
}
