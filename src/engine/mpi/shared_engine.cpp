// shared_engine.cpp: a swarm distributed over ranks. Each rank moves its own blocks of particles by
// the kernels of another engine, and all ranks compute the same numbers.
#include "engine/mpi/shared_engine.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "core/device_engine.h"
#include "core/host_field.h"
#include "murmur/error.h"

namespace murmur {

namespace {

// From this many particles on, shares are whole blocks of kLargeBlock, which are summed together.
constexpr int kFewestInLargeBlocks = 1 << 18;
constexpr int kLargeBlock = 4096;

// Returns (size + 1) the first particle of the share of each rank, and the end of the last. Shares
// are whole blocks, and their numbers of blocks differ by at most one.
std::vector<int> share_bounds(int n, int block, int size) {
  const std::int64_t blocks = (std::int64_t{n} + block - 1) / block;
  std::vector<int> cut(static_cast<std::size_t>(size) + 1);
  for (int r = 0; r <= size; ++r)
    cut[r] = static_cast<int>(std::min<std::int64_t>(n, blocks * r / size * block));
  return cut;
}

HostSwarm rows_of(const HostSwarm& x, int first, int count) {
  HostSwarm rows({count, x.d()});
  for (int k = 0; k < x.d(); ++k) std::copy_n(x.axis(k) + first, count, rows.axis(k));
  std::copy_n(x.mass.begin() + first, count, rows.mass.begin());
  return rows;
}

// Returns the particles per rank of a swarm of which this rank has `own`.
std::vector<int> counts_of(Ranks& ranks, int own) {
  const std::vector<std::int64_t> counts = ranks.gather(own);
  return {counts.begin(), counts.end()};
}

// The particles per rank of the swarms that were placed. While all of these have the same number of
// particles, it is known without communication.
class Partitions {
 public:
  explicit Partitions(Ranks& ranks) : ranks_(ranks) {}

  void set_block(int block) { block_ = block; }  // before anything is placed

  std::vector<int> place(int n) {
    totals_.insert(n);
    return share_bounds(n, n < kFewestInLargeBlocks ? block_ : std::lcm(block_, kLargeBlock),
                        ranks_.size());
  }
  std::vector<int> counts(int own) {
    if (totals_.size() != 1) return counts_of(ranks_, own);
    std::vector<int> cut = place(*totals_.begin());
    std::adjacent_difference(cut.begin(), cut.end(), cut.begin());
    cut.erase(cut.begin());
    return cut;
  }
  Ranks& ranks() const { return ranks_; }

 private:
  Ranks& ranks_;
  int block_ = 1;
  std::set<int> totals_{};
};

void gather_swarm(Ranks& ranks, std::span<const int> counts, const HostSwarm& own, HostSwarm& all) {
  const int n = std::accumulate(counts.begin(), counts.end(), 0);
  if (all.shape() != Shape{n, own.d()}) all = HostSwarm({n, own.d()});
  const auto size = static_cast<std::size_t>(own.n());
  for (int k = 0; k < own.d(); ++k)
    ranks.gather({own.axis(k), size}, counts, {all.axis(k), static_cast<std::size_t>(n)});
  ranks.gather({own.mass.data(), size}, counts, all.mass);
}

class RankShare final : public Share {
 public:
  RankShare(Partitions& partitions, HostSwarm& gathered)
      : partitions_(partitions), ranks_(partitions.ranks()), gathered_(gathered) {}

  void set_own_count(int own) {
    counts_ = partitions_.counts(own);
    first_ = std::accumulate(counts_.begin(), counts_.begin() + ranks_.rank(), 0);
    all_ = std::accumulate(counts_.begin(), counts_.end(), 0);
  }
  Ranks& ranks() const override { return ranks_; }
  int first() const override { return first_; }
  int all() const override { return all_; }
  std::span<const int> counts() const override { return counts_; }
  const HostSwarm& everybody(const HostSwarm& own) override {
    gather_swarm(ranks_, counts_, own, gathered_);
    return gathered_;
  }

 private:
  Partitions& partitions_;
  Ranks& ranks_;
  HostSwarm& gathered_;
  std::vector<int> counts_{};
  int first_ = 0, all_ = 0;
};

// Its swarms are HostSwarms of the particles of this rank.
class SharedField final : public HostField {
 public:
  SharedField(const Dynamics& dynamics, Shape shape, std::unique_ptr<Field> inner,
              Partitions& partitions)
      : HostField(dynamics, shape), inner_(std::move(inner)), share_(partitions, everybody_) {
    if (inner_->error_bound() != nullptr) error_.emplace();
  }

  void velocity(double t, const Swarm& x, Swarm& v) override {
    HostField::velocity(t, x, v);
    gather_bounds();
  }
  void drift(double t, int sublayer, const Swarm& x, Swarm& a) override {
    HostField::drift(t, sublayer, x, a);
    gather_bounds();
  }
  ClosePair nearest_pair(const Swarm& x, double delta) override {
    return murmur::nearest_pair(everybody(x), delta);
  }
  ParticleSums particle_sums(const Swarm& x, int threads) override {
    return inner_->particle_sums(everybody(x), threads);
  }
  PairSums pair_sums(const Swarm& x, const PairRequest& request) override {
    return inner_->pair_sums(everybody(x), request);
  }
  Field& whole() { return *inner_; }
  void wait() const override { inner_->wait(); }
  bool on_device() const override { return inner_->on_device(); }
  // The vector of bounds is for the particles of this rank, the other numbers for all.
  const ErrorBound* error_bound() const override { return error_ ? &*error_ : nullptr; }

