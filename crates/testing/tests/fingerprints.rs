//! The values of tables are those they have always been.

use molien_board::Material;
use molien_build::Build;
use molien_values::{Fingerprint, Metric};

/// Enough for all tables of five men, on machines that have twice as much.
const MEMORY_BYTES: u64 = 8 << 30;

/// All tables of up to four men in four metrics; of five with `MOLIEN_EXHAUSTIVE=1`.
#[test]
fn tables_have_the_published_fingerprints() {
    let men = if molien_testing::is_exhaustive() { 5 } else { 4 };
    let materials = Material::all(men);
    for metric in Metric::ALL {
        let compare = |table: &molien_values::Table, _| {
            let published = Fingerprint::published(table.material, metric);
            assert_eq!(published, Some(Fingerprint::of(table)), "{} {metric}", table.material);
        };
        let build = Build::new().with_memory_limit(MEMORY_BYTES);
        build.visit_tables(&materials, metric, &compare).unwrap();
    }
}
