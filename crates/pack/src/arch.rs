//! Work compiled once per instruction set, chosen at run time.
#![expect(unsafe_code, reason = "calls a function compiled for a detected instruction set")]

/// Something to do whose loops gain by wide vectors. `run` and what it calls must be
/// `#[inline(always)]` to be compiled with each set.
pub(crate) trait Vectored {
    type Out;
    fn run(self) -> Self::Out;
}

/// Does some work with the widest vectors there are.
#[inline]
pub(crate) fn fastest<W: Vectored>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has all that the function is compiled for.
        return unsafe { with_avx2(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<W: Vectored>(work: W) -> W::Out {
    work.run()
}
