// meanfield.cpp: the page of a measure of infinitely many tokens carried through time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiment/meanfield_setup.h"
#include "report/figures.h"
#include "report/kept.h"
#include "report/report.h"

namespace murmur {

namespace {

using nlohmann::json;

void add_facts(RunReport& report, const json& summary) {
  auto& facts = report.page.facts;
  const json& regimes = summary.at("phases");
  facts.emplace_back(fmt::format("{:.4g}", summary.at("t").get<double>()), "time reached");
  facts.emplace_back(fmt::format("{:.6g}", summary.at("energy").get<double>()),
                     "energy at the end");
  facts.emplace_back(fmt::format("{:.4f}", summary.at("order").get<double>()), "order at the end");
  if (const json& linear = regimes.at("linear"); !linear.is_null()) {
    facts.emplace_back(fmt::format("mode {}", linear.at("leader").get<int>()), "leads");
    if (!linear.at("until").is_null())
      facts.emplace_back(fmt::format("{:.4g}", linear.at("until").get<double>()),
                         "linear phase until t");
  }
  if (const json& plateau = regimes.at("metastable"); !plateau.is_null())
    facts.emplace_back(
        fmt::format("{:.4g} to {:.4g}", plateau.at("from").get<double>(),
                    plateau.at("to").get<double>()),
        fmt::format("the energy stands at {:.4g}", plateau.at("energy").get<double>()));
  if (const json& end = regimes.at("clustering"); !end.is_null())
    facts.emplace_back(
        fmt::format("{:.4g}", end.at("rate").get<double>()),
        fmt::format("clustering rate from t = {:.4g}", end.at("from").get<double>()));
}

// Modes in order, the measured rate beside the predicted one where theory has it.
TextTable rates_table(const json& summary) {
  const json &rates = summary.at("growth_rates"), &theory = summary.at("predicted_rates");
  std::vector<int> modes;
  for (const auto& [mode, rate] : rates.items()) modes.push_back(std::stoi(mode));
  std::sort(modes.begin(), modes.end());
  TextTable table{{"mode", "measured", "predicted", "difference"}};
  for (const int k : modes) {
    const std::string mode = std::to_string(k);
    const double measured = rates.at(mode);
    std::vector<std::string> row{mode, fmt::format("{:.8g}", measured), "", ""};
    if (theory.contains(mode)) {
      const double predicted = theory.at(mode);
      row[2] = fmt::format("{:.8g}", predicted);
      row[3] = fmt::format("{:.1e}", std::fabs(measured - predicted));
    }
    table.push_back(std::move(row));
  }
  return table;
}

std::string lead_of(const MeanFieldSetup& s, const json& summary) {
  const MeanField& f = s.field;
  std::string words = fmt::format("Infinitely many tokens on {} under {} attention, β = {:g}{}{}.",
                                  f.d == 2   ? "the circle"
                                  : f.d == 3 ? "the sphere"
                                             : fmt::format("the unit sphere of R^{}", f.d),
                                  f.weighting == Attention::softmax ? "softmax" : "unnormalised",
                                  f.beta, f.noise > 0 ? fmt::format(", noise {:g}", f.noise) : "",
                                  f.perceptron ? ", beside a perceptron" : "");
  if (const json& stopped = summary.at("stopped"); !stopped.is_null())
    words += fmt::format(" Stopped at t = {:g}: {}.", stopped.at("t").get<double>(),
                         stopped.at("why").get<std::string>());
  return words;
}

}  // namespace

void report_meanfield(RunReport& report) {
  const std::string config = (report.run() / "config.toml").string();
  const MeanFieldSetup s = make_meanfield(gather({.base = config}, meanfield_parameters()));
  const json summary = kept_json(report.run() / "phases.json");
  report.page.title = report.run().filename().string();
  report.page.lead = lead_of(s, summary);
  add_facts(report, summary);
  report.add_figure(draw_meanfield(report.run(), report.style()), "The course",
                    "Dashes over the modes: growth that theory predicts for small waves over the "
                    "uniform law.");
  if (const auto table = rates_table(summary); table.size() > 1)
    report.add_table(
        "Growth of modes",
        "Rates at which amplitudes grow while they are small, and those of the linearised flow "
        "about the uniform law.",
        table);
}

}  // namespace murmur
