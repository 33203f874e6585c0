//! Any text is a position or an error; a position survives the way to text and
//! back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use molien_board::Position;

fuzz_target!(|text: &str| {
    if let Ok(position) = text.parse::<Position>() {
        assert_eq!(position.to_string().parse::<Position>().ok(), Some(position));
        let _ = position.legal_moves();
    }
});
