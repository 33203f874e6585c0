//! Packing and reading give every value back, and the same table the same
//! bytes; broken bytes are an error and never a panic.

use std::sync::Arc;

use molien_board::{Color, Man, Material};
use molien_build::Build;
use molien_pack::{
    Address, ClassPacker, ClassTile, Classes, DepthPacker, DepthScratch, DepthTile, Depths, Known,
    Late, Layout, Metric, PackError, Profile, Scratch, Segments, Stretch, TableStretch, Tables,
    TileSource, choose, fuzzing, late_of, stored_sides,
};
use molien_values::{Category, Metric as Counted, Placement, Table};

/// Small trees from small samples: quickly learnt.
const QUICK: Profile = Profile {
    leaves: 150,
    depth_leaves: 150,
    sample: 20_000,
    depth_sample: 20_000,
    ..Profile::FAST
};

fn solve(name: &str) -> Arc<Table> {
    Build::new().table(name.parse().unwrap(), Counted::Dtz50).unwrap()
}

fn layout(table: &Table, order: &str) -> Arc<Layout> {
    let material: Material = table.material;
    let placements = match material.has_pawns() {
        true => Placement::all(&material),
        false => vec![Placement::NONE],
    };
    let order: Vec<Man> = order.chars().map(|letter| Man::from_letter(letter).unwrap()).collect();
    Arc::new(Layout::new(material, &order, placements).unwrap())
}

fn all_late(table: &Table) -> Vec<Late> {
    table.parts.iter().map(|part| late_of(part)).collect()
}

fn tables<'a>(table: &'a Table, late: &'a [Late]) -> Tables<'a> {
    Tables { classes: table, late: Some(late), metrics: vec![table], stop: None }
}

/// The classes of a tile's stored cells as the solver has them.
fn truth(source: &impl TileSource, layout: &Layout, side: Color, tile: usize, out: &mut ClassTile) {
    out.clear();
    if let Some(frame) = layout.frame(tile) {
        source.stretch(layout, tile, 1).classes(side, std::slice::from_mut(out));
        frame.keep_stored(out);
    }
}

fn check_classes(table: &Table, layout: &Arc<Layout>, base: Color, profile: Profile) {
    let late = all_late(table);
    let source = tables(table, &late);
    let bytes = ClassPacker::new(&source, layout, base, profile).pack().unwrap();
    let mut data = &bytes[..];
    let classes = Classes::read(&mut data, layout).unwrap();
    check_streams(&source, table, &classes, (layout, data));
    check_cells(table, layout, &classes, data);
}

/// All classes, stream by stream.
fn check_streams(
    source: &impl TileSource,
    table: &Table,
    classes: &Classes,
    (layout, data): (&Layout, &[u8]),
) {
    assert_eq!(data.len(), classes.data_len());
    let mut scratch = Scratch::default();
    let mut cells = 0;
    let mut expected = ClassTile::default();
    for stream in 0..classes.streams() {
        let compare = |tile: usize, rows: &[u8], base: &ClassTile, second: &ClassTile| {
            for (found, side) in [base, second].into_iter().zip(classes.sides()) {
                truth(source, layout, side, tile, &mut expected);
                for (found, expected) in found.at_most.iter().zip(&expected.at_most) {
                    for row in rows.iter().map(|&row| usize::from(row)) {
                        assert_eq!(found[row], expected[row], "tile {tile}, row {row}");
                    }
                }
                cells += (0..64).map(|r| u64::from(found.known(r).count_ones())).sum::<u64>();
            }
        };
        let all = 0..layout.tiles();
        classes.read_stream(&mut scratch, data, stream, all, compare).unwrap();
    }
    let legal = |side: Color| table.stats.sides[side.index()].legal.unique;
    assert_eq!(cells, classes.sides().map(legal).sum::<u64>(), "every position once");
}

/// The classes that are certain, as they are numbered.
const CLASSES: [Category; 5] =
    [Category::Loss, Category::BlessedLoss, Category::Draw, Category::CursedWin, Category::Win];

