//! The men, drawn in lines of our own.
//!
//! Each is a few shapes in a field of 100 by 100, feet on the line y = 90, the
//! same for both colours: what is filled and what is drawn changes places.

use molien_board::{Color, Man, Role};

use crate::palette::{INK, PAPER, Rgb};

/// The outline of a role: one or more closed shapes.
pub(crate) const fn outline(role: Role) -> &'static str {
    match role {
        Role::Pawn => {
            "M50 20a13 13 0 0 1 8.5 22.8c6.5 3 9.500 8 9.500 12.200h-8c.8 9.500 5 16.500 13 22 3 2.200 5 5 5 13H22c0-8 2-10.800 5-13 8-5.500 12.200-12.500 13-22h-8c0-4.200 3-9.200 9.500-12.200A13 13 0 0 1 50 20z"
        }
        Role::Rook => {
            "M24 18h12v8h8v-8h12v8h8v-8h12v21l-8 8c0 10 1.500 19 4 26h4c3.500 0 6 3 6 7v10H18V80c0-4 2.500-7 6-7h4c2.500-7 4-16 4-26l-8-8z"
        }
        Role::Knight => {
            "M40 13l5 8c20 2 34 19 35 44 .3 7-.5 15-2 25H31c-1-13 4-21 13-28 5-4 7-8 7-13-6 5-12 6-17 9-5 4-8 10-13 10-4 0-8-5-8-9 0-6 11-17 14-27 2-6 4-9 7-11z"
        }
        Role::Bishop => {
            "M50 8a6.500 6.500 0 0 1 4.500 11.200C65 26 72 36 72 46c0 8-4 14-10 18l3 9h9c4 0 7 3 7 7v10H19V80c0-4 3-7 7-7h9l3-9c-6-4-10-10-10-18 0-10 7-20 17.500-26.800A6.500 6.500 0 0 1 50 8z"
        }
        Role::Queen => {
            "M50 11a6 6 0 0 1 2.500 11.400L60 44l11-17a6 6 0 1 1 5 1.800L75 49l11-11a6 6 0 1 1 4.500 3.500L78 73c4 1 6 4 6 7v10H16V80c0-3 2-6 6-7L9.500 41.500A6 6 0 1 1 14 38l11 11-1-20.200a6 6 0 1 1 5-1.800l11 17 7.500-21.600A6 6 0 0 1 50 11z"
        }
        Role::King => {
            "M46 6h8v8h8v8h-8v9c3 1.500 5 4 6 7 12-7 28-3 30 10 1.500 10-5 18-14 25 4 1 6 4 6 7v10H18V80c0-3 2-6 6-7-9-7-15.500-15-14-25 2-13 18-17 30-10 1-3 3-5.500 6-7v-9h-8v-8h8z"
        }
    }
}

/// Lines inside the outline.
pub(crate) const fn details(role: Role) -> &'static str {
    match role {
        Role::Pawn => "",
        Role::Rook => "M32 47h36M28 73h44",
        Role::Knight => "M41 33l4 3M25 55l3 2",
        Role::Bishop => "M50 34v16M42 42h16M38 64h24M35 73h30",
        Role::Queen => "M22 73c18-5 38-5 56 0M25 63c16-5 34-5 50 0",
        Role::King => "M24 73c17-5 35-5 52 0M50 66c-2-12 2-20 10-28M50 66c2-12-2-20-10-28",
    }
}

/// The colours of a man: what it is filled with, and its inner lines.
pub(crate) const fn colors(color: Color) -> (Rgb, Rgb) {
    match color {
        Color::White => (PAPER, INK),
        Color::Black => (INK, PAPER),
    }
}

/// A man as a piece of SVG, in a field of 100 by 100.
pub fn man_svg(man: Man) -> String {
    let (fill, line) = colors(man.color);
    let (outline, details) = (outline(man.role), details(man.role));
    let mut svg = format!(
        "<path d=\"{outline}\" fill=\"{fill}\" stroke=\"{INK}\" stroke-width=\"4\" stroke-linejoin=\"round\"/>"
    );
    if !details.is_empty() {
        svg += &format!(
            "<path d=\"{details}\" fill=\"none\" stroke=\"{line}\" stroke-width=\"4\" stroke-linecap=\"round\"/>"
        );
    }
    svg
}
