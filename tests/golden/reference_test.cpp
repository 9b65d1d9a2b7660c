// reference_test.cpp: the reference engine gives these very bits, on every compiler and machine.
#include <gtest/gtest.h>

#include <cstring>

#include "murmur/experiment.h"
#include "support.h"

namespace murmur::testing {
namespace {

// FNV-1a over the bytes of every frame's coordinates.
std::uint64_t hash_of(const Simulated& trajectory) {
  std::uint64_t hash = 14695981039346656037u;
  for (const HostSwarm& frame : trajectory.frames)
    for (const double value : to_rows(frame)) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      for (int byte = 0; byte < 8; ++byte)
        hash = (hash ^ (bits >> 8 * byte & 0xff)) * 1099511628211u;
    }
  return hash;
}

struct Golden {
  const char* words;
  std::uint64_t hash;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.words; }

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

class Reference : public ::testing::TestWithParam<Golden> {};

TEST_P(Reference, GivesTheseBits) {
  const Golden golden = GetParam();
  const Experiment e = make_experiment(gather({"", {}, split_words(golden.words)}));
  const Simulated trajectory = simulated_by(e.dynamics, e.swarm, {e.flow, e.random}, e.schedule);
  ASSERT_TRUE(trajectory.outcome.ok());
  EXPECT_EQ(hash_of(trajectory), golden.hash) << std::hex << "0x" << hash_of(trajectory);
}

INSTANTIATE_TEST_SUITE_P(
    Golden, Reference,
    ::testing::Values(
        Golden{"n=32 d=3 beta=4 T=5", 0x404011915c44579f},
        Golden{"n=32 d=2 beta=9 T=1000 rtol=1e-8 atol=1e-8 merge=1e-6 save=log:50",
               0x090bedcdd860b90b},
        Golden{"n=16 d=5 dynamics=USA beta=2 method=rk4 dt=0.05 T=1", 0x0e1a025740a3abe6},
        Golden{
            "n=24 dynamics=causal query=gaussian key=gaussian value=goe heads=2 method=layers T=4",
            0x376b0cad68c4d006},
        Golden{"n=12 perceptron=gaussian:9 activation=gelu method=euler T=2", 0x54a7bb3fbd1619dd},
        Golden{"n=12 perceptron=gaussian:9 activation=tanh habitat=space init=box:2 T=1",
               0xac58bd0a3b811a76}));

}  // namespace
}  // namespace murmur::testing
