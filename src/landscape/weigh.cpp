// weigh.cpp: the best masses for fixed atoms: a quadratic program on the simplex.
#include <algorithm>
#include <cmath>
#include <limits>

#include "landscape/system.h"
#include "murmur/stop.h"

namespace murmur::landscape {

namespace {

// K m = level - V on the chosen atoms, sum m = 1. A small diagonal term separates equal atoms.
VectorXd level_masses(const MatrixXd& k, const VectorXd& v, const std::vector<int>& chosen) {
  const auto n = static_cast<int>(chosen.size());
  MatrixXd own(n, n);
  VectorXd lift(n);
  for (int i = 0; i < n; ++i) {
    lift[i] = -v[chosen[i]];
    for (int j = 0; j < n; ++j) own(i, j) = k(chosen[i], chosen[j]);
    own(i, i) += 1e-14 * k(0, 0);
  }
  const Eigen::LDLT<MatrixXd> solver(own);
  const VectorXd ones = solver.solve(VectorXd::Ones(n)), rest = solver.solve(lift);
  return rest + (1 - rest.sum()) / ones.sum() * ones;
}

// The masses of the chosen atoms; those that would be negative are dropped one after another.
void solve_active(const MatrixXd& k, const VectorXd& v, std::vector<int>& chosen, VectorXd& m) {
  while (true) {
    stop_point();
    const VectorXd goal = level_masses(k, v, chosen);
    double share = 1;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (goal[i] <= 0) share = std::min(share, m[chosen[i]] / (m[chosen[i]] - goal[i] + 1e-300));
    for (std::size_t i = 0; i < chosen.size(); ++i)
      m[chosen[i]] += share * (goal[i] - m[chosen[i]]);
    if (share == 1 && goal.minCoeff() > 0) return;
    const std::size_t before = chosen.size();
    for (const int i : chosen)
      if (m[i] <= 1e-16) m[i] = 0;
    chosen.erase(std::remove_if(chosen.begin(), chosen.end(), [&](int i) { return m[i] == 0; }),
                 chosen.end());
    if (chosen.size() == before || chosen.size() == 1) return;
  }
}

}  // namespace

Cloud weighed(const Terrain& terrain, const Cloud& mu) {
  const int n = mu.count();
  const MatrixXd k = terrain.kernels(mu.x) / terrain.beta();
  VectorXd v(n), m = VectorXd::Zero(n);
  for (int i = 0; i < n; ++i) v[i] = terrain.potential(mu.x.col(i));
  int first = 0;
  v.minCoeff(&first);
  std::vector<int> chosen = {first};
  m[first] = 1;
  for (int round = 0; round < 4 * n; ++round) {
    const VectorXd f = k * m + v;
    int lowest = -1;
    double min = m.dot(f) - 1e-14 * terrain.scale();
    for (int i = 0; i < n; ++i)
      if (m[i] == 0 && f[i] < min) min = f[lowest = i];
    if (lowest < 0) break;
    chosen.push_back(lowest);
    solve_active(k, v, chosen, m);
    if (m[lowest] == 0) break;  // it was chosen because of rounding only
  }
  Cloud result{MatrixXd(mu.x.rows(), chosen.size()), VectorXd(chosen.size())};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    result.x.col(i) = mu.x.col(chosen[i]);
    result.m[i] = std::max(m[chosen[i]], 1e-16);
  }
  result.m /= result.m.sum();
  return result;
}

}  // namespace murmur::landscape
