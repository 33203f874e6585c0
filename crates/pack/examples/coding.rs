//! Packs tables, reads them back from the bytes alone, compares every cell and
//! prints sizes and times.
//!
//!     cargo run --release -p molien-pack --example coding -- [fast|small] KRKN:Rn:b KPKP ...
//!
//! A material may name the order of its placed men, row and column last, and
//! the base side. `depths` before the materials measures DTZ50 of each side too,
//! `metrics` all metrics, `only` before them leaves out the classes. Limits of the
//! profile can be changed: `leaves=500`, `sample=100000`, `questions=20` (0: any
//! number), `one_in=16`, `candidates=4`,
//! `one_column_in=2`, `depth_sample=100000`, `bytes=64` of a stream.

use std::sync::Arc;

use molien_board::{Color, Man, Material};
use molien_build::Build;
use molien_pack::{
    Address, ClassPacker, ClassTile, Classes, DepthPacker, DepthScratch, DepthTile, Depths, Known,
    Late, Layout, Profile, Scratch, Stretch, Tables, TileSource, late_of,
};
use molien_values::{Metric, Placement, Table};

/// CPU seconds of this process, from the first to the second call.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn main() {
    let mut profile = Profile::FAST;
    let solver = Build::new();
    let (mut total, mut skip_classes) = (0, false);
    let mut metrics: Vec<Metric> = Vec::new();
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "fast" => profile = Profile::FAST,
            "small" => profile = Profile::SMALL,
            "depths" => metrics = vec![Metric::Dtz50],
            "only" => skip_classes = true,
            "metrics" => metrics = vec![Metric::Dtz50, Metric::Dtc, Metric::Dtm],
            "all4" => {
                for material in Material::all(4) {
                    total += search(&solver, material, profile, &metrics, skip_classes);
                }
            }
            limit if limit.contains('=') => set_limit(&mut profile, limit),
            other => {
                let mut parts = other.split(':');
                let material: Material = parts.next().unwrap().parse().expect("material");
                let order: Option<Vec<Man>> =
                    parts.next().map(|men| men.chars().filter_map(Man::from_letter).collect());
                let base = if parts.next() == Some("w") { Color::White } else { Color::Black };
                match order {
                    Some(order) => {
                        let table = solver.table(material, Metric::Dtz50).expect("solved");
                        total += measure(&table, &order, base, profile);
                    }
                    None => total += search(&solver, material, profile, &metrics, skip_classes),
                }
            }
        }
    }
    println!("total {total}");
}

/// Changes a limit of a profile: `leaves=500` and the like; 0 questions are any number.
fn set_limit(profile: &mut Profile, limit: &str) {
    let (name, number) = limit.split_once('=').expect("a limit");
    let number: usize = number.parse().expect("a number");
    match name {
        "leaves" => (profile.leaves, profile.depth_leaves) = (number, number),
        "sample" => profile.sample = number,
        "questions" => {
            profile.questions = Some(number).filter(|&questions| questions > 0);
            profile.depth_questions = profile.questions;
        }
        "one_in" => profile.one_in = number,
        "depth_sample" => profile.depth_sample = number,
        "candidates" => profile.candidates = number,
        "one_column_in" => profile.one_column_in = number as u64,
        "bytes" => profile.stream_bytes = number,
        _ => panic!("no such limit: {name}"),
    }
}

fn layout_placements(material: Material) -> Vec<Placement> {
    match material.has_pawns() {
        true => Placement::all(&material),
        false => vec![Placement::NONE],
    }
}

fn layout_of(material: Material, order: &[Man]) -> Layout {
    Layout::new(material, order, layout_placements(material)).expect("a layout")
}

/// With the order and base side that trials find best.
fn search(
    solver: &Build,
    material: Material,
    profile: Profile,
    metrics: &[Metric],
    skip_classes: bool,
) -> usize {
    let table = solver.table(material, Metric::Dtz50).expect("solved");
    let late: Vec<Late> = table.parts.iter().map(|part| late_of(part)).collect();
    let tables = Tables { classes: &table, late: Some(&late), metrics: vec![&table], stop: None };
    let start = cpu_seconds();
    let near = table.parts[0].board.column();
    let placements = layout_placements(material);
    let (layout, base) =
        molien_pack::choose(&tables, material, &placements, near, metrics.len(), &profile)
            .expect("counted");
    let men: String = layout.placed().iter().map(|man| man.letter()).collect();
    print!("[search {:.1} s: {men}] ", cpu_seconds() - start);
    let bytes = if skip_classes { 0 } else { measure(&table, layout.placed(), base, profile) };
    for &metric in metrics {
        let other =
            (metric != Metric::Dtz50).then(|| solver.table(material, metric).expect("solved"));
        let deep = other.as_ref().unwrap_or(&table);
        for side in molien_pack::stored_sides(&layout, base) {
            measure_depths(&table, deep, &Arc::new(layout.clone()), side, profile, None);
            if metric != Metric::Dtz50 {
                let earlier = Some(&*table);
                measure_depths(&table, deep, &Arc::new(layout.clone()), side, profile, earlier);
            }
        }
    }
    bytes
}

