// facade_test.cpp: recordings in memory: pieces, branches, weightless particles, axes, refusals.
#include "facade.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "murmur/images.h"
#include "murmur/observe.h"
#include "murmur/readout.h"
#include "murmur/recording.h"
#include "murmur/training.h"
#include "request.h"
#include "run/file.h"
#include "temporary.h"

namespace murmur::facade {
namespace {

using Json = nlohmann::json;

Experiment made(const std::vector<std::string>& words) {
  return make_experiment(gather({{}, {}, words}));
}

std::vector<double> velocity_of(const Experiment& e, const HostSwarm& x) {
  const auto engine = make_engine(e.engine, x.shape(), e.dynamics);
  const auto field = engine->prepare(e.dynamics, x.shape());
  const auto there = engine->place(x);
  const auto v = there->like();
  field->velocity(0, *there, *v);
  return to_rows(engine->fetch(*v));
}

// A weightless particle that sits on a token moves as the token does, where all see all.
TEST(Facade, WeightlessParticlesMoveAsBoidsDo) {
  for (const char* dynamics : {"SA", "USA", "sinkhorn", "hardmax"}) {
    for (const char* clock : {"U1", "U4"}) {
      if (std::string(dynamics) != "USA" && std::string(clock) != "U1") continue;
      Recording trajectory(made({"n=12", "d=3", std::string("dynamics=") + dynamics,
                                 std::string("clock=") + clock, "habitat=sphere", "T=1"}));
      trajectory.advance(0);
      const std::span<const double> rows = trajectory.rows(0);
      const std::vector<double> places(rows.begin(), rows.begin() + 15);
      const std::vector<double> expected =
          velocity_of(trajectory.experiment(), trajectory.swarm(0));
      const std::vector<double> found = trajectory.velocity(0, places);
      ASSERT_EQ(found.size(), places.size());
      for (std::size_t e = 0; e < found.size(); ++e)
        EXPECT_NEAR(found[e], expected[e], 1e-14 * (1 + std::fabs(expected[e]))) << dynamics << e;
    }
  }
}

// More probes than tokens are taken in turns; none of them feels another, however far out in R^d
// its own score leads: with beta 3 and places up to 60 out by more than 10,000.
TEST(Facade, WeightlessParticlesDoNotSeeEachOther) {
  for (const char* dynamics : {"SA", "causal", "hardmax", "sinkhorn"})
    for (const char* engine : {"reference", "simd"}) {
      std::vector<std::string> words{"n=5", "d=3", "beta=3", "T=1", "habitat=space"};
      words.push_back(std::string("dynamics=") + dynamics);
      words.push_back(std::string("engine=") + engine);
      const bool known = std::string(dynamics) == "SA" || std::string(dynamics) == "causal";
      if (std::string(engine) == "simd" && !known) continue;
      for (const double far : {1.0, 60.0}) {
        Recording trajectory(made(words));
        trajectory.advance(0);
        std::vector<double> places;
        for (int i = 0; i < 13; ++i)
          for (const double x : {std::cos(0.4 * i), std::sin(0.4 * i), 0.1 * i})
            places.push_back(far * x);
        const std::vector<double> together = trajectory.velocity(0, places);
        const double close = std::string(dynamics) == "sinkhorn" ? 1e-9 : 0;
        for (int i = 0; i < 13; ++i) {
          const std::vector<double> alone =
              trajectory.velocity(0, std::span(places).subspan(3 * static_cast<std::size_t>(i), 3));
          for (int k = 0; k < 3; ++k)
            EXPECT_NEAR(together[3 * i + k], alone[k], close) << dynamics << engine << far << i;
        }
      }
    }
}

// Far out in R^d a test particle hears the token of its largest score alone.
TEST(Facade, AWeightlessParticleFarOutHearsTheFlockAlone) {
  for (const char* engine : {"reference", "simd"}) {
    Recording trajectory(made({"init=points:0,1,0;0.5,-1,0;-1,0,1", "beta=3", "T=1",
                               "habitat=space", std::string("engine=") + engine}));
    trajectory.advance(0);
    const std::vector<double> place{100, 0, 0};  // scores 0, 150, -300; with itself 30,000
    const std::vector<double> found = trajectory.velocity(0, place);
    const std::vector<double> expected{0.5, -1, 0};
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], 1e-12) << engine << k;
  }
}

