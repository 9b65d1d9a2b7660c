// system.cpp: all atoms at once: the gradient, the second derivative, and a step along both.
#include "landscape/system.h"

#include <algorithm>
#include <cmath>

namespace murmur::landscape {

namespace {

void add_masses(const Terrain& terrain, const Cloud& mu, const MatrixXd& k, const VectorXd& f,
                System& system) {
  const int n = mu.count(), t = terrain.d() - 1, moves = n * t;
  const VectorXd r = mu.m.cwiseSqrt();
  const double mean = mu.m.dot(f);
  system.mass_frame = frame(r);
  const MatrixXd& q = system.mass_frame;
  MatrixXd mixed(moves, n), scratch;
  const MatrixXd& from = terrain.sources(mu.x, scratch);
  MatrixXd own = 4 / terrain.beta() * (r * r.transpose()).cwiseProduct(k);
  for (int i = 0; i < n; ++i) {
    own(i, i) += 2 * (f[i] - mean);
    for (int j = 0; j < n; ++j)
      mixed.block(i * t, j, t, 1) =
          (i == j && !terrain.has_matrix() ? 0 : 2 * r[i] * r[j] * k(i, j)) *
          system.frames[i].transpose() * from.col(j);
  }
  system.gradient.conservativeResize(moves + n - 1);
  system.gradient.tail(n - 1) = q.transpose() * (2 * r.cwiseProduct((f.array() - mean).matrix()));
  MatrixXd all(moves + n - 1, moves + n - 1);
  all << system.matrix, mixed * q, (mixed * q).transpose(), q.transpose() * own * q;
  system.matrix = std::move(all);
  system.residual = std::max(system.residual, (f.array() - mean).abs().maxCoeff());
}

}  // namespace

System system_of(const Terrain& terrain, const Cloud& mu, bool free_masses) {
  const int n = mu.count(), d = terrain.d(), t = d - 1;
  const VectorXd r = mu.m.cwiseSqrt();
  const MatrixXd k = terrain.kernels(mu.x);
  VectorXd f;
  const MatrixXd slopes = terrain.slopes(mu, &f);
  System system;
  system.gradient.resize(n * t);
  system.matrix.resize(n * t, n * t);
  for (int i = 0; i < n; ++i) system.frames.push_back(frame(mu.x.col(i)));
  MatrixXd scratch;
  const MatrixXd& from = terrain.sources(mu.x, scratch);
  std::vector<MatrixXd> seen;
  for (int i = 0; i < n; ++i) seen.push_back(system.frames[i].transpose() * from);
  const auto block_of = [&](int i, int j) {
    return MatrixXd(r[i] * r[j] * k(i, j) *
                    (terrain.beta() * seen[i].col(j) * seen[j].col(i).transpose() +
                     terrain.scores_between(system.frames[i], system.frames[j])));
  };
  for (int i = 0; i < n; ++i) {
    system.gradient.segment(i * t, t) = r[i] * (system.frames[i].transpose() * slopes.col(i));
    for (int j = 0; j < i; ++j) {
      const MatrixXd block = block_of(i, j);
      system.matrix.block(i * t, j * t, t, t) = block;
      system.matrix.block(j * t, i * t, t, t) = block.transpose();
    }
    // Without a matrix m_i k(1) of the atom itself cancels between the two terms of its block.
    system.matrix.block(i * t, i * t, t, t) =
        terrain.has_matrix() ? MatrixXd(terrain.local(mu, mu.x.col(i)).second + block_of(i, i))
                             : terrain.local(mu, mu.x.col(i), i).second;
  }
  system.residual = slopes.colwise().norm().maxCoeff();
  const VectorXd lengths = terrain.term_lengths(mu);
  for (int i = 0; i < n; ++i) {
    const double slope = slopes.col(i).norm();
    const bool unseen = n > 1 && lengths[i] == 0;  // all terms underflow: unknown
    system.balance = std::max(system.balance, unseen ? 1 : slope > 0 ? slope / lengths[i] : 0);
  }
  if (free_masses && n > 1) add_masses(terrain, mu, k, f, system);
  return system;
}

Cloud moved(const System& system, const Cloud& mu, const VectorXd& step, double most) {
  const int n = mu.count(), t = static_cast<int>(mu.x.rows()) - 1;
  const VectorXd r = mu.m.cwiseSqrt();
  double farthest = 0;
  for (int i = 0; i < n; ++i) farthest = std::max(farthest, step.segment(i * t, t).norm() / r[i]);
  const double share = farthest > most ? most / farthest : 1;
  Cloud next = mu;
  for (int i = 0; i < n; ++i)
    next.x.col(i) = moved(mu.x.col(i), system.frames[i] * (share / r[i] * step.segment(i * t, t)));
  if (system.mass_frame.cols() > 0) {
    const VectorXd turned = (r + share * system.mass_frame * step.tail(n - 1)).normalized();
    next.m = turned.cwiseAbs2();
  }
  return next;
}

}  // namespace murmur::landscape