/// Single cells, read by themselves, through addresses of positions.
fn check_cells(table: &Table, layout: &Layout, classes: &Classes, data: &[u8]) {
    let mut scratch = Scratch::default();
    let board = &table.parts[0].board;
    let mut found = 0;
    for i in 0..4000usize {
        let index = molien_hyper::Index {
            tile: i * 7919 % board.tiles(),
            row: molien_board::Square::new(if board.row().is_some() { i * 31 } else { 0 }),
            column: molien_board::Square::new(i * 17),
        };
        for side in classes.sides() {
            let Some(position) = board.decode(index, side) else { continue };
            let at: Address = layout.locate(&position).unwrap();
            let class = classes.get(&mut scratch, data, at, side).unwrap();
            let category = Category::of(table.get(&position).unwrap());
            let expected = CLASSES.iter().position(|class| *class == category).unwrap();
            assert_eq!(class, Some(expected as u8), "{position}");
            found += 1;
        }
    }
    assert!(found > 100);
}

#[test]
fn classes_come_back() {
    for (name, order, base) in
        [("KQK", "Q", Color::White), ("KPK", "kK", Color::White), ("KPK", "Kk", Color::Black)]
    {
        let table = solve(name);
        check_classes(&table, &layout(&table, order), base, QUICK);
    }
}

#[test]
fn classes_of_four_men_come_back() {
    // Like men, a symmetric material, cursed wins, an outer man and pawns.
    for (name, order) in [("KBBK", "BB"), ("KNKN", "Nn"), ("KRKP", "KRk"), ("KBNK", "NB")] {
        let table = solve(name);
        let segments = if name == "KBNK" { Segments::Quarters } else { Segments::Whole };
        let profile = Profile { segments, ..QUICK };
        check_classes(&table, &layout(&table, order), Color::Black, profile);
    }
}

/// Classes and earlier depths as the solver has them.
struct Solved<'a, S> {
    source: &'a S,
    layout: &'a Layout,
    side: Color,
    earlier: bool,
    classes: ClassTile,
    depths: Vec<DepthTile>,
}

impl<S: TileSource> Known for Solved<'_, S> {
    fn classes(&mut self, tile: usize) -> &ClassTile {
        truth(self.source, self.layout, self.side, tile, &mut self.classes);
        &self.classes
    }

    fn earlier(&mut self, tile: usize) -> Option<&DepthTile> {
        self.source.stretch(self.layout, tile, 1).depths(1, self.side, &mut self.depths);
        self.earlier.then(|| &self.depths[0])
    }
}

fn check_depths(table: &Table, layout: &Arc<Layout>, side: Color, earlier: bool) {
    let source = Tables { classes: table, late: None, metrics: vec![table, table], stop: None };
    check_depths_of(&source, table, layout, side, earlier);
}

fn check_depths_of(
    source: &impl TileSource,
    table: &Table,
    layout: &Arc<Layout>,
    side: Color,
    earlier: bool,
) {
    let metric = Metric { number: 0, earlier: earlier.then_some(1) };
    let bytes = DepthPacker::new(source, layout, side, metric, QUICK).pack().unwrap();
    let mut data = &bytes[..];
    let depths = Depths::read(&mut data, layout, earlier).unwrap();
    assert_eq!(data.len(), depths.data_len());
    let mut scratch = DepthScratch::default();
    let (classes, room) = (ClassTile::default(), vec![[[0; 64]; 64]]);
    let mut known = Solved { source, layout, side, earlier, classes, depths: room };
    let mut cells = 0;
    let mut expected = vec![[[0; 64]; 64]];
    let mut own = ClassTile::default();
    for stream in 0..depths.streams() {
        let compare = |tile: usize, rows: &[u8], found: &DepthTile| {
            truth(source, layout, side, tile, &mut own);
            source.stretch(layout, tile, 1).depths(0, side, &mut expected);
            for row in rows.iter().map(|&row| usize::from(row)) {
                let decided = own.known(row) & !own.exactly(row, 2);
                for column in (0..64).filter(|column| decided >> column & 1 != 0) {
                    assert_eq!(found[row][column], expected[0][row][column]);
                    cells += 1;
                }
            }
        };
        let some = (stream, 0..layout.tiles());
        depths.read_stream(&mut scratch, data, some, &mut known, compare).unwrap();
    }
    let stats = &table.stats.sides[side.index()];
    let decided: u64 = stats.wins.iter().chain(&stats.losses).map(|count| count.unique).sum();
    assert_eq!(cells, decided, "every decided position once");
}

