// entropic.cpp: entropic transport by Sinkhorn's iteration, and the bounds it gives for W2.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/elementary.h"
#include "core/parallel.h"
#include "murmur/error.h"
#include "murmur/transport.h"
#include "transport/measures.h"

namespace murmur {

namespace {

using transport::Costs;

constexpr int kRows = 16;  // a block

struct Problem {
  const Costs& there;            // (n, m)
  const Costs& back;             // (m, n), transposed
  const std::vector<double>& a;  // (n) masses
  const std::vector<double>& b;  // (m)
  int threads = 0;
  bool alone = false;  // both sides are the same swarm
};

struct Prices {
  std::vector<double> f{}, g{};  // (n), (m)
};

void for_rows(int rows, int threads, const std::function<void(int)>& work) {
  for_blocks((rows + kRows - 1) / kRows, threads, [&](int block) {
    for (int i = block * kRows; i < std::min(rows, (block + 1) * kRows); ++i) work(i);
  });
}

// A problem from the view of one side.
struct View {
  const Costs& c;                // (n, m)
  const std::vector<double>& a;  // (n) its own masses
  const std::vector<double>& b;  // (m) the other side's
  double eps;
  int threads;
};
View from_x(const Problem& p, double eps) { return {p.there, p.a, p.b, eps, p.threads}; }
View from_y(const Problem& p, double eps) { return {p.back, p.b, p.a, eps, p.threads}; }

//   (n) f_i = -eps ln sum_j b_j e^{(g_j - c_ij) / eps}
std::vector<double> softmin(const View& v, const std::vector<double>& g) {
  std::vector<double> f(v.a.size());
  for_rows(v.c.rows, v.threads, [&](int i) {
    const double* row = v.c.row(i);
    double top = g[0] - row[0];
    for (int j = 1; j < v.c.cols; ++j) top = std::max(top, g[j] - row[j]);
    double sum = 0;
    for (int j = 0; j < v.c.cols; ++j)
      sum += v.b[j] * elementary::exp((g[j] - row[j] - top) / v.eps);
    f[i] = -(top + v.eps * elementary::log(sum));
  });
  return f;
}

//   (n) sum_j P_ij,   P_ij = a_i b_j e^{(f_i + g_j - c_ij) / eps}
std::vector<double> margin(const View& v, const Prices& at) {
  std::vector<double> sums(v.a.size());
  for_rows(v.c.rows, v.threads, [&](int i) {
    const double* row = v.c.row(i);
    double sum = 0;
    for (int j = 0; j < v.c.cols; ++j)
      sum += v.b[j] * elementary::exp((at.f[i] + at.g[j] - row[j]) / v.eps);
    sums[i] = v.a[i] * sum;
  });
  return sums;
}

double distance_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
  return sum;
}

struct Solved {
  Prices prices{};
  double value = 0;  // OT
  double margin_error = 0;
  int sweeps = 0;
};

// new prices = (1 - w) old + w softened
void blend(std::vector<double>& price, const std::vector<double>& soft, double w) {
  for (std::size_t i = 0; i < price.size(); ++i) price[i] += w * (soft[i] - price[i]);
}

// The iteration at one eps. For two different measures over-relaxation w > 1 makes it faster
// (2012.12562): the optimum is 2 / (1 + sqrt(1 - r)), r the contraction factor of the plain
// iteration. For a measure and itself both prices are equal, and w = 1/2.
class Sweeper {
 public:
  Sweeper(const Problem& problem, Solved& solved) : problem_(problem), s_(solved) {}

  void sweep(double eps) {
    blend(s_.prices.f, softmin(from_x(problem_, eps), s_.prices.g), problem_.alone ? 0.5 : w_);
    if (problem_.alone)
      s_.prices.g = s_.prices.f;
    else
      blend(s_.prices.g, softmin(from_y(problem_, eps), s_.prices.f), w_);
    ++s_.sweeps;
  }