 private:
  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& a) override {
    share_.set_own_count(x.n());
    static_cast<HostField&>(*inner_).add_shared_forces(ask, share_, x, a);
    share_.agree();
  }

  // If the shares are whole blocks, each rank sums its own blocks; else all terms are gathered.
  // Either way the same blocks are added in the same order.
  double sum_over_particles(std::span<const double> terms, int each) override {
    share_.set_own_count(static_cast<int>(terms.size()) / each);
    std::vector<int> counts(share_.counts().begin(), share_.counts().end());
    int first = 0;
    bool whole = true;
    for (const int count : counts) {
      whole = whole && (first % kSummedTogether == 0 || first == share_.all());
      first += count;
    }
    for (int& count : counts)
      count = whole ? (count + kSummedTogether - 1) / kSummedTogether : count * each;
    const std::vector<double> own = block_sums(terms, each, kSummedTogether);
    std::vector<double> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    share_.ranks().gather(whole ? std::span<const double>(own) : terms, counts, all);
    return whole ? std::accumulate(all.begin(), all.end(), 0.0)
                 : HostField::sum_over_particles(all, each);
  }

  int particles(int own) override {
    share_.set_own_count(own);
    return share_.all();
  }

  int first_of(int own) override {
    share_.set_own_count(own);
    return share_.first();
  }

  const HostSwarm& everybody(const Swarm& x) {
    share_.set_own_count(host(x).n());
    return share_.everybody(host(x));
  }

  void gather_bounds() {
    if (!error_) return;
    const ErrorBound& own = *inner_->error_bound();
    const int size = share_.ranks().size();
    const double numbers[] = {own.worst, own.worst_ever, static_cast<double>(own.orders),
                              static_cast<double>(own.direct), own.certified ? 1.0 : 0.0};
    std::vector<double> all(static_cast<std::size_t>(size) * std::size(numbers));
    share_.ranks().gather(numbers, std::vector<int>(size, std::size(numbers)), all);
    ErrorBound& c = *error_;
    c = {.bound = own.bound, .certified = true};
    for (std::size_t e = 0; e < all.size(); e += std::size(numbers)) {
      c.worst = std::max(c.worst, all[e]);
      c.worst_ever = std::max(c.worst_ever, all[e + 1]);
      c.orders = std::max(c.orders, static_cast<int>(all[e + 2]));
      c.direct += static_cast<std::int64_t>(all[e + 3]);
      c.certified = c.certified && all[e + 4] != 0;
    }
  }

  std::unique_ptr<Field> inner_;
  HostSwarm everybody_{};
  RankShare share_;
  std::optional<ErrorBound> error_{};
};

class SharedEngine final : public Engine {
 public:
  SharedEngine(std::unique_ptr<HostEngine> inner, Ranks& ranks)
      : inner_(std::move(inner)), ranks_(ranks), partitions_(ranks) {}

  // The name is the same for any number of ranks.
  std::string name() const override {
    return inner_->name() + (inner_->same_when_shared() ? "" : " shared");
  }
  std::optional<Unsupported> unsupported_reason(const Dynamics& dynamics,
                                                Shape shape) const override {
    return inner_->unsupported_reason(dynamics, shape);
  }
  std::unique_ptr<Swarm> place(const HostSwarm& x) override {
    const std::vector<int> cut = partitions_.place(x.n());
    const int r = ranks_.rank();
    return std::make_unique<HostSwarm>(rows_of(x, cut[r], cut[r + 1] - cut[r]));
  }
  HostSwarm fetch(const Swarm& x) override {
    HostSwarm all;
    gather_swarm(ranks_, partitions_.counts(host(x).n()), host(x), all);
    return all;
  }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    auto inner = inner_->prepare_known(dynamics, shape);
    partitions_.set_block(static_cast<const HostField&>(*inner).shared_block());
    return std::make_unique<SharedField>(dynamics, shape, std::move(inner), partitions_);
  }

  std::unique_ptr<HostEngine> inner_;
  Ranks& ranks_;
  Partitions partitions_;
};

}  // namespace

std::unique_ptr<Engine> share_engine(std::unique_ptr<Engine> engine, Ranks& ranks) {
  if (const auto* device = dynamic_cast<const DeviceEngine*>(engine.get()))
    engine = device->in_host_memory();
  auto* host = dynamic_cast<HostEngine*>(engine.get());
  if (host == nullptr)
    throw Error(Fault::input, "only swarms in host memory can be shared by ranks",
                "engine = " + engine->name(), "use engine=simd, engine=moments or engine=auto");
  engine.release();
  return std::make_unique<SharedEngine>(std::unique_ptr<HostEngine>(host), ranks);
}

Field& whole_field(Field& shared) { return static_cast<SharedField&>(shared).whole(); }

}  // namespace murmur
