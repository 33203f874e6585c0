//! What a material depends on, and in which order it is made.

use std::collections::HashSet;

use molien_board::Material;

/// What the moves out of a material lead to, each once, in canonical
/// orientation.
pub fn reads(material: Material) -> Vec<Material> {
    let mut found: Vec<Material> = Vec::new();
    for sub in material.successors().into_iter().map(|sub| sub.canonical()) {
        if !found.contains(&sub) {
            found.push(sub);
        }
    }
    found
}

/// Everything a material depends on, itself left out, each after what it reads.
pub fn dependencies(material: Material) -> Vec<Material> {
    let mut order = order(&[material], |_| false);
    order.pop();
    order
}

/// The goals and all they need, in canonical orientation, what is `known` left
/// out: each after what it reads and as soon after it as can be, so that few
/// tables wait for their readers.
pub fn order(goals: &[Material], known: impl Fn(Material) -> bool) -> Vec<Material> {
    let mut walk = Walk { known, seen: HashSet::new(), order: Vec::new() };
    let mut goals: Vec<Material> = goals.iter().map(Material::canonical).collect();
    // Those with many pawns read the others.
    goals.sort_by_key(|goal| std::cmp::Reverse(goal.pawns()));
    goals.into_iter().for_each(|goal| walk.visit(goal));
    walk.order
}

struct Walk<F> {
    known: F,
    seen: HashSet<Material>,
    order: Vec<Material>,
}

impl<F: Fn(Material) -> bool> Walk<F> {
    fn visit(&mut self, material: Material) {
        if self.seen.insert(material) && !(self.known)(material) {
            reads(material).into_iter().for_each(|sub| self.visit(sub));
            self.order.push(material);
        }
    }
}

/// The same materials in levels that read only earlier levels: a capture takes
/// a man away, a promotion a pawn.
pub(crate) fn levels(mut materials: Vec<Material>) -> Vec<Vec<Material>> {
    let key = |material: &Material| (material.len(), material.pawns());
    materials.sort_by_key(key);
    materials.chunk_by(|a, b| key(a) == key(b)).map(<[Material]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_after_what_it_reads() {
        let goal: Material = "KQPKR".parse().unwrap();
        let mut order = dependencies(goal);
        assert!(!order.contains(&goal));
        order.push(goal);
        for (i, material) in order.iter().enumerate() {
            for sub in reads(*material) {
                assert!(order[..i].contains(&sub), "{material} needs {sub}");
            }
        }
        let mut known = 0;
        for level in levels(order.clone()) {
            known += level.len();
            let earlier: Vec<Material> =
                levels(order.clone()).into_iter().flatten().take(known - level.len()).collect();
            let subs = level.into_iter().flat_map(reads);
            assert!(subs.into_iter().all(|sub| earlier.contains(&sub)));
        }
    }

    #[test]
    fn what_is_known_is_not_looked_into() {
        let goal: Material = "KQKR".parse().unwrap();
        let found = order(&[goal], |material| material.len() == 3);
        assert_eq!(found, [goal]);
    }
}
