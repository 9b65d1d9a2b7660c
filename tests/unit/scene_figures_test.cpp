// scene_figures_test.cpp: heat maps, globes, flow maps, captions and the choice of the time axis.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "murmur/experiment.h"
#include "murmur/theory.h"
#include "picture/labels.h"
#include "picture/projection.h"
#include "picture/track.h"
#include "refused.h"
#include "report/attention.h"
#include "report/figures.h"
#include "report/trace.h"
#include "temporary.h"

namespace murmur {
namespace {

class SceneFigures : public testing::Test {
 protected:
  struct Flown {
    Settings settings{};
    RunReader run;
  };

  Flown fly(const std::string& name, const std::vector<std::string>& words) {
    Settings settings = gather({.assignments = words});
    const Experiment e = make_experiment(settings);
    const auto engine = make_engine(e.engine);
    murmur::Run run = murmur::Run::create(folder_ / name,
                                          {.config = e.config,
                                           .inputs = e.inputs,
                                           .columns = observable_names(e.dynamics),
                                           .shape = e.swarm.shape(),
                                           .command = "simulate"},
                                          false);
    const Outcome outcome = simulate(e, *engine, run, {});
    EXPECT_TRUE(outcome.ok()) << outcome.what;
    return {std::move(settings), RunReader(folder_ / name)};
  }

  test::TemporaryDirectory folder_{};
};

TEST_F(SceneFigures, TimeRunsInLogWhereFramesOrChangesSaySo) {
  const auto chosen = [&](const std::string& name, std::vector<std::string> words) {
    return is_in_log_time(fly(name, words).run, TimeScale::chosen);
  };
  EXPECT_TRUE(chosen("log", {"n=8", "T=4", "save=log:12"}));
  EXPECT_TRUE(chosen("early", {"n=24", "d=2", "beta=1", "T=200"}));
  EXPECT_FALSE(chosen("few", {"n=24", "d=2", "beta=1", "T=200", "save=every:50"}));
  EXPECT_FALSE(chosen("even", {"n=8", "init=equiangular:0", "d=8", "T=1"}));
  const RunReader run = fly("asked", {"n=8", "T=4", "save=log:12"}).run;
  EXPECT_FALSE(is_in_log_time(run, TimeScale::linear));
  EXPECT_TRUE(is_in_log_time(run, TimeScale::log));
}

TEST_F(SceneFigures, CaptionsNameWeightsAndHeads) {
  const auto caption = [](std::vector<std::string> words) {
    const Settings settings = gather({.assignments = std::move(words)});
    std::string text = caption_of(settings, make_experiment(settings));
    for (std::size_t at; (at = text.find("\u00a0")) != text.npos;) text.replace(at, 2, " ");
    return text;
  };
  EXPECT_EQ(caption({"n=5", "beta=2"}),
            "SA, β = 2, n = 5, d = 3, 1 head, Q = K = V = I, dopri5, seed 0");
  EXPECT_EQ(caption({"n=5", "query=gaussian", "key=gaussian", "value=query-key", "heads=2",
                     "head_scale=mean", "redraw=0.5", "seed=7", "method=euler"}),
            "SA, β = 4, n = 5, d = 3, 2 heads of width 3, averaged, Q, K drawn Gaussian, V = QᵀK, "
            "redrawn every 0.5, euler, seed 7");
  EXPECT_EQ(caption({"n=5", "dynamics=none", "perceptron=gaussian:6"}),
            "no attention, n = 5, d = 3, feed-forward of 6 drawn Gaussian units, relu, dopri5, "
            "seed 0");
}

// A kernel density is a density: its mean over the sphere is 1. One token has the closed form.
TEST_F(SceneFigures, KernelDensitiesAreDensities) {
  constexpr int kRows = SphereDensity::kRows, kColumns = SphereDensity::kColumns;
  const auto latitude = [](int row) { return std::numbers::pi * ((row + 0.5) / kRows - 0.5); };
  HostSwarm one({1, 3});
  one.at(0, 0) = 0.6, one.at(0, 2) = 0.8;
  const double h = 0.3, kappa = 1 / (h * h);
  const std::vector<double> value = kernel_density(one, h);
  double sum = 0, area = 0;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kColumns; ++c) {
      const double longitude = 2 * std::numbers::pi * ((c + 0.5) / kColumns - 0.5);
      const double v = latitude(r);
      const double along = 0.6 * std::cos(v) * std::cos(longitude) + 0.8 * std::sin(v);
      const double exact = kappa / std::sinh(kappa) * std::exp(kappa * along);
      EXPECT_NEAR(value[r * kColumns + c], exact, 3e-4 * kappa) << r << " " << c;
      sum += value[r * kColumns + c] * std::cos(v), area += std::cos(v);
    }
  EXPECT_NEAR(sum / area, 1, 2e-3);
  const Experiment e = make_experiment(gather({.assignments = {"n=500", "seed=3"}}));
  const std::vector<double> many = kernel_density(e.swarm, density_width(500));
  sum = 0;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kColumns; ++c) sum += many[r * kColumns + c] * std::cos(latitude(r));
  EXPECT_NEAR(sum / area, 1, 5e-3);
}

