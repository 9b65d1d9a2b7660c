// landscape_scan_test.cpp: best measures against beta, and the pictures of measures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "murmur/error.h"
#include "murmur/landscape.h"
#include "picture/figure.h"

namespace murmur {
namespace {

// One unit that attracts towards a on the circle: V = -(a . x)_+^2 / 2 under descent.
Landscape one_unit() {
  Landscape l{.d = 2, .kernel = Landscape::scaled, .direction = Landscape::descent};
  l.a = zeros(1, 2);
  l.a(0, 0) = 1;
  l.omega = {-1};
  return l;
}

TEST(LandscapeScan, FindsWhatBestMeasureFindsAtEachBeta) {
  const SearchSettings settings{.masses = Masses::free, .n = 32};
  const double betas[] = {0.1, 2, 6};
  std::set<int> told;
  SearchWatch<CriticalPoint> watch;
  watch.ended = [&](int k, const CriticalPoint& best) {
    EXPECT_TRUE(told.insert(k).second);
    EXPECT_GT(best.mu.count(), 0);
  };
  const std::vector<ScanPoint> scan = scan_beta(one_unit(), betas, settings, watch).value();
  ASSERT_EQ(scan.size(), 3u);
  EXPECT_EQ(told, (std::set<int>{0, 1, 2}));
  for (int k = 0; k < 3; ++k) {
    Landscape l = one_unit();
    l.beta = betas[k];
    const CriticalPoint best = best_measure(l, settings);
    EXPECT_EQ(scan[k].beta, betas[k]);
    EXPECT_EQ(scan[k].best.mu.x, best.mu.x);
    EXPECT_EQ(scan[k].best.mu.mass, best.mu.mass);
    EXPECT_EQ(scan[k].best.energy, best.energy);
    EXPECT_EQ(scan[k].scale, energy_scale(l));
    EXPECT_TRUE(scan[k].best.certificate.holds);
    EXPECT_GE(scan[k].active_mass, scan[k].where.heaviest);
    EXPECT_EQ(scan[k].active_mass, scan[k].all_active_mass);  // there is one unit
  }
}

TEST(LandscapeScan, WhatIsKnownIsNotLookedForAgainAndAStopIsHeard) {
  const SearchSettings settings{.masses = Masses::free, .n = 32, .threads = 1};
  const double betas[] = {0.1, 2, 6};
  const std::vector<ScanPoint> whole = scan_beta(one_unit(), betas, settings);
  SearchWatch<CriticalPoint> watch;
  std::vector<std::optional<CriticalPoint>> known(3);
  bool stop = false;
  watch.stop = [&] { return stop; };
  watch.ended = [&](int k, const CriticalPoint& best) {
    known[k] = best;
    stop = true;
  };
  EXPECT_FALSE(scan_beta(one_unit(), betas, settings, watch));
  EXPECT_EQ(std::count_if(known.begin(), known.end(), [](const auto& p) { return p; }), 1);
  watch.known = known;
  int ended = 0;
  watch.ended = [&](int, const CriticalPoint&) { ++ended; };
  stop = false;
  const auto scan = scan_beta(one_unit(), betas, settings, watch);
  ASSERT_TRUE(scan);
  EXPECT_EQ(ended, 2);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ((*scan)[k].best.mu.x, whole[k].best.mu.x);
    EXPECT_EQ((*scan)[k].best.energy, whole[k].best.energy);
    EXPECT_EQ((*scan)[k].angle, whole[k].angle);
  }
}

// V is least at the unit's axis and nowhere else.
TEST(LandscapeScan, TheAngleIsMeasuredFromTheUnitsAxis) {
  const double betas[] = {0.5, 3};
  for (const ScanPoint& p : scan_beta(one_unit(), betas, {.masses = Masses::free, .n = 32})) {
    double mean = 0;
    for (int i = 0; i < p.best.mu.count(); ++i)
      mean += p.best.mu.mass[i] * std::fabs(std::atan2(p.best.mu.x(i, 1), p.best.mu.x(i, 0)));
    ASSERT_EQ(p.where.extrema.size(), 1u);
    EXPECT_NEAR(p.angle, mean, 1e-9);
  }
}

TEST(LandscapeScan, WithoutUnitsThereIsNothingToBeNear) {
  const double betas[] = {1, 2};
  for (const ScanPoint& p : scan_beta({.d = 3}, betas, {.masses = Masses::free, .n = 8})) {
    EXPECT_EQ(p.best.mu.count(), 1);
    EXPECT_TRUE(std::isnan(p.angle) && std::isnan(p.active_mass) && std::isnan(p.where.arc_mass));
  }
}

TEST(LandscapeScan, EqualMassesAreRefused) {
  const double betas[] = {1};
  EXPECT_THROW(scan_beta(one_unit(), betas, {.masses = Masses::equal}), Error);
}

TEST(Landscape, FirstVariationsAreThoseOfOnePointEach) {
  const Landscape l = one_unit();
  const Atoms mu{.x = {2, 2, {1, 0, 0, 1}}, .mass = {0.25, 0.75}};
  const Matrix x{3, 2, {0.6, 0.8, -1, 0, 0, -1}};
  const Vector f = first_variations(l, mu, x);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f[i], first_variation(l, mu, std::span(&x.data[2 * i], 2)));
  EXPECT_THROW(first_variations(l, mu, zeros(1, 3)), Error);
}

class Portraits : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }
  static Figure figure_of(int d) {
    Portrait p{.atoms = zeros(1, d), .mass = {1}};
    p.atoms(0, d - 1) = 1;
    p.value = [](const Matrix& x) {
      Vector f;
      for (int i = 0; i < x.rows; ++i) f.push_back(x(i, 0));
      return f;
    };
    return {.layout = Figure::portraits,
            .panels = {{.title = "one", .portrait = p}},
            .value_name = "F"};
  }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  (std::string("murmur-portraits-") +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Portraits, AreDrawnInEveryFormatAndLook) {
  std::filesystem::create_directories(folder_);
  for (const int d : {2, 3})
    for (const FigureStyle style : {FigureStyle::paper, FigureStyle::slides, FigureStyle::dark})
      for (const char* name : {"a.svg", "a.png", "a.pdf"}) {
        Figure figure = figure_of(d);
        figure.style = style;
        draw(figure, folder_ / name);
        EXPECT_GT(std::filesystem::file_size(folder_ / name), 1000u) << name;
      }
}

TEST_F(Portraits, PartsThatDoNotFitAreRefusedAndLeaveNoFile) {
  std::filesystem::create_directories(folder_);
  Figure four = figure_of(4), masses = figure_of(2), units = figure_of(2);
  masses.panels[0].portrait.mass = {0.5, 0.5};
  units.panels[0].portrait.units = zeros(1, 2);
  for (const Figure& figure : {Figure{.layout = Figure::portraits}, four, masses, units})
    EXPECT_THROW(draw(figure, folder_ / "a.svg"), Error);
  EXPECT_THROW(draw(figure_of(2), folder_ / "a.gif"), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace murmur
