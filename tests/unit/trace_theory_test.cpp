// trace_theory_test.cpp: transformers with a part left out, what theory says of a V, and places on
// the phase diagram.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/model_folder.h"
#include "trace/heads.h"
#include "trace/layers.h"
#include "trace/parts.h"
#include "trace/phase.h"

namespace murmur::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kFamilies = fs::path(__FILE__).parent_path().parent_path() / "fixtures/families";
const std::vector<std::int64_t> kIds{5, 17, 3, 42, 8, 8, 61};

TracedText traced(const Model& model) { return trace_prompt(*model, nullptr, {.ids = kIds}, {}); }

TEST(Passes, WithoutAttentionHearNobody) {
  for (const char* family : {"bert", "gpt2", "gemma2"}) {
    const Model model = read_model(kFamilies / family);
    const Trace trace = model->pass(kIds, {.attention = false});
    EXPECT_EQ(trace.between[0], trace.before[0]) << family;
    // A token's end depends on itself and its place alone.
    std::vector<std::int64_t> other = kIds;
    other[2] = 11;
    const Trace changed = model->pass(other, {.attention = false});
    const auto d = static_cast<std::size_t>(trace.d);
    const std::vector<float>&a = trace.after.back(), &b = changed.after.back();
    EXPECT_TRUE(std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(2 * d), b.begin()));
    EXPECT_FALSE(std::equal(a.begin(), a.end(), b.begin())) << family;
    EXPECT_EQ(trace.attention[0], model->pass(kIds).attention[0]) << family;  // it is told
  }
}

// Post-norm models read the embedding as it is; the others read it without their first norm.
TEST(Passes, WithoutNormsAddWhatThePartsGive) {
  for (const char* family : {"bert", "gpt2", "gemma2"}) {
    const Model model = read_model(kFamilies / family);
    const Trace bare = model->pass(kIds, {.norms = false}), whole = model->pass(kIds);
    EXPECT_EQ(bare.before[0], whole.before[0]) << family;
    EXPECT_NE(bare.between[0], whole.between[0]) << family;
    const Trace alone = model->pass(kIds, {.feed_forward = false, .norms = false});
    EXPECT_EQ(alone.between[0], bare.between[0]) << family;
    EXPECT_EQ(bare.attention[0] == whole.attention[0], std::string(family) == "bert") << family;
  }
}

TEST(Parts, LeftOutTellHowTokensGather) {
  const Model model = read_model(kFamilies / "bert");
  const TracedText text = traced(model);
  const std::vector<PartReading> parts = without_parts(*model, {&text, 1}, {});
  ASSERT_EQ(parts.size(), 4u);
  const auto last = layer_readings(text, 1).back();
  EXPECT_EQ(parts[0].part, "none");
  EXPECT_NEAR(parts[0].mean_cos.back(), last.mean_cos, 1e-12);
  EXPECT_NEAR(parts[0].clusters.back(), last.clusters, 1e-12);
  EXPECT_EQ(parts[1].part, "attention");
  TracedText deaf = text;
  deaf.trace = model->pass(kIds, {.attention = false});
  EXPECT_NEAR(parts[1].mean_cos.back(), layer_readings(deaf, 1).back().mean_cos, 1e-12);
  for (const PartReading& part : parts) {
    EXPECT_EQ(part.mean_cos.size(), 4u);
    EXPECT_EQ(part.mean_cos[0], parts[0].mean_cos[0]);
  }
  EXPECT_NE(parts[2].mean_cos.back(), parts[0].mean_cos.back());
  EXPECT_NE(parts[3].mean_cos.back(), parts[0].mean_cos.back());
}

// A state that leaves the numbers ends its curve, and not the command.
TEST(Parts, EndWhereAStateHasNoDirection) {
  const Model model = read_model(kFamilies / "gpt2");
  const TracedText text = traced(model);
  const std::vector<PartReading> parts =
      without_parts(*model, {&text, 1}, {.repeat = 400, .norms = true});
  const std::vector<double>& bare = parts[3].mean_cos;
  EXPECT_TRUE(std::isfinite(bare.front()));
  EXPECT_TRUE(std::isnan(bare.back()));
  EXPECT_TRUE(std::isfinite(parts[0].mean_cos.back()));
}

std::string said_of(const std::vector<double>& v, double heard) {
  const auto d = static_cast<int>(std::lround(std::sqrt(static_cast<double>(v.size()))));
  std::vector<double> one(v.size());
  for (std::size_t i = 0; i < one.size(); i += static_cast<std::size_t>(d) + 1) one[i] = 1;
  const MapReading ov = map_reading(one, v, d, d);
  LeadingValue leading{ov.spectrum[0].real(), ov.spectrum[0].imag()};
  leading.next = std::abs(ov.spectrum[1]) / std::abs(ov.spectrum[0]);
  leading.heard = heard;
  return theory_of(leading, ov);
}

