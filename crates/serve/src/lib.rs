//! The endgame service: HTTP answers from stored tables, and the page.
//!
//! [`app`] builds the router, so that tests call it in process; [`listen`] puts
//! it on a socket. A [`Service`] is what all answers share: the tables, the
//! limits, the queue of tables to be solved.
//!
//! Nothing here blocks the threads that talk to clients. Reading tables goes to
//! blocking threads, a bounded number at a time; solving to a queue of its own,
//! so that reading never waits for it.
//!
//! What it is not: it reads no options and no environment, and prints nothing.

mod api;
mod app;
mod config;
mod layers;
mod lichess;
mod listen;
mod metrics;
mod page;
mod problem;
mod reply;
mod service;
mod solver;

pub use app::app;
pub use config::Config;
pub use listen::{ListenError, Socket, listen};
pub use problem::Problem;
pub use service::{MakingTime, Service};
