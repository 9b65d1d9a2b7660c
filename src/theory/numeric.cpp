// numeric.cpp: quadrature, roots, a small integrator, Bessel functions and eigenvalues of the
// kernel.
#include "theory/numeric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "flow/runge_kutta.h"
#include "murmur/error.h"
#include "murmur/theory.h"

namespace murmur::theory {

namespace {

constexpr double kNode[8] = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0};
constexpr double kKronrod[8] = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
constexpr double kGauss[4] = {
    0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
    0.381830050505118944950369775488975, 0.417959183673469387755102040816327};

struct Estimate {
  double value, error;
};

Estimate kronrod(const Function& f, double a, double b) {
  const double centre = (a + b) / 2, half = (b - a) / 2, middle = f(centre);
  double fine = kKronrod[7] * middle, coarse = kGauss[3] * middle;
  for (int k = 0; k < 7; ++k) {
    const double both = f(centre - half * kNode[k]) + f(centre + half * kNode[k]);
    fine += kKronrod[k] * both;
    if (k % 2 == 1) coarse += kGauss[k / 2] * both;
  }
  return {fine * half, std::fabs((fine - coarse) * half)};
}

double refine(const Function& f, double a, double b, double allowed, int depth) {
  const Estimate whole = kronrod(f, a, b);
  // The difference bounds the error of the Gauss rule and is far above that of Kronrod's; below
  // 1e-14 it is rounding.
  if (whole.error <= std::max(allowed, 1e-14 * std::fabs(whole.value)) || depth == 0)
    return whole.value;
  const double middle = (a + b) / 2;
  return refine(f, a, middle, allowed, depth - 1) + refine(f, middle, b, allowed, depth - 1);
}

// y' = slope(t, y) as a system for the Runge-Kutta driver, errors in units of 1e-14.
class SlopeSystem {
 public:
  using State = theory::State;

  explicit SlopeSystem(const Slope& slope) : slope_(slope) {}

  State scratch() const { return {}; }
  void velocity(double t, const State& y, State& v) const { v = slope_(t, y); }
  void combine(const State& x, StepPoint, std::span<const StageTerm<State>> terms, State& y) const {
    State sum = x;
    for (const auto& term : terms)
      for (int e = 0; e < 2; ++e) sum[e] += term.scale * (*term.along)[e];
    y = sum;
  }
  double error(const StepEstimate<State>& estimate) const {
    double worst = 0;
    for (int e = 0; e < 2; ++e) {
      double error = 0;
      for (const auto& term : estimate.difference)
        error += estimate.h * term.scale * (*term.along)[e];
      if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
      const double scale =
          1e-14 * std::max({1.0, std::fabs(estimate.x[e]), std::fabs(estimate.y[e])});
      worst = std::max(worst, std::fabs(error) / scale);
    }
    return worst;
  }
  bool finite(const State&) const { return true; }  // `error` checks for that

 private:
  const Slope& slope_;
};

}  // namespace

double quadrature(const Function& f, double a, double b) {
  const double size =
      std::fabs(kronrod(f, a, (a + b) / 2).value) + std::fabs(kronrod(f, (a + b) / 2, b).value);
  return refine(f, a, b, 1e-14 * size, 40);
}

double root(const Function& f, double low, double high) {
  const bool rising = f(low) < 0;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= std::min(low, high) || middle >= std::max(low, high)) return middle;
    ((f(middle) < 0) == rising ? low : high) = middle;
  }
}

State carry(const Slope& slope, State y, double from, double to) {
  SlopeSystem system(slope);
  std::int64_t evaluations = 0;
  RungeKutta<SlopeSystem> driver(system, dormand_prince(), evaluations);
  const StepController controller{
      .grow = 5, .beta = 0, .grow_after_refusal = 5, .order = driver.tableau().order};
  double t = from, h = (to - from) / 64;
  while (t < to) {
    h = std::min(h, to - t);
    driver.attempt(t, y, h);
    const double error = driver.error(y, h);
    // If a stage is where the slope overflows, the step is tried again; if only rounding keeps the
    // error of ever smaller steps above the tolerance, the step is accepted.
    if (error <= 1 || h <= 1e-13 * std::max(std::fabs(t), to - from)) {
      driver.commit(y);
      t = to - t <= h ? to : t + h;
    }
    h *= error <= 1 ? controller.next_factor(error, 1, false) : controller.shrink_factor(error);
  }
  return y;
}

