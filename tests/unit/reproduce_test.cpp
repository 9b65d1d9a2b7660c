// reproduce_test.cpp: verdicts as text, probes of the flock argument, and trainings done once.
#include "reproduce/reproduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <thread>

#include "murmur/error.h"
#include "murmur/random.h"
#include "report/figures.h"
#include "report/report.h"
#include "reproduce/flock_argument.h"
#include "reproduce/reproductions.h"
#include "reproduce/training_cache.h"
#include "run/file.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

namespace fs = std::filesystem;

Reproduction sample_reproduction() {
  Reproduction r{.name = "sample"};
  r.checks = {{.what = "a",
               .published = 1,
               .ours = 1.5,
               .tolerance = 1,
               .answer = Answer::agrees,
               .rule_name = "equiangular.cosine"},
              {.what = "longer",
               .ours = 2e-9,
               .answer = Answer::agrees,
               .rule_name = "kinetic.layers",
               .rule = "r",
               .more = {{"sd", 0.1}}}};
  r.tables = {{"numbers", {"who", "x"}, {{"me, too", 1.25}, {"you", kNoNumber}}}};
  return r;
}

// Every key of a JSON value that a record may have lost.
void add_places(const nlohmann::json& value, const nlohmann::json::json_pointer& at,
                std::vector<nlohmann::json::json_pointer>& places) {
  if (value.is_object())
    for (const auto& [key, inner] : value.items()) {
      places.push_back(at / key);
      add_places(inner, at / key, places);
    }
  if (value.is_array() && !value.empty()) {
    places.push_back(at / 0);
    add_places(value[0], at / 0, places);
  }
}