TEST_F(SceneFigures, GlobesAreOfTheSphereOfThreeCoordinates) {
  const auto circle = fly("circle", {"n=6", "d=2", "T=1"});
  EXPECT_THROW(density_of_swarm(circle.run, make_experiment(circle.settings)), Error);
  const auto sphere = fly("sphere", {"n=6", "T=1"});
  const SphereDensity density = density_of_swarm(sphere.run, make_experiment(sphere.settings));
  const SceneSettings settings{.style = {.dark = true, .width = 640, .height = 360}};
  draw_density(density, 0, settings, folder_ / "globe.png");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "globe.png"));
  EXPECT_THROW(draw_density(density, 1000, settings, folder_ / "none.png"), Error);
}

// An equiangular start keeps one common cosine, which is the predicted one.
TEST_F(SceneFigures, ThePredictedCosineIsThatOfTheRun) {
  const auto [settings, run] = fly("simplex", {"n=8", "d=8", "init=orthonormal", "beta=2", "T=3"});
  const Experiment e = make_experiment(settings);
  const PredictedCosine predicted = predicted_cosine(settings, e, run.times());
  ASSERT_EQ(predicted.rho.size(), run.times().size());
  EXPECT_EQ(predicted.name, "predicted");
  const std::vector<double> measured = run.column("mean_cos");
  for (std::size_t k = 0; k < measured.size(); ++k)
    EXPECT_NEAR(predicted.rho[k], measured[k], 1e-6) << run.times()[k];
  const Figure figure = cosines_figure(run, settings, e, {});
  EXPECT_EQ(figure.panels.at(0).curves.size(), 2U);
  const auto low = fly("low", {"n=8", "T=1"});
  const Experiment other = make_experiment(low.settings);
  EXPECT_TRUE(predicted_cosine(low.settings, other, {1.0}).rho.empty());
  EXPECT_EQ(cosines_figure(low.run, low.settings, other, {}).panels.at(0).curves.size(), 1U);
}

// Two texts of three tokens: only the six pairs within a text count, and a density sums to 1.
TEST_F(SceneFigures, HistogramsCountThePairsOfEachText) {
  const auto [settings, run] = fly("texts", {"n=6", "d=3", "beta=1", "T=1", "save=every:0.5",
                                             "init=points:1,0,0;1,0,0;0,1,0;-1,0,0;-1,0,0;-1,0,0"});
  TraceFile file;
  file.family = "test";
  file.d = 3;
  file.texts = {{.tokens = {"a", "b", "c"}}, {.tokens = {"d", "e", "f"}}};
  const Figure figure = histograms_figure(run, file, {});
  ASSERT_EQ(figure.panels.size(), 3U);  // a panel for each frame
  for (const Panel& panel : figure.panels) {
    const Curve& curve = panel.curves.at(0);
    double sum = 0;
    for (const double density : curve.y) sum += density * (curve.x[1] - curve.x[0]);
    EXPECT_NEAR(sum, 1, 1e-12) << panel.title;
    EXPECT_EQ(panel.y.to, figure.panels[0].y.to) << "one scale";
  }
  // At the start four pairs have cosine 1 and two have 0; across texts cosines would be -1.
  const Curve& start = figure.panels[0].curves[0];
  EXPECT_GT(start.x[1], -0.1);
  EXPECT_NEAR(start.y[start.y.size() - 2] * (start.x[1] - start.x[0]), 4.0 / 6, 1e-12);
  EXPECT_EQ(histograms_figure(run, file, {.layers = {2}}).panels.at(0).title, "Layer 2");
  EXPECT_THROW(histograms_figure(run, file, {.layers = {3}}), Error);
  file.texts.pop_back();
  EXPECT_THROW(histograms_figure(run, file, {}), Error) << "tokens of no text";
}