// A test particle put onto a token flies as the token does, by whatever method, and the sample does
// not notice.
TEST(Facade, AParticleOnABoidStaysOnIt) {
  const std::vector<std::vector<std::string>> simulations{
      {"method=layers", "dt=0.1", "perceptron=gaussian:8", "habitat=space"},
      {"method=layers", "dt=0.1", "perceptron=gaussian:8"},
      {"method=rk4", "dt=0.05"},
      {"method=dopri5"},
      {"method=dopri5", "dynamics=USA", "clock=U4", "beta=2"},
      {"method=layers", "dt=0.1", "dynamics=sinkhorn"},
      {"method=layers", "dt=0.1", "perceptron=gaussian:8", "engine=simd"}};
  for (const std::vector<std::string>& more : simulations) {
    std::vector<std::string> words{"n=12", "d=3", "T=2", "save=every:0.1"};
    words.insert(words.end(), more.begin(), more.end());
    Recording trajectory(made(words));
    trajectory.advance(100);
    const std::size_t size = 12 * 3;
    const std::vector<double> ways = trajectory.carry(0, 100, trajectory.rows(0));
    ASSERT_EQ(ways.size(), 20 * size) << more[0];
    for (std::size_t e = 0; e < ways.size(); ++e)
      ASSERT_NEAR(ways[e], trajectory.rows(1 + static_cast<std::int64_t>(e / size))[e % size], 1e-6)
          << more[0] << " " << more.back() << " frame " << e / size;
  }
}

TEST(Facade, ParticlesAreCarriedInWhateverPieces) {
  Recording trajectory(made({"n=12", "d=3", "T=2", "save=every:0.1", "method=layers", "dt=0.1",
                             "perceptron=gaussian:8", "habitat=space"}));
  trajectory.advance(100);
  const std::vector<double> places{3, 0, 1, -2, 0.5, 0};
  const std::vector<double> whole = trajectory.carry(0, 20, places);
  std::vector<double> ways, here = places;
  for (int frame = 0; frame < 20; frame += 5) {
    const std::vector<double> some = trajectory.carry(frame, 5, here);
    ways.insert(ways.end(), some.begin(), some.end());
    here.assign(some.end() - 6, some.end());
  }
  EXPECT_EQ(ways, whole);
  EXPECT_NE(whole.back(), 0);
  EXPECT_TRUE(trajectory.carry(20, 5, places).empty());  // the last frame
  EXPECT_THROW(trajectory.carry(21, 1, places), Error);
  EXPECT_EQ(trajectory.carry(0, 1, std::vector<double>(39, 1.0)).size(), 39u);  // 13 beside 12
}

// Seconds cut a flight into pieces of single steps: the frames are the same ones.
TEST(Facade, AFlightOutOfTimeGoesOnWhereItWas) {
  for (const char* method : {"dopri5", "rk4", "strang"}) {
    std::vector<std::string> words{"n=12", "d=3", "T=2", "save=every:1",
                                   std::string("method=") + method};
    if (std::string(method) != "dopri5") words.push_back("dt=0.05");
    Recording whole(made(words)), pieces(made(words));
    whole.advance(100);
    int asked = 0, empty = 0;
    for (; !pieces.ended() && asked < 1000; ++asked)
      if (pieces.advance(100, 0) == pieces.kept()) ++empty;
    EXPECT_GT(empty, 3) << method;
    ASSERT_EQ(pieces.kept(), whole.kept()) << method;
    for (std::int64_t frame = 0; frame < whole.kept(); ++frame)
      for (std::size_t e = 0; e < 36; ++e)
        ASSERT_EQ(pieces.rows(frame)[e], whole.rows(frame)[e]) << method << frame;
  }
}

