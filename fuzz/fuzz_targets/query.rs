//! Any text is a query or an error that points into it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use molien_board::Material;
use molien_mine::Query;

fuzz_target!(|input: (u8, &str)| {
    let names = ["KRK", "KPK", "KQKR", "KRPKN", "KBBKN"];
    let material: Material = names[usize::from(input.0) % names.len()].parse().unwrap();
    if let Err(error) = Query::parse(input.1, material) {
        assert!(error.column >= 1 && error.column <= input.1.chars().count() + 1, "{error}");
    }
});