TEST(Reproduce, ARecordThatAnotherHandChangedIsReadOrMadeAnew) {
  const test::TemporaryDirectory folder;
  const ReproductionControl control{.runs = folder.path()};
  Reproduction r = sample_reproduction();
  r.folder = folder.path() / "sample";
  r.figures = {{.name = "f",
                .table = "numbers",
                .x = {.label = "x", .to = 3, .angle = true},
                .curves = {{"x", Curve::bars, "ours", 2, "x"}},
                .over = "x",
                .guides = {{"half", kNoNumber, 0.5}},
                .side_by_side = true}};
  r.captions = {{"f", "Numbers."}};
  fs::create_directories(r.folder);
  write_record(r, control);
  const auto same = read_record("sample", control);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->captions, r.captions);
  const TablePanel& figure = same->figures.at(0);
  EXPECT_EQ(figure.x.to, 3);
  EXPECT_TRUE(std::isnan(figure.x.from));
  EXPECT_EQ(figure.curves.at(0).drawn, Curve::bars);
  EXPECT_EQ(figure.curves[0].colour, 2);
  EXPECT_EQ(figure.guides.at(0).y, 0.5);
  EXPECT_TRUE(figure.x.angle && figure.side_by_side);
  EXPECT_FALSE(figure.y.angle);
  std::ifstream in(r.folder / "record.json");
  const nlohmann::json whole = nlohmann::json::parse(in);
  std::vector<nlohmann::json::json_pointer> places;
  add_places(whole, nlohmann::json::json_pointer(), places);
  ASSERT_GT(places.size(), 30u);
  const nlohmann::json deep = nlohmann::json::parse(std::string(90, '[') + std::string(90, ']'));
  for (const auto& place : places)
    for (const nlohmann::json& to :
         {nlohmann::json(), nlohmann::json("x"), nlohmann::json::array(), nlohmann::json::object(),
          nlohmann::json(1e300), nlohmann::json(-7), deep}) {
      nlohmann::json changed = whole;
      changed[place] = to;
      std::ofstream(r.folder / "record.json") << changed.dump();
      const auto read = read_record("sample", control);
      if (!read) continue;
      for (const ColumnTable& table : read->tables)
        for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
    }
  std::ofstream(r.folder / "record.json") << std::string(100'000, '[');
  EXPECT_FALSE(read_record("sample", control));
}

// Every figure is in the contents with its answers, and one of several panels has a narrow twin.
TEST(Reproduce, ThePageOfAllFiguresHasContentsWithVerdicts) {
  const test::TemporaryDirectory folder;
  Reproduction r = sample_reproduction();
  r.name = "kinetic";
  r.folder = folder.path() / "kinetic";
  r.figures = {{.name = "kinetic", .table = "numbers", .curves = {{"x"}}, .over = "x"},
               {.name = "kinetic", .table = "numbers", .curves = {{"x"}}, .over = "x"},
               {.name = "single", .table = "numbers", .curves = {{"x"}}, .over = "x"}};
  draw_reproduction(r, FigureStyle::paper);
  const auto exists = [&](const char* name) { return fs::exists(r.folder / name); };
  EXPECT_TRUE(exists("kinetic-narrow.svg") && exists("kinetic-narrow-dark.svg"));
  EXPECT_FALSE(exists("single-narrow.svg"));
  const auto page_of = [&](const std::vector<Reproduction>& all) {
    write_reproductions(all, folder / "page.html");
    return read_text(folder / "page.html");
  };
  const auto has = [](const std::string& page, const std::string& text) {
    return page.find(text) != std::string::npos;
  };
  std::string page = page_of({r});
  EXPECT_TRUE(has(page, "<a href=\"#kinetic\">kinetic</a><span class=\"note\">2 agree</span>"));
  EXPECT_TRUE(has(page, "<section id=\"kinetic\">"));
  EXPECT_TRUE(has(page, "<source media=\"(max-width: 40rem)\""));
  r.checks.push_back(r.checks.back());
  r.checks.back().answer = Answer::disagrees;
  r.checks.push_back(r.checks.back());
  r.checks.back().rule_name = "kinetic.flow";  // a regression
  page = page_of({r});
  EXPECT_TRUE(has(page,
                  "<span class=\"note stressed\">2 agree, 1 disagrees; regressions: 1 "
                  "disagrees</span>"));
}

TEST(Reproduce, NamesAreDistinctAndUnknownOnesAreRefused) {
  std::set<std::string> names;
  for (const ReproductionRow& row : reproductions()) names.insert(row.name);
  EXPECT_EQ(names.size(), reproductions().size());
  try {
    reproduce("swarm-tabel", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::usage);
    EXPECT_NE(error.remedy.find("swarm-table"), std::string::npos) << error.remedy;
  }
}

TEST(Reproduce, OneDissentIsEnough) {
  Reproduction r = sample_reproduction();
  EXPECT_EQ(r.verdict(), Answer::agrees);
  EXPECT_TRUE(r.as_expected());
  r.checks.back().answer = Answer::disagrees;
  EXPECT_EQ(r.verdict(), Answer::disagrees);
  EXPECT_FALSE(r.as_expected());
}

// What cannot be computed, what does not count and what is not there are no agreement.
TEST(Reproduce, OpenIsNoAgreement) {
  Reproduction r = sample_reproduction();
  r.checks.back().answer = Answer::open;
  EXPECT_EQ(r.verdict(), Answer::open);
  EXPECT_FALSE(r.as_expected());
  for (Check& check : r.checks) {
    check.answer = Answer::agrees;
    check.rule_name = "kinetic.flow";  // a regression
  }
  EXPECT_EQ(r.verdict(), Answer::open);
  EXPECT_TRUE(r.as_expected());
  r.checks.clear();
  EXPECT_EQ(r.verdict(), Answer::open);
  EXPECT_TRUE(nlohmann::json::parse(json_of(r))["agrees"].is_null());
}

// An answer that is known to be no agreement is expected, and any other is not.
TEST(Reproduce, KnownDissentIsExpected) {
  Reproduction r{.name = "sample"};
  for (const ExpectedAnswer& known : expected_answers()) {
    r.quick = known.size == ExpectedAnswer::quick;
    r.checks = {
        {.what = std::string(known.what) + "...", .answer = known.answer, .rule_name = known.rule}};
    EXPECT_TRUE(r.as_expected()) << known.rule;
    ASSERT_EQ(disagreements_of(r).size(), 1u);
    EXPECT_NE(disagreements_of(r)[0].find(known.explanation), std::string::npos);
    r.checks[0].answer = Answer::agrees;
    EXPECT_FALSE(r.as_expected()) << known.rule;
    EXPECT_NE(disagreements_of(r)[0].find("NOT EXPECTED"), std::string::npos);
  }
}

TEST(Reproduce, NumbersBeyondTheToleranceNeverLookAlike) {
  for (const double tolerance : {0.0, 1e-12, 1e-9, 3e-6, 0.011, 0.5, 20.0})
    for (const double at : {0.0, 1e-7, 0.416079473, 331.93, 48744.0, 3.1e7})
      for (const double apart : {1.0001, 1.5, 4.0}) {
        const double step = tolerance > 0 ? tolerance * apart : at * 1e-14 + 1e-300;
        const Check check{.published = at, .ours = at + step, .tolerance = tolerance};
        if (!(std::fabs(check.ours - check.published) > tolerance)) continue;
        const CheckText text = numbers_of(check);
        EXPECT_NE(text.published, text.ours) << at << " " << tolerance;
      }
  const CheckText text =
      numbers_of({.published = 0.970493827, .ours = 0.9704938268, .tolerance = 1e-9});
  EXPECT_EQ(text.published, "0.970493827");
  EXPECT_EQ(text.ours, "0.9704938268");
}

// What is printed says against what ours is held, with as many digits as tell both apart.
TEST(Reproduce, PrintedRowsShowWhatSetsThemApart) {
  Reproduction r = sample_reproduction();
  r.checks = {{.what = "w",
               .published = 12.34567,
               .ours = 12.34569,
               .tolerance = 1e-5,
               .answer = Answer::disagrees,
               .rule_name = "kinetic.layers"}};
  const std::string text = markdown_of(r);
  EXPECT_NE(text.find("compared with"), std::string::npos) << text;
  EXPECT_NE(text.find("12.34567 "), std::string::npos) << text;
  EXPECT_NE(text.find("12.34569 "), std::string::npos) << text;
  EXPECT_NE(disagreements_of(r).at(0).find("12.34569"), std::string::npos);
}

TEST(Reproduce, EveryWayOfDrawingHasItsName) {
  std::set<std::string_view> names;
  for (int k = 0; k <= static_cast<int>(Curve::diamonds); ++k)
    EXPECT_TRUE(names.insert(name_of(static_cast<Curve::Mark>(k))).second);
}

TEST(Reproduce, JsonHasThePromisedFields) {
  const nlohmann::json json = nlohmann::json::parse(json_of(sample_reproduction()));
  EXPECT_EQ(json["name"], "sample");
  EXPECT_EQ(json["checks"][0]["published"], 1.0);
  EXPECT_EQ(json["checks"][0]["ours"], 1.5);
  EXPECT_EQ(json["checks"][0]["tolerance"], 1.0);
  EXPECT_EQ(json["checks"][0]["agrees"], true);
  EXPECT_EQ(json["checks"][0]["expected"], "agrees");
  EXPECT_EQ(json["checks"][0]["kind"], "predicted");
  EXPECT_EQ(json["checks"][0]["source"], "2312.10794, Theorem 6.8");
  EXPECT_EQ(json["checks"][0]["rule_name"], "equiangular.cosine");
  EXPECT_EQ(json["checks"][1]["rule"], "r");
  EXPECT_EQ(json["counted"]["agrees"], 2);
  EXPECT_EQ(json["beside"]["agrees"], 0);
  EXPECT_TRUE(json["checks"][1]["published"].is_null());
  EXPECT_EQ(json["checks"][1]["sd"], 0.1);
  EXPECT_EQ(json["numbers"][0]["x"], 1.25);
  EXPECT_TRUE(json["numbers"][1]["x"].is_null());
}

TEST(Reproduce, TablesLineUp) {
  std::istringstream in(markdown_of(sample_reproduction()));
  std::size_t width = 0, rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != '|') {
      width = 0;
      continue;
    }
    if (width > 0) {
      EXPECT_EQ(line.size(), width) << line;
    }
    width = line.size();
    ++rows;
  }
  EXPECT_EQ(rows, 8u);
  EXPECT_EQ(csv_of(sample_reproduction().tables[0]), "who,x\n\"me, too\",1.25\nyou,\n");
}

