// learn_torch_test.cpp: losses, gradients and updates against those of torch, kept in a fixture.
#include <gtest/gtest.h>

#include <filesystem>

#include "learn_samples.h"
#include "run/formats.h"

namespace murmur::testing {
namespace {

// One case of tests/fixtures/torch_step.py.
struct Case {
  std::string name{};
  Architecture architecture{};
  Record tensors{};

  const Array& array(const std::string& key) const { return tensors.at(name + "." + key); }
  std::vector<double> doubles(const std::string& key) const { return array(key).doubles(); }
  std::vector<float> floats(const std::string& key) const {
    return std::get<std::vector<float>>(array(key).values);
  }
};

Case read_case(const std::string& name, Architecture architecture) {
  const auto file = std::filesystem::path(__FILE__).parent_path().parent_path() / "fixtures" /
                    "torch_step.safetensors";
  Case c{name, std::move(architecture), read_safetensors(file).tensors};
  const Array& targets = c.array("targets");
  c.architecture.targets = {static_cast<int>(targets.shape[0]), static_cast<int>(targets.shape[1]),
                            targets.doubles()};
  check(c.architecture);
  return c;
}

std::vector<Case> cases() {
  return {read_case("shared", {.d = 3, .blocks = 3, .hidden = 16}),
          read_case("free", {.d = 6, .blocks = 2, .shared = false, .hidden = 8, .heads = 3})};
}

// The points of a case as an ensemble; spans of `batch` live as long as this does.
struct Points {
  std::vector<float> x, y;
  std::vector<std::size_t> first{0}, chosen{};
  std::vector<int> label{};

  explicit Points(const Case& c) : x(c.floats("x")), y(c.floats("y")) {
    for (const double size : c.doubles("sizes")) {
      chosen.push_back(chosen.size());
      first.push_back(first.back() + static_cast<std::size_t>(size));
    }
    for (const double of : c.doubles("label")) label.push_back(static_cast<int>(of));
  }
  Batch batch() const { return {.x = x, .y = y, .first = first, .label = label, .chosen = chosen}; }
};

struct Named {
  const char* name;
  Objective objective;
};
const Named kObjectives[] = {{"target", {.loss = Objective::target}},
                             {"padded", {.loss = Objective::target, .padded = true}},
                             {"cross_entropy", {}},
                             {"smoothed", {.smoothing = 0.1}}};

// Tensor by tensor; a tensor without gradient (key_bias) is held to the whole gradient's length.
template <class T>
void expect_close(const Case& c, const std::vector<T>& got, const std::string& key, double close) {
  const std::vector<double> wanted = c.doubles(key);
  ASSERT_EQ(got.size(), wanted.size());
  for (const TensorPlace& place : layout(c.architecture)) {
    std::vector<double> apart;
    for (std::size_t e = place.offset; e < place.offset + place.size(); ++e)
      apart.push_back(static_cast<double>(got[e]) - wanted[e]);
    EXPECT_LE(norm(apart, 0, apart.size()), close * (norm(wanted, place.offset, place.size()) +
                                                     1e-3 * norm(wanted, 0, wanted.size())))
        << c.name << " " << key << " " << place.name;
  }
}

TEST(Torch, ReferenceFindsTheSameGradients) {
  for (const Case& c : cases()) {
    const Points points(c);
    const std::vector<double> parameters = c.doubles("parameters");
    for (const auto& [name, objective] : kObjectives) {
      std::vector<double> gradient(parameters.size());
      const BatchResult result =
          reference_backward(c.architecture, parameters, points.batch(), objective, gradient);
      const double loss = c.doubles(std::string(name) + ".loss")[0];
      EXPECT_NEAR(result.loss, loss, 1e-6 * loss) << c.name << " " << name;
      expect_close(c, gradient, std::string(name) + ".gradient", 1e-6);
    }
  }
}

TEST(Torch, AdjointFindsTheSameGradients) {
  for (const Case& c : cases()) {
    const Points points(c);
    const std::vector<float> parameters = c.floats("parameters");
    const auto adjoint = make_adjoint(c.architecture, 2);
    for (const auto& [name, objective] : kObjectives) {
      std::vector<float> gradient(parameters.size());
      const BatchResult result = adjoint->backward(parameters, points.batch(), objective, gradient);
      const double loss = c.doubles(std::string(name) + ".loss")[0];
      EXPECT_NEAR(result.loss, loss, 1e-4 * loss) << c.name << " " << name;
      expect_close(c, gradient, std::string(name) + ".gradient", 1e-4);
    }
  }
}

TEST(Torch, OptimiserMakesTheSameUpdates) {
  for (const Case& c : cases())
    for (const double decay : {0.0, 0.1}) {
      std::vector<float> parameters = c.floats("parameters");
      Optimiser optimiser{.rate = 0.01, .decay = decay};
      for (const auto& [name, objective] : kObjectives) {
        const std::vector<double> kept = c.doubles(std::string(name) + ".gradient");
        optimiser.update(parameters, std::vector<float>(kept.begin(), kept.end()));
      }
      expect_close(c, parameters, decay > 0 ? "adamw" : "adam", 1e-6);
      EXPECT_GT(std::abs(parameters[0] - c.floats("parameters")[0]), 1e-3);
    }
}

}  // namespace
}  // namespace murmur::testing
