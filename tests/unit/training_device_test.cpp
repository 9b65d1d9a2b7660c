// training_device_test.cpp: where a training computes: read, kept, told apart from what it learns.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "murmur/error.h"
#include "murmur/training.h"
#include "reproduce/training_cache.h"

namespace murmur {
namespace {

Training described(const std::vector<std::string>& assignments) {
  return make_training(gather({{}, {}, assignments}, training_parameters()));
}

TEST(TrainingDevice, IsReadAndKept) {
  EXPECT_EQ(described({}).device, Training::cpu);
  EXPECT_NE(described({}).config.find("device = \"cpu\""), std::string::npos);
  const Training t = described({"device=cuda", "d=100"});
  EXPECT_EQ(t.device, Training::cuda);
  EXPECT_NE(t.config.find("device = \"cuda\""), std::string::npos);
  EXPECT_EQ(contents_of(t, {}).engine, "adjoint cuda f32");
  EXPECT_EQ(contents_of(described({}), {}).engine, "adjoint f32");
}

TEST(TrainingDevice, RefusesWhatItCannotDo) {
  EXPECT_THROW(described({"device=gpu"}), Error);
  EXPECT_THROW(described({"device=cuda", "dropout=0.1"}), Error);
  EXPECT_NO_THROW(described({"device=cuda", "dropout=0"}));
}

TEST(TrainingDevice, OneTrainingOnEitherDeviceIsTheSameOnAShelf) {
  EXPECT_TRUE(same_training(described({"device=cuda"}).config, described({}).config));
  EXPECT_FALSE(same_training(described({"device=cuda", "d=4"}).config, described({}).config));
}

// Either the swarm learns there, or the refusal says what is missing.
TEST(TrainingDevice, IsThereOrRefused) {
  EXPECT_NE(adjoint_for(described({})), nullptr);
  try {
    EXPECT_NE(adjoint_for(described({"device=cuda"})), nullptr);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::tool);
    EXPECT_NE(error.remedy.find("device=cpu"), std::string::npos);
  }
}

}  // namespace
}  // namespace murmur
