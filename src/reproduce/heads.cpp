// heads.cpp: how well one layer of H random heads approximates a map of all tokens at once.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "murmur/random.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

// The target: f(X)_i = (1/n) sum_j g(x_i, x_j), equivariant under permutations, with a smooth pair
// interaction g(x, y) = sum_m c_m (sin(<u_m, x> + <w_m, y>) - its mean over y) / sqrt(M), all of
// c_m, u_m, w_m normal. Without the mean nothing is left that x_i alone could tell. It is odd,
// f(-X) = -f(X), since a head without biases is: of an even part it could reach nothing.
constexpr int kFeatures = 64;  // M
constexpr int kDimension = 3;  // d

struct Target {
  explicit Target(std::uint64_t seed) {
    for (int m = 0; m < kFeatures; ++m) {
      const Draw who{seed, Stream::target, static_cast<std::uint32_t>(m)};
      double square = 0;
      for (std::uint16_t k = 0; k < kDimension; ++k) {
        u[m][k] = who.normal(k);
        w[m][k] = who.normal(kDimension + k);
        square += w[m][k] * w[m][k];
        c[m][k] = who.normal(2 * kDimension + k) / std::sqrt(static_cast<double>(kFeatures));
      }
      mean[m] = std::sin(std::sqrt(square)) / std::sqrt(square);
    }
  }
  // (n, d)
  Eigen::MatrixXd operator()(const HostSwarm& x) const {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(x.n(), kDimension);
    for (int m = 0; m < kFeatures; ++m) {
      // sin(p_i + q_j) = sin p_i cos q_j + cos p_i sin q_j: the sum over j is done once.
      double cosines = -mean[m], sines = 0;
      for (int j = 0; j < x.n(); ++j) {
        double q = 0;
        for (int k = 0; k < kDimension; ++k) q += w[m][k] * x.at(j, k);
        cosines += std::cos(q) / x.n();
        sines += std::sin(q) / x.n();
      }
      for (int i = 0; i < x.n(); ++i) {
        double p = 0;
        for (int k = 0; k < kDimension; ++k) p += u[m][k] * x.at(i, k);
        const double value = std::sin(p) * cosines + std::cos(p) * sines;
        for (int k = 0; k < kDimension; ++k) out(i, k) += c[m][k] * value;
      }
    }
    return out;
  }

  double u[kFeatures][kDimension], w[kFeatures][kDimension], c[kFeatures][kDimension];
  double mean[kFeatures];  // mean: of cos <w_m, y> over the sphere
};

// Tokens uniform on the sphere; `which` tells the configurations of a seed apart.
HostSwarm configuration(int n, std::uint64_t seed, std::uint32_t which) {
  HostSwarm x({n, kDimension});
  for (int i = 0; i < n; ++i) {
    const Draw who{seed, Stream::position, static_cast<std::uint32_t>(i), which};
    double square = 0;
    for (std::uint16_t k = 0; k < kDimension; ++k) {
      x.at(i, k) = who.normal(k);
      square += x.at(i, k) * x.at(i, k);
    }
    for (int k = 0; k < kDimension; ++k) x.at(i, k) /= std::sqrt(square);
  }
  return x;
}

// The heads of a preset, each ready to be asked by itself; V is still to be found.
class Heads {
 public:
  explicit Heads(const Experiment& e) : engine_(make_reference_engine()) {
    for (const Force& force : e.dynamics.sublayers.front().forces)
      fields_.push_back(engine_->prepare(
          {.manifold = Manifold::space, .sublayers = {{.forces = {force}}}}, e.swarm.shape()));
  }
  int count() const { return static_cast<int>(fields_.size()); }

