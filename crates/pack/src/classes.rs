//! The classes of a tile's cells as sets.

/// Loss, blessed loss, draw, cursed win and win, numbered from 0.
pub const CLASSES: usize = 5;

/// The class of a cell that is not known or not stored, in answers.
pub const NONE: u8 = CLASSES as u8;

/// The known classes of one tile with one side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassTile {
    /// `at_most[t][row]`: the columns whose class is known and at most t.
    pub at_most: [[u64; 64]; CLASSES],
}

impl Default for ClassTile {
    fn default() -> ClassTile {
        ClassTile { at_most: [[0; 64]; CLASSES] }
    }
}

impl ClassTile {
    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.at_most = [[0; 64]; CLASSES];
    }

    /// The class of a cell.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> Option<u8> {
        let known = |t: &u8| self.at_most[usize::from(*t)][row] >> column & 1 != 0;
        (0..NONE).find(known)
    }

    /// Sets the class of some cells that were not known.
    #[inline]
    pub fn set(&mut self, row: usize, columns: u64, class: u8) {
        for plane in &mut self.at_most[usize::from(class)..] {
            plane[row] |= columns;
        }
    }

    /// The cells of one class.
    #[inline]
    pub fn exactly(&self, row: usize, class: usize) -> u64 {
        let below = if class == 0 { 0 } else { self.at_most[class - 1][row] };
        self.at_most[class][row] & !below
    }

    /// The known cells.
    #[inline]
    pub fn known(&self, row: usize) -> u64 {
        self.at_most[CLASSES - 1][row]
    }

    /// Takes over some rows of another tile.
    pub fn copy_rows(&mut self, from: &ClassTile, rows: &[u8]) {
        for (to, from) in self.at_most.iter_mut().zip(&from.at_most) {
            rows.iter().map(|&row| usize::from(row)).for_each(|row| to[row] = from[row]);
        }
    }

    /// Takes over some cells of another tile.
    #[inline]
    pub fn copy_cells(&mut self, from: &ClassTile, row: usize, columns: u64) {
        for (to, from) in self.at_most.iter_mut().zip(&from.at_most) {
            to[row] |= from[row] & columns;
        }
    }
}