// Alibi fades by the order of tokens: who comes after the last token hears as the last one does.
TEST(Facade, UnderAlibiAWeightlessParticleHearsAsTheLastBoid) {
  Recording trajectory(made({"n=5", "d=3", "dynamics=causal", "alibi=1", "T=1"}));
  trajectory.advance(0);
  const std::vector<double> expected = velocity_of(trajectory.experiment(), trajectory.swarm(0));
  const std::vector<double> found = trajectory.velocity(0, trajectory.rows(0).subspan(12, 3));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[12 + k], 1e-14);
}

TEST(Facade, AxesAreOrthonormalAndFindThePlane) {
  Recording small(made({"n=9", "d=2", "T=1"}));
  small.advance(0);
  EXPECT_EQ(small.axes(), (std::vector<double>{1, 0, 0, 1, 0, 0}));
  Recording trajectory(made({"init=points:0,1,0,0,0;0,0.6,0,0.8,0;0,-0.6,0,0.8,0", "T=1"}));
  trajectory.advance(1000);
  const std::vector<double> axes = trajectory.axes();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      double dot = 0;
      for (int k = 0; k < 5; ++k) dot += axes[5 * a + k] * axes[5 * b + k];
      EXPECT_NEAR(dot, a == b ? 1 : 0, 1e-12);
    }
  for (int a = 0; a < 2; ++a)  // the swarm never leaves coordinates 1 and 3
    EXPECT_NEAR(axes[5 * a + 1] * axes[5 * a + 1] + axes[5 * a + 3] * axes[5 * a + 3], 1, 1e-12);
}

TEST(Facade, TooManyFramesAreRefusedBeforeFlying) {
  EXPECT_THROW(Recording(made({"n=30000", "d=3", "T=10"})), Error);
  EXPECT_NO_THROW(Recording(made({"n=27000", "d=3", "T=10"})));  // 101 x 27,000 x 3 < 2^23
}

TEST(Facade, BranchesComeFromFramesThatWereFlown) {
  Recording trajectory(made({"n=5", "d=3", "T=1", "save=every:0.1"}));
  trajectory.advance(3);
  EXPECT_EQ(trajectory.kept(), 4);
  EXPECT_THROW(Recording(trajectory, 4, {}), Error);
  const std::vector<Edit> nowhere{{0, {0, 0, 0}}}, nobody{{5, {1, 0, 0}}}, flat{{0, {1, 0}}};
  for (const auto& edits : {nowhere, nobody, flat})
    EXPECT_THROW(Recording(trajectory, 2, edits), Error);
  const std::vector<Edit> far{{1, {0, 3, 4}}};
  Recording branch(trajectory, 2, far);
  EXPECT_EQ(branch.advance(100), 2);
  EXPECT_EQ(branch.kept(), 11);
  EXPECT_DOUBLE_EQ(branch.rows(2)[4], 0.6);  // brought onto the sphere
  EXPECT_TRUE(branch.ended() && branch.ended()->ok());
}

TEST(Facade, RefusalsAreNumberedAndSaid) {
  const auto fault_of = [](const char* request) { return murmur_ask(request, nullptr, 0); };
  EXPECT_EQ(fault_of(R"({"do":"fly","flight":123,"count":1})"), 3);
  EXPECT_EQ(Json::parse(murmur_text()).at("what"), "there is no such simulation");
  EXPECT_EQ(Json::parse(murmur_text()).at("gone"), true);
  EXPECT_EQ(fault_of(R"({"do":"dance"})"), 2);
  EXPECT_EQ(fault_of("nonsense"), 2);
  EXPECT_EQ(fault_of(R"({"do":"flight"})"), 2);
  EXPECT_EQ(fault_of(R"({"do":"flight","words":"beta=x"})"), 3);
  EXPECT_EQ(Json::parse(murmur_text()).at("where"), "beta=x");
  EXPECT_FALSE(Json::parse(murmur_text()).contains("gone"));
  EXPECT_EQ(fault_of(R"({"do":"about"})"), 0);
  EXPECT_EQ(murmur_arrays(), 0);
}

