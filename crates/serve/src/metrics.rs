//! Counts for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::Service;

/// Upper ends of the classes of durations, in seconds.
const BUCKETS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0];

/// What happened to the requests of one route.
#[derive(Default, Clone)]
struct Route {
    by_status: BTreeMap<u16, u64>,
    by_duration: [u64; BUCKETS.len()],
    seconds: f64,
    count: u64,
}

/// Counts since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    /// By the pattern of the route: there are as many as routes, whatever
    /// clients ask for.
    routes: Mutex<BTreeMap<String, Route>>,
    in_flight: AtomicU64,
}

/// A request that is being answered.
pub(crate) struct InFlight<'a>(&'a AtomicU64);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// A request has come.
    pub fn begin(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(&self.in_flight)
    }

    /// A request was answered.
    pub fn count(&self, route: &str, status: u16, took: Duration) {
        let seconds = took.as_secs_f64();
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if !routes.contains_key(route) {
            routes.insert(route.to_owned(), Route::default());
        }
        let Some(found) = routes.get_mut(route) else { return };
        *found.by_status.entry(status).or_default() += 1;
        found.count += 1;
        found.seconds += seconds;
        for (count, end) in found.by_duration.iter_mut().zip(BUCKETS) {
            *count += u64::from(seconds <= end);
        }
    }

    /// All counts as Prometheus reads them.
    pub fn text(&self, service: &Service) -> String {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut text = String::new();
        head(&mut text, "molien_requests_total", "counter", "Requests by route and status.");
        for (name, route) in &routes {
            for (status, count) in &route.by_status {
                let labels = format!("{{route=\"{name}\",status=\"{status}\"}}");
                line(&mut text, &format!("molien_requests_total{labels}"), *count as f64);
            }
        }
        let name = "molien_request_seconds";
        head(&mut text, name, "histogram", "Time to the first byte of an answer.");
        routes.iter().for_each(|(route, counts)| counts.write(&mut text, name, route));
        for (name, kind, help, value) in self.gauges(service) {
            head(&mut text, name, kind, help);
            line(&mut text, name, value);
        }
        text
    }

    fn gauges(&self, service: &Service) -> Vec<(&str, &str, &str, f64)> {
        let cache = service.folder().map(|folder| folder.cache());
        let solver = service.solver();
        vec![
            (
                "molien_requests_in_flight",
                "gauge",
                "Requests being answered.",
                self.in_flight.load(Ordering::Relaxed) as f64,
            ),
            (
                "molien_cache_bytes",
                "gauge",
                "Decoded blocks that are kept.",
                cache.map_or(0, |cache| cache.len_bytes()) as f64,
            ),
            (
                "molien_cache_misses_total",
                "counter",
                "Blocks that had to be decoded.",
                cache.map_or(0, |cache| cache.misses()) as f64,
            ),
            (
                "molien_solves_waiting",
                "gauge",
                "Tables being solved or waiting for it.",
                solver.map_or(0, |solver| solver.len()) as f64,
            ),
            (
                "molien_solves_total",
                "counter",
                "Tables solved, or given up.",
                solver.map_or(0, |solver| solver.ended()) as f64,
            ),
        ]
    }
}

impl Route {
    fn write(&self, text: &mut String, name: &str, route: &str) {
        for (count, end) in self.by_duration.iter().zip(BUCKETS) {
            let labels = format!("{{route=\"{route}\",le=\"{end}\"}}");
            line(text, &format!("{name}_bucket{labels}"), *count as f64);
        }
        let labels = format!("{{route=\"{route}\",le=\"+Inf\"}}");
        line(text, &format!("{name}_bucket{labels}"), self.count as f64);
        line(text, &format!("{name}_sum{{route=\"{route}\"}}"), self.seconds);
        line(text, &format!("{name}_count{{route=\"{route}\"}}"), self.count as f64);
    }
}

// Writing to a string cannot fail.

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(text: &mut String, name: &str, value: f64) {
    let _ = writeln!(text, "{name} {value}");
}
