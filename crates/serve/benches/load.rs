//! A service under load, compared with probes in this process:
//!
//!     molien serve --tables FOLDER --read-only &
//!     cargo bench -p molien-serve --bench load -- 127.0.0.1:9000 FOLDER
//!
//! It asks about random positions of all materials stored, says how many answers
//! come in a second and how late, and compares every answer with the tables. The
//! service has to be fresh for the figures of a cold start. `--men N` asks about
//! tables of N men only, `--quick` takes a tenth of everything, and with `--pid N`
//! it says what CPU time and memory the service took.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use molien_board::{Material, Position, Setup};
use molien_probe::Tablebase;
use molien_table::Directory;
use molien_testing::Random;
use molien_values::Metric;
use serde_json::Value as Json;

const CONNECTIONS: usize = 64;
const BATCH_CONNECTIONS: usize = 4;
const BATCH: usize = 10_000;

/// How much is asked.
struct Amount {
    warm_positions: usize,
    warm_requests: usize,
    compared: usize,
    batches: usize,
}

impl Amount {
    fn new(quick: bool) -> Amount {
        let part = if quick { 10 } else { 1 };
        Amount {
            warm_positions: 20_000 / part,
            warm_requests: 200_000 / part,
            compared: 200_000 / part,
            batches: 100 / part,
        }
    }
}

/// The service as the system sees it.
struct Process {
    pid: Option<String>,
}

impl Process {
    fn read(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.pid.as_ref()?)).ok()
    }

    /// CPU time so far, in clock ticks of a hundredth of a second.
    fn cpu_ticks(&self) -> Option<u64> {
        let stat = self.read("stat")?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
    }

    /// Memory of its own, memory with the files it has mapped, and the most that
    /// has been, in MiB.
    fn memory_mib(&self) -> Option<[u64; 3]> {
        let status = self.read("status")?;
        let kib = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        };
        Some([kib("RssAnon")? / 1024, kib("VmRSS")? / 1024, kib("VmHWM")? / 1024])
    }

    /// Does something and says what it cost the service for each of so many.
    fn watch<T>(&self, number: usize, work: impl FnOnce() -> T) -> T {
        let before = self.cpu_ticks();
        let done = work();
        if let Some((before, after)) = before.zip(self.cpu_ticks()) {
            let each = (after - before) as f64 * 1e4 / number as f64;
            let [own, all, most] = self.memory_mib().unwrap_or_default();
            println!(
                "  {each:.1} us of the service's CPU time each; {own} MiB of memory of its own, \
                 {all} with mapped files, {most} at most"
            );
        }
        done
    }
}

/// A connection that is kept open.
struct Connection(BufReader<TcpStream>);

impl Connection {
    fn open(address: &str) -> Connection {
        let stream = TcpStream::connect(address).expect("the service listens");
        stream.set_nodelay(true).expect("a socket");
        Connection(BufReader::with_capacity(1 << 16, stream))
    }

    /// Sends a request and reads the answer, which has to be a good one.
    fn send(&mut self, request: &[u8]) -> Vec<u8> {
        self.0.get_mut().write_all(request).expect("the service reads");
        let mut line = String::new();
        self.0.read_line(&mut line).expect("the service answers");
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        let (mut length, mut chunked) = (0, false);
        loop {
            line.clear();
            self.0.read_line(&mut line).expect("a header");
            let header = line.trim().to_ascii_lowercase();
            match header.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().expect("a number"),
                Some(("transfer-encoding", "chunked")) => chunked = true,
                _ if header.is_empty() => break,
                _ => {}
            }
        }
        if chunked { self.chunks() } else { self.body(length) }
    }

    fn body(&mut self, length: usize) -> Vec<u8> {
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("a whole body");
        body
    }

    fn chunks(&mut self) -> Vec<u8> {
        let mut whole = Vec::new();
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).expect("the length of a chunk");
            let length = usize::from_str_radix(line.trim(), 16).expect("a number");
            let mut chunk = self.body(length + 2);
            chunk.truncate(length);
            if chunk.is_empty() {
                return whole;
            }
            whole.extend(chunk);
        }
    }
}

fn standard(address: &str, position: &Position) -> Vec<u8> {
    let fen = Setup::from(*position).to_string().replace(' ', "_");
    format!("GET /standard?fen={fen} HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes()
}

/// Sends requests on many connections; the time each answer took, in order of
/// length, and all together.
fn hammer<T: Sync>(
    address: &str,
    connections: usize,
    work: &[T],
    each: impl Fn(&mut Connection, &T) + Sync,
) -> (Vec<Duration>, Duration) {
    let next = AtomicUsize::new(0);
    let (next, each) = (&next, &each);
    let begin = Instant::now();
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let one = || {
            scope.spawn(move || {
                let mut connection = Connection::open(address);
                let mut times = Vec::new();
                while let Some(item) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begin = Instant::now();
                    each(&mut connection, item);
                    times.push(begin.elapsed());
                }
                times
            })
        };
        let all: Vec<_> = (0..connections).map(|_| one()).collect();
        all.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let whole = begin.elapsed();
    times.sort();
    (times, whole)
}

