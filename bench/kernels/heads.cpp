// heads.cpp: what several heads of attention cost beside one, trained and simulated, turn by turn.
//
// usage: bench_heads [TURNS]     prints tables; the best of all turns counts.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "kernels/drawn.h"
#include "murmur/engine.h"
#include "murmur/learn.h"
#include "murmur/random.h"
#include "peers/processor_time.h"

namespace {

using namespace murmur;
using bench::drawn;

constexpr int kTokens = 98;  // of a sample: what a handwritten digit has
constexpr int kSamples = 8;

struct Samples {
  std::vector<float> x{}, y{};
  std::vector<std::size_t> first{0}, chosen{};
  std::vector<int> label{};
  Samples() {
    for (int s = 0; s < kSamples; ++s) {
      for (int i = 0; i < kTokens; ++i) {
        const Draw draw{3, Stream::position, static_cast<std::uint32_t>(s * kTokens + i)};
        x.push_back(static_cast<float>(20 * draw.uniform(0) - 10));
        y.push_back(static_cast<float>(20 * draw.uniform(1) - 10));
      }
      first.push_back(x.size());
      chosen.push_back(static_cast<std::size_t>(s));
      label.push_back(s % 2);
    }
  }
  Batch batch() const { return {x, y, first, label, chosen, {}, 0, 0}; }
};

struct Contender {
  int heads = 1;
  std::function<void()> work{};
  double best = 1e300;  // seconds
};

// Every contender in every turn, so that what else the machine does meets them all.
void race(std::vector<Contender>& all, int turns) {
  for (int turn = 0; turn <= turns; ++turn)
    for (Contender& c : all) {
      const double start = processor_seconds();
      c.work();
      const double took = processor_seconds() - start;
      if (turn > 0) c.best = std::min(c.best, took);
    }
}

// limit(H): the most that H heads may cost beside one.
void table(const std::string& title, std::vector<Contender>& all, int turns,
           const std::function<double(int)>& limit, double unit) {
  race(all, turns);
  fmt::print("\n{}\n\n| heads | microseconds | beside one head | at most |\n|---|---|---|---|\n",
             title);
  for (const Contender& c : all)
    fmt::print("| {} | {:.1f} | {:.2f} | {:.2f} |\n", c.heads, 1e6 * c.best / unit,
               c.best / all[0].best, limit(c.heads));
}

struct Student {
  Architecture architecture{};
  std::unique_ptr<Adjoint> adjoint{};
  std::vector<float> parameters{}, gradient{};
};

void training(const std::string& title, Architecture a, const std::vector<std::pair<int, int>>& of,
              int turns, const std::function<double(int)>& limit) {
  a.targets = spread_targets(2, a.d);
  const Samples samples;
  std::vector<Student> students;
  for (const auto& [heads, wide] : of) {
    a.heads = heads, a.head_width = wide;
    Student s{a, make_adjoint(a, 1), initial_parameters(a, 1), {}};
    s.gradient.resize(s.parameters.size());
    students.push_back(std::move(s));
  }
  std::vector<Contender> all;
  for (Student& s : students)
    all.push_back({s.architecture.heads,
                   [&] { s.adjoint->backward(s.parameters, samples.batch(), {}, s.gradient); }});
  table(title, all, turns, limit, kSamples);
}

// M_h V_h (d, d) of rank k, as a trained head has it; a drawn (d, d) where k = d.
Matrix drawn_value(int wide, int d, std::uint32_t which) {
  if (wide == d) return drawn(d, d, which);
  const Matrix mix = drawn(d, wide, which), value = drawn(wide, d, which + 1'000);
  Matrix product = zeros(d, d);
  for (int r = 0; r < d; ++r)
    for (int k = 0; k < wide; ++k)
      for (int c = 0; c < d; ++c) product(r, c) += mix(r, k) * value(k, c);
  return product;
}

void velocity(const std::string& title, Precision precision, Shape shape,
              const std::vector<std::pair<int, int>>& of, int turns,
              const std::function<double(int)>& limit) {
  const HostSwarm x = bench::on_sphere(shape, 7);
  const auto engine = make_simd_engine(precision, 1);
  std::vector<std::unique_ptr<Field>> fields;
  std::vector<HostSwarm> v(of.size(), x);
  std::vector<Contender> all;
  for (const auto& [heads, wide] : of) {
    Dynamics dynamics;
    dynamics.sublayers.resize(1);
    const double beta = 1 / static_cast<double>(wide);
    for (int h = 0; h < heads; ++h) {
      const auto which = static_cast<std::uint32_t>(3 * h);
      dynamics.sublayers[0].forces.push_back(
          Attention{.beta = beta,
                    .query = drawn(wide, shape.d, which),
                    .key = drawn(wide, shape.d, which + 1),
                    .value = drawn_value(wide, shape.d, which + 2)});
    }
    fields.push_back(engine->prepare(dynamics, shape));
    all.push_back({heads, {}});
  }
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k].work = [&, k] { fields[k]->velocity(0, x, v[k]); };
  table(title, all, turns, limit, 1);
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 20;
  const auto times_heads = [](int heads) { return 1.05 * heads; };
  const auto same_width = [](int heads) { return heads == 1 ? 1 : 1.3; };
  const std::vector<std::pair<int, int>> of_three = {{1, 3}, {2, 3}, {3, 3}, {4, 3}, {8, 3}};
  const std::vector<std::pair<int, int>> of_96 = {{1, 96}, {2, 48}, {4, 24}, {8, 12}};
  const int few = std::max(1, turns / 2);
  training("Training, d = 3, heads of width 3, ten blocks, 512 hidden units; an image of 98 tokens",
           {.d = 3, .blocks = 10, .hidden = 512}, of_three, turns, times_heads);
  training("The same with one hidden unit: attention alone", {.d = 3, .blocks = 10, .hidden = 1},
           of_three, turns, times_heads);
  training("Training, d = 96, heads that share 96 coordinates, two blocks, 512 hidden units",
           {.d = 96, .blocks = 2, .hidden = 512}, of_96, few, same_width);
  training("The same with one hidden unit: attention alone", {.d = 96, .blocks = 2, .hidden = 1},
           of_96, few, same_width);
  velocity("Velocity on the sphere, d = 3, heads of width 3, 1000 tokens, double precision",
           Precision::f64, {1000, 3}, of_three, 2 * turns, times_heads);
  velocity("The same with 100 tokens", Precision::f64, {100, 3}, of_three, 4 * turns, times_heads);
  velocity("Velocity, d = 96, heads that share 96 coordinates, 1000 tokens, double precision",
           Precision::f64, {1000, 96}, of_96, few, same_width);
  velocity("The same in single precision", Precision::f32, {1000, 96}, of_96, turns, same_width);
}
