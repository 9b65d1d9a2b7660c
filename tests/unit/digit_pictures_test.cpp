// digit_pictures_test.cpp: pictures of a made-up digit have their sizes, colours, frames and
// errors.
#include "picture/digit_pictures.h"

#include <cairo.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "murmur/error.h"
#include "picture/digit_stage.h"
#include "picture/page.h"
#include "picture/process.h"
#include "refused.h"
#include "temporary.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

struct Made {
  int d = 3, classes = 2, blocks = 5;
  double reach = 1;  // of the landing, in distances of a gate
};

// A ring of ink whose tokens fly to gate 0, every fifth to gate 1; the chances follow.
DigitTrajectory make_recording(const Made& made) {
  const auto [d, classes, blocks, reach] = made;
  DigitTrajectory trajectory;
  trajectory.ink.assign(28 * 28, 0);
  std::vector<std::pair<double, double>> start;
  for (int row = 0; row < 28; ++row)
    for (int column = 0; column < 28; ++column) {
      const double r = std::hypot(row - 13.5, column - 13.5);
      if (r < 6 || r > 9) continue;
      trajectory.ink[row * 28 + column] = 255;
      start.emplace_back(20 * (column / 27.0 - 0.5), -20 * (row / 27.0 - 0.5));
    }
  trajectory.targets = zeros(classes, d);
  for (int c = 0; c < classes; ++c) {
    trajectory.classes.push_back(std::to_string(c));
    const double angle = 3.14159265358979 * (1 + 2.0 * c / classes);
    trajectory.targets(c, 0) = 10 * std::cos(angle);
    trajectory.targets(c, 1) = 10 * std::sin(angle);
  }
  trajectory.chances = zeros(blocks + 1, classes);
  const int n = static_cast<int>(start.size());
  for (int b = 0; b <= blocks; ++b) {
    const double s = blocks > 0 ? static_cast<double>(b) / blocks : 0;
    HostSwarm x({n, d});
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < d; ++k) {
        const double from = k == 0 ? start[i].first : k == 1 ? start[i].second : 0;
        const double to = reach * trajectory.targets(i % 5 == 0 && classes > 1 ? 1 : 0, k);
        x.at(i, k) = (1 - s) * from + s * to + (k > 1 ? 4 * s * (1 - s) * (1 + i % 3) : 0);
      }
    trajectory.frames.push_back(x);
    for (int c = 0; c < classes; ++c)
      trajectory.chances(b, c) = c == 0 ? (1 + s * (classes - 1)) / classes : (1 - s) / classes;
  }
  trajectory.label = 0;
  trajectory.title = "A ring of ink";
  return trajectory;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Seen {
  int width = 0, height = 0;
  std::map<std::uint32_t, int> colours{};  // pixels of each, 0xRRGGBB
  int of(picture::Colour c) const {
    const auto byte = [](double v) { return static_cast<std::uint32_t>(std::lround(255 * v)); };
    const auto found = colours.find(byte(c.red) << 16 | byte(c.green) << 8 | byte(c.blue));
    return found == colours.end() ? 0 : found->second;
  }
};

Seen look_at(const fs::path& png) {
  Seen seen;
  cairo_surface_t* surface = cairo_image_surface_create_from_png(png.c_str());
  if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) {
    seen.width = cairo_image_surface_get_width(surface);
    seen.height = cairo_image_surface_get_height(surface);
    const unsigned char* data = cairo_image_surface_get_data(surface);
    for (int y = 0; y < seen.height; ++y) {
      const auto* row = reinterpret_cast<const std::uint32_t*>(
          data + static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface));
      for (int x = 0; x < seen.width; ++x) ++seen.colours[row[x] & 0xFFFFFF];
    }
  }
  cairo_surface_destroy(surface);
  return seen;
}

int frames_in(const fs::path& mp4, std::string* size) {
  const std::string command =
      "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
      "stream=width,height,nb_read_frames -of csv=p=0 '" +
      mp4.string() + "'";
  std::FILE* pipe = popen(command.c_str(), "r");
  char line[128] = {};
  if (pipe == nullptr || std::fgets(line, sizeof line, pipe) == nullptr) line[0] = '\0';
  if (pipe != nullptr) pclose(pipe);
  int width = 0, height = 0, frames = 0;
  if (std::sscanf(line, "%d,%d,%d", &width, &height, &frames) != 3) return -1;
  *size = std::to_string(width) + "x" + std::to_string(height);
  return frames;
}

