// dome_picture_test.cpp: the dome of a token is drawn in every style and ending, filmed in parts,
// told truly in its caption, and refused where its parts do not fit.
#include <cairo.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include "picture/dome_paint.h"
#include "refused.h"
#include "report/dome.h"
#include "support.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

namespace fs = std::filesystem;

// One swarm that stands: two frames are the same.
DomeStates states_of(Dynamics dynamics, const HostSwarm& x, bool layers = true) {
  DomeStates states{
      .name = "made up", .dynamics = std::move(dynamics), .layers = layers, .dt = 0.5};
  states.engine.name = "reference";
  states.times = {0, 0.5, 1};
  states.frame = [x](std::int64_t) { return x; };
  return states;
}

Attention head(int d, int k, std::uint64_t seed) {
  return {.query = random_matrix(k, d, seed), .key = random_matrix(k, d, seed + 1)};
}

Dynamics with_heads(int d, int k, int heads) {
  Dynamics dynamics;
  dynamics.sublayers.emplace_back();
  for (int h = 0; h < heads; ++h) dynamics.sublayers[0].forces.emplace_back(head(d, k, 10 * h + 1));
  return dynamics;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

TEST(DomePicture, PartsAddUpToTheMove) {
  const HostSwarm x = random_sphere({12, 3}, 3);
  for (const bool layers : {true, false}) {
    const DomePicture p = dome_of_states(states_of(with_heads(3, 3, 2), x, layers), {.token = 4});
    ASSERT_EQ(p.heads.size(), 2u);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(p.messages[k] + p.feed_forward[k] + p.correction[k], p.move[k], 1e-12);
      EXPECT_NEAR(p.heads[0].message[k] + p.heads[1].message[k], p.messages[k], 1e-12);
    }
    EXPECT_NEAR(std::hypot(p.move[0], p.move[1], p.move[2]), p.move_length, 1e-12);
    EXPECT_EQ(p.move_name, layers ? "move" : "velocity");
    EXPECT_FALSE(p.has_feed_forward);
  }
}

// A velocity is tangent to the sphere at its token: the projection is drawn.
TEST(DomePicture, AVelocityIsTangent) {
  const HostSwarm x = random_sphere({12, 3}, 3);
  const DomePicture p = dome_of_states(states_of(sa(2), x, false), {.token = 4});
  double along = 0;
  for (int k = 0; k < 3; ++k) along += p.move[k] * x.at(4, k);
  EXPECT_NEAR(along, 0, 1e-12);
  EXPECT_GT(p.correction_length, 1e-3);
  EXPECT_EQ(p.correction_name, "projection");
}

TEST(DomePicture, TheCaptionTellsWhatIsProjected) {
  const auto caption = [](const Dynamics& dynamics, int d) {
    const HostSwarm x = random_sphere({12, d}, 5);
    return dome_of_states(states_of(dynamics, x), {.token = 1}).caption;
  };
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_FALSE(says(caption(sa(2), 3), "Projected"));
  EXPECT_FALSE(says(caption(sa(2), 3), "axes of their own"));
  EXPECT_FALSE(says(caption(sa(2), 3), "the longer the key"));  // all are unit vectors
  const std::string keys = caption(with_heads(3, 3, 1), 3);
  EXPECT_TRUE(says(keys, "the longer the key"));
  EXPECT_FALSE(says(keys, "around q"));
  EXPECT_TRUE(says(caption(with_heads(3, 2, 1), 3), "axes of their own"));
  const std::string wide = caption(with_heads(9, 7, 5), 9);
  EXPECT_TRUE(says(wide, "keys, in R^7, lie around q"));
  EXPECT_TRUE(says(wide, "arrows of R^9"));
  EXPECT_TRUE(says(wide, "values of R^9"));
  EXPECT_FALSE(says(caption(with_heads(9, 7, 1), 9), "arrows of R^9"));  // they span three axes
  EXPECT_TRUE(says(caption(sa(0), 3), "All weights are the same"));
  EXPECT_TRUE(says(caption(usa(2), 3), "divided by their sum"));
  Dynamics noisy = sa(2);
  noisy.noise = 0.1;
  EXPECT_TRUE(says(caption(noisy, 3), "Noise is left out"));
}

