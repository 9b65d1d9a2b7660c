// picture_test.cpp: pictures of a made-up trajectory: size, frames, numbers and errors.
#include "picture/picture.h"

#include <cairo.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include "core/axes.h"
#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/projection.h"
#include "picture/stage.h"
#include "picture/track.h"
#include "refused.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int count_lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

struct Picture {
  int width = 0, height = 0;
  std::size_t colours = 0;
};

Picture read_png(const fs::path& path) {
  cairo_surface_t* surface = cairo_image_surface_create_from_png(path.c_str());
  Picture picture;
  if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) {
    picture.width = cairo_image_surface_get_width(surface);
    picture.height = cairo_image_surface_get_height(surface);
    const unsigned char* data = cairo_image_surface_get_data(surface);
    std::set<std::uint32_t> seen;
    for (int y = 0; y < picture.height; y += 3) {
      const auto* row = reinterpret_cast<const std::uint32_t*>(
          data + static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface));
      for (int x = 0; x < picture.width; x += 3) seen.insert(row[x]);
    }
    picture.colours = seen.size();
  }
  cairo_surface_destroy(surface);
  return picture;
}

// n particles that go from scattered places to the first three coordinate axes (the first two
// for d = 2), in `frames` frames over t = 0 .. 4.
struct Flow {
  int n = 24, d = 3, frames = 9;
  bool sphere = true;
};

