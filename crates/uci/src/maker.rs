//! Tables made in the background, one after the other.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use molien_board::Material;

use crate::engine::Event;
use crate::tables::Tables;

type Order = (Arc<dyn Tables>, Material);

/// Takes orders for tables. The thread that makes them is not waited for: a
/// solve can take minutes, and `quit` must not. What it has not stored by then
/// is begun anew the next time.
pub(crate) struct Maker {
    news: Sender<Event>,
    orders: Option<Sender<Order>>,
    ordered: HashSet<Material>,
    stop: Arc<AtomicBool>,
}

impl Maker {
    /// Nothing is made yet; `news` hears of what will be.
    pub fn new(news: Sender<Event>) -> Maker {
        Maker { news, orders: None, ordered: HashSet::new(), stop: Arc::default() }
    }

    /// Orders a table unless it is there or was ordered before.
    pub fn order(&mut self, tables: &Arc<dyn Tables>, material: Material) {
        let material = material.canonical();
        if tables.has(material) || !self.ordered.insert(material) {
            return;
        }
        let (news, stop) = (self.news.clone(), self.stop.clone());
        let orders = self.orders.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            std::thread::spawn(move || work(receiver, news, stop));
            sender
        });
        let _ = orders.send((tables.clone(), material));
    }

    /// Gives up what was ordered, because it is not wanted any more.
    pub fn cancel(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        *self = Maker::new(self.news.clone());
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn work(orders: Receiver<Order>, news: Sender<Event>, stop: Arc<AtomicBool>) {
    for (tables, material) in orders {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let teller = news.clone();
        let tell = Arc::new(move |text| drop(teller.send(Event::News(text))));
        let text = match tables.make(material, tell, stop.clone()) {
            Ok(()) => format!("{material}: ready"),
            Err(problem) => problem.to_string(),
        };
        if news.send(Event::News(text)).is_err() {
            return; // the engine has gone
        }
    }
}
