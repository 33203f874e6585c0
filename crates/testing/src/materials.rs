//! Lists of materials.

use molien_board::{Color, Man, Material, Role};

/// Every material with so many men, kings included, the stronger side first.
pub fn materials(men: usize) -> Vec<Material> {
    let mut found = vec![Material::KINGS];
    for _ in 2..men {
        let mut more = Vec::new();
        for material in &found {
            for color in Color::BOTH {
                for role in Role::ALL.into_iter().skip(1) {
                    let next = material.with(Man::new(color, role)).canonical();
                    if !more.contains(&next) {
                        more.push(next);
                    }
                }
            }
        }
        found = more;
    }
    found.sort_by_key(ToString::to_string);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_35_materials_of_three_and_four_men() {
        assert_eq!(materials(3).len(), 5);
        assert_eq!(materials(4).len(), 30);
        assert_eq!(materials(5).len(), 110);
        assert!(materials(5).iter().all(Material::is_canonical));
    }
}
