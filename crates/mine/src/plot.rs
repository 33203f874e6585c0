//! Histograms as pictures.