void demand(bool good, const char* what, const char* where, const char* remedy) {
  if (!good) throw Error(Fault::input, what, where, remedy);
}

namespace {

void check_bessel(double order, double x) {
  demand(order >= 0 && 2 * order == std::floor(2 * order) && order <= 1e6,
         "the Bessel order is out of range", "order",
         "give an integer or half-integer of at least 0");
  demand(x >= 0 && std::isfinite(x), "the Bessel argument is out of range", "x",
         "give a finite x >= 0");
}

// Miller's backward recurrence (DLMF 10.74(iv)), in ratios so that nothing overflows:
//   r_k = I_{k+1}/I_k = 1 / (2 (k+1)/x + r_{k+1})
// With r_N = 0 at the start N, the error at k is (I_N/K_N) (K_k/I_k), which is below rounding for N
// - k >= 40 + sqrt(80 x).
double start_above(double order, double x) { return order + std::ceil(40 + std::sqrt(80 * x)); }

// e^{-x} I_0(x) by e^x = I_0 + 2 (I_1 + I_2 + ...), the sum nested in ratios (DLMF 10.35.5).
double scaled_zero(double x) {
  double ratio = 0, tail = 0;  // tail = (I_{k+1} + I_{k+2} + ...) / I_k
  for (double k = start_above(0, x); k >= 0; --k) {
    ratio = 1 / (2 * (k + 1) / x + ratio);
    tail = ratio * (1 + tail);
  }
  return 1 / (1 + 2 * tail);
}

struct Scaled {  // the number e^log factor: the factor has the digits, the log the range
  double log, factor;
};

// e^{-x} I_order(x)
Scaled scaled(double order, double x) {
  if (x == 0) return {0, order == 0 ? 1.0 : 0.0};
  const double lowest = order - std::floor(order);  // 0 or 1/2
  double ratio = 0;
  Scaled result{0, 1};  // grows into I_order / I_lowest
  for (double k = start_above(order, x); k >= lowest; --k) {
    ratio = 1 / (2 * (k + 1) / x + ratio);
    if (k < order) result.factor *= ratio;
    if (result.factor < 1e-200) {
      result.log += std::log(result.factor);
      result.factor = 1;
    }
  }
  // I_{1/2}(x) = sqrt(2/(pi x)) sinh x
  result.factor *=
      lowest == 0 ? scaled_zero(x) : -std::expm1(-2 * x) / std::sqrt(2 * std::numbers::pi * x);
  return result;
}

}  // namespace

double bessel_ratio(double order, double x) {
  check_bessel(order, x);
  if (x == 0) return 0;
  double ratio = 0;
  for (double k = start_above(order, x); k >= order; --k) ratio = 1 / (2 * (k + 1) / x + ratio);
  return ratio;
}

double log_bessel(double order, double x) {
  check_bessel(order, x);
  const Scaled value = scaled(order, x);
  return x + value.log + std::log(value.factor);
}

double scaled_bessel(double order, double x) {
  check_bessel(order, x);
  const Scaled value = scaled(order, x);
  return std::exp(value.log) * value.factor;
}

double log_eigenvalue(int d, double beta, int k) {
  demand(d >= 2, "there is no sphere of so few coordinates", "d", "give d of at least 2");
  demand(k >= 0, "a harmonic has a negative degree", "k", "give k of at least 0");
  demand(beta >= 0, "beta is negative", "beta", "give beta of at least 0");
  if (beta == 0) return k == 0 ? 0 : -std::numeric_limits<double>::infinity();
  const double half = d / 2.0;
  return std::lgamma(half) + (half - 1) * std::log(2 / beta) + log_bessel(k + half - 1, beta);
}

double eigenvalue(int d, double beta, int k) { return std::exp(log_eigenvalue(d, beta, k)); }

}  // namespace murmur::theory