TEST(Facade, CountsAndHandlesAreWholeNumbersThatAnIntHolds) {
  for (const char* number : {"1.66667e86", "-1e300", "2147483648", "1.5", "true", "\"1\"", "null"})
    for (const char* request :
         {R"("do":"fly","count":1,"flight":)", R"("do":"flight","words":"T=1","d":)",
          R"("do":"fields","trained":)", R"("do":"close","flight":)",
          R"("do":"centre","height":)"}) {
      const std::string text = std::string("{") + request + number + "}";
      EXPECT_EQ(murmur_ask(text.c_str(), nullptr, 0), 2) << text;
      EXPECT_NE(Json::parse(murmur_text()).at("what").get<std::string>().find("whole number"),
                std::string::npos)
          << text;
    }
}

// The page's readings are the library's, of words that are drawn and of words that are sent.
TEST(Facade, SaysNextWords) {
  const Vocabulary words = draw_vocabulary(7, 3, 4);
  const std::vector<double>& points = words.points.data;
  const int bytes = static_cast<int>(points.size() * sizeof(double));
  const std::vector<double> place = {0.6, 0, 0.8};
  const std::string asked = R"({"do":"nextWord","place":[0.6,0,0.8])";
  ASSERT_EQ(murmur_ask((asked + R"(,"kappa":3})").c_str(), points.data(), bytes), 0)
      << murmur_text();
  const NextWord next = next_word(words, place, {.kappa = 3});
  EXPECT_EQ(doubles_of({static_cast<const std::byte*>(murmur_array(0)),
                        static_cast<std::size_t>(murmur_array_bytes(0))}),
            next.probability);
  const Json text = Json::parse(murmur_text());
  EXPECT_EQ(text.at("best"), next.best);
  EXPECT_EQ(text.at("entropy"), next.entropy);
  EXPECT_EQ(text.at("outcomes"), next.outcomes);
  EXPECT_EQ(murmur_ask((asked + "}").c_str(), points.data(), bytes), 2);  // without kappa
  EXPECT_NE(murmur_ask((asked + R"(,"kappa":3})").c_str(), points.data(), 16), 0);
  EXPECT_NE(murmur_ask(R"({"do":"nextWord","place":[],"kappa":3})", points.data(), bytes), 0);
  const double twice[] = {2, 0, 0};
  EXPECT_EQ(murmur_ask((asked + R"(,"kappa":3})").c_str(), twice, sizeof twice), 3);
}

// Handles that are gone, bytes that are no rows, pictures that do not fit: each in its own words.
TEST(Facade, WrongRequestsAreToldApart) {
  const auto told = [](const std::string& request, std::size_t bytes = 0) {
    const std::vector<char> sent(bytes);
    EXPECT_EQ(murmur_ask(request.c_str(), sent.data(), static_cast<int>(bytes)), 3) << request;
    return Json::parse(murmur_text()).at("what").get<std::string>();
  };
  EXPECT_EQ(told(R"({"do":"fields","trained":99,"block":0})"), "there is no such trained swarm");
  EXPECT_EQ(told(R"({"do":"flight","words":"T=1","d":2})", 24), "3 numbers are not rows of 2");
  EXPECT_EQ(told(R"({"do":"flight","words":"T=1","d":2})"), "0 numbers are not rows of 2");
  EXPECT_EQ(told(R"({"do":"centre","height":4,"width":4})", 15),
            "the ink does not fill its picture");
  EXPECT_EQ(told(R"({"do":"centre","height":1,"width":4})", 4),
            "the ink does not fill its picture");
}

