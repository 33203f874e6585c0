//! Checks and measures the card: `card conform`, `card dtm50` (mate under the
//! 50-move rule), `card two KRNKNN` (both forms of the waves, by counts), `card
//! two-fingerprints` (the same by the values of all tables of up to five men without
//! pawns), `card seven KRRNKRR`, `card bench KRNKNN`, `card bench-two
//! KRNKNN`; `card large KRPKRP` (figures of six men with pawns, with times),
//! `card large-any KRPKRP` (the same with kernels for any board), `card large-checked
//! KRPKRP` (the same, every value checked), `card
//! large-small KRPKP` (the same way with five men, against whole tables); `card
//! fingerprints KRPKR` (against those published) and, where there is no card, `card
//! processor KRPKR` to compare them with. Figures of papers are solved again by
//! `molien reproduce`. `MOLIEN_NVRTC_OPTIONS` adds options for the compiler.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use molien_board::{Color, Material};
use molien_build::Build;
use molien_cuda::conformance::differences;
use molien_cuda::{CudaEngine, CudaError, Planes, Request};
use molien_solve::{Progress, WaveReport};
use molien_values::{Fingerprint, Longest, Metric, Stats, Surveyor as _};

type Outcome = Result<bool, Box<dyn std::error::Error>>;

struct Ticker(Instant);

impl Progress for Ticker {
    fn wave(&self, report: &WaveReport) {
        if report.material.len() > 6 && (report.ply < 4 || report.ply % 50 == 1) {
            let seconds = self.0.elapsed().as_secs_f64();
            println!(
                "  ply {} decided {} tiles {} {seconds:.1} s",
                report.ply, report.decided, report.tiles
            );
        }
    }
}

/// Says how long each table took.
struct TableTimes(Mutex<Instant>);

impl Progress for TableTimes {
    fn end(&self, material: Material, metric: Metric) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        println!("  {material} {metric}: {:.2} s", last.elapsed().as_secs_f64());
        *last = Instant::now();
    }
}

fn print_longest(stats: &Stats) {
    for color in Color::BOTH {
        let side = &stats.sides[color.index()];
        let longest = side.longest_win.as_ref().map_or(0, |longest| longest.plies);
        let (wins, losses) = (side.total_wins().unique, side.total_losses().unique);
        println!("    {color}: {wins} won, {losses} lost, longest win {longest} plies");
    }
}

/// The figures of large tables in DTM and DTZ50, with what they need.
fn large(engine: CudaEngine, names: &[String]) -> Outcome {
    let engine = engine.with_progress(Arc::new(TableTimes(Mutex::new(Instant::now()))));
    for metric in [Metric::Dtm, Metric::Dtz50] {
        let started = Instant::now();
        engine.prepare_large(metric)?;
        println!("kernels compiled in {:.1} s", started.elapsed().as_secs_f64());
        for name in names {
            let (material, started) = (name.parse::<Material>()?.canonical(), Instant::now());
            let stats = engine.statistics(material, metric)?;
            let seconds = started.elapsed().as_secs_f64();
            let moved_mib = engine.moved_bytes(metric) >> 20;
            println!(
                "{name} {metric}: {seconds:.1} s, {moved_mib} MiB copied to the host and back"
            );
            print_longest(&stats);
        }
    }
    Ok(true)
}

/// Tables of up to five men in parts, against the same as a whole.
fn large_small(names: &[String]) -> Outcome {
    const PART_BYTES: u64 = 16 << 20;
    let mut good = true;
    for name in names {
        let material = name.parse::<Material>()?.canonical();
        let engine = CudaEngine::new()?.with_large_tables(material.len(), PART_BYTES);
        engine.check_tables();
        for metric in Metric::ALL {
            let started = Instant::now();
            let ours = engine.statistics(material, metric)?;
            let seconds = started.elapsed().as_secs_f64();
            let equal = ours == engine.solve(material, metric)?.stats;
            println!(
                "{name} {metric}: {}, {seconds:.2} s",
                if equal { "equal" } else { "DIFFERENT" }
            );
            good &= equal;
        }
    }
    Ok(good)
}