/// What depths are read with.
struct Solved<'a> {
    tables: &'a Tables<'a>,
    layout: &'a Layout,
    side: Color,
    with_earlier: bool,
    classes: ClassTile,
    depths: Vec<DepthTile>,
}

impl Known for Solved<'_> {
    fn classes(&mut self, tile: usize) -> &ClassTile {
        stored(self.tables, self.layout, self.side, tile, &mut self.classes);
        &self.classes
    }

    fn earlier(&mut self, tile: usize) -> Option<&DepthTile> {
        if !self.with_earlier {
            return None;
        }
        self.tables.stretch(self.layout, tile, 1).depths(1, self.side, &mut self.depths);
        self.depths.first()
    }
}

/// Packs depths, reads them back and compares them.
fn measure_depths(
    classes: &Table,
    deep: &Table,
    layout: &Arc<Layout>,
    side: Color,
    profile: Profile,
    earlier: Option<&Table>,
) {
    let metrics = [Some(deep), earlier].into_iter().flatten().collect();
    let late: Vec<Late> = classes.parts.iter().map(|part| late_of(part)).collect();
    let tables = Tables { classes, late: Some(&late), metrics, stop: None };
    let metric = molien_pack::Metric { number: 0, earlier: earlier.map(|_| 1) };
    let start = cpu_seconds();
    let bytes =
        DepthPacker::new(&tables, layout, side, metric, profile).pack().expect("depths packed");
    let packed = cpu_seconds();
    let mut data = &bytes[..];
    let depths = Depths::read(&mut data, layout, earlier.is_some()).expect("depths read");
    let mut scratch = DepthScratch::default();
    let (room, deep_room) = (ClassTile::default(), vec![[[0; 64]; 64]]);
    let with_earlier = earlier.is_some();
    let mut known =
        Solved { tables: &tables, layout, side, with_earlier, classes: room, depths: deep_room };
    let (mut cells, mut own) = (0u64, ClassTile::default());
    let mut expected = Box::new([[[0u16; 64]; 64]; 1]);
    let mut unique = [0; 64];
    let decode = cpu_seconds();
    for stream in 0..depths.streams() {
        let compare = |tile: usize, rows: &[u8], found: &molien_pack::DepthTile| {
            stored(&tables, layout, side, tile, &mut own);
            tables.stretch(layout, tile, 1).depths(0, side, &mut expected[..]);
            for row in rows.iter().map(|&row| usize::from(row)) {
                unique[row] = own.known(row) & !own.exactly(row, 2);
                for column in 0..64 {
                    if unique[row] >> column & 1 != 0 {
                        assert_eq!(found[row][column], expected[0][row][column], "tile {tile}");
                        cells += 1;
                    }
                }
            }
        };
        let some = (stream, 0..layout.tiles());
        depths.read_stream(&mut scratch, data, some, &mut known, compare).expect("stream");
    }
    println!(
        "    {} {} {side} to move{}: {} bytes, {} leaves, {} streams, {cells} decided cells, {:.3} bits; \
         packed {:.2} s, read and compared {:.2} s = {:.1} M/s",
        deep.material,
        deep.metric,
        if earlier.is_some() { " after dtz50" } else { "" },
        bytes.len(),
        depths.leaves(),
        depths.streams(),
        bytes.len() as f64 * 8.0 / cells.max(1) as f64,
        packed - start,
        cpu_seconds() - decode,
        cells as f64 / 1e6 / (cpu_seconds() - decode).max(0.005)
    );
}

/// The classes of the stored cells of a tile.
fn stored(tables: &Tables<'_>, layout: &Layout, side: Color, tile: usize, out: &mut ClassTile) {
    out.clear();
    if let Some(frame) = layout.frame(tile) {
        tables.stretch(layout, tile, 1).classes(side, std::slice::from_mut(out));
        frame.keep_stored(out);
    }
}

