//! Lists of materials.

use molien_board::Material;

/// Every material with so many men, kings included, the stronger side first.
pub fn materials(men: usize) -> Vec<Material> {
    Material::all(men).into_iter().filter(|material| material.len() == men).collect()
}
