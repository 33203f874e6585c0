//! Boards as PNG: squares and men only, without names and captions.
//!
//! Pages that show a picture of a link take no SVG. The men are the same
//! outlines, looked at in nine places of each pixel.

use std::sync::OnceLock;

use kurbo::{Affine, BezPath, Cap, Join, Shape as _, Stroke, StrokeOpts, flatten, stroke};
use molien_board::{Color, Man, Role, Square};

use crate::Board;
use crate::men::{colors, details, outline};
use crate::palette::{DARK_SQUARE, INK, LIGHT_SQUARE, Rgb};

/// The side of a square.
const SIDE: usize = 75;
/// How closely curves are followed, in pixels.
const TOLERANCE: f64 = 0.1;
/// Places looked at in a pixel, across and down.
const LOOKS: usize = 3;

/// How much of each pixel of a square a shape covers, from 0 to 9.
type Cover = Vec<u8>;

/// The shapes of a role, one upon the other: inside, outer lines, inner lines.
struct Drawn {
    inside: Cover,
    outer: Cover,
    inner: Cover,
}

fn cover(path: &BezPath) -> Cover {
    let mut lines = BezPath::new();
    flatten(path, TOLERANCE, |element| lines.push(element));
    let places = (LOOKS * LOOKS) as u8;
    let at = |pixel: usize, look: usize| pixel as f64 + (look as f64 + 0.5) / LOOKS as f64;
    let pixel = |i: usize| {
        let inside = |look: &u8| {
            let (x, y) = (
                at(i % SIDE, usize::from(*look) % LOOKS),
                at(i / SIDE, usize::from(*look) / LOOKS),
            );
            lines.winding((x, y).into()) != 0
        };
        (0..places).filter(inside).count() as u8
    };
    (0..SIDE * SIDE).map(pixel).collect()
}

impl Drawn {
    fn new(role: Role) -> Drawn {
        let scale = Affine::scale(SIDE as f64 / 100.0);
        // The outlines are constants, and a test reads all of them.
        let read = |text: &str| scale * BezPath::from_svg(text).unwrap_or_default();
        let width = 4.0 * SIDE as f64 / 100.0;
        let style = Stroke::new(width).with_caps(Cap::Round).with_join(Join::Round);
        let line = |path: BezPath| cover(&stroke(path, &style, &StrokeOpts::default(), TOLERANCE));
        let shape = read(outline(role));
        Drawn { inside: cover(&shape), outer: line(shape), inner: line(read(details(role))) }
    }

    fn of(role: Role) -> &'static Drawn {
        static ALL: [OnceLock<Drawn>; 6] = [const { OnceLock::new() }; 6];
        ALL[role as usize].get_or_init(|| Drawn::new(role))
    }
}

/// Between two colours, so many ninths of the way.
fn mixed(below: Rgb, above: Rgb, ninths: u8) -> Rgb {
    let places = (LOOKS * LOOKS) as u16;
    let channel = |below: u8, above: u8| {
        let ninths = u16::from(ninths);
        ((u16::from(below) * (places - ninths) + u16::from(above) * ninths) / places) as u8
    };
    Rgb(channel(below.0, above.0), channel(below.1, above.1), channel(below.2, above.2))
}

impl Board {
    /// The squares and men as a PNG file.
    pub fn to_png(&self) -> Vec<u8> {
        let width = 8 * SIDE;
        let mut pixels = vec![0; 3 * width * width];
        for square in Square::all() {
            let (file, rank) = (square.index() % 8, square.index() / 8);
            let (column, row) = match self.seen_from {
                Color::White => (file, 7 - rank),
                Color::Black => (7 - file, rank),
            };
            let man = self.men.iter().find(|(_, at)| *at == square).map(|(man, _)| *man);
            let plain = if square.is_dark() { DARK_SQUARE } else { LIGHT_SQUARE };
            for (i, Rgb(r, g, b)) in square_pixels(plain, man).enumerate() {
                let at = 3 * ((row * SIDE + i / SIDE) * width + column * SIDE + i % SIDE);
                pixels[at..at + 3].copy_from_slice(&[r, g, b]);
            }
        }
        encoded(width as u32, &pixels)
    }
}

/// The pixels of a square, row by row from above.
fn square_pixels(plain: Rgb, man: Option<Man>) -> impl Iterator<Item = Rgb> {
    let drawn = man.map(|man| (Drawn::of(man.role), colors(man.color)));
    (0..SIDE * SIDE).map(move |i| match drawn {
        None => plain,
        Some((drawn, (fill, line))) => {
            let below = mixed(plain, fill, drawn.inside[i]);
            mixed(mixed(below, INK, drawn.outer[i]), line, drawn.inner[i])
        }
    })
}

fn encoded(width: u32, pixels: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, width);
    encoder.set_color(png::ColorType::Rgb);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    // Writing to memory cannot fail.
    debug_assert!(written.is_ok());
    file
}

#[cfg(test)]
mod tests {
    use molien_board::Position;

    use super::*;

    fn decoded(file: &[u8]) -> (u32, Vec<u8>) {
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(info.width, info.height);
        (info.width, pixels)
    }

    /// A pixel in the middle of a square, seen from White.
    fn middle((width, pixels): &(u32, Vec<u8>), square: &str) -> Rgb {
        let square: Square = square.parse().unwrap();
        let (file, rank) = (square.index() % 8, square.index() / 8);
        let half = SIDE / 2;
        let at = 3 * (((7 - rank) * SIDE + half) * *width as usize + file * SIDE + half);
        Rgb(pixels[at], pixels[at + 1], pixels[at + 2])
    }

    #[test]
    fn men_and_squares_are_seen() {
        let position: Position = "8/8/8/8/8/2k5/8/K6R w - -".parse().unwrap();
        let board = Board::from(&position);
        let picture = decoded(&board.to_png());
        assert_eq!(picture.0, 600);
        assert_eq!(middle(&picture, "e4"), LIGHT_SQUARE);
        assert_eq!(middle(&picture, "e5"), DARK_SQUARE);
        assert_eq!(middle(&picture, "h1"), colors(Color::White).0);
        let turned = decoded(&Board { seen_from: Color::Black, ..board }.to_png());
        assert_eq!(middle(&turned, "a8"), colors(Color::White).0);
    }

    #[test]
    fn every_role_has_an_inside_and_lines() {
        for role in Role::ALL {
            assert!(BezPath::from_svg(outline(role)).is_ok(), "{role:?}");
            assert!(BezPath::from_svg(details(role)).is_ok(), "{role:?}");
            let covered = |cover: &Cover| cover.iter().filter(|&&ninths| ninths == 9).count();
            let drawn = Drawn::of(role);
            assert!(covered(&drawn.inside) > SIDE * SIDE / 8, "{role:?}");
            assert!(covered(&drawn.outer) > SIDE, "{role:?}");
        }
    }
}
