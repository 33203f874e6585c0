//! Games and studies, judged move by move.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use maud::{Markup, html};
use molien_lines::study::{GameReport, MoveReport, Options};
use serde::Deserialize;

use super::{board, html as reply, layout, shown};
use crate::api::{Judged, judge};
use crate::{Problem, Service};

/// What the reader sends.
#[derive(Deserialize, Debug, Default)]
pub(super) struct StudyForm {
    #[serde(default)]
    pgn: String,
    /// `pgn` for the annotated text instead of a page.
    #[serde(default)]
    format: String,
}

/// `GET /study`.
pub(super) async fn empty(headers: HeaderMap) -> Response {
    reply(&headers, layout::page("Study · Molien", None, "/study", whole("", None)))
}

/// `POST /study`.
pub(super) async fn judged(
    State(service): State<Service>,
    headers: HeaderMap,
    form: Result<Form<StudyForm>, FormRejection>,
) -> Response {
    let answer = async {
        let Form(StudyForm { pgn, format }) =
            form.map_err(|error| crate::api::unreadable(error.status(), error.body_text()))?;
        let text = pgn.clone().into_bytes();
        let judged =
            service.search(move |tables| judge(tables, &text, &Options::default())).await??;
        if format == "pgn" {
            let kind = (header::CONTENT_TYPE, "application/x-chess-pgn");
            let name = (header::CONTENT_DISPOSITION, "attachment; filename=\"annotated.pgn\"");
            return Ok(([kind, name], judged.pgn).into_response());
        }
        let body = whole(&pgn, Some(&judged));
        Ok::<_, Problem>(reply(&headers, layout::page("Study · Molien", None, "/study", body)))
    };
    shown(answer.await)
}

fn whole(pgn: &str, judged: Option<&Judged>) -> Markup {
    html! {
        h1 { "Study" }
        @if let Some(judged) = judged { (reports(judged, pgn)) }
        form method="post" action="/study" {
            p { label for="pgn" { "Games or studies in PGN: paste them here, or drop a file on the page. "
                "Positions of up to five men whose tables are stored are judged." } }
            textarea id="pgn" name="pgn" spellcheck="false" required { (pgn) }
            p { button { "Judge" } " " button name="format" value="pgn" { "Download annotated" } }
        }
    }
}

fn reports(judged: &Judged, pgn: &str) -> Markup {
    html! {
        @if judged.reports.is_empty() { p.verdict { "There is no game in this text." } }
        @for (number, report) in judged.reports.iter().enumerate() { (game(number, report)) }
        @if !judged.reports.is_empty() {
            form method="post" action="/study" {
                input type="hidden" name="pgn" value=(pgn);
                p { button name="format" value="pgn" { "Download annotated" } }
            }
        }
    }
}

fn game(number: usize, report: &GameReport) -> Markup {
    let mistakes: Vec<usize> =
        report.moves.iter().enumerate().filter(|(_, m)| !m.kept()).map(|(at, _)| at).collect();
    let title = if report.title.is_empty() {
        format!("Game {}", report.number)
    } else {
        report.title.clone()
    };
    html! {
        section.game aria-label=(title) {
            h2 { (title) }
            p.verdict { (summary(report, mistakes.len())) }
            @for (why, count) in &report.passed_over { p.remark { (count) " not judged: " (why) "." } }
            @if let Some(problem) = &report.problem { p.remark.trouble { (problem) } }
            @if let Some(first) = mistakes.first() { p { a href={ "#g" (number) "m" (first) } { "To the first mistake" } } }
            ol {
                @for (at, m) in report.moves.iter().enumerate() {
                    (one(number, at, m, mistakes.iter().find(|&&next| next > at).copied()))
                }
            }
        }
    }
}

fn summary(report: &GameReport, mistakes: usize) -> String {
    if let Some(verdict) = report.verdict() {
        return format!("{}.", super::capitalised(&verdict));
    }
    match (report.moves.len(), mistakes) {
        (0, _) => "No position of this game is within reach.".to_owned(),
        (_, 0) => "No mistake.".to_owned(),
        (_, 1) => "One mistake.".to_owned(),
        (_, n) => format!("{n} mistakes."),
    }
}

fn one(game: usize, at: usize, m: &MoveReport, next: Option<usize>) -> Markup {
    let fen = m.setup.to_string();
    let remark = m.remark();
    html! {
        li.mistake[!m.kept()].variation[!m.main] id={ "g" (game) "m" (at) } {
            a href={ "/?fen=" (super::view::address(&fen)) } { (m.number) " " (m.san) (sign(m)) }
            @if !remark.is_empty() { " " span.remark { (remark) } }
            @if !m.kept() {
                (board::small(&fen, &format!("before {} {}", m.number, m.san)))
                @if let Some(next) = next { a href={ "#g" (game) "m" (next) } { "next mistake" } }
            }
        }
    }
}

/// The sign of a move: a mistake, or the only move.
fn sign(m: &MoveReport) -> &'static str {
    match (m.kept(), m.unique() && m.legal > 1) {
        (false, _) => "??",
        (true, true) => "!",
        (true, false) => "",
    }
}
