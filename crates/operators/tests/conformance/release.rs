//! Releases: the least or the greatest ply of each position.

use molien_board::Square;
use molien_operators::Release;
use molien_values::MAX_BITS;

fn plies_of(value: u16) -> [u64; MAX_BITS] {
    std::array::from_fn(|b| if value >> b & 1 != 0 { !0 } else { 0 })
}

#[test]
fn sooner_by_some_plies_but_not_before_the_first() {
    let mut release = Release::new(8);
    for ply in 0..=255u16 {
        let (row, column) = (Square::new(usize::from(ply / 64)), usize::from(ply % 64));
        release.merge_row::<true>(row, 1 << column, &plies_of(ply));
    }
    for by in [0, 1, 2, 7, 100, 128, 254, 255, 256, 1000] {
        let sooner = release.sooner(by);
        for ply in 0..=255u16 {
            let [row, column] = [ply / 64, ply % 64].map(|n| Square::new(usize::from(n)));
            let expected = ply.saturating_sub(by).max(1);
            assert_eq!(sooner.ply_at(row, column), Some(expected), "{ply} - {by}");
        }
    }
}

#[test]
fn keeps_the_least_or_the_greatest() {
    let row = Square::new(9);
    let mut least = Release::new(8);
    let mut greatest = Release::new(8);
    for value in [7u16, 200, 3, 90] {
        least.merge_row::<true>(row, 0b11, &plies_of(value));
        greatest.merge_row::<false>(row, 0b110, &plies_of(value));
    }
    least.trim();
    assert_eq!(least.bits.len(), 2);
    let plies = |release: &Release| [0, 1, 2].map(|i| release.ply_at(row, Square::new(i)));
    assert_eq!(plies(&least), [Some(3), Some(3), None]);
    assert_eq!(plies(&greatest), [None, Some(200), Some(200)]);
}