/// Every table of three and four men and some of five, card against
/// processor; with names, those tables.
fn conform(engine: &CudaEngine, names: &[String]) -> Outcome {
    let started = Instant::now();
    engine.prepare_tables(&Metric::ALL)?;
    println!("kernels compiled in {:.1} s", started.elapsed().as_secs_f64());
    let solver = Build::new();
    let fives = ["KQNKR", "KRBKN", "KBBKN", "KNNNK", "KQKRR", "KQPKQ", "KRPKR"];
    let mut materials = Material::all(4);
    materials.extend(fives.map(|name| name.parse::<Material>().unwrap()));
    if !names.is_empty() {
        materials = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    }
    let (mut same, mut card, mut processor) = (0, 0.0, 0.0);
    let mut good = true;
    for metric in Metric::ALL {
        // Without pawns DTZ is DTC.
        for &material in materials.iter().filter(|m| m.has_pawns() || metric != Metric::Dtz) {
            let started = Instant::now();
            let ours = engine.solve(material, metric)?;
            card += started.elapsed().as_secs_f64();
            let started = Instant::now();
            let theirs = solver.table(material, metric)?;
            processor += started.elapsed().as_secs_f64();
            let found = differences(&theirs, &ours);
            if found.is_empty() {
                same += 1;
            } else {
                good = false;
                println!(
                    "DIFFERENT {material} {metric}: {}",
                    &found.join("; ").chars().take(600).collect::<String>()
                );
            }
        }
    }
    println!("conform: {same} tables identical; card {card:.2} s, processor {processor:.2} s");
    Ok(good)
}

/// Mate under the 50-move rule, card against processor: every table of three and
/// four men, and of five men some in which it takes longer than a hundred plies;
/// with names, those tables.
fn dtm50(engine: &CudaEngine, names: &[String]) -> Outcome {
    let started = Instant::now();
    engine.prepare_tables(&[Metric::Dtm50])?;
    println!("kernels compiled in {:.1} s", started.elapsed().as_secs_f64());
    let solver = Build::new();
    let fives = ["KRBKR", "KBBKN", "KQRKQ", "KNNKP", "KQPKQ", "KRPKR"];
    let mut materials = Material::all(4);
    materials.extend(fives.map(|name| name.parse::<Material>().unwrap()));
    if !names.is_empty() {
        materials = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    }
    let (mut same, mut card, mut processor) = (0, 0.0, 0.0);
    for &material in &materials {
        let started = Instant::now();
        let ours = engine.solve(material, Metric::Dtm50)?;
        let on_card = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let theirs = solver.table(material, Metric::Dtm50)?;
        let elsewhere = started.elapsed().as_secs_f64();
        (card, processor) = (card + on_card, processor + elsewhere);
        let found = differences(&theirs, &ours);
        same += usize::from(found.is_empty());
        let verdict = if found.is_empty() { "equal".to_owned() } else { found.join("; ") };
        let plies = theirs.stats.sides.each_ref().map(|side| side.wins.len().saturating_sub(1));
        let [white, black] = plies;
        println!(
            "{material}: longest wins {white} and {black} plies, card {on_card:.2} s, processor {elsewhere:.2} s: {}",
            verdict.chars().take(600).collect::<String>()
        );
    }
    let all = materials.len();
    println!(
        "dtm50: {same} of {all} tables identical; card {card:.2} s, processor {processor:.2} s"
    );
    Ok(same == all)
}

/// All tables of up to five men, or those with a name, that differ from other
/// metrics' in this one.
fn named_tables(
    names: &[String],
    metric: Metric,
) -> Result<Vec<Material>, Box<dyn std::error::Error>> {
    let mut materials = Material::all(5);
    if !names.is_empty() {
        materials = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    }
    materials.retain(|material| material.has_pawns() || metric == metric.without_pawns());
    Ok(materials)
}

/// Prints the fingerprints of tables that the processor solves.
fn processor(names: &[String]) -> Outcome {
    for metric in Metric::ALL {
        Build::new().visit_tables(&named_tables(names, metric)?, metric, &|table, _| {
            println!("{}\t{metric}\t{}", table.material, Fingerprint::of(table));
        })?;
    }
    Ok(true)
}