// A trained swarm that is asked for what it does not have.
TEST(Facade, TrainedSwarmsRefuseWhatTheyDoNotHave) {
  TrainedSwarm swarm;
  Architecture& a = swarm.architecture = {.d = 3, .blocks = 2, .hidden = 4};
  a.targets = spread_targets(2, 3);
  swarm.parameters.assign(parameter_count(a), 0.1F);
  swarm.digits = {5, 6};
  swarm.tokens = {0.25, 1};
  const test::TemporaryDirectory folder;
  write_trained_swarm(swarm, folder / "model.safetensors");
  const std::string bytes = read_text(folder / "model.safetensors");
  ASSERT_EQ(murmur_ask(R"({"do":"trained"})", bytes.data(), static_cast<int>(bytes.size())), 0);
  const std::string handle = Json::parse(murmur_text()).at("id").dump();
  const auto told = [&](const std::string& request, const std::vector<char>& sent) {
    const std::string text = "{" + request + R"(,"trained":)" + handle + "}";
    EXPECT_EQ(murmur_ask(text.c_str(), sent.data(), static_cast<int>(sent.size())), 3) << text;
    return Json::parse(murmur_text()).at("what").get<std::string>();
  };
  const std::vector<char> place(24), ink(784, '\x7f');
  EXPECT_EQ(told(R"("do":"fields","block":2)", place), "there is no such block");
  EXPECT_EQ(told(R"("do":"flockOfPoints","d":2)", place),
            "the points have another number of coordinates than the swarm");
  EXPECT_EQ(told(R"("do":"flock","height":28,"width":28,"finer":33)", ink),
            "there is no such grid");
}

// Two pictures start side by side as one swarm: where the library puts them, the left one first.
TEST(Facade, ASwarmThatComparesTakesTwoPictures) {
  TrainedSwarm swarm;
  swarm.task = Task::same;
  Architecture& a = swarm.architecture = {.d = 3, .blocks = 2, .hidden = 4};
  a.targets = spread_targets(2, 3);
  swarm.parameters.assign(parameter_count(a), 0.1F);
  swarm.digits = {5, 6};
  swarm.tokens = {.threshold = 0.5, .finer = 1, .every = 2};
  const test::TemporaryDirectory folder;
  write_trained_swarm(swarm, folder / "model.safetensors");
  const std::string bytes = read_text(folder / "model.safetensors");
  ASSERT_EQ(murmur_ask(R"({"do":"trained"})", bytes.data(), static_cast<int>(bytes.size())), 0);
  const Json told = Json::parse(murmur_text());
  EXPECT_EQ(told.at("task"), "same");
  EXPECT_EQ(told.at("classes"), Json({"same", "different"}));
  const std::string request =
      R"({"do":"flock","height":28,"width":28,"trained":)" + told.at("id").dump() + "}";

  Images two{28, 28, std::vector<std::uint8_t>(2 * 784), {}, "the ink"};
  for (int e = 0; e < 2 * 784; ++e) two.pixels[e] = e % 5 == 0 || (e > 784 && e % 7 == 0) ? 255 : 0;
  SampleSet samples;
  add_pair(two, {.left = 0, .right = 1}, -1, swarm.tokens, samples);
  ASSERT_EQ(murmur_ask(request.c_str(), two.pixels.data(), 2 * 784), 0) << murmur_text();
  const Json flight = Json::parse(murmur_text());
  ASSERT_EQ(flight.at("n"), samples.x.size());
  EXPECT_EQ(flight.at("classes"), Json({"same", "different"}));
  const std::string id = flight.at("id").dump();
  ASSERT_EQ(murmur_ask((R"({"do":"fly","count":1,"flight":)" + id + "}").c_str(), nullptr, 0), 0);
  ASSERT_EQ(murmur_ask((R"({"do":"frame","frame":0,"flight":)" + id + "}").c_str(), nullptr, 0), 0);
  const auto* rows = static_cast<const double*>(murmur_array(0));
  for (std::size_t i = 0; i < samples.x.size(); ++i) {
    EXPECT_EQ(rows[3 * i], samples.x[i]);
    EXPECT_EQ(rows[3 * i + 1], samples.y[i]);
  }
  EXPECT_EQ(murmur_ask(request.c_str(), two.pixels.data(), 784), 3);  // one picture is too few
  EXPECT_EQ(Json::parse(murmur_text()).at("what"), "the ink does not fill its picture");
}

