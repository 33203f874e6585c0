//! A limit of requests for each client.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use quick_cache::sync::Cache;

use crate::Service;
use crate::listen::Client;

/// Clients remembered; those not seen for long are forgotten first.
const CLIENTS: usize = 1 << 16;
/// A client may save up requests for so many seconds.
const BURST_SECONDS: u32 = 5;

/// What a client may still ask for.
struct Bucket {
    left: f64,
    seen: Instant,
}

/// The buckets of all clients.
pub(crate) struct RateLimit {
    per_second: u32,
    clients: Cache<IpAddr, Arc<Mutex<Bucket>>>,
}

/// Whether a request may pass.
struct Passage {
    /// How many may follow at once.
    left: u32,
    /// When the next may come, if this one may not.
    wait: Option<Duration>,
}

impl RateLimit {
    /// So many requests a second, and five seconds' worth in a burst.
    pub fn new(per_second: NonZeroU32) -> RateLimit {
        RateLimit { per_second: per_second.get(), clients: Cache::new(CLIENTS) }
    }

    fn most(&self) -> u32 {
        self.per_second.saturating_mul(BURST_SECONDS)
    }

    fn pass(&self, client: IpAddr, now: Instant) -> Passage {
        let full = || {
            Ok::<_, ()>(Arc::new(Mutex::new(Bucket { left: f64::from(self.most()), seen: now })))
        };
        let Ok(bucket) = self.clients.get_or_insert_with(&client, full) else {
            return Passage { left: 0, wait: None };
        };
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let gained =
            now.saturating_duration_since(bucket.seen).as_secs_f64() * f64::from(self.per_second);
        bucket.left = (bucket.left + gained).min(f64::from(self.most()));
        bucket.seen = now;
        if bucket.left < 1.0 {
            let seconds = (1.0 - bucket.left) / f64::from(self.per_second);
            return Passage { left: 0, wait: Some(Duration::from_secs_f64(seconds)) };
        }
        bucket.left -= 1.0;
        Passage { left: bucket.left as u32, wait: None }
    }
}

/// Who asks: the other end of the connection, or whom the proxy names.
fn client(request: &Request, behind_proxy: bool) -> Option<IpAddr> {
    let named = |headers: &HeaderMap| {
        // The last one is the proxy's own word; earlier ones are the client's.
        headers.get("x-forwarded-for")?.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
    };
    let other_end = || request.extensions().get::<Client>().and_then(|client| client.0);
    match behind_proxy {
        true => named(request.headers()).or_else(other_end),
        false => other_end(),
    }
}

/// Refuses what a client asks beyond its limit, and says how much is left.
pub(super) async fn limit(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Response {
    let Some(limit) = service.rate_limit() else { return next.run(request).await };
    let Some(client) = client(&request, service.config().behind_proxy) else {
        return next.run(request).await;
    };
    let passage = limit.pass(client, Instant::now());
    let mut response = match passage.wait {
        None => next.run(request).await,
        Some(_) => {
            (StatusCode::TOO_MANY_REQUESTS, "too many requests; see Retry-After").into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert("ratelimit-limit", HeaderValue::from(limit.most()));
    headers.insert("ratelimit-remaining", HeaderValue::from(passage.left));
    if let Some(wait) = passage.wait {
        let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        headers.insert("ratelimit-reset", HeaderValue::from(seconds));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_so_many_a_second() {
        let limit = RateLimit::new(NonZeroU32::new(2).unwrap());
        let (one, other): (IpAddr, IpAddr) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        let start = Instant::now();
        for left in (0..10).rev() {
            let passage = limit.pass(one, start);
            assert_eq!((passage.left, passage.wait), (left, None));
        }
        assert_eq!(limit.pass(one, start).wait, Some(Duration::from_millis(500)));
        assert!(limit.pass(other, start).wait.is_none());
        let later = start + Duration::from_millis(1500);
        let passed = (0..9).filter(|_| limit.pass(one, later).wait.is_none()).count();
        assert_eq!(passed, 3);
    }
}
