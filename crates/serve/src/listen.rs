//! Sockets.
//!
//! Connections are bounded in number, and each has only so long to send the head
//! of a request, so that slow clients cost little. When told to stop, no new
//! connections are accepted, requests under way are answered, and then it
//! ends.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

use crate::Config;

/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The longest head of a request: more is refused.
const HEAD_BYTES: usize = 64 << 10;
/// How long requests under way may take once the service is to end.
const LAST_TIME: Duration = Duration::from_secs(30);
/// A pause when no connection can be accepted, for instance for want of files.
const PAUSE: Duration = Duration::from_millis(50);

/// The other end of a connection; none for a Unix socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client(pub Option<IpAddr>);

/// Why a socket cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The system refuses.
    #[error("the socket cannot be used: {0}")]
    Socket(#[from] io::Error),
}

/// A socket that is open and waits for connections.
#[derive(Debug)]
pub enum Socket {
    /// TCP.
    Tcp(std::net::TcpListener),
    /// A Unix socket.
    Unix(std::os::unix::net::UnixListener),
}

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// A connection of either kind.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Listener {
    fn new(socket: Socket) -> io::Result<Listener> {
        match socket {
            Socket::Tcp(socket) => {
                socket.set_nonblocking(true)?;
                Ok(Listener::Tcp(TcpListener::from_std(socket)?))
            }
            Socket::Unix(socket) => {
                socket.set_nonblocking(true)?;
                Ok(Listener::Unix(UnixListener::from_std(socket)?))
            }
        }
    }

    async fn accept(&self) -> io::Result<(Box<dyn Stream>, Client)> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // Answers are whole when they are written: nothing to wait for.
                stream.set_nodelay(true)?;
                Ok((Box::new(stream), Client(Some(address.ip()))))
            }
            Listener::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Box::new(stream), Client(None)))
            }
        }
    }
}

/// Answers on a socket until `stop` is ready, then lets requests under way end.
///
/// # Errors
/// If the socket cannot be used.
pub async fn listen(
    app: Router,
    socket: Socket,
    config: &Config,
    stop: impl Future<Output = ()>,
) -> Result<(), ListenError> {
    let listener = Listener::new(socket)?;
    let places = Arc::new(Semaphore::new(config.connections));
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let place = tokio::select! {
            place = places.clone().acquire_owned() => place,
            () = &mut stop => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, client) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let app = app.clone();
        let service = service_fn(move |request| answer(app.clone(), client, request));
        let connection = builder().serve_connection(TokioIo::new(stream), service).into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that goes away, or talks nonsense, is not our concern.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    tracing::info!("waiting for requests under way");
    let _ = tokio::time::timeout(LAST_TIME, graceful.shutdown()).await;
    Ok(())
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(64);
    builder
}

async fn answer(
    app: Router,
    client: Client,
    request: hyper::Request<Incoming>,
) -> Result<axum::response::Response, Infallible> {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(client);
    app.oneshot(request).await
}