TEST(Reproduce, CsvKeepsQuotationMarksCommasAndLineBreaks) {
  const ColumnTable table{"t",
                          {"who", "say \"x\""},
                          {{"plain", 1.5}, {"a \"b\"", 2.0}, {"c, d", kNoNumber}, {"e\nf", 0.0}}};
  EXPECT_EQ(csv_of(table),
            "who,\"say \"\"x\"\"\"\nplain,1.5\n\"a \"\"b\"\"\",2\n\"c, d\",\n\"e\nf\",0\n");
}

// Samples of 10 to 29 tokens on a grid of pixels, each pixel at most once.
SampleSet grid_samples(std::size_t count) {
  SampleSet e;
  e.first = {0};
  for (std::uint32_t sample = 0; sample < count; ++sample) {
    const std::size_t size = 10 + 7 * sample % 20;
    std::set<std::pair<int, int>> pixels;
    for (std::uint32_t tries = 0; pixels.size() < size; ++tries) {
      const Draw who{3, Stream::position, sample, tries};
      pixels.emplace(8 * who.uniform(0), 8 * who.uniform(1));
    }
    for (const auto& [row, column] : pixels) {
      e.x.push_back(static_cast<float>(column));
      e.y.push_back(static_cast<float>(-row));
    }
    e.first.push_back(e.x.size());
    e.label.push_back(static_cast<int>(sample % 2));
  }
  return e;
}