  // (n, 1 + d + d H): a constant, the token itself (the residual connection), and the outputs
  // sum_j a_ij x_j of every head.
  Eigen::MatrixXd operator()(const HostSwarm& x) {
    Eigen::MatrixXd out(x.n(), 1 + kDimension * (1 + count()));
    out.col(0).setOnes();
    const auto put = [&](const HostSwarm& y, int column) {
      for (int i = 0; i < x.n(); ++i)
        for (int k = 0; k < kDimension; ++k) out(i, column + k) = y.at(i, k);
    };
    put(x, 1);
    const auto placed = engine_->place(x), drift = engine_->place(x);
    for (int h = 0; h < count(); ++h) {
      fields_[h]->drift(0, 0, *placed, *drift);
      put(engine_->fetch(*drift), 1 + kDimension * (1 + h));
    }
    return out;
  }

 private:
  std::unique_ptr<Engine> engine_;
  std::vector<std::unique_ptr<Field>> fields_{};
};

// All that least squares needs of many configurations: F^T F, F^T Y and what Y varies by.
struct Moments {
  Eigen::MatrixXd features, cross;
  double rows = 0, squares = 0;
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(kDimension);

  double variance() const { return squares - sum.squaredNorm() / rows; }  // times rows
  // |Y - F W|^2 over the variance, W of the first columns of F alone.
  double error(const Eigen::MatrixXd& w) const {
    const auto p = w.rows();
    const double explained = 2 * (w.transpose() * cross.topRows(p)).trace() -
                             (w.transpose() * features.topLeftCorner(p, p) * w).trace();
    return (squares - explained) / variance();
  }
};

struct Sample {
  int n;
  std::uint64_t seed;
  std::uint32_t first, count;  // configurations
};

// Nothing when stopped by a signal.
std::optional<Moments> gather_moments(Heads& heads, const Sample& sample,
                                      const ReproductionControl& control) {
  const Target target(sample.seed);
  const int width = 1 + kDimension * (1 + heads.count());
  constexpr std::uint32_t kBlock = 50;  // configurations multiplied at once
  Moments moments{Eigen::MatrixXd::Zero(width, width), Eigen::MatrixXd::Zero(width, kDimension)};
  for (std::uint32_t begin = 0; begin < sample.count; begin += kBlock) {
    if (control.stopped()) return std::nullopt;
    const std::uint32_t size = std::min(kBlock, sample.count - begin);
    Eigen::MatrixXd f(size * sample.n, width), y(size * sample.n, kDimension);
    for (std::uint32_t c = 0; c < size; ++c) {
      const HostSwarm x = configuration(sample.n, sample.seed, sample.first + begin + c);
      f.middleRows(c * sample.n, sample.n) = heads(x);
      y.middleRows(c * sample.n, sample.n) = target(x);
    }
    moments.features.noalias() += f.transpose() * f;
    moments.cross.noalias() += f.transpose() * y;
    moments.squares += y.squaredNorm();
    moments.sum += y.colwise().sum();
    moments.rows += static_cast<double>(y.rows());
  }
  return moments;
}

constexpr double kRidge = 1e-9;  // times the mean square of a feature

// W of the constant, the residual and the first H heads: (F^T F + ridge) W = F^T Y.
Eigen::MatrixXd fit(const Moments& moments, int heads) {
  const int p = 1 + kDimension * (1 + heads);
  Eigen::MatrixXd normal = moments.features.topLeftCorner(p, p);
  normal.diagonal().array() += kRidge * normal.trace() / p;
  return normal.ldlt().solve(moments.cross.topRows(p));
}

// ln(error) over ln(H).
Line log_line(const std::vector<double>& heads, const std::vector<double>& error) {
  std::vector<double> x, y;
  for (std::size_t k = 0; k < heads.size(); ++k) {
    x.push_back(std::log(heads[k]));
    y.push_back(std::log(error[k]));
  }
  return line_of(x, y);
}

// How the heads of one seed do; 1, 2, 4, ... of them.
struct Attempt {
  std::vector<double> train{}, test{};  // errors, (counts)
  double slope = 0;                     // of ln(test) over ln(heads)
};
struct Plan {
  std::vector<double> count{};        // of heads
  std::uint32_t train = 0, test = 0;  // configurations
  int seeds = 1;
  int most() const { return static_cast<int>(count.back()); }
};

