//! Any bytes, taken apart as a Syzygy file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| molien_syzygy::fuzzing::read(bytes));
