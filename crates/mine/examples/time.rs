//! Times queries on a table: `cargo run --example time -- KQKBB QUERY...`

use std::time::Instant;

use molien_board::Material;
use molien_build::Build;
use molien_mine::{Query, Search, TableSet};
use molien_values::Metric;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let material: Material = args.next().ok_or("name a material and queries")?.parse()?;
    let solver = Build::new();
    let start = Instant::now();
    let tables = TableSet::solve(&solver, material, &[Metric::Dtm])?.with_moves(&solver)?;
    println!("{material} solved in {:.2} s", start.elapsed().as_secs_f64());
    for text in args {
        let query = Query::parse(&text, material)?;
        let search = Search::new(&tables, &query)?;
        let start = Instant::now();
        let count = search.count(|_, _| {})?;
        println!("{:8.3} s {count:>11}  {text}", start.elapsed().as_secs_f64());
    }
    Ok(())
}
