//! Work compiled once per instruction set, chosen at run time.
#![expect(unsafe_code, reason = "calls functions compiled for a detected instruction set")]

/// Something to do whose inner loops gain by wide vectors. `run` and what it
/// calls must be `#[inline(always)]` to be compiled with each set.
pub(crate) trait Work {
    type Out;
    fn run(self) -> Self::Out;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn with_avx512<W: Work>(work: W) -> W::Out {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<W: Work>(work: W) -> W::Out {
    work.run()
}

/// Does it with the widest vectors of this processor.
#[inline]
pub(crate) fn run<W: Work>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    {
        let narrow = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi");
        if narrow && wide {
            // SAFETY: the processor has every feature the function enables.
            return unsafe { with_avx512(work) };
        }
        if narrow {
            // SAFETY: the processor has every feature the function enables.
            return unsafe { with_avx2(work) };
        }
    }
    work.run()
}
