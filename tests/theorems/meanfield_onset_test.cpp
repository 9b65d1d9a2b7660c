// meanfield_onset_test.cpp: where order sets in, read off the Fokker-Planck flow alone.
#include <gtest/gtest.h>

#include <cmath>

#include "murmur/meanfield.h"
#include "murmur/theory.h"

namespace murmur {
namespace {

// d/dt ln a_1 of a small wave, by the flow.
double rate_of(const MeanField& field) {
  Measure start;
  start.waves = {{1, 1e-5}};
  const MeanFieldMethod method{.modes = field.d == 2 ? 48 : 16};
  const auto trajectory = carry(field, start, method, {.schedule = {.T = 0.5}});
  EXPECT_TRUE(trajectory.outcome.ok()) << trajectory.outcome.what;
  const auto &first = trajectory.steps.front(), &last = trajectory.steps.back();
  return std::log(last.amplitude[1] / first.amplitude[1]) / (last.t - first.t);
}

// The noise at which the rates' straight lines between neighbours cross zero; 0: nowhere.
double balance(const MeanField& field, const std::vector<double>& noises) {
  double before = 0, rate = 0;
  for (std::size_t i = 0; i < noises.size(); ++i) {
    MeanField noisy = field;
    noisy.noise = noises[i];
    rate = rate_of(noisy);
    if (i > 0 && before > 0 && rate <= 0)
      return noises[i] - (noises[i] - noises[i - 1]) * rate / (rate - before);
    before = rate;
  }
  return 0;
}

TEST(MeanFieldOnset, IsWhereTheFlowNeitherLiftsNorDampsTheFirstMode) {
  struct Case {
    int d;
    double beta;
    std::vector<double> noises;
  };
  for (const auto& [d, beta, noises] : {Case{2, 1, {0.3, 0.5, 0.7}},
                                        {2, 4, {1.5, 2.2, 2.9}},
                                        {3, 1, {0.2, 0.3, 0.4, 0.5}},
                                        {3, 3, {0.5, 0.7, 0.9, 1.1}},
                                        {4, 1, {0.2, 0.27, 0.35}},
                                        {8, 2, {0.1, 0.15, 0.2}},
                                        {64, 2, {0.012, 0.016, 0.02}}}) {
    const double noise =
        balance({.d = d, .beta = beta, .weighting = Attention::unnormalised}, noises);
    ASSERT_GT(noise, 0) << d << " " << beta;
    const double critical = 1 / noise;
    EXPECT_NEAR(theory::noise_threshold(d, beta) / critical, 1, 0.01) << d << " " << beta;
    const Bifurcation b =
        bifurcation({d, beta}, {.from = 0.5 * critical, .to = 1.5 * critical, .points = 3});
    EXPECT_NEAR(b.onset / critical, 1, 0.01) << d << " " << beta;
  }
}

}  // namespace
}  // namespace murmur
