//! What a material depends on.

use molien_board::Material;

/// Everything the material depends on, itself left out, in levels that depend
/// only on earlier ones.
pub fn dependencies(material: Material) -> Vec<Vec<Material>> {
    below(material, |_| true)
}

/// What the material reads, and what those of it read that are to be looked
/// `into`, in levels that depend only on earlier ones.
pub(crate) fn below(material: Material, into: impl Fn(Material) -> bool) -> Vec<Vec<Material>> {
    let material = material.canonical();
    let mut found: Vec<Material> = Vec::new();
    let mut to_visit = vec![material];
    while let Some(next) = to_visit.pop() {
        for sub in next.successors().into_iter().map(|m| m.canonical()) {
            if sub != material && !found.contains(&sub) {
                found.push(sub);
                if into(sub) {
                    to_visit.push(sub);
                }
            }
        }
    }
    // A capture takes a man away, a promotion a pawn.
    let key = |m: &Material| (m.len(), m.pawns());
    found.sort_by_key(|m| (key(m), m.to_string()));
    found.chunk_by(|a, b| key(a) == key(b)).map(<[Material]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_come_in_order() {
        let levels = dependencies("KQPKR".parse().unwrap());
        let flat: Vec<Material> = levels.into_iter().flatten().collect();
        for (i, material) in flat.iter().enumerate() {
            for sub in material.successors() {
                assert!(flat[..i].contains(&sub.canonical()), "{material} needs {sub}");
            }
        }
    }
}
