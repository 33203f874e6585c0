//! Values as numbers that compare as the side to move would: higher is better.

/// The value of a cell for one side.
pub(crate) type ValueKey = i16;

/// Outcomes as stored: worse to better for the side to move.
pub(crate) const LOSS: u8 = 0;
pub(crate) const DRAW: u8 = 1;
pub(crate) const WIN: u8 = 2;

/// No position, or nothing known.
pub(crate) const NONE_KEY: ValueKey = ValueKey::MIN;
/// A draw.
pub(crate) const DRAW_KEY: ValueKey = 0;
/// The longest depth a key can hold, with room for one more ply.
pub(crate) const MAX_PLIES: u16 = 0x3fff;

/// Metrics stored together tell who wins once for all of them. A position that
/// the 50-move rule draws in DTM50, but nowhere else, is written there as a win
/// or a loss in this many plies or one more, which no mate takes.
pub(crate) const RULE_DRAW_PLIES: u16 = 2046;

/// A loss in `plies` plies: the longer the better.
#[inline]
pub(crate) const fn loss(plies: u16) -> ValueKey {
    -ValueKey::MAX + plies as ValueKey
}

/// A win in `plies` plies: the shorter the better.
#[inline]
pub(crate) const fn win(plies: u16) -> ValueKey {
    ValueKey::MAX - plies as ValueKey
}

/// What a draw by the 50-move rule is written as where others say this key: as
/// a value of the side to move.
#[inline]
pub(crate) const fn rule_draw(elsewhere: ValueKey) -> ValueKey {
    match elsewhere {
        NONE_KEY | DRAW_KEY => elsewhere,
        1.. => win(RULE_DRAW_PLIES + 1),
        _ => loss(RULE_DRAW_PLIES),
    }
}

/// Undoes [`rule_draw`], whichever side it is seen from.
#[inline]
pub(crate) const fn without_rule_draw(key: ValueKey) -> ValueKey {
    if key != NONE_KEY && plies(key) >= RULE_DRAW_PLIES { DRAW_KEY } else { key }
}

/// The key of an outcome with its depth.
#[inline]
pub(crate) const fn key_of(outcome: u8, plies: u16) -> ValueKey {
    match outcome {
        WIN => win(plies),
        DRAW => DRAW_KEY,
        _ => loss(plies),
    }
}

/// The plies of a win or a loss.
#[inline]
pub(crate) const fn plies(key: ValueKey) -> u16 {
    (if key > 0 { ValueKey::MAX - key } else { key + ValueKey::MAX }) as u16
}

/// The outcome; nothing known counts as a loss.
#[inline]
pub(crate) const fn outcome(key: ValueKey) -> u8 {
    if key > 0 {
        WIN
    } else if key == DRAW_KEY {
        DRAW
    } else {
        LOSS
    }
}

/// How good it is for the other side to have moved here: the same value seen
/// from there, one ply longer.
#[inline]
pub(crate) const fn after(key: ValueKey) -> ValueKey {
    match key {
        NONE_KEY => NONE_KEY,
        DRAW_KEY => DRAW_KEY,
        1.. => 1 - key,
        _ => -1 - key,
    }
}

/// Undoes [`after`].
#[inline]
pub(crate) const fn before(key: ValueKey) -> ValueKey {
    match key {
        NONE_KEY => NONE_KEY,
        DRAW_KEY => DRAW_KEY,
        1.. => -1 - key,
        _ => 1 - key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_compare_as_the_mover_would() {
        let order = [NONE_KEY, loss(0), loss(2), loss(400), DRAW_KEY, win(401), win(3), win(1)];
        assert!(order.is_sorted());
        assert_eq!(order.map(outcome), [LOSS, LOSS, LOSS, LOSS, DRAW, WIN, WIN, WIN]);
        for key in [loss(0), loss(77), DRAW_KEY, win(1), win(2047), NONE_KEY] {
            assert_eq!(before(after(key)), key);
        }
        assert_eq!((after(loss(4)), after(win(5))), (win(5), loss(6)));
        assert_eq!((plies(loss(12)), plies(win(13))), (12, 13));
    }
}