#[test]
fn depths_come_back() {
    for (name, order) in [("KRK", "R"), ("KPK", "kK"), ("KBBK", "BB")] {
        let table = solve(name);
        for side in Color::BOTH {
            check_depths(&table, &layout(&table, order), side, side == Color::White);
        }
    }
}

/// One side stands for both; part of the placements are their own mirror image.
#[test]
fn pawns_on_both_sides() {
    let table = solve("KPKP");
    let layout = layout(&table, "Kk");
    check_classes(&table, &layout, Color::White, QUICK);
    check_depths(&table, &layout, Color::White, false);
}

/// Tables in which everything takes 60 plies longer, so that the 50-move rule
/// makes five classes of them.
struct Longer<'a>(Tables<'a>);

const MORE_PLIES: u16 = 60;

impl TileSource for Longer<'_> {
    type Stretch<'b>
        = LongerStretch<'b>
    where
        Self: 'b;

    fn stretch<'b>(&'b self, layout: &'b Layout, first: usize, count: usize) -> LongerStretch<'b> {
        LongerStretch(self.0.stretch(layout, first, count))
    }
}

struct LongerStretch<'a>(TableStretch<'a>);

impl Stretch for LongerStretch<'_> {
    fn classes(&self, turn: Color, out: &mut [ClassTile]) {
        self.0.classes(turn, out);
        let mut depths = vec![[[0; 64]; 64]; out.len()];
        self.depths(0, turn, &mut depths);
        for (out, depths) in out.iter_mut().zip(&depths) {
            for (row, depths) in depths.iter().enumerate() {
                let is_late = |column: &usize| depths[*column] > 100;
                let late = (0..64).filter(is_late).fold(0, |set, column| set | 1u64 << column);
                out.at_most[3][row] |= out.exactly(row, 4) & late;
                out.at_most[0][row] &= !late;
            }
        }
    }

    fn depths(&self, metric: usize, turn: Color, out: &mut [DepthTile]) {
        self.0.depths(metric, turn, out);
        out.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|depth| *depth += MORE_PLIES);
    }
}

#[test]
fn five_classes() {
    let table = solve("KBNK");
    let source =
        Longer(Tables { classes: &table, late: None, metrics: vec![&table, &table], stop: None });
    let layout = layout(&table, "NB");
    let bytes = ClassPacker::new(&source, &layout, Color::White, QUICK).pack().unwrap();
    let mut data = &bytes[..];
    let classes = Classes::read(&mut data, &layout).unwrap();
    check_streams(&source, &table, &classes, (&layout, data));
    let mut seen = [false; 5];
    let mut tile = ClassTile::default();
    for (number, side) in (0..layout.tiles()).flat_map(|i| Color::BOTH.map(|side| (i, side))) {
        truth(&source, &layout, side, number, &mut tile);
        (0..5).for_each(|class| seen[class] |= (0..64).any(|row| tile.exactly(row, class) != 0));
    }
    assert_eq!(seen, [true; 5]);
    for side in Color::BOTH {
        check_depths_of(&source, &table, &layout, side, true);
    }
}

/// Tables whose statistics are those of others.
struct Miscounted<'a>(Tables<'a>, &'a Table);

impl<'a> TileSource for Miscounted<'a> {
    type Stretch<'b>
        = TableStretch<'b>
    where
        Self: 'b;

    fn stretch<'b>(&'b self, layout: &'b Layout, first: usize, count: usize) -> TableStretch<'b> {
        self.0.stretch(layout, first, count)
    }

