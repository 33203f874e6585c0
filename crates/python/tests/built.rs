//! The native module is built with the tests of the workspace, once for all of
//! them: `crates/python/check` takes it from there.

#[test]
fn the_native_module_is_here() {
    let test = std::env::current_exe().unwrap();
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let module = test.with_file_name(format!("{prefix}_molien{suffix}"));
    assert!(module.is_file(), "{}", module.display());
}