using Points = std::vector<std::pair<float, float>>;
Points points(const SampleSet& e, std::size_t sample) {
  Points p;
  for (std::size_t i = e.first[sample]; i < e.first[sample + 1]; ++i)
    p.emplace_back(e.x[i], e.y[i]);
  return p;
}

TEST(SampleProbes, AShuffleMovesTokensOnlyWithinTheirFlock) {
  const SampleSet samples = grid_samples(30), mixed = shuffled(samples, 0);
  EXPECT_EQ(mixed.first, samples.first);
  std::size_t moved = 0;
  for (std::size_t sample = 0; sample < 30; ++sample) {
    Points before = points(samples, sample), after = points(mixed, sample);
    moved += before != after ? 1 : 0;
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(before, after);
  }
  EXPECT_GT(moved, 25u);
  EXPECT_EQ(shuffled(samples, 0).x, mixed.x);
  EXPECT_NE(shuffled(samples, 1).x, mixed.x);
}

TEST(SampleProbes, VerdictsAndMarginsAreCompared) {
  const Matrix before{3, 2, {1, 0, 0, 2, 3, 0}}, after{3, 2, {0, 1, 0, 2, 1, 0}};
  const VerdictChange none = verdict_change(before, before, {0, 1, 1});
  EXPECT_EQ(none.changed, 0u);
  EXPECT_EQ(none.margin_shift, 0);
  EXPECT_DOUBLE_EQ(none.margin, 2);
  const VerdictChange some = verdict_change(before, after, {0, 1, 1});
  EXPECT_EQ(some.changed, 1u);
  EXPECT_DOUBLE_EQ(some.share, 1.0 / 3);
  EXPECT_DOUBLE_EQ(some.margin_shift, (2.0 + 0 + 2) / 3);
}

// An rnn without memory knows the last token only.
TEST(SampleProbes, AMessengerWithoutMemoryHearsTheLastToken) {
  TrainedReader reader;
  Rnn& m = reader.rnn.rnn;
  m = {4, 2};
  reader.rnn.parameters = initial_parameters(m, 0);
  for (const TensorPlace& place : layout(m))
    if (place.name == "memory")
      std::fill_n(reader.rnn.parameters.begin() + place.offset, place.size(), 0.0f);
  const SampleSet samples = grid_samples(40);
  const std::vector<double> curve = influence_curve(reader, {samples, 20, 1});
  for (int bin = 0; bin + 1 < kInfluenceBins; ++bin) EXPECT_EQ(curve[bin], 0) << bin;
  EXPECT_GT(curve.back(), 1);
}

// Blocks that do nothing: the readout is the mean of the tokens, each with the same influence.
TrainedSwarm idle_swarm() {
  TrainedSwarm swarm;
  swarm.architecture = {.blocks = 2, .hidden = 3, .interaction = Architecture::none};
  swarm.architecture.targets = spread_targets(2, 3);
  swarm.parameters.assign(parameter_count(swarm.architecture), 0.0f);
  return swarm;
}

TEST(SampleProbes, EveryTokenOfAnIdleSwarmCountsTheSame) {
  const SampleSet samples = grid_samples(40);
  TrainedReader reader;
  reader.swarm = idle_swarm();
  for (std::size_t sample = 0; sample < 40; ++sample)
    for (const double value : reader.influence(samples, sample)) EXPECT_NEAR(value, 1, 1e-12);
}