bool have_ffmpeg() {
  return std::system("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") == 0;
}

class DigitPictures : public ::testing::Test {
 protected:
  test::TemporaryDirectory folder_{};
  const PictureStyle small_{.dark = true, .width = 640, .height = 360};
};

TEST_F(DigitPictures, EveryPictureHasItsSizeInBothThemesAndAnyShape) {
  for (const Made& made : {Made{}, Made{.d = 2}, Made{.d = 5, .classes = 10}, Made{.blocks = 0},
                           Made{.d = 4, .classes = 1, .blocks = 1}}) {
    const DigitTrajectory trajectory = make_recording(made);
    for (const PictureStyle& style : {small_, PictureStyle{false, 400, 600}}) {
      draw_digit_trajectories({trajectory}, style, folder_ / "new" / "flight.png");
      draw_dissent(trajectory, style, folder_ / "new" / "dissent.png");
      for (const char* name : {"flight.png", "dissent.png"}) {
        const Seen seen = look_at(folder_ / "new" / name);
        EXPECT_EQ(seen.width, style.width);
        EXPECT_EQ(seen.height, style.height);
        EXPECT_GT(seen.colours.size(), 60u) << name << made.d << made.classes;
      }
    }
  }
}

TEST_F(DigitPictures, FilmHasTheFramesAskedFor) {
  if (!have_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
  for (const Made& made : {Made{}, Made{.d = 2, .classes = 10}, Made{.d = 5, .blocks = 0}}) {
    DigitTrajectory trajectory = make_recording(made);
    trajectory.cls = made.d == 5;
    trajectory.label = made.d == 2 ? -1 : 1 % made.classes;
    ASSERT_TRUE(film_digits({trajectory}, {.style = small_, .fps = 12, .seconds = 0.75},
                            folder_ / "f.mp4"));
    std::string size;
    EXPECT_EQ(frames_in(folder_ / "f.mp4", &size), 9);
    EXPECT_EQ(size, "640x360");
  }
}

TEST_F(DigitPictures, FilmIsTheSameForAnyNumberOfThreads) {
  if (!have_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
  const DigitTrajectory trajectory = make_recording({});
  DigitFilm film{.style = small_, .fps = 10, .seconds = 0.7, .threads = 1};
  film_digits({trajectory}, film, folder_ / "one.mp4");
  film.threads = 3;
  film_digits({trajectory}, film, folder_ / "three.mp4");
  EXPECT_EQ(bytes_of(folder_ / "one.mp4"), bytes_of(folder_ / "three.mp4"));
}

TEST_F(DigitPictures, AStoppedFilmLeavesNothing) {
  if (!have_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
  DigitFilm film{.style = small_, .seconds = 1};
  film.stop = [] { return true; };
  EXPECT_FALSE(film_digits({make_recording({})}, film, folder_ / "f.mp4"));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(DigitPictures, DissentersAreCountedAndShownInTheirColour) {
  DigitTrajectory trajectory = make_recording({});
  const std::vector<int> chosen = picture::choices(trajectory);
  int dissenters = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_EQ(chosen[i], i % 5 == 0 ? 1 : 0);
    dissenters += chosen[i];
  }
  const PictureStyle style{.dark = false, .width = 1280, .height = 720};
  draw_dissent(trajectory, style, folder_ / "some.png");
  for (int i = 0; i < trajectory.frames.back().n(); ++i)
    for (int k = 0; k < 3; ++k) trajectory.frames.back().at(i, k) = trajectory.targets(0, k);
  draw_dissent(trajectory, style, folder_ / "none.png");
  const picture::Colour other = picture::class_colour(1, false);
  EXPECT_GT(look_at(folder_ / "some.png").of(other), 50 * dissenters);
  EXPECT_LT(look_at(folder_ / "none.png").of(other), 2000) << "only the name of its gate";
  trajectory.cls = true;
  EXPECT_EQ(picture::choices(trajectory).back(), -1) << "the CLS boid votes for nothing";
}

// A flight far beyond its gates, with one token lost altogether.
TEST_F(DigitPictures, FloorAndGatesFillTwoThirdsOfTheHeightThroughoutTheFilm) {
  const PictureStyle usual{.width = 1280, .height = 720};
  for (double reach : {1.0, 4.0}) {
    DigitTrajectory trajectory = make_recording({.reach = reach});
    trajectory.frames.back().at(7, 0) = 1e6;
    const picture::DigitStage stage = picture::set_digit_stage(trajectory, usual);
    const picture::Frame room = stage.layout.scene;
    const picture::FilmClock clock{.lead = 0.1, .hold = 0.2, .blocks = stage.blocks()};
    const picture::CameraPath way(stage, room, clock);
    EXPECT_EQ(clock.at(0), 0);
    EXPECT_EQ(clock.at(1), stage.blocks());
    double before = way.at(0).zoom;
    for (int k = 0; k <= 60; ++k) {
      const picture::CameraView shot = way.at(k / 60.0);
      EXPECT_LT(std::abs(std::log(shot.zoom / before)), 0.12) << "the camera moves smoothly";
      before = shot.zoom;
      std::vector<picture::Point> points = stage.gate;
      for (double x : {-10.0, 10.0})
        for (double y : {-10.0, 10.0}) points.push_back(stage.place(x, y, 0));
      double top = 1e9, bottom = -1e9;
      for (const picture::Point& p : points) {
        const picture::Mark m = shot.mark(p);
        EXPECT_TRUE(m.x > room.x - 2 && m.x < room.x + room.width + 2 && m.y > room.y - 2 &&
                    m.y < room.y + room.height + 2)
            << k << " of a flight to " << reach;
        top = std::min(top, m.y), bottom = std::max(bottom, m.y);
      }
      EXPECT_GT(bottom - top, usual.height * 2 / 3.0) << k << " " << reach;
    }
  }
}

TEST_F(DigitPictures, TheBarIsCutWhereTheMeanIsBetweenTheGates) {
  DigitTrajectory trajectory = make_recording({});
  const int last = static_cast<int>(trajectory.frames.size()) - 1;
  for (int c : {0, 1}) {
    for (int i = 0; i < trajectory.frames.back().n(); ++i)
      for (int k = 0; k < 3; ++k) trajectory.frames.back().at(i, k) = trajectory.targets(c, k);
    const picture::DigitStage stage = picture::set_digit_stage(trajectory, small_);
    EXPECT_NEAR(stage.between_gates(last), c, 1e-12);
    EXPECT_NEAR(stage.progress_to_gates(last)[c], 1, 1e-12);
    EXPECT_EQ(stage.count_at_gate(c, last), trajectory.frames.back().n());
    EXPECT_EQ(stage.count_at_gate(1 - c, last), 0);
    EXPECT_NEAR(stage.between_gates(0), 0.5, 1e-12) << "the ring of ink is around the centre";
  }
}

TEST_F(DigitPictures, SeveralDigitsFollowEachOtherAndGoOnPastTheirDepth) {
  DigitTrajectory longer = make_recording({.blocks = 6});
  longer.trained = 3;
  draw_digit_trajectories({make_recording({}), longer}, {true, 1280, 720}, folder_ / "two.png");
  EXPECT_EQ(look_at(folder_ / "two.png").width, 1280);
  draw_digit_frame(longer, 4, small_, folder_ / "frame.png");
  EXPECT_GT(look_at(folder_ / "frame.png").colours.size(), 60u);
  EXPECT_EQ(fault_of([&] { draw_digit_frame(longer, 7, small_, folder_ / "n.png"); }),
            Fault::input);
  EXPECT_EQ(fault_of([&] { draw_digit_trajectories({}, small_, folder_ / "n.png"); }),
            Fault::input);
  EXPECT_EQ(fault_of([&] { film_digits({}, {.style = small_}, folder_ / "n.mp4"); }), Fault::input);
  EXPECT_FALSE(fs::exists(folder_ / "n.png"));
  if (!have_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
  const DigitFilm film{.style = small_, .fps = 10, .seconds = 0.4};
  ASSERT_TRUE(film_digits({make_recording({}), longer}, film, folder_ / "f.mp4"));
  std::string size;
  EXPECT_EQ(frames_in(folder_ / "f.mp4", &size), 8);
}

// A sentence of five words in four dimensions whose middle word is asked about.
DigitTrajectory make_sentence() {
  DigitTrajectory trajectory = make_recording({.d = 4, .blocks = 2});
  trajectory.ink.clear();
  trajectory.frames.clear();
  for (int b = 0; b <= 2; ++b) {
    HostSwarm x({5, 4});
    for (int i = 0; i < 5; ++i)
      for (int k = 0; k < 4; ++k)
        x.at(i, k) = 0.2 * i - 0.1 * k + (k == 0 ? -5.0 * b : b * i * 0.3);
    trajectory.frames.push_back(x);
  }
  trajectory.words = {"the", "boat", "bank", "was", "old"};
  trajectory.asked = 2;
  return trajectory;
}

TEST_F(DigitPictures, TheWordsOfASentenceStandApart) {
  const DigitTrajectory trajectory = make_sentence();
  const picture::DigitStage stage = picture::set_digit_stage(trajectory, {true, 1280, 720});
  const picture::Frame room = stage.layout.scene;
  const picture::CameraView shot = picture::CameraPath::still(stage, room);
  picture::Canvas canvas(1280, 720);
  for (int b : {0, 1, 2}) {
    std::vector<picture::Mark> marks;
    const picture::Past past = stage.past(b);
    for (const picture::Point& p : past.back()->points) marks.push_back(shot.mark(p));
    const auto words = picture::place_words(canvas, stage, shot, marks, 4);
    ASSERT_EQ(words.size(), 5u);
    EXPECT_TRUE(words[2].asked);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_TRUE(std::abs(words[i].x - words[j].x) > (words[i].width + words[j].width) / 2 - 3 ||
                    std::abs(words[i].y - words[j].y) > words[i].style.size - 3)
            << words[i].text << " covers " << words[j].text << " at " << b;
  }
  draw_digit_frame(trajectory, 2, small_, folder_ / "s.png");
  EXPECT_GT(look_at(folder_ / "s.png").colours.size(), 60u);
  DigitTrajectory wrong = make_sentence();
  wrong.asked = 5;
  EXPECT_EQ(fault_of([&] { draw_digit_frame(wrong, 0, small_, folder_ / "n.png"); }), Fault::input);
  wrong = make_sentence();
  wrong.words.pop_back();
  EXPECT_EQ(fault_of([&] { draw_digit_frame(wrong, 0, small_, folder_ / "n.png"); }), Fault::input);
}

// A sentence of fourteen words in films of any shape: none is cut, and nothing covers another.
TEST_F(DigitPictures, EveryWordOfALongSentenceIsInItsPanel) {
  DigitTrajectory trajectory = make_sentence();
  for (HostSwarm& x : trajectory.frames) x = HostSwarm({14, 4});
  trajectory.words.assign(14, "market");
  for (const auto& [width, height] :
       {std::pair{1280, 720}, {800, 450}, {480, 320}, {640, 640}, {720, 1280}, {320, 640}}) {
    const picture::DigitStage stage = picture::set_digit_stage(trajectory, {true, width, height});
    const picture::DigitLayout& at = stage.layout;
    picture::Canvas canvas(8, 8);
    const double size = sentence_size(at);
    const auto words = words_in_lines(canvas, trajectory, at.inset.width, size);
    ASSERT_EQ(words.size(), 14u);
    for (const auto& word : words) {
      EXPECT_EQ(word.text, "market") << width << " x " << height;
      EXPECT_LE(word.x + word.width, at.inset.width);
    }
    const double low = at.inset.y + size * (1 + picture::kSentenceLine * words.back().line);
    EXPECT_LE(low, at.chances.y + 0.5 * at.text_size) << width << " x " << height;
    EXPECT_LE(at.chances.y + at.chances.height, at.bar) << width << " x " << height;
    EXPECT_GT(at.scene.height, 0.3 * height);
  }
}

TEST_F(DigitPictures, NamesThatCoverEachOtherMoveApart) {
  std::vector<picture::PlacedWord> names;
  for (const double x : {100.0, 108.0, 104.0})
    names.push_back({.text = "8", .style = {.size = 20}, .x = x, .y = 50, .width = 14});
  for (int round = 0; round < 20; ++round) push_apart(names);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_TRUE(std::abs(names[i].x - names[j].x) > 14 || std::abs(names[i].y - names[j].y) > 20)
          << i << " " << j;
}

// Contrast as in WCAG 2: the brighter relative luminance over the darker, 0.05 added to both.
TEST_F(DigitPictures, ColoursOfTenClassesAreReadOnBothGrounds) {
  const auto luminance = [](const picture::Colour& c) {
    const auto linear = [](double v) {
      return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
  };
  for (const bool dark : {false, true}) {
    const double ground = luminance(picture::theme_of(dark).centre);
    for (int c = 0; c < 10; ++c) {
      const picture::Colour one = picture::class_colour(c, dark);
      const double ink = luminance(one);
      const double ratio = (std::max(ink, ground) + 0.05) / (std::min(ink, ground) + 0.05);
      EXPECT_GT(ratio, 2.1) << "class " << c << (dark ? " dark" : " light");
      for (int other = 0; other < c; ++other) {
        const picture::Colour two = picture::class_colour(other, dark);
        EXPECT_GT(std::abs(one.red - two.red) + std::abs(one.green - two.green) +
                      std::abs(one.blue - two.blue),
                  0.2)
            << c << " " << other;
      }
    }
  }
}

TEST_F(DigitPictures, ChancesMoveFromFrameToFrame) {
  const DigitTrajectory trajectory = make_recording({.classes = 4});
  const picture::DigitStage stage = picture::set_digit_stage(trajectory, small_);
  for (int b = 0; b <= stage.blocks(); ++b)
    for (int c = 0; c < 4; ++c)
      EXPECT_DOUBLE_EQ(stage.chances(b)[c], trajectory.chances(b, c)) << b << c;
  EXPECT_NEAR(stage.chances(1.5)[0], (trajectory.chances(1, 0) + trajectory.chances(2, 0)) / 2,
              1e-12);
}

TEST_F(DigitPictures, TheTruthIsSaidAsFarAsItIsKnown) {
  DigitTrajectory trajectory = make_recording({});
  const auto said = [&] { return verdict_sentence(picture::set_digit_stage(trajectory, small_)); };
  EXPECT_NE(said().find("right"), std::string::npos);
  trajectory.label = 1;
  EXPECT_NE(said().find("wrong: it is 1"), std::string::npos);
  trajectory.label = -1;
  EXPECT_NE(said().find("unknown"), std::string::npos);
}

TEST_F(DigitPictures, FlightsThatDoNotFitAreRefused) {
  const auto refused = [&](const std::function<void(DigitTrajectory&)>& perturb) {
    DigitTrajectory trajectory = make_recording({});
    perturb(trajectory);
    const fs::path png = folder_ / "no.png";
    EXPECT_EQ(fault_of([&] { draw_digit_trajectories({trajectory}, small_, png); }), Fault::input);
    EXPECT_EQ(fault_of([&] { draw_dissent(trajectory, small_, png); }), Fault::input);
    EXPECT_EQ(fault_of([&] { film_digits({trajectory}, {.style = small_}, folder_ / "no.mp4"); }),
              Fault::input);
    EXPECT_TRUE(fs::is_empty(folder_.path()));
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  refused([&](DigitTrajectory& f) { f.frames[2].at(3, 1) = kNan; });
  refused(
      [&](DigitTrajectory& f) { f.frames[0].at(0, 0) = std::numeric_limits<double>::infinity(); });
  refused([&](DigitTrajectory& f) { f.chances(1, 1) = kNan; });
  refused([&](DigitTrajectory& f) { f.targets(0, 0) = kNan; });
  refused([](DigitTrajectory& f) { f.frames.clear(); });
  refused([](DigitTrajectory& f) { f.frames.pop_back(); });
  refused([](DigitTrajectory& f) { f.frames.back() = HostSwarm({3, 3}); });
  refused([](DigitTrajectory& f) { f.ink.pop_back(); });
  refused([](DigitTrajectory& f) { f.label = 2; });
  refused([](DigitTrajectory& f) { f.targets = zeros(2, 2); });
  refused([](DigitTrajectory& f) { f.classes.pop_back(); });
  EXPECT_EQ(fault_of([&] {
              draw_dissent(make_recording({}), {true, 641, 360}, folder_ / "n.png");
            }),
            Fault::input);
}

TEST_F(DigitPictures, ConfusionsOfAnyNumberOfClasses) {
  for (int classes : {1, 2, 10}) {
    Matrix counts = zeros(classes, classes);
    std::vector<std::string> names;
    for (int i = 0; i < classes; ++i) {
      counts(i, i) = 900;
      counts(i, (i + 3) % classes) += 20;
      names.push_back("a long name " + std::to_string(i));
    }
    draw_confusion(counts, names, small_, folder_ / "c.png");
    EXPECT_EQ(look_at(folder_ / "c.png").height, 360);
    counts = zeros(classes, classes);
    draw_confusion(counts, names, small_, folder_ / "empty.png");
    names.push_back("one more");
    EXPECT_EQ(fault_of([&] { draw_confusion(counts, names, small_, folder_ / "no.png"); }),
              Fault::input);
  }
  EXPECT_EQ(fault_of([&] {
              draw_confusion({1, 1, {-1}}, {"5"}, small_, folder_ / "no.png");
            }),
            Fault::input);
}

TEST_F(DigitPictures, MistakesFromNoneToMoreThanFit) {
  std::set<std::string> pictures;
  for (std::size_t count : {0u, 1u, 30u, 500u}) {
    std::vector<Mistake> mistakes(count);
    for (std::size_t k = 0; k < count; ++k)
      mistakes[k] = {make_recording({}).ink, "5", "6", 0.5 + 0.4 / (1.0 + k), k};
    draw_mistakes(mistakes, 28, 28, small_, folder_ / "m.png");
    EXPECT_EQ(look_at(folder_ / "m.png").width, 640);
    pictures.insert(bytes_of(folder_ / "m.png"));
  }
  EXPECT_EQ(pictures.size(), 4u);
  EXPECT_EQ(fault_of([&] { draw_mistakes({Mistake{}}, 28, 28, small_, folder_ / "no.png"); }),
            Fault::input);
}

TEST_F(DigitPictures, TheReportNeedsNothingBesideItself) {
  draw_confusion({1, 1, {3}}, {"5"}, small_, folder_ / "c.png");
  std::ofstream(folder_ / "p.svg") << "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
  std::ofstream(folder_ / "f.mp4") << "film";
  Page content{.title = "5 < 6 & \"so on\"", .lead = "It's <b>", .recipe = "a = \"<x>\"\nb = 2\n"};
  content.facts = {{"98 %", "read <right>"}};
  content.sections = {{.heading = "A", .text = "one\n\ntwo & three", .picture = folder_ / "c.png"},
                      {.table = {{"swarm", "share"}, {"<one>", "98.1 %"}, {"two"}}},
                      {.picture = folder_ / "p.svg", .caption = "a > b"},
                      {.picture = folder_ / "f.mp4"}};
  write_page(content, folder_ / "new" / "report.html");
  const std::string page = bytes_of(folder_ / "new" / "report.html");
  const auto has = [&](const std::string& text) { return page.find(text) != std::string::npos; };
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_TRUE(has("<title>5 &lt; 6 &amp; &quot;so on&quot;</title>"));
  EXPECT_TRUE(has("It&#39;s &lt;b&gt;") && has("read &lt;right&gt;") && has("&lt;one&gt;"));
  EXPECT_TRUE(has("a = &quot;&lt;x&gt;&quot;\nb = 2\n")) << "the recipe keeps its lines";
  EXPECT_TRUE(has("<dd>98&nbsp;%</dd>"));
  EXPECT_TRUE(has("<p>one</p>\n<p>two &amp; three</p>"));
  EXPECT_TRUE(has("<td class=\"number\">98.1 %</td>") && has("<td>&lt;one&gt;</td>"));
  EXPECT_TRUE(has("alt=\"a &gt; b\"") && has("alt=\"A\" width=\"640\" height=\"360\""));
  EXPECT_TRUE(has("data:image/png;base64,iVBORw0KGgo") && has("data:video/mp4;base64,ZmlsbQ=="));
  EXPECT_TRUE(has("prefers-color-scheme: dark") && has("@media print") && has("name=\"viewport\""));
  EXPECT_FALSE(has("<script") || has("<b>") || has("href=") || has("http:") || has("https:"));
  EXPECT_FALSE(has(folder_.path().string())) << "where it was made is nobody's business";
}

// Dark readers see the dark picture; a drawing without a size is not blown up.
TEST_F(DigitPictures, AReportShowsTheDarkTwinOfAPicture) {
  std::ofstream(folder_ / "p.svg") << "<svg \n viewBox=\"0 0 400 330\"\n/>";
  std::ofstream(folder_ / "p-dark.svg") << "<svg/>";
  const std::string page = html_of(
      {.title = "t",
       .sections = {{.picture = folder_ / "p.svg", .dark_picture = folder_ / "p-dark.svg"}}});
  const auto at = [&](const std::string& text) { return page.find(text, page.find("<figure>")); };
  EXPECT_LT(at("<picture>"), at("<source media=\"(prefers-color-scheme: dark)\" srcset=\"data:"));
  EXPECT_LT(at("<source"), at("<img alt"));
  EXPECT_LT(at("<img alt"), at("</picture>"));
  EXPECT_NE(at("max-width:600px"), std::string::npos);
}

// On a phone the narrow picture is shown; a browser takes the first source that fits.
TEST_F(DigitPictures, AReportShowsANarrowTwinOnNarrowPages) {
  for (const char* name : {"p.svg", "d.svg", "n.svg", "nd.svg"})
    std::ofstream(folder_ / name) << "<svg id=\"" << name << "\"/>";
  const std::string page = html_of({.title = "t",
                                    .sections = {{.picture = folder_ / "p.svg",
                                                  .dark_picture = folder_ / "d.svg",
                                                  .narrow_picture = folder_ / "n.svg",
                                                  .narrow_dark_picture = folder_ / "nd.svg"}}});
  const auto at = [&](const std::string& text) { return page.find(text, page.find("<figure>")); };
  const std::size_t both = at("media=\"(max-width: 40rem) and (prefers-color-scheme: dark)\"");
  EXPECT_LT(both, at("media=\"(max-width: 40rem)\""));
  EXPECT_LT(at("media=\"(max-width: 40rem)\""), at("media=\"(prefers-color-scheme: dark)\""));
  EXPECT_LT(at("media=\"(prefers-color-scheme: dark)\""), at("<img alt"));
  EXPECT_LT(at("<img alt"), at("</picture>"));
}

// Links of the contents lead to the sections, and their notes stand in both places.
TEST(Page, ContentsLinkToTheirSections) {
  Page content{.title = "t", .contents = true};
  content.sections = {{.heading = "W2 & more", .note = "2 agree"},
                      {.text = "goes on"},
                      {.heading = "last", .note = "1 <disagrees>", .stressed = true}};
  std::string page = html_of(content);
  const auto has = [&](const std::string& text) { return page.find(text) != std::string::npos; };
  EXPECT_TRUE(has("<li><a href=\"#w2-more\">W2 &amp; more</a><span class=\"note\">2 agree</span>"));
  EXPECT_TRUE(
      has("<section id=\"w2-more\">\n<h2>W2 &amp; more</h2>\n<p class=\"note\">2 agree</p>"));
  EXPECT_TRUE(has("<span class=\"note stressed\">1 &lt;disagrees&gt;</span>"));
  EXPECT_TRUE(has("<section>\n<p>goes on</p>")) << "no heading, no link";
  EXPECT_LT(page.find("<nav"), page.find("<section"));
  content.contents = false;
  page = html_of(content);
  EXPECT_FALSE(has("<nav") || has("href=") || has(" id="));
}

TEST_F(DigitPictures, ReportsWithoutTheirPicturesAreRefused) {
  const fs::path html = folder_ / "r.html";
  const auto write = [&](const fs::path& picture) {
    write_page({.title = "t", .sections = {{.heading = "h", .picture = picture}}}, html);
  };
  std::string said;
  EXPECT_EQ(fault_of([&] { write(folder_ / "absent.png"); }, &said), Fault::input);
  EXPECT_NE(said.find("absent.png"), std::string::npos) << said;
  std::ofstream(folder_ / "p.gif") << "GIF89a";
  EXPECT_EQ(fault_of([&] { write(folder_ / "p.gif"); }), Fault::input);
  EXPECT_FALSE(fs::exists(html));
}

}  // namespace
}  // namespace murmur