/// Compares the card's tables with those published by their fingerprints.
fn fingerprints(engine: &CudaEngine, names: &[String]) -> Outcome {
    engine.prepare_tables(&Metric::ALL)?;
    let (mut all, mut equal) = (0, 0);
    for metric in Metric::ALL {
        for material in named_tables(names, metric)? {
            let started = Instant::now();
            let table = engine.solve(material, metric)?;
            let (seconds, found) = (started.elapsed().as_secs_f64(), Fingerprint::of(&table));
            let is_equal = Fingerprint::published(material, metric) == Some(found);
            let verdict = if is_equal { "equal" } else { "DIFFERENT" };
            println!("{material}\t{metric}\t{found}\t{verdict}\t{seconds:.2} s");
            (all, equal) = (all + 1, equal + usize::from(is_equal));
        }
    }
    println!("fingerprints: {equal} of {all} as published");
    Ok(equal == all)
}

/// One side's wins as `molien stats` finds them, in as many planes as fit.
fn seven(engine: &CudaEngine, name: &str) -> Outcome {
    let material: Material = name.parse()?;
    let request = engine.survey_request(material, Metric::Dtc);
    let needs = engine.needs(&request);
    println!("{name}: {needs} = {} MiB", needs.total().div_ceil(1 << 20));
    let started = Instant::now();
    let survey = engine.survey_in(material, Metric::Dtc, request.planes)?;
    let seconds = started.elapsed().as_secs_f64();
    let [white, black] = &survey.stats.sides;
    let longest = |longest: &Option<Longest>| longest.as_ref().map_or(0, |longest| longest.plies);
    let plies = longest(&white.longest_win);
    println!("  {plies} plies ({} moves), {seconds:.1} s with compiling", plies.div_ceil(2));
    println!("  wins {:?} of {:?}", white.total_wins(), white.legal);
    println!("  losses {:?}, longest {}", black.total_losses(), longest(&black.longest_loss));
    println!("  zugzwangs {:?}", survey.stats.zugzwangs.white_wins);
    survey.deepest_wins.iter().for_each(|position| println!("    {position}"));
    survey.deepest_losses.iter().for_each(|position| println!("    {position}"));
    engine.forget_all();
    Ok(true)
}

/// White's wins in four planes and in two: every count of every ply, the
/// zugzwangs and the deepest positions.
fn two(engine: &CudaEngine, names: &[String]) -> Outcome {
    let mut good = true;
    for name in names {
        let material: Material = name.parse()?;
        let mut surveys = Vec::new();
        for planes in [Planes::Four, Planes::Two] {
            engine.forget_all();
            let request = Request { planes, ..engine.survey_request(material, Metric::Dtc) };
            engine.prepare(&request)?;
            let started = Instant::now();
            surveys.push(engine.survey_in(material, Metric::Dtc, planes)?);
            print!("{name} {planes:?} {:.2} s  ", started.elapsed().as_secs_f64());
        }
        let [four, two] = &surveys[..] else { return Err("two surveys".into()) };
        let equal = four.stats == two.stats
            && four.deepest_wins == two.deepest_wins
            && four.deepest_losses == two.deepest_losses;
        good &= equal;
        let white = &two.stats.sides[0];
        println!(
            "{} plies, {} wins: {}",
            white.wins.len().saturating_sub(1),
            white.total_wins().unique,
            if equal { "equal" } else { "DIFFERENT" }
        );
    }
    Ok(good)
}

/// Both sides' wins in four planes and in two, by fingerprint: all tables of up to
/// five men without pawns; with names, those tables.
fn two_fingerprints(engine: &CudaEngine, names: &[String]) -> Outcome {
    let mut materials = Material::all(5);
    materials.retain(|material| !material.has_pawns());
    if !names.is_empty() {
        materials = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    }
    let (mut equal, mut seconds) = (0, [0.0; 2]);
    for material in materials.iter().map(|material| material.canonical()) {
        let mut found = [Fingerprint::default(); 2];
        for (at, planes) in [Planes::Four, Planes::Two].into_iter().enumerate() {
            engine.forget_all(); // or the other form's table would be the answer
            let request = Request { planes, ..Request::new(material, Metric::Dtc) };
            let started = Instant::now();
            let table = engine.solve_request(&request)?;
            seconds[at] += started.elapsed().as_secs_f64();
            found[at] = Fingerprint::of(&table);
        }
        let [four, two] = found;
        equal += usize::from(four == two);
        let verdict = if four == two { "equal" } else { "DIFFERENT" };
        println!("{material} {four} {two} {verdict}");
    }
    let ([four, two], all) = (seconds, materials.len());
    println!("two planes: {equal} of {all} equal to four; {four:.1} s in four, {two:.1} s in two");
    Ok(equal == all)
}

