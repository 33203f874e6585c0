//! Sizes of the files of all materials beside those of a folder.
use molien_board::Material;
use molien_build::Build;
use molien_syzygy::{Plies, write};
use molien_values::Metric;

const MEMORY_BYTES: u64 = 5 << 30;

fn main() {
    let mut args = std::env::args().skip(1);
    let out = args.next().unwrap();
    let beside = args.next().unwrap();
    let names: Vec<String> = args.collect();
    let materials: Vec<Material> = if names.is_empty() {
        Material::all(4)
    } else {
        names.iter().map(|name| name.parse().unwrap()).collect()
    };
    // What the sub-games of a table with pawns need otherwise is several times as much.
    let build = Build::new().with_memory_limit(MEMORY_BYTES);
    let (mut total, mut their_total) = (0, 0);
    for material in materials {
        let table = build.table(material, Metric::Dtz50).unwrap();
        let files = write(&build, &table, Plies::Rounded).unwrap();
        for (bytes, ext) in [(&files.wdl, "rtbw"), (&files.dtz, "rtbz")] {
            let name = format!("{}.{ext}", material.file_name());
            std::fs::write(format!("{out}/{name}"), bytes).unwrap();
            let theirs =
                std::fs::metadata(format!("{beside}/{name}")).map_or(0, |m| m.len() as usize);
            println!(
                "{name:12} {:9} {theirs:9} {:.3}",
                bytes.len(),
                bytes.len() as f64 / theirs.max(1) as f64
            );
            total += bytes.len();
            their_total += theirs;
        }
    }
    println!("total {total} {their_total} {:.4}", total as f64 / their_total as f64);
}
