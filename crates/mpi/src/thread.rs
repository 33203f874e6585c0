//! The thread that owns MPI.

use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::request::{LocalScope, Request, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};

/// Bytes of a message that travel at a time: numbers of elements are `int` in MPI.
const CHUNK_BYTES: usize = 4 << 20;
/// How often is looked without a pause whether something has arrived.
const LOOKS: u32 = 64;
/// The pauses after that. Whoever computes needs the processor more.
const FIRST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_micros(500);

/// What is to be done.
pub(crate) enum Order {
    /// A message to each rank.
    Swap(Vec<Vec<u8>>),
    Sum(Vec<u64>),
    Least(Vec<u64>),
    Finish,
}

/// What has been done.
pub(crate) enum Answer {
    Hello(Hello),
    Messages(Vec<Vec<u8>>),
    Numbers(Vec<u64>),
}

/// Who this is.
pub(crate) struct Hello {
    pub rank: usize,
    pub size: usize,
}

/// Starts MPI and does what it is told until it is told to finish. If nobody tells it
/// anything any more, something has gone wrong: then it does not take leave, for
/// which it would have to wait for the others.
pub(crate) fn run(orders: &Receiver<Order>, answers: &Sender<Answer>) {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else { return };
    let world = universe.world();
    let (rank, size) = (world.rank() as usize, world.size() as usize);
    let mut answer = Answer::Hello(Hello { rank, size });
    while answers.send(answer).is_ok() {
        answer = match orders.recv() {
            Ok(Order::Swap(messages)) => Answer::Messages(swap(&world, rank, &messages)),
            Ok(Order::Sum(numbers)) => {
                Answer::Numbers(combined(&world, &numbers, SystemOperation::sum()))
            }
            Ok(Order::Least(numbers)) => {
                Answer::Numbers(combined(&world, &numbers, SystemOperation::min()))
            }
            Ok(Order::Finish) => return, // `universe` takes leave
            Err(_) => break,
        };
    }
    std::mem::forget(universe);
}

fn combined(world: &SimpleCommunicator, numbers: &[u64], how: SystemOperation) -> Vec<u64> {
    let mut found = vec![0; numbers.len()];
    scope(|scope| {
        let request = world.immediate_all_reduce_into(scope, numbers, &mut found[..], how);
        complete(vec![request]);
    });
    found
}

fn swap(world: &SimpleCommunicator, rank: usize, messages: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let len = |(to, message): (usize, &Vec<u8>)| if to == rank { 0 } else { message.len() as u64 };
    let sent: Vec<u64> = messages.iter().enumerate().map(len).collect();
    let mut coming = vec![0u64; sent.len()];
    scope(|scope| {
        complete(vec![world.immediate_all_to_all_into(scope, &sent[..], &mut coming[..])]);
    });
    let mut found: Vec<Vec<u8>> = coming.iter().map(|&len| vec![0; len as usize]).collect();
    scope(|scope| {
        let mut requests: Vec<Request<'_, [u8], &LocalScope<'_>>> = Vec::new();
        for (from, message) in found.iter_mut().enumerate() {
            let process = world.process_at_rank(from as i32);
            for chunk in message.chunks_mut(CHUNK_BYTES) {
                requests.push(process.immediate_receive_into(scope, chunk));
            }
        }
        for (to, message) in messages.iter().enumerate().filter(|(to, _)| *to != rank) {
            let process = world.process_at_rank(to as i32);
            for chunk in message.chunks(CHUNK_BYTES) {
                requests.push(process.immediate_send(scope, chunk));
            }
        }
        complete(requests);
    });
    found
}

/// Waits for all of them, and leaves the processor to others meanwhile.
fn complete<'a, D: ?Sized>(mut requests: Vec<Request<'a, D, &LocalScope<'a>>>) {
    let (mut looks, mut pause) = (0, FIRST_PAUSE);
    while !requests.is_empty() {
        let before = requests.len();
        requests = requests.into_iter().filter_map(|request| request.test().err()).collect();
        if requests.len() < before {
            (looks, pause) = (0, FIRST_PAUSE);
        } else if looks < LOOKS {
            looks += 1;
            std::thread::yield_now();
        } else {
            std::thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }
}
