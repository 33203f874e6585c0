//! Every field of every answer is described in docs/json.md, and says the same
//! thing everywhere.

use std::ops::ControlFlow;
use std::sync::Arc;

use molien_board::{FenOptions, Man, Material, Setup};
use molien_build::Build;
use molien_lines::study::{Options, Summary, check_game, read};
use molien_lines::{Play, Strategy, Until, best_line};
use molien_mine::{
    Basins, Figures, FreeMan, Query, Search, TableSet, ZugzwangKind, maxima, only_moves, zugzwangs,
};
use molien_probe::{ClockAnswer, Tablebase, clock_line};
use molien_schema::*;
use molien_values::{Category, Counting, Fingerprint, Metric, Outcome, Value};
use serde::Serialize;
use serde_json::Value as Json;

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

/// The answer as JSON, all its fields documented.
fn documented(answer: &impl Serialize) -> Json {
    let json = serde_json::to_value(answer).unwrap();
    assert_eq!(json["schema"], VERSION, "{json}");
    check(&json);
    json
}

fn check(json: &Json) {
    let docs = include_str!("../../../docs/json.md");
    // Plies and squares are data, not names of fields.
    let is_data = |name: &str| {
        name.chars().any(|c| c.is_ascii_digit()) && !["dtz50", "dtm50", "sha256"].contains(&name)
    };
    match json {
        Json::Object(fields) => {
            for (name, value) in fields {
                assert!(
                    is_data(name) || docs.contains(&format!("`{name}`")),
                    "{name} is not described"
                );
                check(value);
            }
            check_position(fields);
        }
        Json::Array(items) => items.iter().for_each(check),
        _ => {}
    }
}

/// The class, the sign of the depths and the side are those of the position
/// beside them.
fn check_position(fields: &serde_json::Map<String, Json>) {
    let (Some(fen), Some(Json::String(category))) = (fields.get("fen"), fields.get("category"))
    else {
        return;
    };
    let setup: Setup = fen.as_str().unwrap().parse().unwrap();
    assert_eq!(setup.to_string(), *fen, "all six fields");
    let side = setup.position.turn().to_string().to_lowercase();
    assert_eq!(fields["side_to_move"], side, "{fen}");
    if let Some(checkmate) = fields.get("checkmate") {
        assert_eq!(*checkmate, setup.position.is_checkmate(), "{fen}");
        assert_eq!(fields["stalemate"], setup.position.is_stalemate(), "{fen}");
    }
    let known = |known: &Category| known.name() == category;
    let category = Category::ALL.into_iter().find(known).unwrap_or_else(|| panic!("{category}"));
    for metric in Metric::ALL {
        let Some(plies) = fields.get(metric.name()) else { continue };
        let sign = match plies.as_i64() {
            None => Outcome::Draw,
            Some(plies) if plies > 0 => Outcome::Win,
            Some(_) => Outcome::Loss,
        };
        assert_eq!(sign, category.outcome(), "{fen}");
    }
}

