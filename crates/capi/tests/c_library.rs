//! The library as C programs see it. One program, since building one takes longer
//! than running it.
#![expect(unsafe_code, reason = "the functions are those that C calls")]

use std::ffi::CString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use molien_board::{Material, Position};
use molien_build::{Build, Making};
use molien_c::ffi::*;
use molien_probe::Tablebase;
use molien_table::{Directory, Pack, Sides, WriteOptions};
use molien_testing::Random;
use molien_values::{Category, Metric, Outcome};

/// Captures en passant: one that is the better choice, and one that is not.
const EN_PASSANT: [&str; 2] = ["8/8/8/8/k2pP2K/8/8/8 b - e3", "8/8/8/8/1k1pP3/8/8/K7 b - e3"];

fn materials(names: &[&str]) -> Vec<Material> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// Stores tables in DTM and DTZ50.
fn store(directory: &Directory, names: &[&str], options: WriteOptions) {
    let build = Build::new().with_folder(directory.clone());
    let making = Making { options, ..Making::default() };
    build.store(&materials(names), &[Metric::Dtm, Metric::Dtz50], &making).unwrap();
}

/// Materials that the tests share.
const STORED: [&str; 3] = ["KRK", "KPK", "KPKP"];

/// A folder with their tables, which is made once and stays.
fn stored() -> &'static Directory {
    static MADE: OnceLock<Directory> = OnceLock::new();
    MADE.get_or_init(|| {
        let directory = Directory::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/capi-tables"));
        store(&directory, &STORED, WriteOptions::default());
        directory
    })
}

/// Positions of some materials, en passant among them.
fn positions(names: &[&str], each: usize) -> Vec<Position> {
    let mut random = Random::new(20);
    let of = |material| (0..each).map(|_| random.position(material)).collect::<Vec<_>>();
    let mut found: Vec<Position> = materials(names).into_iter().flat_map(of).collect();
    if names.contains(&"KPKP") {
        found.extend(EN_PASSANT.map(|fen| fen.parse::<Position>().unwrap()));
    }
    found.push("8/8/8/8/8/8/8/K6k w - -".parse().unwrap());
    found
}

/// The line that the example prints for a position.
fn expected(tables: &Tablebase, position: &Position) -> String {
    let answer = tables.probe_in(position, &[Metric::Dtm, Metric::Dtz50]).unwrap();
    let wdl = match answer.category {
        Category::Win => MOLIEN_WIN,
        Category::CursedWin => MOLIEN_CURSED_WIN,
        Category::Draw => MOLIEN_DRAW,
        Category::BlessedLoss => MOLIEN_BLESSED_LOSS,
        Category::Loss => MOLIEN_LOSS,
        other => panic!("{other}"),
    };
    let mate = answer.values.get(Metric::Dtm).unwrap();
    let outcome = match mate.outcome() {
        Outcome::Win => 1,
        Outcome::Draw => 0,
        Outcome::Loss => -1,
    };
    format!("{wdl} {outcome} {}\n", mate.plies().unwrap_or(0))
}

/// Where the library is that this test was built with.
fn library_folder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().unwrap();
    let name = format!("{}molien_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let places = [folder, folder.parent().unwrap()];
    let found = places.into_iter().find(|place| place.join(&name).exists());
    found.unwrap_or_else(|| panic!("{name} is not beside the test")).to_owned()
}

/// Compiles the example; none if there is no C compiler here.
fn compile(to: &Path) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (program, library) = (to.join("probe"), library_folder());
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-o"])
        .arg(&program)
        .arg(root.join("examples/probe.c"))
        .arg("-I")
        .arg(root.join("include"))
        .arg("-L")
        .arg(&library)
        .args(["-lmolien_c", "-lpthread"])
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .output()
        .ok()?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    Some(program)
}

/// Runs a command line with a text on its standard input.
fn run(words: &[&str], input: &str) -> String {
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Input for the example, and what it is to print.
fn conversation(directory: &Directory, positions: &[Position]) -> (String, String) {
    let tables = Tablebase::stored(directory.clone());
    let (mut input, mut output) = (String::new(), String::new());
    for position in positions {
        writeln!(input, "{position}").unwrap();
        output += &expected(&tables, position);
    }
    (input, output)
}

#[test]
fn eight_threads_of_c_say_what_rust_says() {
    let scratch = tempfile::tempdir().unwrap();
    let Some(program) = compile(scratch.path()) else {
        assert!(std::env::var_os("CI").is_none(), "there is no C compiler");
        println!("skipped: there is no C compiler");
        return;
    };
    let program = program.to_str().unwrap();
    let directory = stored();
    let folder = directory.folder().to_str().unwrap();
    let (input, output) = conversation(directory, &positions(&STORED, 400));
    for material in ["-", "KPKP"] {
        assert_eq!(run(&[program, folder, material, "8"], &input), output, "{material}");
    }
    let missing = run(&[program, folder, "-", "1"], "8/8/8/8/8/2k5/8/K2QR2n w - -\n");
    assert_eq!(missing, "the table, or the metric in it, is not there\n");

    // Memory, looked after by valgrind: few positions, since it is slow.
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: there is no valgrind");
        return;
    }
    let (input, output) = conversation(directory, &positions(&STORED, 40));
    let watched = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full"];
    let leaks = ["--errors-for-leak-kinds=definite", "--show-leak-kinds=definite"];
    for material in ["-", "KPK"] {
        let words = [&watched[..], &leaks, &[program, folder, material, "8"]].concat();
        assert_eq!(run(&words, &input), output, "{material}");
    }
}

/// An open folder, closed in the end.
struct Opened(*mut molien_tables);

