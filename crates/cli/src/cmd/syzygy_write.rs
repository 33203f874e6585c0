//! `molien syzygy write`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use molien_board::Material;
use molien_build::{Storage, storage};
use molien_schema::SyzygyFileJson;
use molien_syzygy::{Kind, Plies, TableFile, write_with};
use molien_values::Metric;

use crate::Verdict;
use crate::args::Materials;
use crate::context::Context;
use crate::scan_bar::ScanBar;
use crate::text::{grouped, print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien syzygy write KRPKR --out syzygy
  molien syzygy write KRPKR KRKP KRKR --out syzygy
  molien syzygy write --men 4 --out syzygy      all tables with up to four men
  molien syzygy write KQK --exact --out syzygy

Writes KRPvKR.rtbw (wins, draws and losses in five classes) and KRPvKR.rtbz (plies
to a zeroing move) for engines and other programs. Tables that are not stored are
solved first. To answer, a program also needs the tables that captures and
promotions lead to: `--men` writes them all.
Plies are stored in pairs, as is usual; --exact stores them one by one, which takes
more room.";

/// What to write.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct WriteArgs {
    #[command(flatten)]
    which: Materials,
    /// Put the files into this folder; it is made if need be
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Store plies one by one
    #[arg(long)]
    exact: bool,
}

/// Writes the files of each material.
pub fn run(context: &Context, args: &WriteArgs) -> anyhow::Result<Verdict> {
    let chess = context.promotes_to_all();
    anyhow::ensure!(chess, "Syzygy files are those of chess: leave out --promote");
    let mut materials: Vec<Material> = args.which.list()?.iter().map(Material::canonical).collect();
    // What others read first, and each once.
    materials.sort_by_key(|material| (material.len(), material.pawns()));
    materials.dedup();
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    let plies = if args.exact { Plies::Exact } else { Plies::Rounded };
    for material in materials {
        anyhow::ensure!(
            !context.is_interrupted(),
            "interrupted; the files written so far are complete"
        );
        write_one(context, args, material, plies)?;
    }
    Ok(Verdict::Done)
}

fn write_one(
    context: &Context,
    args: &WriteArgs,
    material: Material,
    plies: Plies,
) -> anyhow::Result<()> {
    anyhow::ensure!(
        !matches!(storage(material), Storage::FromLog | Storage::ByPart),
        "{material}: files of six men cannot be written yet, since such a table never is in memory \
         as a whole"
    );
    let build = context.build();
    let table = build.table(material, Metric::Dtz50)?;
    let bar = ScanBar::new(&material.file_name());
    let files = write_with(&build, &table, plies, &|done, total| bar.set(done, total))?;
    drop(bar);
    for kind in Kind::ALL {
        let name = TableFile::name(&material, kind);
        let path = args.out.join(&name);
        store(&path, files.of(kind))?;
        let bytes = files.of(kind).len() as u64;
        match context.json {
            true => {
                let path = path.display().to_string();
                print_answer(&SyzygyFileJson::new(name, path, material.to_string(), bytes))?;
            }
            false => print_line(&format!("{name:14} {:>14} bytes", grouped(bytes)))?,
        }
    }
    Ok(())
}

/// A file appears only complete: it is written under another name first.
fn store(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let part = path.with_added_extension("part");
    let stored = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if stored.is_err() {
        // What is there is of no use to anybody.
        std::fs::remove_file(&part).ok();
    }
    stored.with_context(|| path.display().to_string())
}
