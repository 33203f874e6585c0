//! Tables made by several ranks equal those of one process: every wave, and every
//! byte of the files.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::Material;
use molien_build::{Build, BuildError, Making, dependencies};
use molien_solve::{ExchangeError, Progress, WaveReport, thread_ranks};
use molien_table::{Directory, WaveLogs};
use molien_testing::Patience;
use molien_values::Metric;
use tempfile::TempDir;

/// A wave: its table, whose wins, ply, addresses decided, signature.
type Wave = (String, Metric, bool, u16, u64, u64);

/// Notes every wave of tables with enough men, and cancels after so many questions.
struct Notes {
    waves: Mutex<Vec<Wave>>,
    men: usize,
    patience: Patience,
}

impl Notes {
    fn new(goal: Material, patience: usize) -> Notes {
        let patience = Patience::new(patience);
        Notes { waves: Mutex::default(), men: goal.len(), patience }
    }

    fn sorted(waves: &[&Notes]) -> Vec<Wave> {
        let of =
            |notes: &&Notes| notes.waves.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut all: Vec<Wave> = waves.iter().flat_map(of).collect();
        all.sort();
        all
    }
}

impl Progress for Notes {
    fn wants_signatures(&self) -> bool {
        true
    }

    fn wave(&self, report: &WaveReport) {
        if report.material.len() < self.men {
            return;
        }
        let (name, white) = (report.material.to_string(), report.attacker.index() == 0);
        let wave =
            (name, report.metric, white, report.ply, report.decided, report.signature.unwrap());
        self.waves.lock().unwrap_or_else(PoisonError::into_inner).push(wave);
    }

    fn cancelled(&self) -> bool {
        self.patience.is_over()
    }
}

/// A table and all it depends on, made by one process, and its waves.
struct Usual {
    goal: Material,
    metrics: Vec<Metric>,
    folder: TempDir,
    waves: Vec<Wave>,
}

fn usual(goal: &str, metrics: &[Metric]) -> Usual {
    let goal: Material = goal.parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let notes = Arc::new(Notes::new(goal, usize::MAX));
    let build = Build::new().with_folder(Directory::new(folder.path()));
    let build = build.with_progress(notes.clone());
    build.store(&[goal], metrics, &Making::default()).unwrap();
    let waves = Notes::sorted(&[&notes]).into_iter().filter(|wave| wave.0 == goal.to_string());
    Usual { goal, metrics: metrics.to_vec(), waves: waves.collect(), folder }
}

impl Usual {
    /// A folder with what the table depends on.
    fn below(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = [self.folder.path(), folder.path()].map(Directory::new);
        for material in dependencies(self.goal).into_iter().filter(|m| m.len() > 2) {
            std::fs::copy(from.path(material), to.path(material)).unwrap();
        }
        folder
    }

    fn bytes(&self, folder: &Path) -> Vec<u8> {
        std::fs::read(Directory::new(folder).path(self.goal)).unwrap()
    }

    /// So many ranks make the table in a folder, one of them with little patience.
    fn together(
        &self,
        folder: &Path,
        ranks: usize,
        patience: usize,
    ) -> (Vec<Notes>, Vec<Result<(), BuildError>>) {
        let work = |rank: molien_solve::ThreadRank| {
            let last = molien_solve::Exchange::rank(&rank) == ranks - 1;
            let patience = if last { patience } else { usize::MAX };
            let notes = Arc::new(Notes::new(self.goal, patience));
            let build = Build::new()
                .with_folder(Directory::new(folder))
                .with_threads(std::num::NonZeroUsize::MIN)
                .with_progress(notes.clone())
                .with_ranks(Arc::new(rank));
            let stored = build.store(&[self.goal], &self.metrics, &Making::default());
            drop(build);
            (Arc::into_inner(notes).unwrap(), stored)
        };
        std::thread::scope(|scope| {
            let ranks = thread_ranks(ranks).into_iter();
            let threads: Vec<_> = ranks.map(|rank| scope.spawn(move || work(rank))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).unzip()
        })
    }