impl Opened {
    fn new(directory: &Directory) -> Opened {
        let folder = CString::new(directory.folder().to_str().unwrap()).unwrap();
        // SAFETY: the text is a string of C.
        Opened(unsafe { molien_open(folder.as_ptr()) })
    }

    fn load(&self, material: Material, metric: i32) -> i32 {
        let material = CString::new(material.to_string()).unwrap();
        // SAFETY: the folder is open, and the text is a string of C.
        unsafe { molien_load(self.0, material.as_ptr(), metric) }
    }

    /// Class and plies to mate, as the example prints them.
    fn ask(&self, position: &molien_position) -> Result<(i32, molien_value), i32> {
        let (mut wdl, mut mate) = (0, molien_value::default());
        // SAFETY: the folder is open, and the rest are references.
        let done = unsafe {
            [
                molien_probe_wdl(self.0, position, &mut wdl),
                molien_probe(self.0, position, MOLIEN_DTM, &mut mate),
            ]
        };
        let failed = done.into_iter().find(|&status| status != MOLIEN_OK);
        failed.map_or(Ok((wdl, mate)), Err)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: it was opened, and is closed once.
        unsafe { molien_close(self.0) };
    }
}

#[test]
fn probing_does_not_allocate() {
    let directory = stored();
    let positions: Vec<molien_position> =
        positions(&STORED, 100).iter().map(molien_position::from).collect();
    let tables = Opened::new(directory);
    let ask = || positions.iter().for_each(|position| assert!(tables.ask(position).is_ok()));
    let allocations = || allocation_counter::measure(ask).count_total;
    // Parts of a file are decoded when they are first asked for, and kept.
    assert!(allocations() > 0);
    assert_eq!(allocations(), 0, "what was decoded");
    let loaded = Opened::new(directory);
    for material in materials(&STORED) {
        assert_eq!(loaded.load(material, MOLIEN_DTM), MOLIEN_OK);
        assert_eq!(loaded.load(material, MOLIEN_WDL), MOLIEN_OK);
    }
    let ask = || positions.iter().for_each(|position| assert!(loaded.ask(position).is_ok()));
    assert_eq!(allocation_counter::measure(ask).count_total, 0, "what was loaded");
}

#[test]
fn tables_of_one_side_are_probed_and_not_loaded() {
    let options = WriteOptions::packed(Pack::Fast).with_sides(Sides::One);
    let names = ["KQK", "KRK"];
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    store(&directory, &names, options);
    let (tables, rust) = (Opened::new(&directory), Tablebase::stored(directory.clone()));
    for position in positions(&names, 50) {
        let (wdl, mate) = tables.ask(&molien_position::from(&position)).unwrap();
        let line = format!("{wdl} {} {}\n", mate.outcome, mate.plies);
        assert_eq!(line, expected(&rust, &position), "{position}");
    }
    assert_eq!(tables.load("KRK".parse().unwrap(), MOLIEN_DTM), MOLIEN_ONE_SIDED);
}

#[test]
fn mistakes_are_told() {
    let tables = Opened::new(stored());
    assert_eq!(tables.load("KRPKR".parse().unwrap(), MOLIEN_DTM), MOLIEN_MISSING);
    assert_eq!(tables.load("KRK".parse().unwrap(), 99), MOLIEN_INVALID);
    let legal = molien_position::from(&"8/8/8/8/8/2k5/8/K6R w - -".parse::<Position>().unwrap());
    assert_eq!(tables.ask(&legal).unwrap().1, molien_value { outcome: 1, plies: 27 });
    let wrong = [
        molien_position { kings: legal.kings & legal.white, ..legal }, // a man of no kind
        molien_position { queens: legal.rooks, ..legal },              // two men on a square
        molien_position { en_passant: 64, ..legal },
        molien_position::default(),
    ];
    for position in wrong {
        assert_eq!(tables.ask(&position), Err(MOLIEN_ILLEGAL), "{position:?}");
    }
    // SAFETY: null pointers are allowed.
    unsafe {
        assert!(molien_open(std::ptr::null()).is_null());
        molien_close(std::ptr::null_mut());
        let nothing = molien_probe(tables.0, &legal, MOLIEN_DTM, std::ptr::null_mut());
        assert_eq!(nothing, MOLIEN_INVALID);
        assert_eq!(molien_load(tables.0, std::ptr::null(), MOLIEN_DTM), MOLIEN_INVALID);
        assert_eq!(molien_read_fen(c"no fen".as_ptr(), &mut legal.clone()), MOLIEN_ILLEGAL);
    }
}

/// The header has every function, number and field of the code. (That it is just
/// what cbindgen makes of it is the test `header`.)
#[test]
fn the_header_has_everything() {
    let (code, header) = (include_str!("../src/ffi.rs"), include_str!("../include/molien.h"));
    let after = |line: &str, word: &str| {
        let rest = line.trim().split_once(word)?.1;
        Some(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?.to_owned())
    };
    let (mut functions, mut numbers, mut fields) = (0, 0, 0);
    for line in code.lines() {
        if let Some(name) = after(line, "extern \"C\" fn ") {
            assert!(header.contains(&format!("{name}(")), "{name}");
            functions += 1;
        } else if let Some(name) = after(line, "pub const ") {
            let number = line.rsplit("= ").next().unwrap().trim_end_matches(';');
            assert!(header.contains(&format!("#define {name} {number}\n")), "{name} {number}");
            numbers += 1;
        } else if let Some(name) = line.strip_prefix("    pub ").and_then(|_| after(line, "pub ")) {
            assert!(header.contains(&format!("_t {name};")), "{name}");
            fields += 1;
        }
    }
    assert_eq!((functions, numbers, fields), (7, 17, 12));
}
