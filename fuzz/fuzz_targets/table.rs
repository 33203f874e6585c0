//! Any bytes are a table or an error; a table answers or fails, it does not
//! panic. The checksums are set right, so that the contents are reached.
#![no_main]

use libfuzzer_sys::fuzz_target;
use molien_table::fuzzing;

fuzz_target!(|bytes: &[u8]| {
    fuzzing::read(bytes);
});