  // A plain half sweep makes column sums exact; the defect of the row sums is the error. The value
  // is that of the dual problem:
  //   OT = sum a f + sum b g - eps (sum P - 1)
  void evaluate_error(double eps) {
    Prices at = s_.prices;
    if (!problem_.alone) at.g = softmin(from_y(problem_, eps), at.f);
    const std::vector<double> rows = margin(from_x(problem_, eps), at);
    s_.margin_error = distance_of(rows, problem_.a);
    const auto& a = problem_.a;
    const auto& b = problem_.b;
    s_.value = std::inner_product(a.begin(), a.end(), at.f.begin(), 0.0) +
               std::inner_product(b.begin(), b.end(), at.g.begin(), 0.0) -
               eps * (std::accumulate(rows.begin(), rows.end(), 0.0) - 1);
    evaluated_ = std::move(at);
  }

  // A sweep with w contracts the error by l, (l + w - 1)^2 = r w^2 l while w is below the optimum.
  void choose_relaxation(double before, int sweeps) {
    const double left = std::pow(s_.margin_error / before, 1.0 / sweeps);
    if (left >= 1) {
      w_ = 1;  // over-relaxation diverged
    } else if (left > w_ - 1) {
      const double r = (left + w_ - 1) * (left + w_ - 1) / (w_ * w_ * left);
      w_ = std::min(1.98, 2 / (1 + std::sqrt(std::max(0.0, 1 - r))));
    }
  }

  void finish() { s_.prices = evaluated_; }

 private:
  const Problem& problem_;
  Solved& s_;
  Prices evaluated_{};
  double w_ = 1;
};

Solved solve(const Problem& problem, double eps, const EntropicSettings& settings) {
  constexpr int kBetween = 10;  // sweeps between two evaluations of the error
  Solved s;
  s.prices.f.assign(problem.a.size(), 0);
  s.prices.g.assign(problem.b.size(), 0);
  Sweeper sweeper(problem, s);
  const double top = *std::max_element(problem.there.at.begin(), problem.there.at.end());
  for (double now = top; now > eps; now /= 4)
    for (int sweep = 0; sweep < 8; ++sweep) sweeper.sweep(now);
  for (int done = 0; done < settings.max_sweeps;) {
    const int sweeps = std::min(kBetween, settings.max_sweeps - done);
    const double before = s.margin_error;
    for (int sweep = 0; sweep < sweeps; ++sweep) sweeper.sweep(eps);
    sweeper.evaluate_error(eps);
    done += sweeps;
    if (s.margin_error <= settings.tolerance) break;
    if (done > kBetween) sweeper.choose_relaxation(before, sweeps);
  }
  sweeper.finish();
  return s;
}

// Prices g made feasible by f_i = min_j c_ij - g_j: by weak duality their value is at most W2^2.
double value_below(const Problem& problem, const Prices& prices) {
  std::vector<double> f(problem.a.size());
  for_rows(problem.there.rows, problem.threads, [&](int i) {
    const double* row = problem.there.row(i);
    double min = row[0] - prices.g[0];
    for (int j = 1; j < problem.there.cols; ++j) min = std::min(min, row[j] - prices.g[j]);
    f[i] = min;
  });
  return std::inner_product(problem.a.begin(), problem.a.end(), f.begin(), 0.0) +
         std::inner_product(problem.b.begin(), problem.b.end(), prices.g.begin(), 0.0);
}

// The coupling rounded to exact marginals (1705.09634, Algorithm 2): rows, then columns, scaled
// down to their masses, and the missing mass added as a product:
//   P' = diag(x) P diag(y) + r s^T / sum r.   Its cost is never below W2^2.
double cost_above(const Problem& problem, const Prices& prices, double eps) {
  const Costs& c = problem.there;
  const std::size_t n = problem.a.size(), m = problem.b.size();
  std::vector<double> x = margin(from_x(problem, eps), prices), y(m, 0), r(n), s(m);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::min(1.0, problem.a[i] / x[i]);
  const auto weight = [&](int i, int j) {
    return problem.a[i] * problem.b[j] *
           elementary::exp((prices.f[i] + prices.g[j] - c.row(i)[j]) / eps);
  };
  for_rows(static_cast<int>(m), problem.threads, [&](int j) {
    for (std::size_t i = 0; i < n; ++i) y[j] += x[i] * weight(static_cast<int>(i), j);
  });
  for (std::size_t j = 0; j < m; ++j) y[j] = std::min(1.0, problem.b[j] / y[j]);
  std::vector<double> cost(n, 0), sent(n, 0);
  for_rows(static_cast<int>(n), problem.threads, [&](int i) {
    for (std::size_t j = 0; j < m; ++j) {
      const double p = x[i] * y[j] * weight(i, static_cast<int>(j));
      cost[i] += p * c.row(i)[j];
      sent[i] += p;
    }
  });
  for (std::size_t i = 0; i < n; ++i) r[i] = std::max(0.0, problem.a[i] - sent[i]);
  for_rows(static_cast<int>(m), problem.threads, [&](int j) {
    double got = 0;
    for (std::size_t i = 0; i < n; ++i) got += x[i] * y[j] * weight(static_cast<int>(i), j);
    s[j] = std::max(0.0, problem.b[j] - got);
  });
  const double missing = std::accumulate(r.begin(), r.end(), 0.0);
  double sum = std::accumulate(cost.begin(), cost.end(), 0.0);
  for (std::size_t i = 0; i < n && missing > 0; ++i)
    for (std::size_t j = 0; j < m; ++j)
      sum += r[i] * s[j] / missing * c.row(static_cast<int>(i))[j];
  return sum;
}

void check(const HostSwarm& x, const HostSwarm& y, const EntropicSettings& settings) {
  if (std::max(x.n(), y.n()) > kMostEntropic)
    throw Error(Fault::input, "so many particles are too many for entropic transport",
                "n = " + std::to_string(std::max(x.n(), y.n())),
                "use up to " + std::to_string(kMostEntropic) + ", or the sliced distance");
  if (!(settings.epsilon >= kLeastEpsilon) || !(settings.tolerance > 0) || settings.max_sweeps < 1)
    throw Error(Fault::input, "entropic transport cannot be so sharp", "epsilon",
                "give epsilon of 1e-6 or more, and positive numbers elsewhere");
}

// Below this many pairs threads cost more than they save.
int threads_for(const HostSwarm& x, const HostSwarm& y, const EntropicSettings& settings) {
  constexpr double kWorthThreads = 2e5;
  return static_cast<double>(x.n()) * y.n() < kWorthThreads ? 1 : settings.threads;
}

}  // namespace

