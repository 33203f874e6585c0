//! The manual: what it shows is what the program prints, and its links lead
//! somewhere.

#[path = "shared/mod.rs"]
mod shared;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use shared::{molien, molien_with, scratch, words};

/// A file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn page(name: &str) -> String {
    std::fs::read_to_string(repository("docs").join(name)).unwrap()
}

/// The names of the manual's pages.
fn pages() -> Vec<String> {
    let files = std::fs::read_dir(repository("docs")).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names
}

/// What a page shows of the console: fenced as such, or indented and beginning with
/// a command. A game in PGN is a file that a command reads.
fn console_blocks(page: &str) -> Vec<Vec<&str>> {
    let (mut blocks, mut fence) = (vec![Vec::new()], None);
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let indented = line.strip_prefix("    ").filter(|_| fence.is_none());
        match (line.strip_prefix("```"), fence, indented) {
            (Some(language), None, _) => {
                fence = Some(language);
                blocks.push(Vec::new());
            }
            (Some(_), Some(_), _) => {
                fence = None;
                blocks.push(Vec::new());
            }
            (None, Some("console"), _) => blocks.last_mut().unwrap().push(line),
            (None, Some(_), _) => {}
            (None, None, Some(text)) => blocks.last_mut().unwrap().push(text),
            // A blank line inside a block.
            (None, None, None)
                if line.is_empty() && lines.peek().is_some_and(|l| l.starts_with("    ")) =>
            {
                blocks.last_mut().unwrap().push("");
            }
            (None, None, None) => blocks.push(Vec::new()),
        }
    }
    for block in &mut blocks {
        block.drain(..block.iter().take_while(|line| line.is_empty()).count());
    }
    let is_console = |block: &Vec<&str>| {
        block.first().is_some_and(|line| line.starts_with("$ ") || line.starts_with("[Event "))
    };
    blocks.retain(is_console);
    blocks
}

/// Runs a line as a shell would. The tables are made anew: what is stored decides
/// what is shown.
fn run_line(folder: &Path, line: &str) -> Output {
    let tables = folder.join("tables");
    let is_for_shell = |line: &&str| [" && ", " | ", " >"].iter().any(|sign| line.contains(sign));
    let alone = line.strip_prefix("molien ").filter(|line| !is_for_shell(line));
    if let Some(arguments) = alone {
        let words = words(arguments);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        return molien_with(&tables, folder, &words);
    }
    let program = Path::new(env!("CARGO_BIN_EXE_molien")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [program.to_owned()].into_iter().chain(std::env::split_paths(&path));
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("PATH", std::env::join_paths(path).unwrap());
    shell.env_remove("SYZYGY_PATH").env("MOLIEN_TABLES", tables);
    shell.current_dir(folder).output().unwrap()
}

/// Every command of a page prints what it shows, line by line up to `...`, which
/// stands for anything. Returns how many there are.
fn check_commands(folder: &Path, name: &str) -> usize {
    let (text, mut commands) = (page(name), 0);
    for block in console_blocks(&text) {
        if block[0].starts_with("[Event ") {
            std::fs::write(folder.join("barbier.pgn"), block.join("\n")).unwrap();
            continue;
        }
        let mut printed = Vec::new();
        for line in block {
            if let Some(command) = line.strip_prefix("$ ") {
                let output = run_line(folder, command);
                let errors = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{name}: {command}: {errors}");
                assert!(!output.stdout.is_empty(), "{name}: {command} prints nothing");
                let text = String::from_utf8(output.stdout).unwrap();
                printed = text.lines().rev().map(|line| line.trim_end().to_owned()).collect();
                commands += 1;
            } else if line != "..." {
                let found =
                    std::iter::from_fn(|| printed.pop()).any(|other| other == line.trim_end());
                assert!(found, "{name}: this is not printed (here): {line}");
            }
        }
    }
    commands
}

#[test]
fn the_tour_is_true() {
    let folder = scratch("tour");
    let commands = check_commands(&folder, "tour.md");
    assert!(commands >= 12, "{commands}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// All pages with commands, except those of the service, which its own tests run.
/// The pictures that they draw are those of the manual.
#[test]
fn pages_and_pictures_are_true() {
    let folder = scratch("book");
    std::fs::create_dir_all(folder.join("pictures")).unwrap();
    let mut commands: Vec<(String, usize)> = Vec::new();
    for name in pages().into_iter().filter(|name| name != "tour.md" && name != "serve.md") {
        commands.push((name.clone(), check_commands(&folder, &name)));
    }
    for (name, least) in [
        ("start.md", 3),
        ("metrics.md", 5),
        ("verified.md", 1),
        ("find.md", 7),
        ("dtm50.md", 1),
        ("engine.md", 1),
    ] {
        let found = commands.iter().any(|(page, count)| page == name && *count >= least);
        assert!(found, "{name}: {commands:?}");
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
    let pages = pages().into_iter().map(|name| docs.join(name));
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

#[test]
fn shells_complete_commands() {
    for (shell, sign) in [
        ("bash", "complete -F _molien"),
        ("zsh", "#compdef molien"),
        ("fish", "complete -c molien"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = shared::stdout(&["completions", shell]);
        assert!(script.contains(sign) && script.contains("zugzwangs"), "{shell}");
        assert!(shared::stdout(&["completions", "--help"]).contains(&format!(" {shell} >")));
    }
    // What bash does at `molien zug<Tab>` and `molien solve --met<Tab>`.
    let typed = r#"eval "$1"; COMP_WORDS=(molien $2 "$3"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _molien molien "$3" "${COMP_WORDS[COMP_CWORD-1]}"; echo "${COMPREPLY[@]}""#;
    let script = shared::stdout(&["completions", "bash"]);
    for (before, begun, whole) in [("", "zug", "zugzwangs"), ("solve", "--met", "--metric")] {
        let bash =
            Command::new("bash").args(["-c", typed, "bash", &script, before, begun]).output();
        let Ok(bash) = bash else {
            println!("skipped: there is no bash");
            return;
        };
        let errors = String::from_utf8_lossy(&bash.stderr);
        assert_eq!(String::from_utf8_lossy(&bash.stdout).trim(), whole, "{errors}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = scratch("man");
    let output = molien(&folder, &["man", "--out", "man1"]);
    assert!(output.status.success(), "{output:?}");
    let page = |name: &str| std::fs::read_to_string(folder.join("man1").join(name)).unwrap();
    assert!(page("molien.1").contains("Solves chess endgames"));
    let help = shared::stdout(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty());
    let mut count = 0;
    for line in commands.filter(|line| !line.trim().starts_with("help ")) {
        let (name, about) = line.trim().split_once(' ').unwrap();
        let page = page(&format!("molien-{name}.1")).replace("\\-", "-");
        assert!(page.contains(".TH") && page.contains(about.trim()), "{name}: {page}");
        assert!(page.contains("molien "), "{name} has no example");
        count += 1;
    }
    assert!(count > 20, "{count}");
    std::fs::remove_dir_all(folder).unwrap();
}
