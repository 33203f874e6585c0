//! The colours of all pictures.
//!
//! They are told apart by people who do not see red, green or blue, and by
//! their brightness: a blue for what is won, an orange for what is lost, grey
//! between. The base is Okabe and Ito's set of colours.

use std::fmt;

use molien_values::Category;

/// A colour; written as `#rrggbb`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// Lines and letters.
pub const INK: Rgb = Rgb(0x22, 0x22, 0x22);
/// Lines that only guide the eye.
pub const GRID: Rgb = Rgb(0xdd, 0xdd, 0xdd);
/// Behind everything.
pub const PAPER: Rgb = Rgb(0xff, 0xff, 0xff);
/// Light squares of a board.
pub const LIGHT_SQUARE: Rgb = Rgb(0xf0, 0xe9, 0xd8);
/// Dark squares of a board.
pub const DARK_SQUARE: Rgb = Rgb(0xb9, 0xa5, 0x86);
/// Squares on which a man cannot stand.
pub const BLANK: Rgb = Rgb(0xff, 0xff, 0xff);

/// The colour of a class in charts.
pub const fn strong(category: Category) -> Rgb {
    match category {
        Category::Win => Rgb(0x00, 0x5b, 0x96),
        Category::MaybeWin => Rgb(0x2b, 0x88, 0xc2),
        Category::CursedWin => Rgb(0x6a, 0xb7, 0xe8),
        Category::Draw => Rgb(0xb4, 0xb4, 0xb4),
        Category::BlessedLoss => Rgb(0xf0, 0xb4, 0x3c),
        Category::MaybeLoss => Rgb(0xe0, 0x8a, 0x14),
        Category::Loss => Rgb(0xc4, 0x4e, 0x00),
    }
}

/// The colour of a class behind letters.
pub const fn tint(category: Category) -> Rgb {
    match category {
        Category::Win => Rgb(0x8c, 0xc2, 0xea),
        Category::MaybeWin => Rgb(0xae, 0xd4, 0xf0),
        Category::CursedWin => Rgb(0xcf, 0xe5, 0xf6),
        Category::Draw => Rgb(0xe4, 0xe4, 0xe4),
        Category::BlessedLoss => Rgb(0xfc, 0xe8, 0xbd),
        Category::MaybeLoss => Rgb(0xf8, 0xcd, 0x8c),
        Category::Loss => Rgb(0xf0, 0xa8, 0x72),
    }
}

/// Colours of several curves in one chart, in this order.
pub const SERIES: [Rgb; 4] = [
    Rgb(0x00, 0x5b, 0x96), // blue
    Rgb(0xd5, 0x6e, 0x00), // orange
    Rgb(0x00, 0x9e, 0x73), // green
    Rgb(0xcc, 0x79, 0xa7), // pink
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a colour where one kind of cone is missing (Vienot,
    /// Brettel and Mollon 1999; for blue, Brettel's plane made one matrix).
    const MISSING: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
        [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
        [[1.0, 0.1461, -0.1461], [0.0, 0.8597, 0.1403], [0.0, 0.8597, 0.1403]],
    ];

    fn linear(channel: u8) -> f64 {
        let c = f64::from(channel) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    }

    /// CIE Lab of a colour as an eye without one kind of cone sees it.
    fn lab(Rgb(r, g, b): Rgb, missing: &[[f64; 3]; 3]) -> [f64; 3] {
        let rgb = [r, g, b].map(linear);
        let seen = missing.map(|row| row.iter().zip(rgb).map(|(m, c)| m * c).sum::<f64>());
        let to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
        let white = [0.9505, 1.0, 1.089];
        let xyz = to_xyz.map(|row: [f64; 3]| row.iter().zip(seen).map(|(m, c)| m * c).sum::<f64>());
        let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let [x, y, z] = [0, 1, 2].map(|i| f(xyz[i] / white[i]));
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn distance(a: Rgb, b: Rgb, missing: &[[f64; 3]; 3]) -> f64 {
        let (a, b) = (lab(a, missing), lab(b, missing));
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    fn check(colors: &[Rgb], least: f64) {
        for missing in &MISSING {
            for (i, &a) in colors.iter().enumerate() {
                for &b in &colors[i + 1..] {
                    let found = distance(a, b, missing);
                    assert!(found >= least, "{a} and {b}: {found:.1}");
                }
            }
        }
    }

    /// A difference of 2.3 is just seen; red and green lights, to an eye without
    /// green, differ by less than the eye without red sees here.
    #[test]
    fn colours_are_told_apart_without_a_kind_of_cone() {
        let certain = [
            Category::Win,
            Category::CursedWin,
            Category::Draw,
            Category::BlessedLoss,
            Category::Loss,
        ];
        check(&certain.map(strong), 15.0);
        check(&certain.map(tint), 8.0);
        check(&SERIES, 12.0);
        assert_eq!(Rgb(0, 255, 10).to_string(), "#00ff0a");
    }
}