class PictureTest : public testing::Test {
 protected:
  PictureTest() {
    std::string name = (fs::temp_directory_path() / "murmur-picture-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~PictureTest() override { fs::remove_all(folder_); }

  RunReader simulate(const std::string& name, const Flow& trajectory) {
    const auto [n, d, frames, sphere] = trajectory;
    murmur::Run run =
        murmur::Run::create(folder_ / name,
                            {.config = "n = 24\n",
                             .columns = {"energy", "clusters", "order", "absent", "still"},
                             .shape = {n, d},
                             .command = "simulate"},
                            false);
    for (int f = 0; f < frames; ++f) {
      const double s = frames > 1 ? static_cast<double>(f) / (frames - 1) : 0;
      HostSwarm x({n, d});
      for (int i = 0; i < n; ++i) {
        double norm = 0;
        for (int k = 0; k < d; ++k) {
          const double home = k == i % std::min(d, 3) ? 1 : 0;
          x.at(i, k) = (1 - s) * std::sin(1.0 + 12.9 * i + 4.7 * k * (i + 1)) + s * home;
          norm += x.at(i, k) * x.at(i, k);
        }
        for (int k = 0; sphere && k < d; ++k) x.at(i, k) /= std::sqrt(norm);
      }
      const double nothing = std::numeric_limits<double>::quiet_NaN();
      const std::vector<double> row{1 + s * s, std::floor(n - s * (n - 3)), s, nothing, 2.5};
      run.append(4 * s, x, row);
    }
    run.close("done", {}, "made up");
    return RunReader(folder_ / name);
  }

  static SceneSettings small(bool sphere = true) {
    SceneSettings settings;
    settings.style = {.dark = true, .width = 640, .height = 360};
    settings.sphere = sphere;
    settings.title = "A flight";
    return settings;
  }

  fs::path folder_;
};

TEST_F(PictureTest, ScenesOfEveryViewHaveTheirSizeAndMuchToSee) {
  const std::vector<std::pair<int, bool>> views{{2, true},  {3, true},  {8, true}, {1, false},
                                                {2, false}, {3, false}, {5, false}};
  for (const auto& [d, sphere] : views) {
    const RunReader run =
        simulate("d" + std::to_string(d) + (sphere ? "s" : "r"), {.d = d, .sphere = sphere});
    for (bool dark : {true, false}) {
      SceneSettings settings = small(sphere);
      settings.style.dark = dark;
      for (int i = 0; i < 24; ++i) settings.label.push_back(i % 3);
      const fs::path png = folder_ / "scene.png";
      draw_scene(run, run.frames() / 2, settings, png);
      const Picture picture = read_png(png);
      EXPECT_EQ(picture.width, 640) << d << sphere;
      EXPECT_EQ(picture.height, 360) << d << sphere;
      EXPECT_GT(picture.colours, 100u) << d << sphere;
    }
  }
}

TEST_F(PictureTest, TheSameSceneTwiceIsTheSameBytes) {
  const RunReader run = simulate("run", {});
  draw_scene(run, 5, small(), folder_ / "a.png");
  draw_scene(run, 5, small(), folder_ / "b.png");
  EXPECT_EQ(bytes_of(folder_ / "a.png"), bytes_of(folder_ / "b.png"));
  draw_scene(run, 6, small(), folder_ / "c.png");
  EXPECT_NE(bytes_of(folder_ / "a.png"), bytes_of(folder_ / "c.png"));
}

TEST_F(PictureTest, ScenesBearOddTextAndBlownUpParticles) {
  SceneSettings settings = small(false);
  settings.title = "broken \xff\xc3 bytes \xed\xa0\x80 and\na new line";
  settings.caption = std::string(4000, 'w');
  settings.caption += " ... ";
  settings.caption += std::string(300, ' ');
  settings.caption += "end";
  murmur::Run run = murmur::Run::create(
      folder_ / "wild", {.config = "x = 1\n", .shape = {3, 3}, .command = "simulate"}, false);
  HostSwarm x({3, 3});
  x.at(0, 0) = std::numeric_limits<double>::infinity();
  x.at(1, 1) = std::numeric_limits<double>::quiet_NaN();
  run.append(0, x, {});
  run.close("done", {}, "wild");
  draw_scene(RunReader(folder_ / "wild"), 0, settings, folder_ / "wild.png");
  EXPECT_EQ(read_png(folder_ / "wild.png").width, 640);
}

TEST_F(PictureTest, WrongScenesAreRefused) {
  const RunReader run = simulate("run", {});
  std::string said;
  const fs::path png = folder_ / "no.png";
  EXPECT_EQ(fault_of([&] { draw_scene(run, 9, small(), png); }, &said), Fault::input);
  EXPECT_NE(said.find("0 to 8"), std::string::npos) << said;
  EXPECT_EQ(fault_of([&] { draw_scene(run, -1, small(), png); }), Fault::input);
  SceneSettings wrong = small();
  wrong.label = {1, 2};
  EXPECT_EQ(fault_of([&] { draw_scene(run, 0, wrong, png); }), Fault::input);
  wrong = small();
  wrong.axes = {1, 0, 0};
  EXPECT_EQ(fault_of([&] { draw_scene(run, 0, wrong, png); }), Fault::input);
  wrong = small();
  wrong.style.width = 641;
  EXPECT_EQ(fault_of([&] { draw_scene(run, 0, wrong, png); }), Fault::input);
  EXPECT_FALSE(fs::exists(png));
}

bool have(const char* tool) {
  std::istringstream path(getenv("PATH") ? getenv("PATH") : "");
  for (std::string place; std::getline(path, place, ':');)
    if (access((fs::path(place) / tool).c_str(), X_OK) == 0) return true;
  return false;
}

TEST_F(PictureTest, FilmHasExactlyTheWantedFrames) {
  if (!have("ffmpeg") || !have("ffprobe")) GTEST_SKIP() << "ffmpeg is not installed";
  const RunReader run = simulate("run", {});
  FilmSettings film{.scene = small(), .fps = 20, .seconds = 0.75, .strip = "clusters"};
  film.scene.log_time = true;
  film_trajectory(run, film, folder_ / "video" / "flight.mp4");
  const std::string probe =
      "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
      "stream=codec_name,width,height,pix_fmt,nb_read_frames -of csv=p=0 " +
      (folder_ / "video" / "flight.mp4").string();
  std::FILE* pipe = popen(probe.c_str(), "r");
  char line[200] = "";
  ASSERT_NE(std::fgets(line, sizeof line, pipe), nullptr);
  pclose(pipe);
  EXPECT_STREQ(line, "h264,640,360,yuv420p,15\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "video"), {}), 1) << "a draft is left";
}

TEST_F(PictureTest, FilmIsTheSameForAnyNumberOfThreads) {
  if (!have("ffmpeg")) GTEST_SKIP() << "ffmpeg is not installed";
  const RunReader run = simulate("run", {});
  FilmSettings film{.scene = small(), .fps = 12, .seconds = 0.5, .threads = 1};
  film_trajectory(run, film, folder_ / "one.mp4");
  film.threads = 2;
  film_trajectory(run, film, folder_ / "two.mp4");
  EXPECT_EQ(bytes_of(folder_ / "one.mp4"), bytes_of(folder_ / "two.mp4"));
}

// Replaces PATH while it lives.
class OnlyPath {
 public:
  explicit OnlyPath(const fs::path& folder) : before_(getenv("PATH") ? getenv("PATH") : "") {
    setenv("PATH", folder.c_str(), 1);
  }
  ~OnlyPath() { setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

TEST_F(PictureTest, MissingToolsAreNamedWithTheirRemedy) {
  const RunReader run = simulate("run", {});
  fs::create_directory(folder_ / "empty");
  const OnlyPath path(folder_ / "empty");
  std::string said;
  EXPECT_EQ(fault_of([&] { film_trajectory(run, {.scene = small()}, folder_ / "f.mp4"); }, &said),
            Fault::tool);
  EXPECT_NE(said.find("apt-get install ffmpeg"), std::string::npos) << said;
  EXPECT_EQ(fault_of([&] { plot_observables(run, {"order"}, false, folder_ / "f.svg"); }, &said),
            Fault::tool);
  EXPECT_NE(said.find("apt-get install gnuplot"), std::string::npos) << said;
  EXPECT_FALSE(fs::exists(folder_ / "f.mp4") || fs::exists(folder_ / "f.svg"));
}

TEST_F(PictureTest, AToolThatDiesLeavesTheOldFileAlone) {
  const RunReader run = simulate("run", {});
  fs::create_directories(folder_ / "bin");
  fs::create_directories(folder_ / "out");
  for (const char* tool : {"ffmpeg", "gnuplot"}) {
    std::ofstream(folder_ / "bin" / tool) << "#!/bin/sh\necho No space left >&2\nexit 1\n";
    fs::permissions(folder_ / "bin" / tool, fs::perms::owner_all);
  }
  std::ofstream(folder_ / "out" / "f.mp4") << "old";
  const OnlyPath path(folder_ / "bin");
  std::string said;
  EXPECT_EQ(
      fault_of([&] { film_trajectory(run, {.scene = small()}, folder_ / "out" / "f.mp4"); }, &said),
      Fault::runtime);
  EXPECT_NE(said.find("No space left"), std::string::npos) << said;
  EXPECT_EQ(fault_of([&] { plot_observables(run, {"order"}, false, folder_ / "out" / "f.svg"); }),
            Fault::runtime);
  EXPECT_EQ(bytes_of(folder_ / "out" / "f.mp4"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "out"), {}), 1) << "a draft is left";
}

TEST_F(PictureTest, PlotsComeWithTheirNumbers) {
  if (!have("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  const RunReader run = simulate("run", {});
  const std::vector<std::string> names{"energy", "clusters", "absent", "still"};
  for (bool log_time : {false, true}) {
    plot_observables(run, names, log_time, folder_ / "figures" / "plot.svg");
    const std::string svg = bytes_of(folder_ / "figures" / "plot.svg");
    EXPECT_EQ(svg.rfind("<?xml", 0), 0u);
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    EXPECT_NE(svg.find("clusters"), std::string::npos);
    EXPECT_NE(svg.find("no values"), std::string::npos);
  }
  const std::string csv = bytes_of(folder_ / "figures" / "plot.csv");
  EXPECT_EQ(csv.rfind("t,energy,clusters,absent,still\n0,1,24,nan,2.5\n", 0), 0u) << csv;
  EXPECT_EQ(count_lines(csv), 1 + 9);
  plot_observables(run, {"order"}, false, folder_ / "plot.png");
  EXPECT_GT(read_png(folder_ / "plot.png").width, 1000);
  plot_observables(run, {"order"}, false, folder_ / "plot.pdf");
  EXPECT_EQ(bytes_of(folder_ / "plot.pdf").rfind("%PDF", 0), 0u);
}

TEST_F(PictureTest, PlotsOfASingleFrame) {
  if (!have("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  const RunReader run = simulate("one", {.frames = 1});
  for (bool log_time : {false, true}) {
    plot_observables(run, {"energy", "clusters", "absent"}, log_time, folder_ / "one.svg");
    EXPECT_NE(bytes_of(folder_ / "one.svg").find("</svg>"), std::string::npos);
  }
}

TEST_F(PictureTest, WrongPlotsAreRefused) {
  const RunReader run = simulate("run", {});
  std::string said;
  EXPECT_EQ(fault_of([&] { plot_observables(run, {"enregy"}, false, folder_ / "p.svg"); }, &said),
            Fault::input);
  EXPECT_NE(said.find("energy, clusters, order"), std::string::npos) << said;
  EXPECT_EQ(fault_of([&] { plot_observables(run, {"energy"}, false, folder_ / "p.gif"); }),
            Fault::input);
  EXPECT_EQ(fault_of([&] { plot_observables(run, {}, false, folder_ / "p.svg"); }), Fault::input);
}

TEST_F(PictureTest, TracksPassThroughFramesAndStayOnTheSphere) {
  const RunReader run = simulate("run", {});
  const picture::Projection projection = picture::choose_projection(run, small());
  picture::Track track(run, projection);
  for (int f = 0; f < 9; ++f) {
    const HostSwarm x = run.frame(f);
    const auto points = track.at(run.times()[f]);
    for (int i = 0; i < 24; ++i) EXPECT_NEAR(points[i].y, x.at(i, 1), 1e-6);
    for (const picture::Point& p : track.at(run.times()[f] + 0.2))
      EXPECT_NEAR(std::hypot(p.x, p.y, p.z), 1, 1e-6);
  }
}

TEST(PictureParts, TheClockRunsThereAndBack) {
  const std::vector<double> times{0, 0.01, 0.5, 20, 1000};
  for (bool log_time : {false, true}) {
    const picture::Timeline clock(times, log_time);
    EXPECT_EQ(clock.time(0), 0);
    EXPECT_EQ(clock.time(1), 1000);
    double before = -1;
    for (int k = 0; k <= 50; ++k) {
      const double t = clock.time(k / 50.0);
      EXPECT_GT(t, before);
      EXPECT_NEAR(clock.progress(t), k / 50.0, 1e-9);
      before = t;
    }
  }
  EXPECT_EQ(picture::Timeline({3.0}, true).time(0.5), 3);
}

TEST(PictureParts, LeadingAxesOfAKnownMatrix) {
  // diag(9, 4, 1, 1/4, 0) in a basis turned by pi/6 in the plane of the first two axes.
  const double c = std::sqrt(3.0) / 2, s = 0.5;
  std::vector<double> matrix(25, 0.0);
  matrix[0] = 9 * c * c + 4 * s * s, matrix[6] = 9 * s * s + 4 * c * c;
  matrix[1] = matrix[5] = 5 * c * s;
  matrix[12] = 1, matrix[18] = 0.25;
  const std::vector<double> axes = leading_axes(matrix, 5, 3);
  EXPECT_NEAR(axes[0], c, 1e-9);
  EXPECT_NEAR(axes[1], s, 1e-9);
  EXPECT_NEAR(axes[5], -s, 1e-9);
  EXPECT_NEAR(axes[6], c, 1e-9);
  EXPECT_NEAR(axes[12], 1, 1e-9);
}

TEST(PictureParts, TextIsMadeFitForDrawing) {
  EXPECT_EQ(picture::clean_text("E_β → S²"), "E_β → S²");
  EXPECT_EQ(picture::clean_text("a\xff\tb\xc0\x80"), "a? b??");
  picture::Canvas canvas(64, 64);
  const auto lines = canvas.wrap("one two three four five six", 60, 12, false, 2);
  ASSERT_EQ(lines.size(), 2u);
  for (const std::string& line : lines) EXPECT_LE(canvas.text_width(line, 12), 60);
  EXPECT_EQ(lines.back().substr(lines.back().size() - 3), "…");
}

TEST(PictureParts, TicksAreRound) {
  const picture::Ticks ticks = picture::nice_ticks(-0.13, 0.42, 5);
  ASSERT_EQ(ticks.at.size(), 6u);
  EXPECT_EQ(ticks.text(ticks.at.front()), "−0.1");
  EXPECT_EQ(ticks.text(ticks.at[1]), "0.0");
}

TEST(PictureParts, ClassesDifferWithinThreeRounds) {
  for (bool dark : {true, false}) {
    std::set<std::string> seen;
    for (int label = -1; label < 24; ++label) {
      const picture::Colour c = picture::class_colour(label, dark);
      seen.insert(std::to_string(c.red) + "/" + std::to_string(c.green) + "/" +
                  std::to_string(c.blue));
    }
    EXPECT_EQ(seen.size(), 25u);
  }
}

}  // namespace
}  // namespace murmur
