//! What the parts of the coding are worth: bytes of tables packed without some of
//! them, as a markdown table.
//!
//!     cargo run --release -p molien-pack --example ablation -- [MATERIAL ...]
//!
//! Classes of both sides and depths in DTZ50 of the side that takes less. Each
//! column but the first leaves out or changes one thing.

use std::error::Error;

use molien_board::{Color, Man, Material};
use molien_build::Build;
use molien_pack::{
    ClassPacker, DepthPacker, Ignored, Late, Layout, Metric as Packed, PackError, Profile, Tables,
    choose, late_of, orders, stored_sides,
};
use molien_values::{Metric, Placement, Table};

/// Tables of all kinds: pieces alone, drawish, with pawns, the same men on both sides.
const SIX: [&str; 6] = ["KRKN", "KQKR", "KBNK", "KRKP", "KBKP", "KPKP"];

/// What is changed, and how trees are learnt then.
const VARIANTS: [(&str, Profile); 5] = [
    ("all", Profile::FAST),
    ("no geometry", without(Ignored { geometry: true, neighbours: false })),
    ("no neighbours", without(Ignored { geometry: false, neighbours: true })),
    (
        "0.3 million cells",
        Profile { sample: 300_000, one_in: 1, depth_sample: 300_000, ..Profile::FAST },
    ),
    ("4 million cells", Profile { sample: 4_000_000, one_in: 1, ..Profile::FAST }),
];

const fn without(ignored: Ignored) -> Profile {
    Profile { ignored, ..Profile::FAST }
}

/// Bytes of classes, and of depths of the side that takes less.
fn bytes(
    tables: &Tables<'_>,
    layout: &Layout,
    base: Color,
    profile: Profile,
) -> Result<[usize; 2], PackError> {
    let classes = ClassPacker::new(tables, layout, base, profile).pack()?.len();
    let metric = Packed { number: 0, earlier: None };
    let side = |side| Ok(DepthPacker::new(tables, layout, side, metric, profile).pack()?.len());
    let depths: Result<Vec<usize>, PackError> =
        stored_sides(layout, base).into_iter().map(side).collect();
    Ok([classes, depths?.into_iter().min().unwrap_or(0)])
}

/// The layouts: the one that trials find, and the first of all, White coded first.
fn layouts(
    tables: &Tables<'_>,
    material: Material,
    near: Option<Man>,
) -> Option<[(Layout, Color); 2]> {
    let placements = match material.has_pawns() {
        true => Placement::all(&material),
        false => vec![Placement::NONE],
    };
    let first = orders(&material, near).into_iter().next()?;
    let unsearched = Layout::new(material, &first, placements.clone())?;
    Some([
        choose(tables, material, &placements, near, 1, &Profile::FAST).ok()?,
        (unsearched, Color::White),
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let names = if named.is_empty() { SIX.map(str::to_owned).to_vec() } else { named };
    let columns = VARIANTS.map(|(name, _)| name).join(" | ");
    println!("| classes, DTZ50 of one side | {columns} | order not searched |");
    println!("|---{}|", "|--:".repeat(VARIANTS.len() + 1));
    let solver = Build::new();
    for name in names {
        let material = name.parse::<Material>()?.canonical();
        let table = solver.table(material, Metric::Dtz50)?;
        let dtz50: &Table = &table;
        let late: Vec<Late> = dtz50.parts.iter().map(|part| late_of(part)).collect();
        let tables = Tables { classes: dtz50, late: Some(&late), metrics: vec![dtz50], stop: None };
        let near = table.parts.first().and_then(|part| part.board.column());
        let [found, unsearched] = layouts(&tables, material, near).ok_or("no layout")?;
        let mut sizes = Vec::new();
        for (_, profile) in VARIANTS {
            sizes.push(bytes(&tables, &found.0, found.1, profile)?);
        }
        sizes.push(bytes(&tables, &unsearched.0, unsearched.1, Profile::FAST)?);
        let cells: Vec<String> =
            sizes.iter().map(|[classes, depths]| format!("{classes}, {depths}")).collect();
        println!("| {} | {} |", material.file_name(), cells.join(" | "));
    }
    Ok(())
}