TEST(SampleProbes, GuestsSitOnFreePixelsBesideTheInk) {
  const SampleSet samples = grid_samples(50);
  const Subset subset{samples, 25, 1};
  const SampleSet more = with_probes(subset, ProbeTokens{});
  ASSERT_EQ(more.samples(), 25u);
  for (std::size_t k = 0; k < 25; ++k) {
    Points hosts = points(samples, subset.sample(k)), all = points(more, k);
    const auto probe = all.back();
    all.pop_back();
    EXPECT_EQ(all, hosts);
    double nearest = 1e9;
    for (const auto& host : hosts)
      nearest = std::min<double>(nearest, std::max(std::fabs(host.first - probe.first),
                                                   std::fabs(host.second - probe.second)));
    EXPECT_NEAR(nearest, 1, 1e-6);
  }
}

//   m' - m = (guest - m) / (n + 1) for the mean of n + 1 points
TEST(SampleProbes, AGuestMovesTheMeanByItsShare) {
  const SampleSet samples = grid_samples(12);
  const Subset subset{samples, 12, 1};
  const SampleSet more = with_probes(subset, ProbeTokens{});
  double shift = 0, spread = 0;
  for (std::size_t k = 0; k < 12; ++k) {
    const Points hosts = points(samples, k);
    const auto n = static_cast<double>(hosts.size());
    double x = 0, y = 0, squares = 0;
    for (const auto& p : hosts) x += p.first / n, y += p.second / n;
    for (const auto& p : hosts) squares += std::pow(p.first - x, 2) + std::pow(p.second - y, 2);
    const auto probe = points(more, k).back();
    shift += std::hypot(probe.first - x, probe.second - y) / (n + 1) / 12;
    spread += std::sqrt(squares / n) / 12;
  }
  const ProbeEffect effect = probe_effect(idle_swarm(), subset, more);
  EXPECT_NEAR(effect.shift, shift, 1e-5);
  EXPECT_NEAR(effect.spread, spread, 1e-5);
}

// A folder of pictures, 12 x 12: class 5 inked at the left, class 6 at the right.
void write_pictures(const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& [name, count] : {std::pair{"train", 120}, std::pair{"test", 40}}) {
    std::vector<std::uint8_t> pixels;
    std::vector<std::int64_t> labels;
    for (int k = 0; k < count; ++k) {
      labels.push_back(5 + k % 2);
      for (int pixel = 0; pixel < 144; ++pixel) {
        const Draw who{7, Stream::position, static_cast<std::uint32_t>(pixel),
                       static_cast<std::uint32_t>(k), name[1] == 'r' ? 0u : 1u};
        const bool left = pixel % 12 < 6;
        pixels.push_back(who.uniform(0) < (left == (k % 2 == 0) ? 0.3 : 0.05) ? 255 : 0);
      }
    }
    write_npy(folder / (std::string(name) + "_images.npy"),
              {{static_cast<std::size_t>(count), 12, 12}, pixels});
    write_npy(folder / (std::string(name) + "_labels.npy"), array_of(labels));
  }
}

struct Shop {
  test::TemporaryDirectory folder{};
  std::atomic<int> signal{0};
  std::vector<std::string> told{};
  ReproductionControl control{};