TEST(Facade, OneRowOfAttentionIsTheMatrixs) {
  for (const char* dynamics : {"SA", "USA", "causal", "hardmax", "sinkhorn"}) {
    const Experiment e = made({"n=9", "d=3", std::string("dynamics=") + dynamics, "T=1"});
    const Matrix all = attention_weights(e.swarm, e.dynamics, 0, 0);
    for (int i = 0; i < 9; ++i) {
      const Vector row = attention_row(e.swarm, e.dynamics, {.head = 0, .i = i, .t = 0});
      for (int j = 0; j < 9; ++j) EXPECT_NEAR(row[j], all(i, j), 1e-15) << dynamics;
    }
  }
}

// What the page draws of a move is the flight's own: arrows add up, and in R^3 they lead from a
// frame to the next one.
TEST(Facade, ADomeLeadsToTheNextFrame) {
  const std::string made =
      R"({"do":"flight","words":"n=9\nd=3\nheads=2\nquery=gaussian\nkey=gaussian)"
      R"(\nhabitat=space\nmethod=layers\ndt=0.25\nT=1\nsave=every:0.25)"
      R"(\nperceptron=gaussian:4"})";
  ASSERT_EQ(murmur_ask(made.c_str(), nullptr, 0), 0) << murmur_text();
  const std::string id = Json::parse(murmur_text()).at("id").dump();
  const auto ask = [&](const std::string& rest, int fault = 0) {
    const std::string text = R"({"flight":)" + id + "," + rest + "}";
    EXPECT_EQ(murmur_ask(text.c_str(), nullptr, 0), fault) << murmur_text();
    return Json::parse(murmur_text());
  };
  const auto array = [](int index) {
    return doubles_of({static_cast<const std::byte*>(murmur_array(index)),
                       static_cast<std::size_t>(murmur_array_bytes(index))});
  };
  ask(R"("do":"fly","count":9)");
  ask(R"("do":"frame","frame":1)");
  const std::vector<double> before = array(0);
  ask(R"("do":"frame","frame":2)");
  const std::vector<double> after = array(0);
  for (const int boid : {0, 7}) {
    const Json told = ask(R"("do":"dome","frame":1,"boid":)" + std::to_string(boid));
    ASSERT_EQ(told.at("heads").size(), 2u);
    EXPECT_EQ(told.at("feedForwards"), 1);
    const std::vector<double> weights = array(0), keys = array(1), queries = array(2);
    const std::vector<double> arrows = array(3);  // two heads, messages, feed-forward, rest, move
    ASSERT_EQ(weights.size(), 18u);
    ASSERT_EQ(keys.size(), 54u);
    ASSERT_EQ(queries.size(), 6u);
    ASSERT_EQ(arrows.size(), 18u);
    EXPECT_EQ(array(4).size(), 18u);  // lengths of the keys
    EXPECT_EQ(array(5).size(), 54u);  // values
    for (const auto& [index, name] : {std::pair{6, "keyGroups"}, std::pair{7, "valueGroups"}}) {
      const std::vector<double> groups = array(index);
      int count = 0, keys_in = 0;
      for (const Json& head : told.at("heads")) count += head.at(name).get<int>();
      ASSERT_EQ(groups.size(), 5u * static_cast<std::size_t>(count)) << name;
      for (std::size_t g = 0; g < groups.size(); g += 5) keys_in += static_cast<int>(groups[g + 4]);
      EXPECT_EQ(keys_in, 18) << name;
    }
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(arrows[k] + arrows[3 + k], arrows[6 + k], 1e-12);
      EXPECT_NEAR(arrows[6 + k] + arrows[9 + k] + arrows[12 + k], arrows[15 + k], 1e-12);
      EXPECT_NEAR(arrows[15 + k], after[3 * boid + k] - before[3 * boid + k], 1e-12);
    }
  }
  EXPECT_EQ(ask(R"("do":"dome","frame":1,"boid":9)", 3).at("what"), "there is no such token");
  EXPECT_EQ(ask(R"("do":"dome","frame":99,"boid":0)", 3).at("what"),
            "this frame has not been computed");
}

}  // namespace
}  // namespace murmur::facade
