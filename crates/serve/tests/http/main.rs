//! The service called in process.

#[path = "../client.rs"]
mod client;

mod abuse;
mod api;
mod docs;
mod lichess;
mod mining;
mod operation;
mod page;
mod solving;
mod syzygy;