fn measure(table: &Table, order: &[Man], base: Color, profile: Profile) -> usize {
    let layout = Arc::new(layout_of(table.material, order));
    let late: Vec<Late> = table.parts.iter().map(|part| late_of(part)).collect();
    let tables = Tables { classes: table, late: Some(&late), metrics: vec![], stop: None };
    let start = cpu_seconds();
    let bytes = ClassPacker::new(&tables, &layout, base, profile).pack().expect("packed");
    let packed = cpu_seconds();
    let mut data = &bytes[..];
    let classes = Classes::read(&mut data, &layout).expect("read");
    let mut scratch = Scratch::default();
    let mut cells = 0u64;
    let sides: Vec<Color> = classes.sides().collect();
    let decode = cpu_seconds();
    for stream in 0..classes.streams() {
        let count = |_, _: &[u8], base: &ClassTile, second: &ClassTile| {
            let of = |tile: &ClassTile| {
                (0..64).map(|row| u64::from(tile.known(row).count_ones())).sum::<u64>()
            };
            cells += of(base) + if sides.len() > 1 { of(second) } else { 0 };
        };
        classes.read_stream(&mut scratch, data, stream, 0..layout.tiles(), count).expect("stream");
    }
    let decoded = cpu_seconds();
    check(&tables, &layout, (&classes, data), &sides);
    let probes = probe((&classes, data), &layout, &sides);
    let men: String = order.iter().map(|man| man.letter()).collect();
    let model = u32::from_le_bytes(bytes[2..6].try_into().unwrap())
        + if sides.len() > 1 { u32::from_le_bytes(bytes[6..10].try_into().unwrap()) } else { 0 };
    println!(
        "{} {men} base {base}: {} bytes (models {model}, {:?} leaves, {} streams), {cells} cells, {:.4} bits; \
         packed {:.2} s, read {:.2} s = {:.1} M/s; cold {}",
        table.material,
        bytes.len(),
        classes.leaves(),
        classes.streams(),
        bytes.len() as f64 * 8.0 / cells as f64,
        packed - start,
        decoded - decode,
        cells as f64 / (decoded - decode).max(0.005) / 1e6,
        probes
    );
    bytes.len()
}

/// Every cell of every tile has the solver's class, and no other is known.
fn check(
    tables: &Tables<'_>,
    layout: &Layout,
    (classes, data): (&Classes, &[u8]),
    sides: &[Color],
) {
    let mut scratch = Scratch::default();
    let mut seen = 0;
    let mut expected = ClassTile::default();
    for stream in 0..classes.streams() {
        let compare = |tile, rows: &[u8], base: &ClassTile, second: &ClassTile| {
            for (found, &side) in [base, second].into_iter().zip(sides) {
                tables.stretch(layout, tile, 1).classes(side, std::slice::from_mut(&mut expected));
                for (found_plane, expected) in found.at_most.iter().zip(&expected.at_most) {
                    for row in rows.iter().map(|&row| usize::from(row)) {
                        let expected = expected[row] & found.known(row);
                        assert_eq!(found_plane[row], expected, "tile {tile}");
                    }
                }
                seen += (0..64).map(|row| u64::from(found.known(row).count_ones())).sum::<u64>();
            }
        };
        classes
            .read_stream(&mut scratch, data, stream, 0..layout.tiles(), compare)
            .expect("stream");
    }
    let stats = &tables.classes.stats;
    let legal: u64 = sides.iter().map(|side| stats.sides[side.index()].legal.unique).sum();
    assert_eq!(seen, legal, "every legal position once");
}

/// Mean times of single cells, each read from its stream.
fn probe((classes, data): (&Classes, &[u8]), layout: &Layout, sides: &[Color]) -> String {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |limit: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 20) as usize % limit
    };
    let mut text = String::new();
    for &side in sides {
        let mut scratch = Scratch::default();
        let mut todo: Vec<Address> = Vec::new();
        while todo.len() < 3000 {
            let at = Address {
                part: below(layout.placements().len()),
                tile: below(layout.tiles_per_part()),
                row: molien_board::Square::new(below(layout.rows())),
                column: molien_board::Square::new(below(64)),
            };
            if classes.get(&mut scratch, data, at, side).expect("class").is_some() {
                todo.push(at);
            }
        }
        let start = cpu_seconds();
        for _ in 0..3 {
            for &at in &todo {
                assert!(classes.get(&mut scratch, data, at, side).expect("class").is_some());
            }
        }
        let each = (cpu_seconds() - start) / 9000.0;
        text += &format!("{:.1} us ", each * 1e6);
    }
    text
}
