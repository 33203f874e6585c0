//! The horizon of Nalimov, Wirth and Haworth.

/// For every ply, the share of positions that are decided among those not
/// decided within so many plies: (W + L - n) / (U - n), where n positions are
/// decided within the ply, W + L at all, and U are all positions. It is what a
/// player who sees that far must expect of a position that still looks open.
pub fn horizon(positions: u64, wins: &[u64], losses: &[u64]) -> Vec<f64> {
    let at = |counts: &[u64], ply: usize| counts.get(ply).copied().unwrap_or(0);
    let mut decided: u64 = wins.iter().chain(losses).sum();
    let mut open = positions;
    let plies = wins.len().max(losses.len());
    let after = |ply| {
        let resolved = at(wins, ply) + at(losses, ply);
        decided = decided.saturating_sub(resolved);
        open = open.saturating_sub(resolved);
        if open == 0 { 0.0 } else { decided as f64 / open as f64 }
    };
    (0..plies).map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queens_against_queens() {
        // The first plies of Table 3: KQQKQQ in DTM. All other wins and
        // losses are put at a later ply.
        let (u, w, l) = (683_239_505, 417_439_889, 136_739_434);
        let early_wins = [0, 39_998_840, 0, 49_991_811];
        let early_losses = [12_437_439, 0, 16_579_504];
        let rest = |all: u64, early: &[u64]| all - early.iter().sum::<u64>();
        let wins = [&early_wins[..], &[0, rest(w, &early_wins)]].concat();
        let losses = [&early_losses[..], &[0, 0, rest(l, &early_losses)]].concat();
        let percent: Vec<String> =
            horizon(u, &wins, &losses).iter().map(|h| format!("{:.2}", 100.0 * h)).collect();
        assert_eq!(percent[..4], ["80.76", "79.54", "78.99", "77.13"]);
    }
}
