// names_test.cpp: words beside moving dots: they never meet, and stand still beside their own.
#include "picture/names.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "murmur/random.h"

namespace murmur::picture {
namespace {

constexpr int kInstants = 120, kNames = 14;

bool meet(const Frame& a, const Frame& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

NamePlan plan_of(int names) {
  NamePlan plan{.size = 14, .area = {0, 0, 640, 480}, .kept_free = {{0, 0, 200, 100}}, .fade = 8};
  for (int k = 0; k < names; ++k) plan.widths.push_back(30 + 7 * (k % 5));
  return plan;
}

// Dots that drift from all over the picture into one place, as tokens do.
std::vector<std::vector<NamedDot>> gathering(int names) {
  std::vector<std::vector<NamedDot>> dots(kInstants);
  for (int t = 0; t < kInstants; ++t)
    for (int k = 0; k < names; ++k) {
      const Draw draw{.seed = 3, .stream = Stream::samples, .particle = static_cast<unsigned>(k)};
      const double share = 0.85 * t / (kInstants - 1.0);
      const double x = 60 + 520 * draw.uniform(0), y = 120 + 300 * draw.uniform(1);
      dots[static_cast<std::size_t>(t)].push_back(
          {x + share * (320 - x), y + share * (240 - y), 6, true});
    }
  return dots;
}

TEST(Names, NeverMeetAndStayWithinThePicture) {
  const NamePlan plan = plan_of(kNames);
  const auto dots = gathering(kNames);
  const auto shown = plan_names(plan, dots);
  ASSERT_EQ(shown.size(), dots.size());
  std::size_t all = 0;
  for (const auto& names : shown) {
    all += names.size();
    for (std::size_t a = 0; a < names.size(); ++a) {
      const Frame box = box_of(plan, names[a]);
      EXPECT_GE(box.x, 0);
      EXPECT_LE(box.x + box.width, 640);
      EXPECT_FALSE(meet(box, plan.kept_free[0]));
      for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(meet(box, box_of(plan, names[b])));
    }
  }
  EXPECT_GT(all, 0.9 * kInstants * kNames);  // nearly all show nearly always
}

TEST(Names, StandStillBesideTheirDotsAndNeverSlide) {
  const NamePlan plan = plan_of(kNames);
  const auto dots = gathering(kNames);
  const auto shown = plan_names(plan, dots);
  int moves = 0;
  for (std::size_t t = 1; t < shown.size(); ++t)
    for (const PlacedName& now : shown[t])
      for (const PlacedName& then : shown[t - 1]) {
        if (now.name != then.name) continue;
        const auto k = static_cast<std::size_t>(now.name);
        const double dx = (now.x - dots[t][k].x) - (then.x - dots[t - 1][k].x);
        const double dy = (now.y - dots[t][k].y) - (then.y - dots[t - 1][k].y);
        if (std::hypot(dx, dy) < 1e-9) continue;
        ++moves;  // to another place: it has gone, and comes
        EXPECT_LE(now.alpha, 1.0 / plan.fade + 1e-12);
        EXPECT_LE(then.alpha, 1.0 / plan.fade + 1e-12);
      }
  EXPECT_LE(moves, 2 * kNames);  // of 120 instants: a place holds for a second and more
}

TEST(Names, OfDotsApartStandRightBesideThem) {
  const NamePlan plan = plan_of(2);
  const std::vector<std::vector<NamedDot>> dots(3, {{300, 200, 6, true}, {300, 400, 6, true}});
  for (const auto& names : plan_names(plan, dots)) {
    ASSERT_EQ(names.size(), 2u);
    for (const PlacedName& at : names) {
      EXPECT_FALSE(at.far);
      EXPECT_EQ(at.alpha, 1);
    }
  }
}

TEST(Names, OfDotsThatAreNowhereDoNotShow) {
  const NamePlan plan = plan_of(1);
  const auto shown = plan_names(plan, {{{0, 0, 6, false}}, {{-500, 40, 6, true}}});
  EXPECT_TRUE(shown[0].empty());
  EXPECT_TRUE(shown[1].empty());
}

}  // namespace
}  // namespace murmur::picture