TEST_F(SceneFigures, HeatMapsHoldTheWeightsInTheOrderOfClusters) {
  const auto [settings, run] = fly("pairs", {"n=6", "d=3", "beta=9", "T=1", "save=every:0.5",
                                             "init=points:1,0,0;0,1,0;1,0,0;0,1,0;1,0,0;0,0,1"});
  const DomeStates states = states_of_simulation(run, make_experiment(settings));
  const Figure figure = attention_figure(states, {.t = 0.0});
  ASSERT_EQ(figure.panels.size(), 1U);
  const ColourMap& map = figure.panels[0].map;
  const std::vector<int> order = {0, 2, 4, 1, 3, 5};
  const Matrix weights = attention_weights(run.frame(0), states.dynamics, 0, 0);
  for (int i = 0; i < 6; ++i) {
    double row = 0;
    for (int j = 0; j < 6; ++j) {
      const double weight = weights(order[i], order[j]);
      EXPECT_NEAR(map.value[i * 6 + j], std::log10(6 * weight), 1e-9) << "below -1.5 too";
      EXPECT_NEAR(map.exact[i * 6 + j], weight, 1e-15);
      row += map.exact[i * 6 + j];
    }
    EXPECT_NEAR(row, 1, 1e-12);
  }
  EXPECT_EQ(map.low, kLeastHeat) << "where colours end";
  EXPECT_EQ(attention_figure(states, {}).columns, 3) << "three frames, each once";
  EXPECT_THROW(attention_figure(states, {.head = 1}), Error);
  const auto alone = fly("alone", {"n=6", "dynamics=none", "perceptron=gaussian:4", "T=1"});
  EXPECT_THROW(
      attention_figure(states_of_simulation(alone.run, make_experiment(alone.settings)), {}),
      Error);
}

// Points of the grid move as particles do: a token put on a point of the grid stays on it.
TEST_F(SceneFigures, TheGridIsCarriedByTheFlowOfTheTokens) {
  const std::vector<std::string> words = {"dynamics=none", "perceptron=gaussian:6", "seed=5", "T=1",
                                          "save=every:0.25"};
  std::vector<std::string> sphere = words;
  sphere.insert(sphere.end(), {"d=3", "init=points:1,0,0;0,1,0"});
  const auto [settings, run] = fly("sphere", sphere);
  const Experiment e = make_experiment(settings);
  ASSERT_TRUE(is_map(e));
  const auto grid = carried_grid(run, e);
  ASSERT_NE(grid, nullptr);
  ASSERT_EQ(grid->frames.size(), static_cast<std::size_t>(run.frames()));
  const HostSwarm first = grid->frames.front();
  int found = -1;
  for (int i = 0; i < first.n() && found < 0; ++i)
    if (std::abs(first.at(i, 0) - 1) < 1e-9) found = i;
  ASSERT_GE(found, 0) << "the equator meets a meridian at (1, 0, 0)";
  for (std::int64_t f = 0; f < run.frames(); ++f)
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(grid->frames[f].at(found, k), run.frame(f).at(0, k), 1e-6);
  EXPECT_FALSE(is_map(make_experiment(gather({.assignments = {"n=4"}}))));
  const auto flock = fly("flock", {"n=4", "T=1"});
  EXPECT_THROW(
      scene_of(flock.run, flock.settings, make_experiment(flock.settings), {}, FlightView::map),
      Error);
}

TEST(SceneParts, ExtentsLetStragglersGo) {
  std::vector<picture::Point> points;
  for (int i = 0; i < 200; ++i)
    points.push_back({static_cast<float>(i) / 199, 0.5F, static_cast<float>(i % 2)});
  points.push_back({1e6F, 0, 0});
  picture::TrajectoryExtent extent;
  extent.add(points);
  EXPECT_GE(extent.high[0], 1);
  EXPECT_LT(extent.high[0], 2);
  EXPECT_EQ(extent.low[0], 0);
  picture::TrajectoryExtent few;  // too few to tell a straggler
  few.add({{0, 0, 0}, {1, 0, 0}, {1e6F, 0, 0}});
  EXPECT_EQ(few.high[0], 1e6);
}

TEST(SceneParts, ClocksTellTimes) {
  EXPECT_EQ(picture::time_number(1e6), "1.00·10⁶");
  EXPECT_EQ(picture::time_number(2.5e-5), "2.50·10⁻⁵");
  EXPECT_EQ(picture::time_number(0.25), "0.250");
  EXPECT_EQ(picture::time_number(31.4), "31.4");
  const std::vector<double> times = {0, 0.1, 1, 10, 1000};
  EXPECT_EQ(picture::Timeline(times, true).decades(), (std::vector<int>{-1, 0, 1, 2, 3}));
  EXPECT_TRUE(picture::Timeline(times, false).decades().empty());
}

}  // namespace
}  // namespace murmur
