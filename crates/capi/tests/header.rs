//! The header is what cbindgen makes of the code. A feature, since cbindgen takes
//! longer to build than the library: `cargo test -p molien-capi --features header`.

use std::path::Path;

/// Makes the header anew. With `MOLIEN_BLESS=1` it is written to its file.
#[test]
fn the_header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let builder = cbindgen::Builder::new().with_config(config).with_src(root.join("src/ffi.rs"));
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = root.join("include/molien.h");
    if std::env::var_os("MOLIEN_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(kept, made, "MOLIEN_BLESS=1 writes it");
}
