// sweep_test.cpp: axes out of words, times of a cell, and what a sweep refuses.
#include "murmur/sweep.h"

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
  EXPECT_EQ(axis_of(Parameter::number, "{1,2}")->numbers, (std::vector<double>{1, 2}));
}

TEST(SweepAxis, RefusesWhatIsNoAxis) {
  for (const char* text :
       {"1:2:0", "1:2:-3", "1:2:2.5", "nan:2:3", "1:inf:3", "1:2", "1:2:3:4", "1:2:9999999",
        "0:2:3:log", ",", "1,,2", "{}", "{1,2", "1,1", "2:2:2", "1,a", "::"})
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
  EXPECT_DOUBLE_EQ(crossing_time({0, 1, 2}, {0, 0.25, 0.75}), 1.5);
  EXPECT_DOUBLE_EQ(crossing_time({0, 1, 2}, {1, 0.5, 0}), 1);
  EXPECT_TRUE(std::isnan(crossing_time({0, 1}, {0, 0.4})));
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
  const Sweep again =
      make_sweep(parse_experiment(sweep.config, "config.toml", {}, sweep_parameters()));
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
    return predicted_front(gather({"", {}, words}, sweep_parameters()));
  };
  EXPECT_NEAR(*front({"n=32", "beta=4"}), 6.954, 0.001);  // arXiv:2312.10794, Figure 3
  EXPECT_FALSE(front({"value=minus-identity"}));
  EXPECT_FALSE(front({"init=cap:0.3"}));
}

}  // namespace
}  // namespace murmur