    fn counts(&self, metric: usize, turn: Color) -> Option<[Vec<u64>; 2]> {
        let others = Tables { metrics: vec![self.1], ..self.0 };
        others.counts(metric, turn)
    }
}

#[test]
fn depths_that_are_not_counted_are_an_error() {
    let [table, other] = ["KRK", "KQK"].map(solve);
    let source = Miscounted(
        Tables { classes: &table, late: None, metrics: vec![&table], stop: None },
        &other,
    );
    let metric = Metric { number: 0, earlier: None };
    let packed =
        DepthPacker::new(&source, &layout(&table, "R"), Color::White, metric, QUICK).pack();
    // No mate with a queen takes as long as the longest with a rook.
    assert!(matches!(packed, Err(PackError::UncountedDepth { plies: 20.. })), "{packed:?}");
}

#[test]
fn the_same_bytes_with_any_number_of_threads() {
    let table = solve("KPK");
    let late = all_late(&table);
    let source = tables(&table, &late);
    let pack = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let placements = Placement::all(&table.material);
            let near = table.parts[0].board.column();
            let (layout, base) =
                choose(&source, table.material, &placements, near, 1, &QUICK).unwrap();
            let metric = Metric { number: 0, earlier: None };
            let side = stored_sides(&layout, base)[0];
            let classes = ClassPacker::new(&source, &layout, base, QUICK).pack().unwrap();
            let depths = DepthPacker::new(&source, &layout, side, metric, QUICK).pack().unwrap();
            (layout, classes, depths)
        })
    };
    assert_eq!(pack(1), pack(3));
}

/// A generator of numbers.
fn below(seed: &mut u64, limit: usize) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 11) as usize % limit
}

fn mutate(seed: &mut u64, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // Half of the time only the front, where all the structure is.
    let reach = if below(seed, 2) == 0 { bytes.len().min(120) } else { bytes.len() };
    for _ in 0..1 + below(seed, 4) {
        let at = below(seed, reach);
        bytes[at] ^= 1 << below(seed, 8);
    }
    if below(seed, 4) == 0 {
        bytes.truncate(below(seed, bytes.len()));
    }
    bytes
}

#[test]
fn broken_bytes_do_not_panic() {
    let table = solve("KPK");
    let (layout, late) = (layout(&table, "kK"), all_late(&table));
    let source = tables(&table, &late);
    let classes = ClassPacker::new(&source, &layout, Color::White, QUICK).pack().unwrap();
    let metric = Metric { number: 0, earlier: None };
    let packer = DepthPacker::new(&source, &layout, Color::White, metric, QUICK);
    let depths = packer.pack().unwrap();
    let mut tile = ClassTile::default();
    truth(&source, &layout, Color::White, 3, &mut tile);
    let mut seed = 0x1234_5678_9abc_def1;
    for _ in 0..300 {
        fuzzing::read_classes(&mutate(&mut seed, &classes), &layout);
        fuzzing::read_depths(&mutate(&mut seed, &depths), &layout, &tile);
        let noise: Vec<u8> =
            (0..below(&mut seed, 300)).map(|_| below(&mut seed, 256) as u8).collect();
        fuzzing::read_classes(&noise, &layout);
        fuzzing::read_depths(&noise, &layout, &tile);
    }
}

#[test]
fn a_stream_cut_short_is_found_out() {
    let table = solve("KPK");
    let (layout, late) = (layout(&table, "kK"), all_late(&table));
    let source = tables(&table, &late);
    let mut bytes = ClassPacker::new(&source, &layout, Color::White, QUICK).pack().unwrap();
    // The last byte belongs to the last stream: another one, another end.
    *bytes.last_mut().unwrap() ^= 0x55;
    let mut data = &bytes[..];
    let classes = Classes::read(&mut data, &layout).unwrap();
    let last = classes.streams() - 1;
    for data in [data, &data[..data.len() - 1]] {
        let read = |stream| {
            let all = 0..layout.tiles();
            classes.read_stream(&mut Scratch::default(), data, stream, all, |_, _, _, _| ())
        };
        assert!(read(last).is_err());
    }
}