fn bench(engine: &CudaEngine, names: &[String], planes: Planes) -> Outcome {
    for name in names {
        let bench = engine.bench(name.parse()?, Metric::Dtc, planes)?;
        let copy = bench.copy_bytes_per_second / 1e9;
        println!("{name} on {}, {planes:?}: copy {copy:.0} GB/s", bench.device);
        for phase in &bench.phases {
            println!(
                "  {} {:.3} s, {} tiles, {:.1} M tiles/s, {:.0} G positions/s",
                phase.name,
                phase.seconds,
                phase.tiles,
                phase.tiles_per_second() / 1e6,
                phase.positions_per_second() / 1e9
            );
        }
        if planes == Planes::Two {
            let (looked_up, put_off) = (bench.looked_up_tiles, bench.put_off_bytes >> 20);
            println!("  sub-games looked up for {looked_up} tiles; at most {put_off} MiB put off");
        }
    }
    Ok(true)
}

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "processor") {
        let good = processor(&arguments[1..]).is_ok_and(|good| good);
        return std::process::ExitCode::from(u8::from(!good));
    }
    let options: Vec<String> = std::env::var("MOLIEN_NVRTC_OPTIONS")
        .map_or(Vec::new(), |text| text.split_whitespace().map(str::to_owned).collect());
    let engine = match CudaEngine::with_compiler_options(&options) {
        Ok(engine) => engine.with_progress(Arc::new(Ticker(Instant::now()))),
        Err(CudaError::NoDevice(why)) => {
            println!("skipped: no CUDA device ({why})");
            return std::process::ExitCode::SUCCESS;
        }
        Err(error) => {
            println!("{error}");
            return std::process::ExitCode::from(2);
        }
    };
    let memory = engine.memory().unwrap_or_default();
    println!("{}: {} MiB free of {}", engine.device_name(), memory.0 >> 20, memory.1 >> 20);
    let rest = arguments.get(1..).unwrap_or_default();
    let outcome = match arguments.first().map(String::as_str) {
        Some("conform") => conform(&engine, rest),
        Some("dtm50") => dtm50(&engine, rest),
        Some("fingerprints") => fingerprints(&engine, rest),
        Some("seven") => rest.iter().try_fold(true, |good, name| Ok(good & seven(&engine, name)?)),
        Some("two") => two(&engine, rest),
        Some("two-fingerprints") => two_fingerprints(&engine, rest),
        Some("bench") => bench(&engine, rest, Planes::Four),
        Some("bench-two") => bench(&engine, rest, Planes::Two),
        Some("large") => large(engine, rest),
        Some("large-any") => large(engine.without_own_kernels(), rest),
        Some("large-checked") => {
            engine.check_tables();
            large(engine, rest)
        }
        Some("large-small") => large_small(rest),
        Some("legal") => engine
            .request_statistics(&Request::new("KQKR".parse().unwrap(), Metric::Dtc))
            .map(|stats| stats.sides[Color::White.index()].legal.unique > 0)
            .map_err(Into::into),
        _ => Err(
            "use conform, dtm50, large, large-any, large-checked, large-small, fingerprints, processor, two, \
                  two-fingerprints, seven, bench, bench-two or legal"
                .into(),
        ),
    };
    match outcome {
        Ok(true) => std::process::ExitCode::SUCCESS,
        Ok(false) => std::process::ExitCode::from(1),
        Err(error) => {
            println!("error: {error}");
            std::process::ExitCode::from(2)
        }
    }
}
