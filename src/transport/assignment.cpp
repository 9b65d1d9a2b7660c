// assignment.cpp: the linear assignment problem by shortest augmenting paths with dual prices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "murmur/error.h"
#include "murmur/transport.h"
#include "transport/measures.h"

namespace murmur {

namespace {

using transport::Costs;

constexpr int kNobody = -1;

// Prices u_i + v_j <= c_ij throughout, with equality between partners.
class Matching {
 public:
  explicit Matching(const Costs& costs)
      : c_(costs), n_(costs.rows), u_(n_), v_(n_), row_of_(n_, kNobody), column_of_(n_, kNobody) {
    price();
    for (int i = 0; i < n_; ++i)
      if (column_of_[i] == kNobody) augment(i);
  }

  const std::vector<int>& partner() const { return column_of_; }
  double cost() const {
    double sum = 0;
    for (int i = 0; i < n_; ++i) sum += c_.row(i)[column_of_[i]];
    return sum / n_;
  }
  // The dual value, minus the largest violation u_i + v_j - c_ij that rounding leaves.
  double bound() const {
    double sum = 0, excess = 0;
    for (int i = 0; i < n_; ++i) {
      sum += u_[i] + v_[i];
      for (int j = 0; j < n_; ++j) excess = std::max(excess, u_[i] + v_[j] - c_.row(i)[j]);
    }
    return sum / n_ - excess;
  }

 private:
  // Column minima, then row minima as prices; free pairs of reduced cost 0 are assigned.
  void price() {
    std::fill(v_.begin(), v_.end(), std::numeric_limits<double>::infinity());
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) v_[j] = std::min(v_[j], c_.row(i)[j]);
    for (int i = 0; i < n_; ++i) {
      int best = 0;
      for (int j = 1; j < n_; ++j)
        if (c_.row(i)[j] - v_[j] < c_.row(i)[best] - v_[best]) best = j;
      u_[i] = c_.row(i)[best] - v_[best];
      if (row_of_[best] == kNobody) {
        row_of_[best] = i;
        column_of_[i] = best;
      }
    }
  }

  // Dijkstra over columns from the free row `start` to the nearest free column.
  void augment(int start) {
    std::vector<double> far(n_, std::numeric_limits<double>::infinity());
    std::vector<int> from(n_, start), open(n_), closed;
    for (int j = 0; j < n_; ++j) open[j] = j;
    int i = start, end = kNobody;
    double reached = 0;
    while (end == kNobody) {
      double min = std::numeric_limits<double>::infinity();
      std::size_t at = 0;
      const double* row = c_.row(i);
      for (std::size_t k = 0; k < open.size(); ++k) {
        const int j = open[k];
        const double through = reached + (row[j] - u_[i] - v_[j]);
        if (through < far[j]) {
          far[j] = through;
          from[j] = i;
        }
        if (far[j] < min) {
          min = far[j];
          at = k;
        }
      }
      const int j = open[at];
      open[at] = open.back();
      open.pop_back();
      reached = std::max(reached, min);
      if (row_of_[j] == kNobody)
        end = j;
      else
        closed.push_back(j), i = row_of_[j];
    }
    reprice(start, reached, far, closed);
    for (int j = end; j != kNobody;) {
      const int row = from[j], before = column_of_[row];
      row_of_[j] = row;
      column_of_[row] = j;
      j = row == start ? kNobody : before;
    }
  }

  void reprice(int start, double reached, const std::vector<double>& far,
               const std::vector<int>& closed) {
    u_[start] += reached;
    for (const int j : closed) {
      u_[row_of_[j]] += reached - far[j];
      v_[j] -= reached - far[j];
    }
  }

  const Costs& c_;
  int n_;
  std::vector<double> u_, v_;
  std::vector<int> row_of_, column_of_;
};

void check_equal(const HostSwarm& x, const HostSwarm& y) {
  if (x.n() != y.n() || x.n() > kMostAssigned)
    throw Error(Fault::input, "an assignment needs equal numbers of particles, and not too many",
                "n = " + std::to_string(x.n()) + " and " + std::to_string(y.n()),
                "compare equal numbers up to " + std::to_string(kMostAssigned) +
                    ", or use the entropic or sliced distance");
  for (const HostSwarm* side : {&x, &y})
    for (const double mass : side->mass)
      if (std::fabs(mass * x.n() - 1) > 1e-12)
        throw Error(Fault::input, "an assignment pairs particles of equal masses", "masses",
                    "use the entropic or sliced distance");
}

}  // namespace

Assignment assignment_distance(const HostSwarm& x, const HostSwarm& y, Ground ground, int p) {
  transport::check_power(p);
  check_equal(x, y);
  const Costs costs = transport::costs_of(x, y, {.ground = ground, .p = p});
  const Matching matching(costs);
  const double cost = matching.cost(), bound = std::clamp(matching.bound(), 0.0, cost);
  return {p == 2 ? std::sqrt(cost) : cost, p == 2 ? std::sqrt(bound) : bound, matching.partner()};
}

}  // namespace murmur