EntropicDistance entropic_distance(const HostSwarm& x, const HostSwarm& y,
                                   const EntropicSettings& settings) {
  check(x, y, settings);
  const transport::CostRequest request{settings.ground, 2, settings.threads};
  const Costs there = transport::costs_of(x, y, request), back = transport::costs_of(y, x, request);
  const double mean =
      std::accumulate(there.at.begin(), there.at.end(), 0.0) / static_cast<double>(there.at.size());
  EntropicDistance result;
  if (!(mean > 0)) return result;
  const double eps = result.epsilon = settings.epsilon * mean;
  const Problem across{there, back, x.mass, y.mass, threads_for(x, y, settings)};
  const Solved s = solve(across, eps, settings);
  double own = 0;
  result.sweeps = s.sweeps;
  result.margin_error = s.margin_error;
  for (const HostSwarm* side : {&x, &y}) {
    const Costs within = transport::costs_of(*side, *side, request);
    const Solved alone =
        solve({within, within, side->mass, side->mass, threads_for(*side, *side, settings), true},
              eps, settings);
    own += alone.value / 2;
    result.sweeps += alone.sweeps;
    result.margin_error = std::max(result.margin_error, alone.margin_error);
  }
  result.distance = std::sqrt(std::max(0.0, s.value - own));
  result.min = std::sqrt(std::max(0.0, value_below(across, s.prices)));
  result.most = std::sqrt(cost_above(across, s.prices, eps));
  return result;
}

}  // namespace murmur
