// simulations.cpp: simulates experiments without a run directory, moves tokens by null models, and
// finds convex hulls.
#include "reproduce/simulations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "murmur/error.h"
#include "murmur/external.h"
#include "murmur/random.h"

namespace murmur {

ExperimentSpec preset_spec(const std::string& preset) { return spec_of(gather({preset, {}, {}})); }

Simulated simulate_in_memory(const Experiment& e, NullModel null) {
  const auto engine = make_engine(e.engine, null);
  const auto field = prepare_field(e, *engine);
  Simulated simulated;
  FlowState state = start(e.swarm);
  FlowWatch watch;
  watch.frame = [&](double t, const HostSwarm& frame) {
    simulated.times.push_back(t);
    simulated.frames.push_back(frame);
  };
  watch.merged = [&](const Merge& merge) { simulated.merges.push_back(merge); };
  simulated.outcome = advance({*engine, *field, e.flow, e.random}, e.schedule, state, watch);
  if (!simulated.outcome.ok())
    throw Error(Fault::numerical, simulated.outcome.what,
                fmt::format("{}, t = {:g}", e.name, simulated.outcome.t), simulated.outcome.remedy);
  return simulated;
}

double angle_of(const HostSwarm& x, int i) { return std::atan2(x.at(i, 1), x.at(i, 0)); }

namespace {

constexpr int kEntries = 8;  // non-zero entries of a row

//   A_i = sum_j p_ij V x_j,  or  sum_j p_ij V (x_j - x_i),   sum_j p_ij = 1
// The kEntries tokens of row i and their weights are drawn once, independent of the tokens' places.
class RandomAttention {
 public:
  RandomAttention(const Dynamics& dynamics, Shape shape) : rows_(shape.n) {
    const std::vector<const Attention*> heads = by_kind(dynamics).heads;
    if (!heads.empty()) {
      value_ = heads.front()->value;
      relative_ = heads.front()->relative;
    }
    for (int i = 0; i < shape.n; ++i) {
      double sum = 0;
      for (int k = 0; k < kEntries; ++k) {
        const Draw draw{.stream = Stream::target,
                        .particle = static_cast<std::uint32_t>(i),
                        .step = static_cast<std::uint32_t>(k),
                        .replica = 1};
        rows_[i].push_back({static_cast<int>(draw.uniform(0) * shape.n), draw.uniform(1)});
        sum += rows_[i].back().weight;
      }
      for (Entry& one : rows_[i]) one.weight /= sum;
    }
  }

  void add(const HostSwarm& x, HostSwarm& a) const {
    std::vector<double> mean(static_cast<std::size_t>(x.d()));
    for (int i = 0; i < x.n(); ++i) {
      for (int k = 0; k < x.d(); ++k) {
        mean[k] = relative_ ? -x.at(i, k) : 0;
        // Tokens that have merged leave fewer rows.
        for (const Entry& one : rows_[i]) mean[k] += one.weight * x.at(one.token % x.n(), k);
      }
      for (int k = 0; k < x.d(); ++k)
        if (value_.empty())
          a.at(i, k) += mean[k];
        else
          for (int c = 0; c < x.d(); ++c) a.at(i, k) += value_(k, c) * mean[c];
    }
  }

 private:
  struct Entry {
    int token;
    double weight;
  };
  std::vector<std::vector<Entry>> rows_;  // (n)
  Matrix value_{};
  bool relative_ = false;
};

class NullEngine final : public Engine {
 public:
  explicit NullEngine(NullModel null) : null_(null) {}
  std::string name() const override { return std::string(name_of(null_)); }
  std::optional<Unsupported> unsupported_reason(const Dynamics&, Shape) const override {
    return std::nullopt;
  }
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

std::vector<PlanePoint> hull_of(std::vector<PlanePoint> points) {
  std::sort(points.begin(), points.end(), [](const PlanePoint& a, const PlanePoint& b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
  });
  std::vector<PlanePoint> hull;
  const auto turns_right = [&](const PlanePoint& c) {
    const PlanePoint &a = hull[hull.size() - 2], &b = hull.back();
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) <= 0;
  };
  for (const bool back : {false, true}) {
    const std::size_t min = hull.size() + (back ? 0 : 1);
    for (const PlanePoint& c : points) {
      while (hull.size() > min && turns_right(c)) hull.pop_back();
      hull.push_back(c);
    }
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

std::vector<PlanePoint> points_of(const HostSwarm& z) {
  std::vector<PlanePoint> points;
  for (int i = 0; i < z.n(); ++i) points.push_back({z.at(i, 0), z.at(i, 1)});
  return points;
}

}  // namespace murmur