    fn check(&self, ranks: usize) {
        let folder = self.below();
        let (notes, stored) = self.together(folder.path(), ranks, usize::MAX);
        stored.into_iter().for_each(|stored| stored.unwrap());
        let all: Vec<&Notes> = notes.iter().collect();
        // Without pawns all ranks hear of every wave; with pawns each solves boards.
        match self.goal.has_pawns() {
            true => assert!(Notes::sorted(&all) == self.waves, "{} by {ranks}", self.goal),
            false => {
                for notes in all {
                    assert!(Notes::sorted(&[notes]) == self.waves, "{} by {ranks}", self.goal);
                }
            }
        }
        assert!(self.bytes(folder.path()) == self.bytes(self.folder.path()), "{}", self.goal);
        let left = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let left: Vec<_> = left.filter(|path| path.is_dir()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn exhaustive() -> bool {
    std::env::var_os("MOLIEN_EXHAUSTIVE").is_some()
}

/// Pieces; with `MOLIEN_EXHAUSTIVE` also five men, and all metrics.
#[test]
fn ranks_give_the_same_waves_and_files() {
    for (name, counts) in [("KRKN", &[1, 2, 3, 4, 7][..]), ("KBNK", &[3])] {
        let usual = usual(name, &[Metric::Dtm]);
        assert!(usual.waves.len() > 40, "{}", usual.waves.len());
        counts.iter().for_each(|&ranks| usual.check(ranks));
    }
    if exhaustive() {
        for name in ["KRKN", "KBNK", "KRBKR", "KRRKN"] {
            let usual = usual(name, &[Metric::Dtc, Metric::Dtm, Metric::Dtz50]);
            [2, 3, 4, 7].into_iter().for_each(|ranks| usual.check(ranks));
        }
    }
}

/// Of symmetric material only White's wins are solved.
#[test]
fn symmetric_material() {
    let usual = usual("KQKQ", &[Metric::Dtc, Metric::Dtm, Metric::Dtz50]);
    usual.check(3);
}

/// Boards around pawns are shared out.
#[test]
fn boards_with_pawns() {
    let usual = usual("KPK", &[Metric::Dtm, Metric::Dtz]);
    [2, 7].into_iter().for_each(|ranks| usual.check(ranks));
    if exhaustive() {
        for name in ["KPK", "KQKP", "KPKP", "KRPKR"] {
            let usual = self::usual(name, &Metric::ALL);
            [2, 3, 4, 7].into_iter().for_each(|ranks| usual.check(ranks));
        }
    }
}

/// Stopped again and again, each time resumed by another number of ranks, it gives
/// the same bytes; and what is in the log is what one process would have put there.
#[test]
fn a_stopped_solve_resumes_with_other_ranks() {
    let usual = usual("KRKN", &[Metric::Dtm]);
    let one = tempfile::tempdir().unwrap();
    let logs = WaveLogs::new(one.path()).with_worth_tiles(0);
    Build::new().solve_logged(usual.goal, Metric::Dtm, &logs).unwrap();
    let folder = usual.below();
    let name = "KRvKN.dtm.w.wave";
    let path = Directory::new(folder.path()).folder().join("waves").join(name);
    let expected = std::fs::read(one.path().join(name)).unwrap();
    let (mut stops, mut most) = (0, 0);
    for ranks in [4, 3, 2, 5, 7].into_iter().cycle() {
        let (_, stored) = usual.together(folder.path(), ranks, 12 + 18 * stops);
        if stored.iter().all(Result::is_ok) {
            break;
        }
        stops += 1;
        assert!(stored.iter().all(|stored| stored.as_ref().is_err_and(|e| e.is_cancelled())));
        let logged = std::fs::read(&path).unwrap_or_default();
        assert!(logged.len() >= most && expected.starts_with(&logged), "{stops}");
        most = logged.len();
    }
    assert!(stops >= 4 && most > 0, "{stops} stops");
    assert!(usual.bytes(folder.path()) == usual.bytes(usual.folder.path()));
}

/// The same with pawns: boards of finished stages are kept.
#[test]
fn stopped_boards_resume_with_other_ranks() {
    let usual = usual("KPK", &[Metric::Dtm]);
    let folder = usual.below();
    let (mut stops, mut boards) = (0, 0);
    for ranks in [3, 2, 4].into_iter().cycle() {
        let (_, stored) = usual.together(folder.path(), ranks, 60 * (stops + 1));
        if stored.iter().all(Result::is_ok) {
            break;
        }
        stops += 1;
        assert!(stops < 50, "it gets nowhere");
        let log = Directory::new(folder.path()).board_log(usual.goal, Metric::Dtm).unwrap();
        assert!(log.len() >= boards);
        boards = log.len();
    }
    assert!(stops > 1 && boards > 0, "{stops} stops, {boards} boards");
    assert!(usual.bytes(folder.path()) == usual.bytes(usual.folder.path()));
}

/// Who waits for a rank that is gone hears of it.
#[test]
fn a_rank_that_is_gone_ends_the_others() {
    let goal: Material = "KQK".parse().unwrap();
    let mut ranks = thread_ranks(2);
    drop(ranks.pop());
    let folder = tempfile::tempdir().unwrap();
    let build = Build::new().with_folder(Directory::new(folder.path()));
    let build = build.with_ranks(Arc::new(ranks.remove(0)));
    let failed = build.store(&[goal], &[Metric::Dtm], &Making::default()).unwrap_err();
    let BuildError::Ranks { source } = &failed else { panic!("{failed}") };
    assert_eq!(*source, ExchangeError::Gone { rank: 1 });
}