Plan plan_of(const ReproductionControl& control) {
  Plan plan{.train = control.quick ? 300u : 1500u,
            .test = control.quick ? 100u : 500u,
            .seeds = control.quick ? 1 : control.seeds};
  for (int h = 1; h <= (control.quick ? 32 : 256); h *= 2) plan.count.push_back(h);
  return plan;
}

// Nothing when stopped by a signal.
std::optional<Attempt> attempt(const Plan& plan, int seed, const ReproductionControl& control) {
  ExperimentSpec spec = preset_spec("heads-approximation");
  spec.dynamics.heads = plan.most();
  spec.random.seed = static_cast<std::uint64_t>(seed);
  const Experiment e = make_experiment(spec);
  const int n = e.swarm.n();
  Heads all(e);
  const auto seen = gather_moments(all, {n, e.random.seed, 0, plan.train}, control);
  const auto fresh = gather_moments(all, {n, e.random.seed, plan.train, plan.test}, control);
  if (!seen || !fresh) return std::nullopt;
  Attempt done;
  for (const double count : plan.count) {
    const Eigen::MatrixXd w = fit(*seen, static_cast<int>(count));
    done.train.push_back(seen->error(w));
    done.test.push_back(fresh->error(w));
  }
  done.slope = log_line(plan.count, done.test).slope;
  return done;
}

void judge(const Plan& plan, const std::vector<Attempt>& attempts, Reproduction& result) {
  std::vector<Spread> train, test;
  std::vector<double> mean, slopes;
  for (const Attempt& a : attempts) slopes.push_back(a.slope);
  for (std::size_t k = 0; k < plan.count.size(); ++k) {
    std::vector<double> of_train, of_test;
    for (const Attempt& a : attempts) {
      of_train.push_back(a.train[k]);
      of_test.push_back(a.test[k]);
    }
    train.push_back(spread_of(of_train));
    test.push_back(spread_of(of_test));
    mean.push_back(test.back().mean);
  }
  const Line line = log_line(plan.count, mean);
  ReproducedTable table{"errors", {"heads", "train", "test", "sd", "power law"}};
  for (std::size_t k = 0; k < mean.size(); ++k) {
    table.rows.push_back({plan.count[k], train[k].mean, mean[k], test[k].sd,
                          std::exp(line.intercept + line.slope * std::log(plan.count[k]))});
  }
  const Spread slope = spread_of(slopes);
  ReproducedTable fitted{"slope", {"most heads", "slope", "sd", "seeds"}};
  fitted.rows.push_back({static_cast<double>(plan.most()), slope.mean, slope.sd,
                         static_cast<double>(attempts.size())});
  result.tables = {std::move(table), std::move(fitted)};
  result.figures = {
      {.name = "heads-approximation",
       .table = "errors",
       .title = "One layer: error over the number of heads",
       .x = {.label = "number of heads H", .log = true},
       .y = {.label = "mean squared error / variance of the target", .log = true},
       .curves = {{"power law", Drawn::dashes, "power law fitted to the test error", 1},
                  {"train", Drawn::rings, "configurations that were fitted", 0},
                  {"test", Drawn::points, "fresh configurations", 1, "sd"}}}};
  result.captions["heads-approximation"] =
      "The error with which one layer of H random heads and fitted values approximates a "
      "permutation-equivariant map falls slowly with the number of heads. Nothing is predicted; "
      "bars are standard deviations over seeds.";
}

}  // namespace

std::optional<Reproduction> heads(const ReproductionControl& control) {
  Reproduction result = result_of(control, "heads-approximation");
  const Plan plan = plan_of(control);
  std::vector<Attempt> attempts;
  for (int seed = 0; seed < plan.seeds; ++seed) {
    const auto done = attempt(plan, seed, control);
    if (!done) return std::nullopt;
    attempts.push_back(*done);
    if (control.tell) control.tell(fmt::format("seed {}: slope {:.3f}", seed, done->slope));
  }
  judge(plan, attempts, result);
  return result;
}

}  // namespace murmur
