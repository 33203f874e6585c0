//! The manual: what it shows is what the program prints, and its links lead
//! somewhere.

#[path = "shared/mod.rs"]
mod shared;

use std::path::{Path, PathBuf};

use shared::{molien, run_examples, scratch, words};

/// A file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn page(name: &str) -> String {
    std::fs::read_to_string(repository("docs").join(name)).unwrap()
}

#[test]
fn the_commands_of_the_query_page_run() {
    let folder = scratch("find");
    let page = page("find.md");
    let lines = page.lines().filter_map(|line| line.strip_prefix("    $ molien "));
    assert!(run_examples(&folder, lines.map(str::to_owned)) >= 3);
    std::fs::remove_dir_all(folder).unwrap();
}

/// The indented blocks of a page, without the indent.
fn blocks(page: &str) -> Vec<Vec<&str>> {
    let mut blocks = vec![Vec::new()];
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        match line.strip_prefix("    ") {
            Some(text) => blocks.last_mut().unwrap().push(text),
            // A blank line inside a block.
            None if line.is_empty() && lines.peek().is_some_and(|l| l.starts_with("    ")) => {
                blocks.last_mut().unwrap().push("");
            }
            None => blocks.push(Vec::new()),
        }
    }
    blocks.retain(|block| block.iter().any(|line| !line.is_empty()));
    for block in &mut blocks {
        block.drain(..block.iter().take_while(|line| line.is_empty()).count());
    }
    blocks
}

/// Every command of a page prints what it shows, line by line up to `...`, which
/// stands for anything. Returns how many there are.
fn check_commands(folder: &Path, text: &str) -> usize {
    let mut commands = 0;
    for block in blocks(text) {
        let Some(command) = block[0].strip_prefix("$ molien ") else {
            assert!(block[0].starts_with("[Event "), "what is this? {}", block[0]);
            std::fs::write(folder.join("barbier.pgn"), block.join("\n")).unwrap();
            continue;
        };
        let words = words(command);
        let args: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = molien(folder, &args);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "molien {command}: {errors}");
        let printed = String::from_utf8(output.stdout).unwrap();
        let mut printed = printed.lines().map(str::trim_end);
        for expected in block[1..].iter().filter(|line| **line != "...") {
            let found = printed.any(|line| line == expected.trim_end());
            assert!(found, "molien {command} does not print (here): {expected}");
        }
        commands += 1;
    }
    commands
}

#[test]
fn the_tour_is_true() {
    let folder = scratch("tour");
    let commands = check_commands(&folder, &page("tour.md"));
    assert!(commands >= 12, "{commands}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// The other pages with commands; the pictures that they draw are those of the
/// manual.
#[test]
fn pages_and_pictures_are_true() {
    let folder = scratch("book");
    std::fs::create_dir_all(folder.join("pictures")).unwrap();
    for (name, least) in [("start.md", 3), ("metrics.md", 5), ("verified.md", 1)] {
        let commands = check_commands(&folder, &page(name));
        assert!(commands >= least, "{name}: {commands}");
    }
    for picture in std::fs::read_dir(folder.join("pictures")).unwrap() {
        let picture = picture.unwrap();
        let kept = repository("docs/pictures").join(picture.file_name());
        let kept = std::fs::read_to_string(&kept).unwrap_or_else(|_| panic!("{picture:?}"));
        let drawn = std::fs::read_to_string(picture.path()).unwrap();
        assert!(kept == drawn, "{picture:?} is drawn otherwise now");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// The places that links of a page lead to: `](there)`.
fn links(text: &str) -> Vec<String> {
    let after = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    after.map(str::to_owned).collect()
}

/// The name that a heading has in links.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_somewhere() {
    let docs = repository("docs");
    let pages = std::fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|ext| ext == "md"));
    let summary = page("SUMMARY.md");
    let (mut checked, mut wrong) = (0, Vec::new());
    for path in pages.chain(["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(repository)) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let in_book = path.starts_with(&docs) && name != "SUMMARY.md";
        if in_book && !summary.contains(&format!("({name})")) {
            wrong.push(format!("SUMMARY.md does not name {name}"));
        }
        for link in links(&text).iter().filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            let has_heading = || {
                let text = std::fs::read_to_string(&target).unwrap_or_default();
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                headings.any(|line| anchor(line.trim_start_matches('#')) == heading)
            };
            if !target.exists() || !heading.is_empty() && !has_heading() {
                wrong.push(format!("{name}: {link}"));
            }
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 30, "{checked}");
}
