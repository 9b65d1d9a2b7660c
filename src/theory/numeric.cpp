// numeric.cpp: quadrature, roots and one small integrator for the reductions of this folder.
#include "theory/numeric.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "murmur/error.h"

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
  // The difference bounds Gauss's error and is far above Kronrod's; below 1e-14 it is rounding.
  if (whole.error <= std::max(allowed, 1e-14 * std::fabs(whole.value)) || depth == 0)
    return whole.value;
  const double middle = (a + b) / 2;
  return refine(f, a, middle, allowed, depth - 1) + refine(f, middle, b, allowed, depth - 1);
}

// Dormand & Prince 1980.
constexpr double kTime[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
constexpr double kStage[7][6] = {
    {},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
constexpr double kError[7] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                              -17253. / 339200, 22. / 525, -1. / 40};

struct Step {
  State y;
  double error;  // in units of the tolerance
};

Step step(const Slope& slope, const State& y, double t, double h) {
  State k[7], next = y;
  for (int s = 0; s < 7; ++s) {
    next = y;
    for (int j = 0; j < s; ++j)
      for (int e = 0; e < 2; ++e) next[e] += h * kStage[s][j] * k[j][e];
    k[s] = slope(t + kTime[s] * h, next);
  }
  Step result{next, 0};
  for (int e = 0; e < 2; ++e) {
    double error = 0;
    for (int s = 0; s < 7; ++s) error += h * kError[s] * k[s][e];
    const double scale = 1e-14 * std::max({1.0, std::fabs(y[e]), std::fabs(next[e])});
    result.error = std::fmax(result.error, std::fabs(error) / scale);
    if (!std::isfinite(error)) result.error = std::numeric_limits<double>::infinity();
  }
  return result;
}

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
  double t = from, h = (to - from) / 64;
  while (t < to) {
    h = std::min(h, to - t);
    const Step next = step(slope, y, t, h);
    const double factor = std::isfinite(next.error)
                              ? std::clamp(0.9 * std::pow(next.error + 1e-10, -0.2), 0.2, 5.0)
                              : 0.1;  // a stage fell where the slope overflows
    // Rounding alone keeps the error of ever smaller steps above the tolerance: take them.
    if (next.error <= 1 || h <= 1e-13 * std::max(std::fabs(t), to - from)) {
      y = next.y;
      t = to - t <= h ? to : t + h;
    }
    h *= factor;
  }
  return y;
}

void demand(bool good, const char* what, const char* where, const char* remedy) {
  if (!good) throw Error(Fault::input, what, where, remedy);
}

}  // namespace murmur::theory
