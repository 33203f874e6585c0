//! Numbers published by others.

use molien_build::Build;
use molien_values::Metric;

#[test]
fn maximal_mates() {
    let build = Build::new();
    for (name, white_plies) in [
        ("KQK", 19),
        ("KRK", 31),
        ("KBBK", 37),
        ("KBNK", 65),
        ("KQKR", 69),
        ("KRKB", 57),
        ("KRKN", 79),
    ] {
        let table = build.table(name.parse().unwrap(), Metric::Dtm).unwrap();
        let longest = table.stats.sides[0].longest_win.as_ref().unwrap();
        assert_eq!(longest.plies, white_plies, "{name} {}", longest.position);
    }
}
