// null_engine.cpp: a zero field, and attention by a random row-stochastic matrix.
#include "reproduce/null_engine.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "murmur/external.h"
#include "murmur/random.h"

namespace murmur {

namespace {

constexpr int kHeard = 8;  // entries of a row that are not 0

//   A_i = sum_j p_ij V x_j,  or  sum_j p_ij V (x_j - x_i),   sum_j p_ij = 1
// The kHeard tokens of row i and their weights are drawn once, independent of the tokens' places.
class RandomAttention {
 public:
  RandomAttention(const Dynamics& dynamics, Shape shape) : heard_(shape.n) {
    const std::vector<const Attention*> heads = by_kind(dynamics).heads;
    if (!heads.empty()) {
      value_ = heads.front()->value;
      relative_ = heads.front()->relative;
    }
    for (int i = 0; i < shape.n; ++i) {
      double sum = 0;
      for (int k = 0; k < kHeard; ++k) {
        const Draw draw{.stream = Stream::target,
                        .particle = static_cast<std::uint32_t>(i),
                        .step = static_cast<std::uint32_t>(k),
                        .replica = 1};
        heard_[i].push_back({static_cast<int>(draw.uniform(0) * shape.n), draw.uniform(1)});
        sum += heard_[i].back().weight;
      }
      for (Heard& one : heard_[i]) one.weight /= sum;
    }
  }

  void add(const HostSwarm& x, HostSwarm& a) const {
    std::vector<double> mean(static_cast<std::size_t>(x.d()));
    for (int i = 0; i < x.n(); ++i) {
      for (int k = 0; k < x.d(); ++k) {
        mean[k] = relative_ ? -x.at(i, k) : 0;
        // Tokens that have merged leave fewer rows.
        for (const Heard& one : heard_[i]) mean[k] += one.weight * x.at(one.token % x.n(), k);
      }
      for (int k = 0; k < x.d(); ++k)
        if (value_.empty())
          a.at(i, k) += mean[k];
        else
          for (int c = 0; c < x.d(); ++c) a.at(i, k) += value_(k, c) * mean[c];
    }
  }

 private:
  struct Heard {
    int token;
    double weight;
  };
  std::vector<std::vector<Heard>> heard_;  // (n)
  Matrix value_{};
  bool relative_ = false;
};

class NullEngine final : public Engine {
 public:
  explicit NullEngine(NullModel null) : null_(null) {}
  std::string name() const override { return std::string(name_of(null_)); }
  std::optional<Unknown> knows(const Dynamics&, Shape) const override { return std::nullopt; }
  std::unique_ptr<Swarm> place(const HostSwarm& x) override { return plain_->place(x); }
  HostSwarm fetch(const Swarm& x) override { return plain_->fetch(x); }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    Dynamics bare;
    bare.manifold = dynamics.manifold;
    bare.sublayers.resize(1);
    bare.noise = dynamics.noise;
    if (null_ == NullModel::still) return plain_->prepare_known(bare, shape);
    const auto attention = std::make_shared<RandomAttention>(dynamics, shape);
    return make_reference_engine({{.name = name(),
                                   .add = [attention](double, const HostSwarm& x,
                                                      HostSwarm& a) { attention->add(x, a); }}})
        ->prepare_known(bare, shape);
  }

  NullModel null_;
  std::unique_ptr<Engine> plain_ = make_reference_engine();
};

}  // namespace

MeanField under_null(MeanField field, NullModel null) {
  if (null != NullModel::still && null != NullModel::random) return field;
  field.beta = 0;
  if (null == NullModel::still) {  // in this clock the kernel is beta e^s
    field.weighting = Attention::unnormalised;
    field.clock = Clock::u3;
  }
  return field;
}

std::unique_ptr<Engine> make_engine(const EngineChoice& resolved, NullModel null) {
  if (null == NullModel::still || null == NullModel::random)
    return std::make_unique<NullEngine>(null);
  return make_engine(resolved);
}

}  // namespace murmur
