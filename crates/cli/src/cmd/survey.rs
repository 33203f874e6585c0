//! Boards of seven men and more, one side's wins at a time on the card.

use molien_board::{Color, Material, Position};
use molien_cuda::CudaEngine;
use molien_schema::{SurveyJson, SurveySideJson, SurveyZugzwangsJson, VERSION};
use molien_values::{Count, Counting, Longest, Metric, Survey, Surveyor as _};

use crate::Verdict;
use crate::context::Context;
use crate::text::{grouped, note, print_answer, print_line, winner_moves};

/// Whether a material is one of these, and there is a card for it.
pub fn wants_card(context: &Context, material: Material) -> bool {
    let is_one = |card: &CudaEngine| card.surveys(material) && card.is_one_sided(material);
    context.card_if_wanted().is_some_and(|card| is_one(&card))
}

/// Says on standard error what a solve needs, before it starts.
pub fn announce(card: &CudaEngine, material: Material, metric: Metric) -> anyhow::Result<()> {
    let needs = card.needs(&card.survey_request(material, metric));
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let (needed, (free, total)) = (mib(needs.total()), card.memory()?);
    let (free, total) = (mib(free), mib(total));
    note(format_args!(
        "{material} in {metric}: {needed} MiB of {free} MiB free on the card ({total} MiB)"
    ));
    note(format_args!("  {needs}"));
    Ok(())
}

/// `molien stats`: White's wins, the deepest positions, zugzwangs.
pub fn stats(
    context: &Context,
    material: Material,
    metric: Metric,
    counting: Counting,
) -> anyhow::Result<Verdict> {
    let card = context.card()?;
    announce(&card, material, metric)?;
    let survey = card.survey(material, metric)?;
    let view = SurveyView { survey: &survey, metric, counting };
    if context.json { print_answer(&view.json()) } else { view.print() }?;
    Ok(Verdict::Done)
}

/// A survey in one counting.
struct SurveyView<'a> {
    survey: &'a Survey,
    metric: Metric,
    counting: Counting,
}

/// One side to move: what White has there.
struct Half<'a> {
    side: Color,
    legal: u64,
    /// White's wins, or Black's losses.
    decided: u64,
    by_ply: &'a [Count],
    longest: Option<&'a Longest>,
    deepest: &'a [Position],
}

impl SurveyView<'_> {
    fn number(&self, count: Count) -> u64 {
        self.survey.stats.number(count, self.counting)
    }

    fn halves(&self) -> [Half<'_>; 2] {
        let [white, black] = &self.survey.stats.sides;
        let wins = self.survey.stats.wins(Color::White, self.counting);
        let conventional = wins - self.number(white.total_wins());
        [
            Half {
                side: Color::White,
                legal: self.number(white.legal) + conventional,
                decided: wins,
                by_ply: &white.wins,
                longest: white.longest_win.as_ref(),
                deepest: &self.survey.deepest_wins,
            },
            Half {
                side: Color::Black,
                legal: self.number(black.legal),
                decided: self.number(black.total_losses()),
                by_ply: &black.losses,
                longest: black.longest_loss.as_ref(),
                deepest: &self.survey.deepest_losses,
            },
        ]
    }

    /// With Black's wins unknown the two kinds cannot be told apart.
    fn zugzwangs(&self) -> u64 {
        let zugzwangs = &self.survey.stats.zugzwangs;
        self.number(zugzwangs.white_wins) + self.number(zugzwangs.full_point)
    }

    fn json(&self) -> SurveyJson {
        let side = |half: &Half<'_>| {
            let plies = half.by_ply.iter().map(|&count| self.number(count)).enumerate();
            SurveySideJson {
                legal: half.legal,
                wins: (half.side == Color::White).then_some(half.decided),
                losses: (half.side == Color::Black).then_some(half.decided),
                plies: plies.filter(|(_, number)| *number > 0).collect(),
                longest: half.longest.map(|longest| longest.plies),
                deepest: half.deepest.iter().map(ToString::to_string).collect(),
            }
        };
        let [white, black] = self.halves();
        SurveyJson {
            schema: VERSION,
            material: self.survey.stats.material.to_string(),
            metric: self.metric.name(),
            counting: self.counting.to_string(),
            wins_of: "white",
            white_to_move: side(&white),
            black_to_move: side(&black),
            mutual_zugzwangs: SurveyZugzwangsJson { white_wins_or_full_point: self.zugzwangs() },
        }
    }

    fn print(&self) -> anyhow::Result<()> {
        let (material, metric) = (self.survey.stats.material, self.metric);
        let other = material.swap_colors();
        print_line(&format!("{material} in {metric}, counting {}", self.counting))?;
        print_line(&format!("the wins of White only; those of Black are White's of {other}"))?;
        for half in self.halves() {
            print_line(&format!("\n{} to move", half.side))?;
            print_line(&format!("  positions {:>17}", grouped(half.legal)))?;
            let name = if half.side == Color::White { "wins" } else { "losses" };
            print_line(&format!("  {name:9} {:>17}", grouped(half.decided)))?;
            let Some(longest) = half.longest else { continue };
            // An even number of plies to a win ends with the loser's forced
            // conversion.
            let (plies, moves) = (longest.plies, winner_moves(longest.plies));
            print_line(&format!("  longest   {plies:>17} plies ({moves} moves)"))?;
            half.deepest.iter().try_for_each(|p| print_line(&format!("    {p}")))?;
        }
        print_line(&format!(
            "\nmutual zugzwangs in which Black to move loses: {}",
            grouped(self.zugzwangs())
        ))
    }
}
