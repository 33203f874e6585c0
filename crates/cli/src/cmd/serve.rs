//! `molien serve`.

use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use listenfd::ListenFd;
use molien::local::MemoryLimit;
use molien_board::Material;
use molien_build::{Storage, storage};
use molien_serve::{Config, MakingTime, Service, Socket, app, listen};
use molien_table::BlockCache;
use molien_values::Metric;
use tracing::Level;

use crate::Verdict;
use crate::context::Context;
use crate::estimate::{Estimate, rough};
use crate::malloc;
use crate::text::note;

const AFTER_HELP: &str = "\
Examples:
  molien serve                       # then open http://127.0.0.1:9000
  molien serve --tables ./tables --listen 127.0.0.1:8080 --read-only
  molien serve --syzygy ./syzygy     # Syzygy files answer what is not stored
  molien serve --listen unix:/run/molien.sock --rate-limit 20 --behind-proxy
  curl 'http://127.0.0.1:9000/standard?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1'

The page is at /, the interface of lichess' tablebase server at /standard, our own
at /api/v1 (described by /api/v1/openapi.json), counts for Prometheus at /metrics.
docs/serve.md has examples, and says how to run it behind a proxy and with systemd.

Only this machine can connect unless --listen says otherwise. Tables of up to
--solve-up-to men are solved and stored when somebody asks for them; larger ones must
have been stored before. SIGTERM and Ctrl-C end it once the requests in progress are
answered.";

/// How often it is asked whether to stop.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Where to listen.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        match text.strip_prefix("unix:") {
            Some(path) if !path.is_empty() => Ok(Address::Unix(PathBuf::from(path))),
            _ => text.parse().map(Address::Tcp).map_err(|_| {
                "expected an address and a port such as 127.0.0.1:9000, or unix:PATH".to_owned()
            }),
        }
    }
}

/// How much is logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Log {
    /// Failures of ours
    Error,
    /// And what had to be refused
    Warn,
    /// And every request
    Info,
    /// And mistakes of clients
    Debug,
}

/// How log lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

/// Where, and within which limits.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ServeArgs {
    /// An address and a port, or unix:PATH
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000")]
    listen: Address,
    /// Solve tables of up to N men when they are asked for; 0 solves none
    #[arg(long, value_name = "N", default_value_t = Config::default().solve_up_to_men,
          value_parser = clap::value_parser!(usize))]
    solve_up_to: usize,
    /// Change nothing in the folder of tables: the same as --solve-up-to 0
    #[arg(long, conflicts_with = "solve_up_to")]
    read_only: bool,
    /// Tables that may wait to be solved
    #[arg(long, value_name = "N", default_value_t = Config::default().solve_queue)]
    queue: usize,
    /// Keep at most this much of tables decoded: 1G, 500M, or 10% of the
    /// machine's memory
    #[arg(long, value_name = "SIZE", default_value = "256M")]
    cache: MemoryLimit,
    /// Seconds a request may take
    #[arg(long, value_name = "SECONDS", default_value_t = Config::default().time_limit.as_secs())]
    time_limit: u64,
    /// Requests answered at the same time; more get status 503
    #[arg(long, value_name = "N", default_value_t = Config::default().requests)]
    requests: usize,
    /// Requests a second that each client may make; more get status 429 [default: no limit]
    #[arg(long, value_name = "N")]
    rate_limit: Option<NonZeroU32>,
    /// Take the client's address from X-Forwarded-For
    #[arg(long)]
    behind_proxy: bool,
    /// What to log, on standard error
    #[arg(long, value_enum, default_value = "warn")]
    log: Log,
    /// How to write log lines
    #[arg(long, value_enum, default_value = "text")]
    log_format: LogFormat,
}

impl ServeArgs {
    fn config(&self, context: &Context) -> Config {
        let default = Config::default();
        let solves = !self.read_only && context.may_solve();
        Config {
            solve_up_to_men: if solves { self.solve_up_to } else { 0 },
            solve_queue: self.queue,
            solve_threads: context.threads_wanted().unwrap_or(default.solve_threads),
            memory_bytes: context.memory_bytes(),
            time_limit: Duration::from_secs(self.time_limit),
            requests: self.requests,
            rate_limit: self.rate_limit,
            behind_proxy: self.behind_proxy,
            ..default
        }
    }
}