TEST(DomePicture, HasLengthsOfKeysValuesAndTheFieldOfVision) {
  const HostSwarm x = random_sphere({12, 3}, 5);
  const DomeHead same = dome_of_states(states_of(sa(2), x), {.token = 1}).heads[0];
  EXPECT_TRUE(same.lengths.empty());
  EXPECT_NEAR(same.concentration, 2, 1e-12);  // beta, and unit vectors
  for (std::size_t j = 0; j < 12; ++j)        // V is the identity, and so are Q and K
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(same.values[j][c], same.keys[j][c], 1e-12);
  const DomeHead other = dome_of_states(states_of(with_heads(3, 3, 1), x), {.token = 1}).heads[0];
  EXPECT_EQ(other.lengths.size(), 12u);
  EXPECT_NEAR(std::accumulate(other.parts.begin(), other.parts.end(), 0.0), 1, 1e-12);
  // A swarm in two places: two groups of keys, and of values.
  const HostSwarm two = circle({0, 0, 0, 0, 2, 2, 2, 2});
  const DomeHead gathered = dome_of_states(states_of(sa(2), two), {.token = 1}).heads[0];
  EXPECT_EQ(gathered.groups, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(gathered.value_groups, gathered.groups);
}

// Wherever a cap lies, and however wide it is: it covers the points that are within its angle.
TEST(DomePicture, ACapCoversThePointsWithinItsAngle) {
  constexpr int kSide = 300;
  const HostSwarm middles = random_sphere({6, 3}, 17), points = random_sphere({300, 3}, 18);
  const picture::Camera camera(0.6, 0.35);
  int painted = 0;
  for (int m = 0; m < 6; ++m)
    for (const double angle : {0.3, 1.2, 1.9, 2.8})
      for (const bool near : {false, true}) {
        picture::Canvas canvas(kSide, kSide);
        const picture::Pen pen(canvas.cr());
        const picture::Globe globe(pen, picture::theme_of(false), camera, {0, 0, kSide, kSide}, 1);
        pen.ink({1, 0, 0});
        const std::array<double, 3> middle{middles.at(m, 0), middles.at(m, 1), middles.at(m, 2)};
        globe.cap(middle, angle, near);
        cairo_surface_t* surface = cairo_get_target(canvas.cr());
        cairo_surface_flush(surface);
        const unsigned char* data = cairo_image_surface_get_data(surface);
        for (int j = 0; j < 300; ++j) {
          double along = 0;
          for (int c = 0; c < 3; ++c) along += middle[c] * points.at(j, c);
          const auto s = globe.at({points.at(j, 0), points.at(j, 1), points.at(j, 2)});
          const double off = std::hypot(s.x - kSide / 2.0, s.y - kSide / 2.0) / globe.radius();
          if (globe.front(s) != near || off > 0.96) continue;        // at the outline sides meet
          if (std::fabs(std::acos(along) - angle) < 0.06) continue;  // at the edge of the cap
          const auto* pixel = data +
                              static_cast<int>(s.y) * cairo_image_surface_get_stride(surface) +
                              4 * static_cast<int>(s.x);
          EXPECT_EQ(pixel[2] > 128 && pixel[1]<128, along> std::cos(angle))
              << m << " " << angle << " " << near << " " << j;
          painted += along > std::cos(angle);
        }
      }
  EXPECT_GT(painted, 1000);
}

TEST(DomePicture, IsDrawnInEveryStyleAndEnding) {
  const test::TemporaryDirectory folder;
  const HostSwarm x = random_sphere({30, 5}, 7);
  for (const int heads : {1, 3}) {
    const DomePicture p = dome_of_states(states_of(with_heads(5, 4, heads), x), {});
    for (const FigureStyle style : {FigureStyle::paper, FigureStyle::slides, FigureStyle::dark})
      for (const char* ending : {"svg", "pdf", "png"}) {
        const fs::path path = folder.path() / (std::string("dome.") + ending);
        draw_dome(p, {style, 640, 360}, path);
        const std::string first = bytes_of(path);
        EXPECT_GT(first.size(), 4000u) << ending;
        draw_dome(p, {style, 640, 360}, path);
        if (std::string(ending) == "svg") continue;  // ids count the surfaces of a process
        EXPECT_TRUE(first == bytes_of(path)) << "the same figure has the same bytes, " << ending;
      }
    cairo_surface_t* made =
        cairo_image_surface_create_from_png((folder.path() / "dome.png").c_str());
    EXPECT_EQ(cairo_image_surface_get_width(made), 640);
    EXPECT_EQ(cairo_image_surface_get_height(made), 360);
    cairo_surface_destroy(made);
  }
}

TEST(DomePicture, PartsComeOneAfterAnother) {
  const auto all = [](const picture::DomeParts& p) {
    return std::vector<double>{p.query, p.keys, p.weights, p.messages, p.feed_forward, p.move};
  };
  EXPECT_EQ(all(picture::dome_parts(0)), std::vector<double>(6, 0.0));
  EXPECT_EQ(all(picture::dome_parts(1)), std::vector<double>(6, 1.0));
  for (int k = 0; k < 6; ++k) {
    const std::vector<double> now = all(picture::dome_parts((k + 0.5) / 6));
    for (int part = 0; part < 6; ++part) EXPECT_EQ(now[part], part <= k ? 1 : 0) << k << part;
  }
}

TEST(DomePicture, AFilmGoesThroughTheBlocks) {
  const HostSwarm x = random_sphere({8, 3}, 7);
  const DomeStates states = states_of(sa(2), x);
  const std::vector<DomePicture> all = domes_of_states(states, {.token = 2});
  ASSERT_EQ(all.size(), 2u);  // three frames, two blocks between them
  EXPECT_EQ(all[1].title, "Token 2 in block 1");
  EXPECT_EQ(domes_of_states(states, {.token = 2, .block = 1}).size(), 1u);
  EXPECT_EQ(domes_of_states(states_of(sa(2), x, false), {.token = 2}).size(), 3u);
}

TEST(DomePicture, ChoosesTheTokenThatMovesMost) {
  HostSwarm x = circle({0, 0.01, 0.02, 1.2});
  const DomePicture p = dome_of_states(states_of(sa(1), x), {});
  EXPECT_EQ(p.token, 3);
}

TEST(DomePicture, RefusesWhatIsNotThere) {
  const HostSwarm x = random_sphere({8, 3}, 7);
  const DomeStates blocks = states_of(with_heads(3, 3, 2), x), flow = states_of(sa(2), x, false);
  const DomeStates crowd = states_of(with_heads(3, 3, 17), x);
  const Dynamics alone =
      dynamics_of(Perceptron{.in = random_matrix(2, 3, 1), .out = random_matrix(3, 2, 2)});
  expect_refused({
      {"no block 2", [&] { dome_of_states(blocks, {.block = 2}); }},
      {"no block -1", [&] { dome_of_states(blocks, {.block = -1}); }},
      {"method layers", [&] { dome_of_states(flow, {.block = 1}); }},
      {"frame 3", [&] { dome_of_states(flow, {.frame = 3}); }},
      {"say the same", [&] { dome_of_states(flow, {.t = 1, .frame = 2}); }},
      {"head 2", [&] { dome_of_states(blocks, {.head = 2}); }},
      {"17 heads", [&] { dome_of_states(crowd, {}); }},
      {"token", [&] { dome_of_states(blocks, {.token = 8}); }},
      {"attends", [&] { dome_of_states(states_of(alone, x), {}); }},
  });
  DomePicture p = dome_of_states(blocks, {.token = 1});
  const test::TemporaryDirectory folder;
  expect_refused({{"ends in", [&] { draw_dome(p, {}, folder.path() / "dome.gif"); }}});
  const DomePicture whole = p;
  p.heads[0].lengths.pop_back();
  expect_refused({{"do not fit", [&] { draw_dome(p, {}, folder.path() / "dome.png"); }}});
  p = whole;
  p.heads[0].parts.pop_back();
  expect_refused({{"do not fit", [&] { draw_dome(p, {}, folder.path() / "dome.png"); }}});
  p = whole;
  p.heads[0].weights.pop_back();
  expect_refused({{"do not fit", [&] { draw_dome(p, {}, folder.path() / "dome.png"); }}});
  p.heads.clear();
  expect_refused({{"0 heads", [&] { draw_dome(p, {}, folder.path() / "dome.png"); }}});
}

}  // namespace
}  // namespace murmur::testing
