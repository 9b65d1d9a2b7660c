// stationary.h: the branch of ordered stationary laws of noisy attention on a sphere.
#pragma once

#include <vector>

namespace murmur::theory {

// Axially symmetric laws mu ~ exp((kappa / beta) W * mu) on S^{d-1}, W = e^{beta x.y}, concentrated
// around one pole (2412.14813, 2606.05140). The branch is parametrised by the order r = int x_0
// dmu: kappa(r) starts from the onset at r = 0 and either increases, or decreases to a fold first.
// Laws below the fold's order are unstable.
class StationaryBranch {
 public:
  StationaryBranch(int d, double beta);  // Error(input) unless d >= 2 and beta is in [0, 100]

  double kappa(double r) const {
    return law(r).kappa;
  }  // kappa at which the law of order r in (0, 1) is stationary
  double onset() const { return onset_; }
  double fold() const { return fold_; }  // equal to the onset if kappa(r) increases from there
  double fold_order() const { return fold_order_; }

  // Free energy (1 / 2 beta) int int W dmu dmu - int log(density) dmu / kappa of the law of order
  // r, minus that of the uniform law. It never decreases along the flow.
  double free_energy(double r) const;
  // Kappa at which the ordered and the uniform law have the same free energy: between fold and
  // onset, or the onset if order sets in continuously.
  double transition() const;

  // The stable law's order; 0: only the uniform one is stable.
  double order(double kappa) const;
  // Order of the stable law that is reached from order `start`.
  double order_from(double kappa, double start) const;

 private:
  struct Law {
    double kappa;
    std::vector<double> level, q;  // (nodes), (modes): p ~ e^{kappa level}, q_k = int c_k dp
  };
  Law law(double r) const;
  void append_polynomials(double x);
  void compute_density(const std::vector<double>& level, double kappa,
                       std::vector<double>& p) const;
  double find_kappa(const std::vector<double>& level, double r, double guess) const;
  void compute_modes(const std::vector<double>& level, double kappa, std::vector<double>& q) const;
  double order_between(double kappa, double low, double high) const;
  void find_fold();

  int d_, modes_ = 0;
  double beta_;
  std::vector<double> height_;              // (modes) lambda_k / beta times the harmonics
  std::vector<double> place_, log_weight_;  // (nodes) x_0
  std::vector<double> wave_;                // (nodes, modes) c_k
  double onset_ = 0, fold_ = 0, fold_order_ = 0;
};

}  // namespace murmur::theory
