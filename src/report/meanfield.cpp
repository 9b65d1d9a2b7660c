// meanfield.cpp: the page of a measure of infinitely many tokens carried through time.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

#include "experiment/meanfield_setup.h"
#include "report/figures.h"
#include "report/report.h"
#include "run/kept_json.h"

namespace murmur {

namespace {

void add_facts(RunReport& report, const KeptJson& summary) {
  auto& facts = report.page.facts;
  const KeptJson regimes = summary.at("phases");
  facts.emplace_back(fmt::format("{:.4g}", summary.at("t").number()), "time reached");
  facts.emplace_back(fmt::format("{:.6g}", summary.at("energy").number()), "energy at the end");
  facts.emplace_back(fmt::format("{:.4f}", summary.at("order").number()), "order at the end");
  if (const KeptJson linear = regimes.at("linear"); !linear.is_null()) {
    facts.emplace_back(fmt::format("mode {}", linear.at("leader").small_whole()), "leads");
    if (!linear.at("until").is_null())
      facts.emplace_back(fmt::format("{:.4g}", linear.at("until").number()),
                         "linear phase until t");
  }
  if (const KeptJson plateau = regimes.at("metastable"); !plateau.is_null())
    facts.emplace_back(
        fmt::format("{:.4g} to {:.4g}", plateau.at("from").number(), plateau.at("to").number()),
        fmt::format("the energy stands at {:.4g}", plateau.at("energy").number()));
  if (const KeptJson end = regimes.at("clustering"); !end.is_null())
    facts.emplace_back(fmt::format("{:.4g}", end.at("rate").number()),
                       fmt::format("clustering rate from t = {:.4g}", end.at("from").number()));
}

// {"1": rate, "2": rate}
std::map<int, double> rates_of(const KeptJson& kept) {
  std::map<int, double> rates;
  for (const auto& [mode, rate] : kept.members()) {
    int k = 0;
    const char* const end = mode.data() + mode.size();
    if (std::from_chars(mode.data(), end, k).ptr != end || k < 1) rate.refuse("is of no mode");
    rates[k] = rate.number();
  }
  return rates;
}

// Modes in order, the measured rate beside the predicted one where theory has it.
TextTable rates_table(const KeptJson& summary) {
  const std::map<int, double> rates = rates_of(summary.at("growth_rates"));
  const std::map<int, double> theory = rates_of(summary.at("predicted_rates"));
  TextTable table{{"mode", "measured", "predicted", "difference"}};
  for (const auto& [k, measured] : rates) {
    std::vector<std::string> row{fmt::format("{}", k), fmt::format("{:.8g}", measured), "", ""};
    if (const auto predicted = theory.find(k); predicted != theory.end()) {
      row[2] = fmt::format("{:.8g}", predicted->second);
      row[3] = fmt::format("{:.1e}", std::fabs(measured - predicted->second));
    }
    table.push_back(std::move(row));
  }
  return table;
}

std::string lead_of(const MeanFieldSetup& s, const KeptJson& summary) {
  const MeanField& f = s.field;
  std::string words = fmt::format(
      "Infinitely many tokens on {} under {}{} attention, β = {:g}{}{}.",
      f.d == 2   ? "the circle"
      : f.d == 3 ? "the sphere"
                 : fmt::format("the unit sphere of R^{}", f.d),
      f.causal ? "causal " : "", f.weighting == Attention::softmax ? "softmax" : "unnormalised",
      f.beta, f.noise > 0 ? fmt::format(", noise {:g}", f.noise) : "",
      f.perceptron ? ", beside a perceptron" : "");
  if (const KeptJson stopped = summary.at("stopped"); !stopped.is_null())
    words += fmt::format(" Stopped at t = {:g}: {}.", stopped.at("t").number(),
                         stopped.at("why").text());
  return words;
}

}  // namespace

void report_meanfield(RunReport& report) {
  const std::string config = (report.run() / "config.toml").string();
  const MeanFieldSetup s = make_meanfield(gather({.base = config}, meanfield_parameters()));
  const KeptJson summary = KeptJson::read(report.run() / "phases.json");
  report.page.title = report.run().filename().string();
  report.page.lead = lead_of(s, summary);
  add_facts(report, summary);
  const bool dashes = !summary.at("predicted_rates").members().empty();
  report.add_figure(draw_meanfield(report.run(), report.style()), "The course",
                    dashes ? "Dashes over the modes: growth that theory predicts for small waves "
                             "over the uniform law."
                           : "");
  if (const auto table = rates_table(summary); table.size() > 1)
    report.add_table(
        "Growth of modes",
        "Rates at which amplitudes grow while they are small, and those of the linearised flow "
        "about the uniform law.",
        table);
}

}  // namespace murmur