/// Answers until it is told to stop.
pub fn run(context: &Context, args: &ServeArgs) -> anyhow::Result<Verdict> {
    let Some(directory) = context.directory() else {
        bail!(
            "the service reads a folder of tables, so --in-memory and --promote do not go with it"
        );
    };
    start_log(args);
    malloc::keep_at_most(KEPT_BYTES);
    let config = args.config(context);
    let cache = BlockCache::new(args.cache.bytes());
    let tables = context.stored_tablebase(&cache)?;
    let folder = directory.clone().with_cache(cache.clone());
    let service =
        Service::of_sources(folder, tables, config.clone()).telling_times(making_times(context));
    let (socket, name) = open(&args.listen)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(context.threads_wanted().map_or_else(cores, NonZeroUsize::get))
        .enable_all()
        .build()
        .context("the threads could not be started")?;
    note(format_args!("{name}, tables in {}", directory.folder().display()));
    let interrupted = context.interrupt_flag();
    runtime.spawn(tidy(cache));
    runtime.block_on(listen(app(service), socket, &config, stopped(interrupted)))?;
    if let Address::Unix(path) = &args.listen {
        // Nobody can connect to it any more.
        let _ = std::fs::remove_file(path);
    }
    Ok(Verdict::Done)
}

/// What stays of memory that was given up, beside what the cache holds.
const KEPT_BYTES: usize = 64 << 20;

/// How often memory is tidied up, if blocks have come and gone.
const TIDY_EVERY: Duration = Duration::from_secs(2);

/// Gives memory back that blocks given up have left behind: the allocator keeps it, in
/// holes between those that stay, as much again as `--cache` allows.
async fn tidy(cache: BlockCache) {
    let mut seen = 0;
    loop {
        tokio::time::sleep(TIDY_EVERY).await;
        let misses = cache.misses();
        if misses != seen {
            seen = misses;
            let _ = tokio::task::spawn_blocking(malloc::give_back_unused).await;
        }
    }
}

/// Tells how long a table takes to make, with all that it needs.
fn making_times(context: &Context) -> MakingTime {
    let (build, threads) = (context.build(), context.threads());
    let folders = context.directories().to_vec();
    Arc::new(move |material: Material| {
        let asked = [material.canonical()];
        let estimate = Estimate::tables(&build, &folders, &asked, &Metric::ALL);
        let can_be_stored = storage(asked[0]) != Storage::None;
        (can_be_stored && estimate.boards > 0).then(|| rough(estimate.time(threads)))
    })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn start_log(args: &ServeArgs) {
    let level = match args.log {
        Log::Error => Level::ERROR,
        Log::Warn => Level::WARN,
        Log::Info => Level::INFO,
        Log::Debug => Level::DEBUG,
    };
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
    match args.log_format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
}

/// A socket handed over by systemd; else the one asked for.
fn open(address: &Address) -> anyhow::Result<(Socket, String)> {
    let mut given = ListenFd::from_env();
    if given.len() > 0 {
        let wrong = || "the socket handed over is neither TCP nor Unix";
        if let Ok(Some(socket)) = given.take_tcp_listener(0) {
            return Ok((Socket::Tcp(socket), "listening on the socket handed over".to_owned()));
        }
        let socket = given.take_unix_listener(0).ok().flatten().with_context(wrong)?;
        return Ok((Socket::Unix(socket), "listening on the socket handed over".to_owned()));
    }
    match address {
        Address::Tcp(address) => {
            let failed = || format!("cannot listen on {address}");
            let socket = std::net::TcpListener::bind(address).with_context(failed)?;
            let local = socket.local_addr().with_context(failed)?;
            Ok((Socket::Tcp(socket), format!("listening on http://{local}")))
        }
        Address::Unix(path) => {
            let failed = || format!("cannot listen on {}", path.display());
            forget_old_socket(path);
            let socket = std::os::unix::net::UnixListener::bind(path).with_context(failed)?;
            Ok((Socket::Unix(socket), format!("listening on unix:{}", path.display())))
        }
    }
}

/// Removes a socket that nobody listens on any more.
fn forget_old_socket(path: &std::path::Path) {
    use std::os::unix::fs::FileTypeExt as _;
    let is_socket =
        std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    if is_socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        let _ = std::fs::remove_file(path);
    }
}

/// Ready when the process is asked to stop: the handler that all commands share
/// sets a flag, and a second signal ends it at once.
async fn stopped(interrupted: Arc<AtomicBool>) {
    while !interrupted.load(Ordering::Relaxed) {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let tcp = Address::Tcp(([127, 0, 0, 1], 9000).into());
        assert_eq!("127.0.0.1:9000".parse(), Ok(tcp));
        assert_eq!("unix:/tmp/m.sock".parse(), Ok(Address::Unix(PathBuf::from("/tmp/m.sock"))));
        for wrong in ["", "9000", "unix:", "localhost:9000"] {
            assert!(wrong.parse::<Address>().unwrap_err().contains("unix:PATH"));
        }
    }
}
