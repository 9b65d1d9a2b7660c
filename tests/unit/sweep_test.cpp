// sweep_test.cpp: axes out of words, times of a cell, and what a sweep refuses.
#include "sweep/sweep.h"

#include <gtest/gtest.h>

#include <cmath>

#include "refused.h"
#include "sweep/cells.h"

namespace murmur {
namespace {

std::optional<Axis> axis_of(Parameter::Kind kind, const std::string& text) {
  return read_axis({kind, "x", "", "", ""}, {text, "test", {}});
}

using Values = std::vector<std::string>;

TEST(SweepAxis, PlainValuesAreNoAxis) {
  EXPECT_FALSE(axis_of(Parameter::number, "4"));
  EXPECT_FALSE(axis_of(Parameter::number, "-1e-3"));
  EXPECT_FALSE(axis_of(Parameter::word, "cap:0.3"));
  EXPECT_FALSE(axis_of(Parameter::word, "points:1,0;0,1"));
  EXPECT_FALSE(axis_of(Parameter::word, "every:0.1"));
}

TEST(SweepAxis, RangesAreEvenAndReadWell) {
  EXPECT_EQ(axis_of(Parameter::number, "0.1:0.5:5")->values,
            (Values{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(axis_of(Parameter::number, "3:1:3")->values, (Values{"3", "2", "1"}));
  EXPECT_EQ(axis_of(Parameter::number, "7:9:1")->values, (Values{"7"}));
  const Axis log = *axis_of(Parameter::number, "0.01:100:5:log");
  EXPECT_TRUE(log.log);
  EXPECT_EQ(log.values, (Values{"0.01", "0.1", "1", "10", "100"}));
  EXPECT_EQ(axis_of(Parameter::whole, "8:64:4:log")->values, (Values{"8", "16", "32", "64"}));
  EXPECT_EQ(axis_of(Parameter::whole, "1:4:9:log")->values, (Values{"1", "2", "3", "4"}));
}

TEST(SweepAxis, ListsKeepTheirOrder) {
  const Axis axis = *axis_of(Parameter::whole, "128,2,8");
  EXPECT_EQ(axis.values, (Values{"128", "2", "8"}));
  EXPECT_EQ(axis.numbers, (std::vector<double>{128, 2, 8}));
  EXPECT_EQ(axis_of(Parameter::word, "{SA,USA}")->values, (Values{"SA", "USA"}));
  EXPECT_EQ(axis_of(Parameter::word, "{uniform,cap:0.3}")->values, (Values{"uniform", "cap:0.3"}));
  EXPECT_EQ(axis_of(Parameter::word, "{1,2|2,1}")->values, (Values{"1,2", "2,1"}));
  EXPECT_EQ(axis_of(Parameter::number, "{1,2}")->numbers, (std::vector<double>{1, 2}));
}

TEST(SweepAxis, RefusesWhatIsNoAxis) {
  for (const char* text :
       {"1:2:0", "1:2:-3", "1:2:2.5", "nan:2:3", "1:inf:3", "1:2", "1:2:3:4", "1:2:9999999",
        "0:2:3:log", ",", "1,,2", "{}", "{1,2", "1,1", "1,2,1.0", "10,1e1", "2:2:2", "1,a", "::"})
    EXPECT_EQ(fault_of([&] { axis_of(Parameter::number, text); }), Fault::input) << text;
  EXPECT_EQ(fault_of([] { axis_of(Parameter::whole, "2:3:3"); }), Fault::input);
}

TEST(SweepTimes, FixedStepsAreWhole) {
  FlowSettings flow{.method = Method::layers, .dt = 0.1};
  const std::vector<double> times = sweep_times(flow, 30, 200);
  ASSERT_EQ(times.size(), 200u);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double step = std::round(times[k] / 0.1);
    EXPECT_EQ(times[k], step * 0.1);
    EXPECT_LE(std::abs(times[k] - 30.0 * static_cast<double>(k) / 199), 0.0501);
  }
  EXPECT_EQ(sweep_times(flow, 1, 200).size(), 11u);  // no more than there are steps
  EXPECT_EQ(sweep_times(flow, 1, 1), (std::vector<double>{1.0}));
  flow.method = Method::dopri5;
  EXPECT_EQ(sweep_times(flow, 1, 5), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
}

TEST(SweepTally, MeanAndStandardError) {
  Tally tally;
  for (const double value : {1.0, 2.0, 3.0, 6.0}) tally.add(value);
  EXPECT_DOUBLE_EQ(tally.mean, 3);
  EXPECT_DOUBLE_EQ(tally.error(), std::sqrt(14.0 / 3 / 4));
}

TEST(SweepFront, CrossesBetweenCheckpoints) {
  EXPECT_DOUBLE_EQ(half_time({{0, 1, 2}, {0, 0.25, 0.75}, {}}), 1.5);
  EXPECT_DOUBLE_EQ(half_time({{0, 1, 2}, {1, 0.5, 0}, {}}), 1);
  EXPECT_DOUBLE_EQ(half_time({{0, 1, 2}, {0, 0.25, 0.5}, {}}), 2);  // reached at the very end
  EXPECT_TRUE(std::isnan(half_time({{0, 1}, {0, 0.4}, {}})));
}

Sweep sweep_of(const std::vector<std::string>& words) {
  return make_sweep(gather({"", {}, words}, sweep_parameters()));
}

Sweep read_back(const Sweep& sweep) {
  return make_sweep(parse_experiment(sweep.config, "config.toml", {}, sweep_parameters()));
}

TEST(Sweep, WhatIsGivenStaysGivenEvenWhereItIsTheDefault) {
  const auto manifold = [](const Sweep& sweep) {
    return make_experiment(spec_of_cell(sweep, grid_cell(sweep, 0))).dynamics.manifold;
  };
  const Sweep said = sweep_of({"dynamics=hardmax", "habitat=sphere", "n=4", "beta=1,2"});
  const Sweep left = sweep_of({"dynamics=hardmax", "n=4", "beta=1,2"});
  EXPECT_EQ(manifold(said), Manifold::sphere);
  EXPECT_EQ(manifold(left), Manifold::space);
  EXPECT_EQ(manifold(read_back(said)), Manifold::sphere);
  EXPECT_EQ(manifold(read_back(left)), Manifold::space);
  EXPECT_EQ(read_back(said).config, said.config);
  EXPECT_EQ(read_back(left).config, left.config);
  EXPECT_EQ(sweep_of({"heads=1", "n=4"}).base.words.at("heads").origin, "command line: heads=1");
  const Sweep single = sweep_of({"heads=1", "n=4"});  // without an axis
  EXPECT_EQ(read_back(single).config, single.config);
  // A value changed by hand in the file is no default any more.
  std::string edited = left.config;
  edited.replace(edited.find("habitat = \"sphere\""), 18, "habitat = \"space\"");
  EXPECT_NE(make_sweep(parse_experiment(edited, "config.toml", {}, sweep_parameters()))
                .base.words.at("habitat")
                .origin,
            "default");
}

// Means over replicas at every time, bit for bit.
std::vector<double> means_of(const Sweep& sweep, std::int64_t number) {
  std::vector<double> means;
  const auto table = simulate_cell(sweep, grid_cell(sweep, number), {});
  for (const Tally& tally : table->tally) means.push_back(tally.mean);
  return means;
}

TEST(Sweep, EveryCellFliesOnItsOwnEngine) {
  const auto words = [](const std::string& engine) {
    return std::vector<std::string>{engine,   "n=8",     "d=3",        "T=2",       "beta=3",
                                    "dt=0.1", "times=3", "replicas=3", "method=rk4"};
  };
  const std::vector<double> together = means_of(sweep_of(words("engine=auto")), 0);
  const std::vector<double> apart = means_of(sweep_of(words("engine=reference")), 0);
  ASSERT_NE(together, apart);  // they differ in the last digits
  for (const bool swapped : {false, true}) {
    const Sweep both =
        sweep_of(words(swapped ? "engine={reference,auto}" : "engine={auto,reference}"));
    EXPECT_EQ(means_of(both, swapped ? 1 : 0), together);
    EXPECT_EQ(means_of(both, swapped ? 0 : 1), apart);
  }
}

TEST(SweepEstimate, CountsEveryCellByItsOwnMethod) {
  // The first value of T is no multiple of dt, so that its cell fails; the others fly.
  const SweepEstimate mixed = estimate(sweep_of(
      {"T=1.05,2", "method={layers,rk4,dopri5}", "dt=0.1", "n=4", "d=3", "replicas=5", "times=7"}));
  EXPECT_EQ(mixed.cells, 6);
  EXPECT_DOUBLE_EQ(mixed.simulations, 30);
  EXPECT_DOUBLE_EQ(mixed.pairs, 5 * 48 * 3.05 * (1 + 4) / 0.1);
  EXPECT_DOUBLE_EQ(mixed.pairs_per_moment, 5 * 48 * 3.05);
}

TEST(Sweep, CellsInTypedOrder) {
  const Settings settings =
      gather({"", {}, {"d=2,8", "beta=1:3:3", "T=1", "n=4"}}, sweep_parameters());
  const Sweep sweep = make_sweep(settings, {"beta", "d", "T", "n"});
  ASSERT_EQ(sweep.axes.size(), 2u);
  EXPECT_EQ(sweep.axes[0].name, "beta");
  EXPECT_EQ(sweep.grid(), 6);
  EXPECT_EQ(name_of(sweep, grid_cell(sweep, 3)), "beta=2 d=8");
  // The config says the same sweep again, whatever was typed.
  const Sweep again = read_back(sweep);
  EXPECT_EQ(again.config, sweep.config);
  EXPECT_EQ(name_of(again, grid_cell(again, 3)), "beta=2 d=8");
}

TEST(Sweep, RefusesBeforeAnythingIsMade) {
  const auto refused = [](std::vector<std::string> words) {
    return fault_of([&] { make_sweep(gather({"", {}, words}, sweep_parameters())); });
  };
  EXPECT_EQ(refused({"replicas=0"}), Fault::input);
  EXPECT_EQ(refused({"times=0"}), Fault::input);
  EXPECT_EQ(refused({"beta=1:2:2000", "T=1:2:2000"}), Fault::input);
  EXPECT_EQ(refused({"method=layers", "dt=0.3", "T=1,2"}), Fault::input);  // every cell
  EXPECT_EQ(refused({"refine=1"}), Fault::input);
  EXPECT_EQ(refused({"observe=entropy"}), Fault::input);
  EXPECT_EQ(refused({"beat=1,2"}), Fault::input);
}

TEST(Sweep, PredictsThePhaseCurve) {
  const auto front = [](std::vector<std::string> words) {
    return predicted_front(spec_of(gather({"", {}, words}, sweep_parameters())));
  };
  EXPECT_NEAR(*front({"n=32", "beta=4"}), 6.954, 0.001);  // arXiv:2312.10794, Figure 3
  EXPECT_TRUE(front({"n=32", "beta=4", "dynamics=USA"}));
  EXPECT_FALSE(front({"value=minus-identity"}));
  EXPECT_FALSE(front({"direction=descent"}));
  EXPECT_FALSE(front({"noise=0.1", "method=euler"}));
  EXPECT_FALSE(front({"normalisation=ngpt"}));
  EXPECT_FALSE(front({"d=2", "gains=1,2"}));
  EXPECT_FALSE(front({"d=2", "gains_end=1,2"}));
  EXPECT_FALSE(front({"dynamics=causal"}));
  EXPECT_FALSE(front({"habitat=space"}));
  EXPECT_FALSE(front({"init=cap:0.3"}));
}

}  // namespace
}  // namespace murmur
