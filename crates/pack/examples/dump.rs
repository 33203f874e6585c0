//! Throw-away dump.
use molien_board::{Color, Man, Material};
use molien_build::Build;
use molien_pack::{ClassTile, Layout, Tables, TileSource};
use molien_values::{Metric, Placement};
use std::io::Write;
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    // material order side metric every out
    let material: Material = a[0].parse().unwrap();
    let side = if a[2] == "w" { Color::White } else { Color::Black };
    let metric = match a[3].as_str() {
        "dtm" => Metric::Dtm,
        "dtc" => Metric::Dtc,
        _ => Metric::Dtz50,
    };
    let every: usize = a[4].parse().unwrap();
    let solver = Build::new();
    let table = solver.table(material, Metric::Dtz50).unwrap();
    let deep = solver.table(material, metric).unwrap();
    let tables = Tables { classes: &table, fifty: true, metrics: vec![&deep] };
    let placements =
        if material.has_pawns() { Placement::all(&material) } else { vec![Placement::NONE] };
    let order: Vec<Man> = a[1].chars().filter_map(Man::from_letter).collect();
    let layout = Layout::new(material, &order, placements.clone()).unwrap();
    let mut out = std::io::BufWriter::new(std::fs::File::create(&a[5]).unwrap());
    let men = layout.men();
    out.write_all(&[
        men.count() as u8,
        layout.outer() as u8,
        side.index() as u8,
        material.has_pawns() as u8,
    ])
    .unwrap();
    for i in 0..men.count() {
        out.write_all(&[men.get(i).letter() as u8]).unwrap();
    }
    let mut n = 0;
    for tile in (0..layout.tiles()).filter(|t| (t * 2654435761usize >> 7) % every == 0) {
        let Some(frame) = layout.frame(tile) else { continue };
        let mut c = [ClassTile::default(), ClassTile::default()];
        let mut d = vec![[[0u16; 64]; 64]];
        tables.classes(&layout, side, tile, std::slice::from_mut(&mut c[0]));
        frame.keep_stored(&mut c[0]);
        if (0..64).all(|r| c[0].known(r) & !c[0].exactly(r, 2) == 0) {
            continue;
        }
        tables.classes(&layout, !side, tile, std::slice::from_mut(&mut c[1]));
        tables.depths(&layout, 0, side, tile, &mut d);
        let mut sq = [0u8; 8];
        let (part, mut rest) = (tile / layout.tiles_per_part(), tile % layout.tiles_per_part());
        for i in (0..layout.outer()).rev() {
            sq[i] = (rest & 63) as u8;
            rest >>= 6;
        }
        if material.has_pawns() {
            let p = placements[part];
            let mut k = layout.outer();
            for col in Color::BOTH {
                for s in p.of_color(col) {
                    sq[k] = s.index() as u8;
                    k += 1;
                }
            }
        } else {
            let (w, b) = molien_hyper::king_pair_squares(rest);
            sq[layout.outer()] = w.index() as u8;
            sq[layout.outer() + 1] = b.index() as u8;
        }
        out.write_all(&sq).unwrap();
        let mut bytes = Vec::with_capacity(16384);
        for c in &c {
            for r in 0..64 {
                for col in 0..64 {
                    let k = (0..5).position(|p| c.at_most[p][r] >> col & 1 != 0).unwrap_or(255);
                    bytes.push(k as u8);
                }
            }
        }
        for r in 0..64 {
            for col in 0..64 {
                bytes.extend(d[0][r][col].to_le_bytes());
            }
        }
        out.write_all(&bytes).unwrap();
        n += 1;
    }
    eprintln!("{n} tiles");
}