// The verdicts of theory on V: the hypotheses of each theorem, met and missed.
TEST(Maps, HaveTheirTheorems) {
  EXPECT_EQ(said_of({0.3, 0, 0, 0.3}, 1), "gathers");
  EXPECT_EQ(said_of({0.3, 0, 0, 0.3}, -1), "gathers");  // whatever Q and K are
  EXPECT_EQ(said_of({-2, 0, 0, -2}, 1), "repels");
  EXPECT_EQ(said_of({0, -1, 1, 0}, NAN), "turns");
  EXPECT_EQ(said_of({-0.5, 0, 0, 2}, 0.3), "hyperplanes");
  EXPECT_EQ(said_of({-0.5, 0, 0, 2}, -0.3), "open");
  EXPECT_EQ(said_of({-0.5, 0, 0, 2}, 0), "open");
  EXPECT_EQ(said_of({-0.5, 0, 0, 2}, NAN), "open");  // Q phi = 0
  EXPECT_EQ(theory_of({}, {}), "");
}

// Symmetric and positive is not c I, and a negative leading eigenvalue is not -c I.
TEST(Maps, HaveNoTheoremOfWhatIsAlike) {
  EXPECT_EQ(said_of({4, 0, 0, 1}, 1), "hyperplanes");
  EXPECT_EQ(said_of({4, 0, 0, 1}, -1), "open");
  EXPECT_EQ(said_of({0.64709742, 0.81911926, 0.61210449, 0.63263484}, 1),
            "hyperplanes");  // of the figures of 2305.05465
  EXPECT_EQ(said_of({-2, 0, 0, 0, 1, 0, 0, 0, 1}, 1), "open");
  EXPECT_EQ(said_of({-2, 0, 0, -1}, 1), "open");
  EXPECT_EQ(said_of({1, 0, 0, 0, 1, 0, 0, 0, 0}, 1), "open");  // not simple
  EXPECT_EQ(said_of({1, 0, 0, -1}, 1), "open");                // not alone
  EXPECT_EQ(said_of({1, 1, 0, 1}, 1), "open");                 // a Jordan block
  EXPECT_EQ(said_of({0, 1, 0, 0}, 1), "open");                 // nilpotent
  // A double eigenvalue that single precision has split, into two or into a pair.
  EXPECT_EQ(said_of({2, 0, 0, 0, 2 - 1e-6, 0, 0, 0, 0.5}, 1), "open");
  EXPECT_EQ(said_of({2, 1e-6, 0, -1e-6, 2, 0, 0, 0, 0.5}, 1), "open");
}

TEST(Maps, HaveTheirLargestEigenvalueFirst) {
  const std::vector<double> one{1, 0, 0, 1}, stretched{1, 0, 0, 4}, mixed{-0.5, 0, 0, 2};
  std::vector<double> phi;
  const MapReading hyper = map_reading(mixed, one, 2, 2, &phi);
  ASSERT_EQ(phi.size(), 2u);  // of the eigenvalue 2
  EXPECT_NEAR(phi[0], 0, 1e-12);
  EXPECT_GT(std::abs(phi[1]), 0.1);
  EXPECT_NEAR(hyper.spectrum[1].real(), -0.5, 1e-12);
  EXPECT_NEAR(hyper.identity, 1.5 / std::sqrt(2 * 4.25), 1e-12);
  const MapReading tall = map_reading(stretched, one, 2, 2);
  EXPECT_NEAR(tall.spectrum[0].real(), 4, 1e-12);
}

TEST(Phase, IsReadBetweenItsPoints) {
  const PhaseDiagram diagram{
      .n = 2, .d = 3, .beta = {0, 2}, .t = {0, 1, 2}, .mean_cos = {0, 0.5, 1, 0, 0.25, 0.5}};
  EXPECT_NEAR(diagram.at(0, 1.5), 0.75, 1e-12);
  EXPECT_NEAR(diagram.at(1, 1), 0.375, 1e-12);
  EXPECT_NEAR(diagram.at(9, 9), 0.5, 1e-12);  // held at its ends
  EXPECT_NEAR(diagram.time_of(0, 0.25), 0.5, 1e-12);
  EXPECT_NEAR(diagram.time_of(2, 0.4), 1.6, 1e-12);
  EXPECT_TRUE(std::isnan(diagram.time_of(2, 0.6)));
  EXPECT_EQ(diagram.time_of(2, -0.1), 0);
}

}  // namespace
}  // namespace murmur::testing