#[test]
fn figures_and_findings() {
    let build = Build::new();
    let name = material("KRKN");
    let tables = TableSet::solve(&build, name, &[Metric::Dtm, Metric::Dtz50]).unwrap();
    for metric in [Metric::Dtm, Metric::Dtz50] {
        let stats = tables.stats(metric).unwrap();
        let figures = Figures { stats: &stats, metric, counting: Counting::Unique };
        let json = documented(&StatsJson::new(&figures));
        let longest = &json["black_to_move"]["longest_loss"];
        assert!(longest[metric.name()].as_i64().unwrap() < 0, "{longest}");
        let has_rule = json["white_to_move"].get("cursed_wins").is_some();
        assert_eq!(has_rule, metric == Metric::Dtz50);
    }
    let query = Query::parse("btm and dtm = 0", name).unwrap();
    let search = Search::new(&tables, &query).unwrap();
    let mut found = Vec::new();
    search
        .each(
            |_, _| {},
            |hit| {
                found.push(documented(&HitJson::new(&hit, &[Metric::Dtm])));
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    assert!(!found.is_empty() && found.iter().all(|hit| hit["checkmate"] == true));
    documented(&CountJson::new(name, "check", 1));
    let deepest =
        maxima(&tables, Metric::Dtm, molien_board::Color::Black, Outcome::Loss, |_, _| {});
    let json = documented(&MaximaJson::new(name, Metric::Dtm, &[deepest.unwrap()]));
    assert!(json["maxima"][0]["dtm"].as_i64().unwrap() < 0);
    let mut kinds = 0;
    zugzwangs(
        &tables,
        &ZugzwangKind::ALL,
        |_, _| {},
        |zugzwang| {
            let json = documented(&ZugzwangJson::new(&zugzwang, Some(Metric::Dtm)));
            assert_eq!(json["type"], "white-wins");
            kinds += 1;
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!(kinds, 18);
}

#[test]
fn basins() {
    let basins = Basins::new(&Build::new(), material("KRK"), Metric::Dtm).unwrap();
    let mate = "k1R5/8/1K6/8/8/8/8/8 b - -".parse().unwrap();
    let sizes = basins.sizes(&[mate], 1, || true).unwrap();
    let json = documented(&BasinsJson::new(material("KRK"), Metric::Dtm, &[mate], &sizes));
    assert_eq!(json["basins"][0]["sizes"][0]["category"], "win");
    assert_eq!(json["basins"][0]["sizes"][0]["dtm"], 1);
    documented(&HitJson::of(mate, Metric::Dtm, Value::Loss(0)));
}

#[test]
fn moves_and_squares() {
    let build = Build::new();
    let name = material("KRK");
    let tables = TableSet::solve(&build, name, &[Metric::Dtm]).unwrap().with_moves(&build).unwrap();
    let counts = only_moves(&tables, Metric::Dtm, |_, _| {}).unwrap();
    documented(&OnlyMovesJson::new(name, Metric::Dtm, &counts));
    let tables = Tablebase::solving(build);
    let rook = Man::from_letter('R').unwrap();
    let free =
        FreeMan::parse("8/8/8/8/8/2k5/8/K7 w - - 90 1", rook, FenOptions::default()).unwrap();
    let squares = free.squares(&tables, Metric::Dtm).unwrap();
    let json = documented(&FreeJson::new(&free, &squares, Metric::Dtm));
    assert_eq!(json["squares"]["h8"]["category"], "cursed-win");
    documented(&ExportJson::new("KRK.csv", 1));
}

#[test]
fn lines_and_studies() {
    let tables = Tablebase::solving(Build::new());
    let start: Setup = "8/8/8/8/8/2k5/8/K6R w - -".parse().unwrap();
    let play = Play { white: Strategy::within_the_rule(), black: Strategy::within_the_rule() };
    let line = best_line(&tables, start, &play, Until::default()).unwrap();
    let json = documented(&LineJson::new(&line, &play));
    assert_eq!((&json["result"], &json["category"]), (&"1-0".into(), &"win".into()));
    let moves = json["moves"].as_array().unwrap();
    let plies: Vec<i64> = moves.iter().map(|m| m["dtm"].as_i64().unwrap().abs()).collect();
    assert!(plies.is_sorted_by(|a, b| *a == b + 1), "{plies:?}");
    let pgn =
        b"[FEN \"8/8/8/8/8/2k5/8/K6R w - - 0 1\"]\n[Result \"1-0\"]\n\n1. Rh8 Kb3 2. Ka8 1-0\n";
    let mut summary = Summary::default();
    for game in read(pgn) {
        let report = check_game(&tables, &game, &Options::default()).unwrap();
        summary.add(&report);
        let json = documented(&GameJson::new("a.pgn", &report));
        assert_eq!(json["moves"][0]["category"], "win");
        assert!(!json["problem"].is_null()); // a king does not jump
    }
    assert_eq!(documented(&SummaryJson::from(&summary))["malformed"], 1);
}

#[test]
fn tables_and_errors() {
    let table = TableJson {
        material: "KRK".to_owned(),
        file: "KRvK.mol".to_owned(),
        bytes: 1,
        metrics: vec!["dtm"],
        state: TableState::ChecksumsOk,
        error: Some(String::new()),
        sizes: Some(TableSizesJson {
            positions: 1,
            wdl_bytes: 1,
            depth_bytes: [("dtm", 1)].into(),
        }),
    };
    let leftover = LeftoverJson {
        material: "KRK".to_owned(),
        file: "KRvK.tmp".to_owned(),
        bytes: 1,
        kind: "incomplete",
        useless: true,
    };
    let json = documented(&TablesJson::new(vec![], vec![table], vec![leftover]));
    assert_eq!(json["tables"][0]["state"], "checksums-ok");
    documented(&ChecksumJson::new("KRvK.mol", String::new()));
    documented(&FingerprintJson::new(material("KRK"), Metric::Dtm, Fingerprint::default()));
    documented(&CleanedJson::new(1));
    documented(&SearchJson::new(&"8/8/8/8/8/2k5/P7/K7 w - -".parse().unwrap(), None));
    let plane = PlaneCheckJson {
        metric: "dtm",
        checked: 1,
        depths: true,
        failures: 1,
        first: vec![BrokenLawJson { fen: None, law: String::new() }],
    };
    let disagreement = DisagreementJson { fen: None, metric: None, found: None, expected: None };
    let referee = RefereeJson {
        checked: 1,
        exhaustive: true,
        seed: None,
        en_passant: true,
        failures: 0,
        first: vec![disagreement],
    };
    assert_eq!(documented(&VerifyJson::new(material("KRK"), vec![plane], referee))["ok"], false);
    documented(&VerifyJson::damaged(material("KRK"), "damaged"));
    let error = ErrorJson::new(Some("x"), "y").with_hint(Some("z".to_owned()));
    assert_eq!(documented(&error)["hint"], "z");
}

#[test]
fn clocks_and_figures() {
    let build = Arc::new(Build::new());
    let setup: Setup = "8/8/8/8/8/2k5/1R6/K7 w - - 80 90".parse().unwrap();
    let answer = ClockAnswer::new(&build, &setup).unwrap();
    let line = clock_line(&build, &setup, answer.value).unwrap();
    let json = ClockJson::new(&setup, &answer).with_line(line.iter().map(|(played, _)| played));
    let json = documented(&json);
    assert_eq!(json["draw_at"], 100);
    assert_eq!(json["clocks"].as_array().unwrap().last().unwrap()["last"], 99);
    let cell = CellJson {
        row: String::new(),
        column: String::new(),
        published: String::new(),
        ours: String::new(),
        verdict: "equal",
        why: None,
    };
    documented(&ReproducedJson::new("", "", "", vec![cell]));
    let compared = ComparedJson::new("KRK".to_owned(), vec![], vec!["x".to_owned()], 1.0);
    assert_eq!(documented(&compared)["equal"], false);
    let phase = PhaseJson {
        phase: String::new(),
        seconds: 1.0,
        tiles: 1,
        tiles_per_second: 1.0,
        positions_per_second: 1.0,
    };
    documented(&BenchJson {
        schema: VERSION,
        device: String::new(),
        material: String::new(),
        copy_bytes_per_second: 1.0,
        phases: vec![phase],
    });
    let side = SurveySideJson {
        legal: 1,
        wins: Some(1),
        losses: Some(1),
        plies: [(1, 1)].into(),
        longest: None,
        deepest: vec![],
    };
    documented(&SurveyJson {
        schema: VERSION,
        material: String::new(),
        metric: "dtc",
        counting: String::new(),
        wins_of: "white",
        white_to_move: side.clone(),
        black_to_move: side,
        mutual_zugzwangs: SurveyZugzwangsJson { white_wins_or_full_point: 1 },
    });
}

#[test]
fn syzygy_files() {
    let name = || "KRvK.rtbw".to_owned();
    documented(&SyzygyFileJson::new(name(), name(), "KRK".to_owned(), 1));
    let mut check = SyzygyCheckJson::new(name(), false);
    check.error = Some(String::new());
    check.not_compared = Some(String::new());
    let wrong =
        WrongValueJson { fen: String::new(), found: String::new(), expected: String::new() };
    check.values = Some(SyzygyValuesJson { compared: 1, wrong: 1, first: vec![wrong] });
    assert_eq!(documented(&check)["wrong"], 1, "beside the other fields");
}