  Shop() {
    write_pictures(folder / "pictures");
    control.data = folder / "pictures";
    control.threads = 1;
    control.signal = &signal;
    control.tell = [this](const std::string& line) { told.push_back(line); };
  }
  std::string bytes(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

const TrainingSpec kTiny{.blocks = 2, .hidden = 4, .epochs = 3, .batch = 16};

TEST(TrainingCache, WhatNeverChangesAResultIsPassedOver) {
  const std::string a = "# one\nname = \"x\"\nepochs = 3\nthreads = \"1\"\ndata = \"here\"\n";
  EXPECT_TRUE(same_training(a, "name = \"y\"\nepochs = 3\nthreads = \"2\"\ndata = \"there\"\n"));
  EXPECT_FALSE(same_training(a, "name = \"x\"\nepochs = 4\nthreads = \"1\"\ndata = \"here\"\n"));
}

// What is typed and what is said lie at the same place.
TEST(TrainingCache, ASpecIsKeptAsItsWordsWere) {
  Shop shop;
  shop.control.changed = {"rate=1e-2", "hidden=4"};
  const TrainingCache cache(shop.control, shop.folder / "shelf");
  const TrainingSpec spec{.digits = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
                          .blocks = 10,
                          .shared = false,
                          .hidden = 8,
                          .epochs = 30,
                          .shift = 1};
  const std::string data = "data=" + shop.control.data.string();
  EXPECT_EQ(cache.describe(spec).config,
            make_training(gather({{},
                                  {},
                                  {"blocks=10", "shared=false", "digits=0-9", "epochs=30",
                                   "shift=1", "rate=1e-2", "hidden=4", data, "threads=1"}},
                                 training_parameters()))
                .config);
  shop.control.changed = {"hiden=4"};
  EXPECT_THROW(cache.describe(spec), Error);
}

class BothKinds : public ::testing::TestWithParam<TrainingCache::Kind> {};

TEST_P(BothKinds, ATrainingIsDoneOnce) {
  Shop shop;
  TrainingCache cache(shop.control, shop.folder / "shelf");
  const auto first = cache.fetch("row", cache.describe(kTiny), GetParam());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->directory, shop.folder / "shelf/row-e3-s0");
  EXPECT_GT(first->summary.test_accuracy, 0.5);
  const auto written = fs::last_write_time(first->directory / "model.safetensors");
  const auto second = cache.fetch("row", cache.describe(kTiny), GetParam());
  ASSERT_TRUE(second);
  EXPECT_EQ(second->directory, first->directory);
  EXPECT_EQ(second->summary.test_correct, first->summary.test_correct);
  EXPECT_EQ(fs::last_write_time(first->directory / "model.safetensors"), written);
  EXPECT_NE(shop.told.at(1).find("kept from before"), std::string::npos) << shop.told[1];
}

TEST_P(BothKinds, AnotherTrainingGetsAnotherPlace) {
  Shop shop;
  TrainingCache cache(shop.control, shop.folder / "shelf");
  ASSERT_TRUE(cache.fetch("row", cache.describe(kTiny), GetParam()));
  TrainingSpec other = kTiny;
  other.rate = 0.02;
  const auto fetched = cache.fetch("row", cache.describe(other), GetParam());
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->directory.filename(), "row-e3-s0-2");
}

TEST_P(BothKinds, AnInterruptedTrainingGoesOnToTheSameBits) {
  Shop shop;
  TrainingCache cache(shop.control, shop.folder / "shelf");
  TrainingSpec longer = kTiny;
  longer.epochs = 100;
  const Training training = cache.describe(longer);
  const auto whole = cache.fetch("whole", training, GetParam());
  ASSERT_TRUE(whole);
  std::optional<StoredTraining> struck;
  int strikes = -1;
  for (; !struck && strikes < 1000; ++strikes) {
    shop.signal = 0;
    std::thread striker([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(6 + strikes));
      shop.signal = 2;
    });
    struck = cache.fetch("struck", training, GetParam());
    striker.join();
  }
  ASSERT_TRUE(struck);
  EXPECT_GT(strikes, 0);
  EXPECT_EQ(struck->directory.filename(), "struck-e100-s0");
  EXPECT_EQ(shop.bytes(struck->directory / "model.safetensors"),
            shop.bytes(whole->directory / "model.safetensors"));
}

INSTANTIATE_TEST_SUITE_P(TrainingCache, BothKinds,
                         ::testing::Values(TrainingCache::Kind::swarm, TrainingCache::Kind::rnn),
                         [](const auto& info) {
                           return info.param == TrainingCache::Kind::swarm ? "swarm" : "messenger";
                         });

TEST(TrainingCache, AMessengerReadsBackAsItWasKept) {
  Shop shop;
  TrainingCache cache(shop.control, shop.folder / "shelf");
  const Training training = cache.describe(kTiny);
  const auto kept = cache.fetch("messenger", training, TrainingCache::Kind::rnn);
  ASSERT_TRUE(kept);
  TrainedReader reader;
  reader.rnn = read_trained_rnn(kept->directory);
  EXPECT_EQ(reader.rnn.parameters.size(), kept->summary.parameters);
  const SampleSet& test = cache.data_for(training).test;
  const Matrix logits = reader.logits(test, 1);
  std::size_t correct = 0;
  for (int sample = 0; sample < logits.rows; ++sample)
    correct += (logits(sample, 1) > logits(sample, 0)) == (test.label[sample] == 1) ? 1 : 0;
  EXPECT_EQ(correct, kept->summary.test_correct);
}

}  // namespace
}  // namespace murmur::testing
