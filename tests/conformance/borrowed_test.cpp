// borrowed_test.cpp: every engine reads and writes swarms in memory of somebody else, to the bit,
// and touches nothing that lies around them.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "contenders.h"
#include "engine/moments/moments.h"

namespace murmur::testing {
namespace {

// Doubles that end where no memory is: whoever goes on reading or writing is killed.
class Guarded {
 public:
  explicit Guarded(std::size_t count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (count * sizeof(double) + page - 1) / page * page;
    size_ = inside + page;
    whole_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole_ == MAP_FAILED) throw std::bad_alloc();
    auto* end = static_cast<char*>(whole_) + inside;
    mprotect(end, page, PROT_NONE);
    data_ = reinterpret_cast<double*>(end) - count;
  }
  ~Guarded() { munmap(whole_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  double* data() { return data_; }

 private:
  void* whole_ = nullptr;
  std::size_t size_ = 0;
  double* data_ = nullptr;
};

constexpr double kForeign = -1.25e300;  // what lies between the axes

// `x` in guarded memory, `gap` foreign numbers between its axes.
struct Lent {
  Lent(const HostSwarm& x, int gap)
      : stride(static_cast<std::size_t>(x.n() + gap)),
        memory(stride * (x.d() - 1) + x.n()),
        swarm(x.shape(), {memory.data(), stride, nullptr, false}, x.mass) {
    std::fill_n(memory.data(), stride * (x.d() - 1) + x.n(), kForeign);
    for (int k = 0; k < x.d(); ++k) std::copy_n(x.axis(k), x.n(), swarm.axis(k));
  }
  bool gaps_are_whole() {
    for (int k = 0; k + 1 < swarm.d(); ++k)
      for (std::size_t i = swarm.n(); i < stride; ++i)
        if (swarm.axis(k)[i] != kForeign) return false;
    return true;
  }
  std::size_t stride;
  Guarded memory;
  HostSwarm swarm;
};

std::vector<Dynamics> many_dynamics(int d) {
  const Perceptron p{.in = random_matrix(6, d, 1),
                     .in_bias = random_matrix(1, 6, 2).data,
                     .out = random_matrix(d, 6, 3),
                     .activation = Perceptron::gelu};
  Dynamics heads = dynamics_of(Attention{
      .beta = 2, .query = random_matrix(1, d, 4), .key = random_matrix(1, d, 5), .value = {}});
  heads.sublayers[0].forces.push_back(
      Attention{.beta = 1, .value = random_matrix(d, d, 6), .mask = Attention::causal});
  return {sa(4), usa(1), sa(1200), heads, dynamics_of(p), dynamics_of(p, Manifold::space)};
}

struct Named {
  std::string name;
  std::unique_ptr<Engine> engine;
};
std::vector<Named> engines() {
  std::vector<Named> all;
  all.push_back({"reference", make_reference_engine()});
  all.push_back({"simd f64", make_simd_engine(Precision::f64, 2)});
  all.push_back({"simd f32", make_simd_engine(Precision::f32, 2)});
  if (auto moments = make_moments_engine()) all.push_back({"moments", std::move(moments)});
  return all;
}

TEST(Borrowed, EveryEngineComesToTheSameBits) {
  for (const auto& [name, engine] : engines())
    for (const int d : {1, 2, 3, 5})
      for (const int n : {1, 7, 8, 9, 63, 300}) {
        HostSwarm x = random_sphere({n, d}, 7);
        if (n > 8) x.mass[3] = 0;
        for (const Dynamics& dynamics : many_dynamics(d)) {
          if (engine->unsupported_reason(dynamics, x.shape())) continue;
          const HostSwarm wanted = velocity(*engine, dynamics, x);
          for (const int gap : {0, 1, 5}) {
            Lent from(x, gap), to(x, gap);
            const auto field = engine->prepare(dynamics, x.shape());
            const HostSwarm& at = from.swarm;
            field->velocity(0, at, to.swarm);
            EXPECT_TRUE(from.gaps_are_whole() && to.gaps_are_whole());
            EXPECT_EQ(to_rows(from.swarm), to_rows(x));
            EXPECT_EQ(to_rows(to.swarm), to_rows(wanted))
                << name << ", n = " << n << ", d = " << d << ", gap " << gap;
            field->retract(at, {}, to.swarm);
            EXPECT_TRUE(to.gaps_are_whole());
          }
        }
      }
}

TEST(Borrowed, CopiesHaveMemoryOfTheirOwnAndMovesTakeWhatThereIs) {
  auto owner = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4, 5, 6});
  const std::weak_ptr<std::vector<double>> watched = owner;
  double* data = owner->data();
  HostSwarm lent({3, 2}, {data, 3, owner, false}, {0.5, 0.25, 0.25});
  owner.reset();
  EXPECT_TRUE(lent.borrows());
  HostSwarm copy = lent;
  EXPECT_FALSE(copy.borrows());
  EXPECT_EQ(to_rows(copy), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(copy.mass, lent.mass);
  data[0] = 9;
  EXPECT_EQ(lent.at(0, 0), 9);
  EXPECT_EQ(copy.at(0, 0), 1);
  lent.at(2, 1) = 7;
  EXPECT_EQ(data[5], 7);
  HostSwarm moved = std::move(lent);
  EXPECT_EQ(moved.axis(0), data);
  EXPECT_FALSE(watched.expired());
  moved = copy;  // lets the memory go
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(moved.borrows());
  copy.resize(2);
  EXPECT_EQ(to_rows(copy), (std::vector<double>{1, 4, 2, 5}));
}

TEST(Borrowed, AMoveBetweenTwoOfOneOwnerKeepsIt) {
  const auto owner = std::make_shared<std::vector<double>>(4, 1.0);
  HostSwarm a({2, 2}, {owner->data(), 2, owner, true}, {0.5, 0.5});
  HostSwarm b({2, 2}, {owner->data(), 2, owner, false}, {0.5, 0.5});
  EXPECT_TRUE(a.read_only());
  std::swap(a, b);
  EXPECT_TRUE(b.read_only() && !a.read_only());
  a = a.borrows() ? HostSwarm(a) : HostSwarm();
  EXPECT_EQ(a.at(1, 1), 1);
  EXPECT_FALSE(a.borrows() || a.read_only());
}

}  // namespace
}  // namespace murmur::testing
