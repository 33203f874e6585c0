//! Statistics of parts of a table.

use molien_board::Material;
use molien_hyper::Hyperboard;
use molien_solve::BishopPair;
use molien_values::{Metric, Stats};

use crate::build::outside_rayon;
use crate::watch::Extras;
use crate::{Build, BuildError};

impl Build {
    /// The statistics of the positions in which two like bishops of one side
    /// stand on squares of both colours; none if there are no such bishops.
    ///
    /// # Errors
    /// If there are pawns, it needs too much memory, or it is cancelled.
    pub fn opposite_bishops(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Option<Stats>, BuildError> {
        let canonical = material.canonical();
        if canonical.has_pawns() {
            return Err(BuildError::HasPawns { material });
        }
        let Some(pair) = BishopPair::new(&Hyperboard::pieces(canonical)) else { return Ok(None) };
        let extras = Extras { bishops: Some(pair), ..Extras::default() };
        let metric = metric.without_pawns();
        let (_, stats, _) = outside_rayon(|| self.solve_pieces(canonical, metric, &extras))?;
        Ok(Some(if material == canonical { stats } else { stats.swap_colors() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::{Color, Man, Role, Square};
    use molien_hyper::Index;
    use molien_values::{Place, Value};

    /// The statistics equal those of the table's own positions, counted one by
    /// one.
    #[test]
    fn a_part_of_the_table() {
        let build = Build::new();
        for name in ["KBBK", "KRBBK"] {
            let material: Material = name.parse().unwrap();
            let material = material.canonical();
            let table = build.table(material, Metric::Dtc).unwrap();
            let stats = build.opposite_bishops(material, Metric::Dtc).unwrap().unwrap();
            let board = &table.parts[0].board;
            for turn in Color::BOTH {
                let (mut won, mut longest) = (0, 0);
                let cells = (0..board.tiles()).filter_map(|tile| board.cell(tile));
                for cell in cells {
                    let wins = table.parts[0].values[turn.index()].won[cell.tile];
                    for (row, column) in wins.and(&board.representatives(&cell)).pairs() {
                        let index = Index { tile: cell.tile, row, column };
                        let men = board.decode_men(index).unwrap();
                        let dark = |(man, square): &(Man, Square)| {
                            (man.role == Role::Bishop).then(|| square.is_dark())
                        };
                        let colors: Vec<bool> = men.iter().filter_map(dark).collect();
                        if colors[0] != colors[1] {
                            won += 1;
                            let place = Place { part: 0, turn, index };
                            let Value::Win(plies) = table.at(place) else { panic!("{place:?}") };
                            longest = longest.max(plies);
                        }
                    }
                }
                let side = &stats.sides[turn.index()];
                assert_eq!(side.total_wins().unique, won, "{name} {turn}");
                assert_eq!(side.longest_win.as_ref().map_or(0, |l| l.plies), longest);
            }
        }
        let none = build.opposite_bishops("KBNK".parse().unwrap(), Metric::Dtc).unwrap();
        assert!(none.is_none());
        let pawns = build.opposite_bishops("KBBKP".parse().unwrap(), Metric::Dtc);
        assert!(matches!(pawns, Err(BuildError::HasPawns { .. })));
    }
}