fn report(what: &str, (times, whole): &(Vec<Duration>, Duration)) {
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{what}: {:.0} a second; {:.1} ms median, {:.1} ms p99, {:.1} ms the longest",
        times.len() as f64 / whole.as_secs_f64(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

/// The answer says of the position and of all its moves what the tables say.
fn compare(tables: &Tablebase, position: &Position, body: &[u8]) {
    let found: Json = serde_json::from_slice(body).expect("JSON");
    let metrics = [Metric::Dtm, Metric::Dtz50];
    let plies = |values: &molien_values::Values, metric| values.plies(metric).unwrap_or(0);
    let own = tables.probe_in(position, &metrics).expect("a value");
    if !position.is_checkmate() {
        assert_eq!(found["dtm"], plies(&own.values, Metric::Dtm), "{position}");
        assert_eq!(found["dtz"], plies(&own.values, Metric::Dtz50), "{position}");
    }
    let moves = tables.moves_in(position, &metrics).expect("moves");
    let listed = found["moves"].as_array().expect("moves");
    assert_eq!(listed.len(), moves.len(), "{position}");
    for m in &moves {
        let uci = m.played.to_string();
        let entry = listed.iter().find(|entry| entry["uci"] == uci).expect("the move");
        assert_eq!(entry["san"], m.san, "{position}");
        if entry["checkmate"] != true {
            assert_eq!(entry["dtm"], plies(&m.after.values, Metric::Dtm), "{position} {uci}");
            assert_eq!(entry["dtz"], plies(&m.after.values, Metric::Dtz50), "{position} {uci}");
        }
    }
}

fn random_positions(random: &mut Random, materials: &[Material], number: usize) -> Vec<Position> {
    let one = |_| {
        let material = *random.choose(materials);
        random.position(material)
    };
    (0..number).map(one).collect()
}

fn batch_request(address: &str, positions: &[Position]) -> Vec<u8> {
    let body: String = positions.iter().map(|position| format!("{position} 0 1\n")).collect();
    let length = body.len();
    format!("POST /api/v1/positions?metric=dtm,dtz50 HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// What the command line asks for.
struct Options {
    address: String,
    directory: Directory,
    amount: Amount,
    men: Option<usize>,
    process: Process,
}

impl Options {
    fn read() -> Option<Options> {
        let mut given = std::env::args().skip(1).filter(|argument| argument != "--bench");
        let (mut plain, mut quick, mut men, mut pid) = (Vec::new(), false, None, None);
        while let Some(argument) = given.next() {
            match argument.as_str() {
                "--quick" => quick = true,
                "--men" => men = given.next().and_then(|number| number.parse().ok()),
                "--pid" => pid = given.next(),
                _ => plain.push(argument),
            }
        }
        let [address, folder] = plain.try_into().ok()?;
        let directory = Directory::new(PathBuf::from(folder));
        let process = Process { pid };
        Some(Options { address, directory, amount: Amount::new(quick), men, process })
    }

    fn materials(&self) -> Vec<Material> {
        let stored = self.directory.list().expect("a folder of tables");
        let materials = stored.iter().map(|table| table.material);
        materials.filter(|material| self.men.is_none_or(|men| men == material.len())).collect()
    }
}

fn single_positions(options: &Options, random: &mut Random, materials: &[Material]) {
    let Options { address, amount, process, .. } = options;
    let positions = random_positions(random, materials, amount.warm_positions);
    let requests: Vec<Vec<u8>> = positions.iter().map(|p| standard(address, p)).collect();
    let ask = |connection: &mut Connection, request: &&Vec<u8>| drop(connection.send(request));
    for (what, number) in [
        ("cold, /standard", requests.len()),
        ("once more, /standard", requests.len()),
        ("warm, /standard", amount.warm_requests),
    ] {
        let work: Vec<&Vec<u8>> = requests.iter().cycle().take(number).collect();
        let times = process.watch(number, || hammer(address, CONNECTIONS, &work, ask));
        report(what, &times);
    }
}

fn compared_positions(options: &Options, random: &mut Random, materials: &[Material]) {
    let Options { address, amount, process, .. } = options;
    let tables = Tablebase::stored(options.directory.clone());
    let positions = random_positions(random, materials, amount.compared);
    process.watch(positions.len(), || {
        hammer(address, 2, &positions, |connection, position| {
            compare(&tables, position, &connection.send(&standard(address, position)));
        })
    });
    println!("{} answers compared with the tables: no difference", positions.len());
}

/// Batches of random positions, those of a round several times over: the first
/// time they are new, later they are warm.
fn batches(options: &Options, random: &mut Random, materials: &[Material]) {
    const TIMES: usize = 3;
    let Options { address, amount, process, .. } = options;
    let one_round = BATCH_CONNECTIONS * 2;
    let rounds = amount.batches.div_ceil(one_round);
    let mut whole = [Duration::ZERO; TIMES];
    process.watch(TIMES * rounds * one_round * BATCH, || {
        for _ in 0..rounds {
            let body = |_| batch_request(address, &random_positions(random, materials, BATCH));
            let bodies: Vec<Vec<u8>> = (0..one_round).map(body).collect();
            for whole in &mut whole {
                let (_, time) = hammer(address, BATCH_CONNECTIONS, &bodies, |connection, body| {
                    let lines = connection.send(body).iter().filter(|&&byte| byte == b'\n').count();
                    assert_eq!(lines, BATCH);
                });
                *whole += time;
            }
        }
    });
    let asked = rounds * one_round * BATCH;
    let [new, .., warm] = whole.map(|time| asked as f64 / time.as_secs_f64());
    println!(
        "batch: {new:.0} new positions a second, {warm:.0} warm ({asked} asked {TIMES} times)"
    );
}

fn main() {
    let Some(options) = Options::read() else {
        println!("skipped: say ADDRESS FOLDER, as in 127.0.0.1:9000 ./tables");
        return;
    };
    let materials = options.materials();
    println!("{} materials, {CONNECTIONS} connections", materials.len());
    let mut random = Random::new(18);
    single_positions(&options, &mut random, &materials);
    compared_positions(&options, &mut random, &materials);
    batches(&options, &mut random, &materials);
}
