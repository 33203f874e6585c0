//! Every implementation gives the same bits as the scalar one, operator by
//! operator, on every instruction set this processor has.

mod captures;
mod moves;
mod plies;
mod random;
mod relayout;
mod release;
mod sets;

use molien_operators::{Backend, Scalar, all, by_name, fastest};

/// The implementations that are compared with [`Scalar`].
fn others() -> impl Iterator<Item = &'static dyn Backend> {
    all().into_iter().filter(|backend| backend.name() != Scalar.name())
}

#[test]
fn implementations_are_found_by_name() {
    let names: Vec<&str> = all().iter().map(|backend| backend.name()).collect();
    assert_eq!(names[..2], ["scalar", "plain"]);
    assert_eq!(names.last(), Some(&fastest().name()));
    for name in names {
        assert_eq!(by_name(name).map(Backend::name), Some(name));
    }
    assert!(by_name("abacus").is_none());
}

/// An instruction set is used if and only if the processor has it.
#[cfg(target_arch = "x86_64")]
#[test]
fn instruction_sets_of_this_processor() {
    use molien_operators::{Avx2, Avx512};
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
    assert_eq!(Avx2::new().is_some(), avx2);
    assert_eq!(by_name("avx2").is_some(), avx2);
    let avx512 =
        is_x86_feature_detected!("avx512vpopcntdq") && is_x86_feature_detected!("avx512vbmi");
    assert_eq!(Avx512::new().is_some(), avx512);
    assert_eq!(by_name("avx512").is_some(), avx512);
}
