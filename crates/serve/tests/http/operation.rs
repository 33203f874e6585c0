//! Limits, counts and sockets.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use molien_serve::{Config, Service, Socket, app, listen};
use molien_table::Directory;
use tokio::sync::Notify;

use crate::client::{get, patient, service, tables};

const KRK: &str = "/standard?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1";

/// A service on a socket of this machine, and how to stop it.
struct Running {
    address: SocketAddr,
    stop: Arc<Notify>,
    ended: tokio::task::JoinHandle<()>,
}

fn start(config: Config) -> Running {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let stop = Arc::new(Notify::new());
    let asked = stop.clone();
    let router = app(Service::of_tables(tables(), config.clone()));
    let ended = tokio::spawn(async move {
        let stop = async move { asked.notified().await };
        listen(router, Socket::Tcp(socket), &config, stop).await.unwrap();
    });
    Running { address, stop, ended }
}

/// Sends bytes and reads all that comes back.
fn exchange(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // The service may close before it has read everything.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_counted_for_prometheus() {
    let service = service();
    for _ in 0..3 {
        get(&service, KRK).await;
    }
    get(&service, "/standard?fen=x").await;
    let text = get(&service, "/metrics").await.text();
    for line in [
        "molien_requests_total{route=\"/standard\",status=\"200\"} 3",
        "molien_requests_total{route=\"/standard\",status=\"400\"} 1",
        "molien_request_seconds_count{route=\"/standard\"} 4",
        "molien_requests_in_flight 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert_eq!(get(&service, "/health").await.text(), "ok\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_requests_at_once_are_refused() {
    let config = Config { requests: 0, ..patient() };
    let service = app(Service::of_tables(tables(), config));
    let answer = get(&service, KRK).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.header("retry-after"), Some("1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_beyond_their_rate_are_told_when_to_come_back() {
    let config = Config { rate_limit: std::num::NonZeroU32::new(1), ..patient() };
    let running = start(config);
    let request = format!("GET {KRK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let address = running.address;
    let answers =
        blocking(move || (0..7).map(|_| exchange(address, request.as_bytes())).collect::<Vec<_>>())
            .await;
    assert!(answers[0].contains("ratelimit-remaining: 4"), "{}", answers[0]);
    let refused = answers.iter().filter(|text| text.starts_with("HTTP/1.1 429")).count();
    assert!(refused >= 1, "{answers:?}");
    let last = answers.iter().rfind(|text| text.starts_with("HTTP/1.1 429")).unwrap();
    assert!(last.contains("retry-after: 1"), "{last}");
    running.stop.notify_one();
    running.ended.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_refused_and_others_are_answered() {
    let running = start(patient());
    let address = running.address;
    let long = format!("GET /standard?fen={} HTTP/1.1\r\nHost: x\r\n\r\n", "k".repeat(1 << 20));
    let answer = blocking(move || exchange(address, long.as_bytes())).await;
    let refused = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
    assert!(refused, "{answer}");
    for bytes in [&b"\x00\xff\x16\x03\x01 hello\r\n\r\n"[..], b"GET\r\n\r\n", b"\r\n\r\n\r\n"] {
        let bytes = bytes.to_vec();
        let answer = blocking(move || exchange(address, &[&bytes[..], b"\r\n"].concat())).await;
        assert!(!answer.starts_with("HTTP/1.1 5"), "{answer}");
    }
    let good = format!("GET {KRK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let answer = blocking(move || exchange(address, good.as_bytes())).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    running.stop.notify_one();
    running.ended.await.unwrap();
}

/// Requests that were under way when the service was told to stop are answered
/// in full, and then it ends.
#[tokio::test(flavor = "multi_thread")]
async fn no_request_is_cut_off_by_stopping() {
    let running = start(patient());
    let address = running.address;
    let body = "8/8/8/8/8/2k5/8/K6R w - - 0 1\n".repeat(5000);
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let body = body.clone();
            tokio::task::spawn_blocking(move || {
                let mut stream = TcpStream::connect(address).unwrap();
                let len = body.len();
                let head = format!(
                    "POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n"
                );
                stream.write_all(head.as_bytes()).unwrap();
                stream.write_all(body.as_bytes()).unwrap();
                let mut reader = BufReader::new(stream);
                let mut first = String::new();
                reader.read_line(&mut first).unwrap();
                let mut rest = Vec::new();
                reader.read_to_end(&mut rest).unwrap();
                (first, rest)
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    running.stop.notify_one();
    for client in clients {
        let (first, rest) = client.await.unwrap();
        assert!(first.starts_with("HTTP/1.1 200"), "{first}");
        let text = String::from_utf8_lossy(&rest);
        assert_eq!(text.matches("\"dtm\":27").count(), 5000);
        assert!(text.ends_with("0\r\n\r\n"));
    }
    running.ended.await.unwrap();
    assert!(TcpStream::connect(address).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_leave_in_the_middle_leave_nothing_behind() {
    let config = patient();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let router = app(Service::of_tables(tables(), config.clone()));
    let own = router.clone();
    tokio::spawn(async move {
        listen(router, Socket::Tcp(socket), &config, std::future::pending()).await.unwrap();
    });
    let body = "8/8/8/8/8/2k5/8/K6R w - - 0 1\n".repeat(10_000);
    blocking(move || {
        for _ in 0..20 {
            let mut stream = TcpStream::connect(address).unwrap();
            let head = format!(
                "POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(body.as_bytes()).unwrap();
            let mut some = [0; 100];
            let _ = stream.read(&mut some);
        }
    })
    .await;
    for _ in 0..100 {
        let text = get(&own, "/metrics").await.text();
        if text.contains("molien_requests_in_flight 1\n") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("requests of clients that left are still under way");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unix_socket_does_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("molien.sock");
    let socket = UnixListener::bind(&path).unwrap();
    let router = service();
    tokio::spawn(async move {
        let config = patient();
        let forever = std::future::pending();
        listen(router, Socket::Unix(socket), &config, forever).await.unwrap();
    });
    let answer = blocking(move || {
        let mut stream = UnixStream::connect(path).unwrap();
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    })
    .await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok\n"), "{answer}");
}

/// A damaged file is an error of its own; other tables are read as before, and
/// so is the file once it is replaced.
#[tokio::test(flavor = "multi_thread")]
async fn damage_is_told_and_stays_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let config = Config { solve_up_to_men: 3, ..patient() };
    let service = app(Service::of_folder(directory.clone(), config));
    let queen = "/standard?fen=8/8/8/8/8/2k5/8/K6Q_w_-_-_0_1";
    assert_eq!(get(&service, KRK).await.status, StatusCode::OK);
    assert_eq!(get(&service, queen).await.status, StatusCode::OK);
    let path = directory.path("KRK".parse().unwrap());
    let sound = std::fs::read(&path).unwrap();
    let mut damaged = sound.clone();
    damaged[..64].fill(0x55);
    let replace = |bytes: &[u8]| {
        let other = folder.path().join("other");
        std::fs::write(&other, bytes).unwrap();
        std::fs::rename(&other, &path).unwrap();
    };
    replace(&damaged);
    // What is open stays valid; a service that starts now sees the damage.
    assert_eq!(get(&service, KRK).await.status, StatusCode::OK);
    let config = Config { solve_up_to_men: 0, ..patient() };
    let fresh = app(Service::of_folder(Directory::new(folder.path()), config));
    let answer = get(&fresh, KRK).await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{}", answer.text());
    assert!(answer.text().contains("KRvK"), "{}", answer.text());
    assert_eq!(get(&fresh, queen).await.status, StatusCode::OK);
    replace(&sound);
    // A folder that has just changed is looked at again.
    assert_eq!(get(&fresh, KRK).await.status, StatusCode::OK);
}
