// theory.h: closed forms and one-dimensional reductions that simulations are compared with.
#pragma once

#include <span>
#include <vector>

#include "murmur/dynamics.h"

namespace murmur::theory {

enum class Law { sa, usa };  // softmax or unnormalised attention, V = Q = K = I

// Special functions. Orders are integers or half-integers, 0 <= order, 0 <= x.

double bessel_ratio(double order, double x);       // I_{order+1}(x) / I_order(x), in [0, 1)
double log_bessel(double order, double x);         // ln I_order(x)
double scaled_bessel(double order, double x);      // e^{-x} I_order(x)
double log_eigenvalue(int d, double beta, int k);  // ln lambda_k, see `eigenvalue`

// Funk-Hecke eigenvalue of e^{beta x.y} on degree-k harmonics, for the uniform probability on the
// sphere:  lambda_k = Gamma(d/2) (2/beta)^{d/2-1} I_{k+d/2-1}(beta);  d = 2: I_k(beta).
double eigenvalue(int d, double beta, int k);

// Growth of harmonics at the uniform law, 2410.23228; for d > 2 derived here, with
// -Lap Y_k = k(k+d-2) Y_k.

//   s_k = k(k+d-2) lambda_k / beta            (USA; divided by lambda_0 for SA)
// In clock u2 a rate is e^{-beta} times that of u1, in u3 beta times. Noise subtracts
// k(k+d-2) noise in the same clock; descent (V = -I) changes the sign of s_k.
struct Growth {
  Law law = Law::sa;
  int d = 2;
  double beta = 1;
  Clock clock = Clock::u1;  // u1, u2, u3; SA has only u1
  double noise = 0;         // 1/kappa
  bool descent = false;
};
// Returns these parameters of the attention of a dynamics on the sphere of R^d. Throws Error(input)
// with a reason if it has no mean field (meanfield.h), or has a perceptron.
Growth growth_of(const Dynamics& dynamics, int d);
double growth_rate(const Growth& growth, int k);
int fastest_mode(int d, double beta);  // k_max: the k >= 1 of greatest s_k, the same for SA and USA
// Returns the beta at which s_k = s_{k+1}, where k_max changes from k to k + 1.
double switch_point(int d, int k);

// Equiangular swarms <x_i, x_j> = rho, exact for d >= n: 2312.10794, Theorem 6.8.

//   rho' = 2 e^{beta rho} (1 - rho) ((n-1) rho + 1) / (e^beta + (n-1) e^{beta rho})      (SA)
//   rho' = (2/n) e^{beta rho} (1 - rho) ((n-1) rho + 1)                                  (USA)
struct Equiangular {
  int n = 32;
  double beta = 1;
  Law law = Law::sa;
  double start = 0;  // rho(0), in (-1/(n-1), 1)
};
// n orthogonal tokens under a dynamics with V = I in the clock U1, without perceptron and noise;
// throws Error(input) with a reason for any other.
Equiangular equiangular_of(const Dynamics& dynamics, int n);
double cosine(const Equiangular& swarm, double t);  // rho(t), to 1e-12
double late_rate(Law law, double beta);             // of 1 - rho: 2 (SA), 2 e^beta (USA)
// Phase curve (2312.10794, Fig. 3): the time at which rho reaches 1 - delta. From rho = 0 under SA,
//   t* = int_0^{ln 1/delta} (e^{beta e^{-u}} + n - 1) / (2 ((n-1)(1 - e^{-u}) + 1)) du.
double clustering_time(const Equiangular& swarm, double delta);

// Layer normalisations of x = r theta (2510.22026), reduced to equiangular directions under SA:
//   rho' = f(rho) / s,  f the SA velocity;  s and r' as in LayerNorm, with
//   <theta, A> = (e^beta + (n-1) rho e^{beta rho}) / Z,   Z = e^beta + (n-1) e^{beta rho}.
struct Normalised {
  LayerNorm scheme = LayerNorm::post;
  int n = 16;
  double beta = 1;
  double start = 0;      // rho(0)
  double radius = 1;     // r(0)
  double mix_until = 0;  // of mix
  double speed = 1;      // of ngpt
};
struct Shells {
  double rho, r;
};
Shells normalised_velocity(const Normalised& swarm, const Shells& at, double t);
Shells normalised(const Normalised& swarm, double t);

// Few clusters on a great circle, the setting of 2410.06833; the formulas are derived here.

// With c = e^{-beta(1 - cos theta)} and masses m1 + m2 = 1:
//   theta' = -sin theta (m2 c/(m1 + m2 c) + m1 c/(m2 + m1 c))   (SA)
//   theta' = -sin theta e^{beta cos theta}                      (USA, clock u1)
struct TwoClusters {
  double beta = 1;
  Law law = Law::sa;
  double mass = 0.5;  // mass of one of the two
};
double angle_velocity(const TwoClusters& pair, double theta);
double lifetime(const TwoClusters& pair, double from, double to);  // of an angle in (0, pi)
// Leading order for large beta (Laplace's method at the initial angle):
//   T ~ e^{beta(1 - cos theta)} / ((m1/m2 + m2/m1) beta sin^2 theta)      (SA)
//   T ~ e^{-beta cos theta} / (beta sin^2 theta)                          (USA)
double asymptotic_lifetime(const TwoClusters& pair, double from);

// Perturbations e^{2 pi i m j/k} of k equal clusters at equal angles grow at
//   -sum_j h(2 pi j/k) (1 - cos(2 pi m j/k)) / sum_j e^{beta(cos(2 pi j/k) - 1)}       (SA)
// with h(x) = (cos x - beta sin^2 x) e^{beta(cos x - 1)}; for USA the divisor is k e^{-beta}.
struct Polygon {
  int k = 2;
  double beta = 1;
  Law law = Law::sa;
};
double escape_rate(const Polygon& polygon, int mode);

// The staircase of the energy of 2410.06833 in clock u4 (arc length, times ln beta); times and
// levels are derived here, for large beta, where only the closest pair moves. Merging n1 tokens
// with n2 over an angle g takes an arc length of g sqrt(n1 n2/(n1 + n2)), and the energy is half
// way up once g = sqrt(2 ln 2 / beta). Levels are sum_q m_q^2.
struct Stair {
  double half;                   // time at which the energy is half way up to `level`
  double full;                   // time of the merge
  double level;                  // energy after it
  double left_mass, right_mass;  // sizes of the two that merged
};
// counts: tokens in each angle, empty means one each. beta > 1.
std::vector<Stair> staircase(std::span<const double> angles, std::span<const double> counts,
                             double beta);

// Bounds of the metastability theorem of 2410.06833 for tokens in caps <x, w_q> >= 1 - eps, clock
// u2 for USA:
//   gap = 1 - alpha - 8 eps - ln(2 n^2/eps)/beta, to be positive,
//   T1 <= 2 n e^{8 eps beta} + e n rate beta^2/(beta - 1),   T2 >= (eps/n) e^{(1 - alpha) beta},
//   and between them spread^2 <= 2 e^{-rate beta}.
struct Caps {
  int n = 10;
  double beta = 16;
  double eps = 0.005;
  double alpha = 0;  // greatest inner product between points of two different caps of 2 eps
  double rate = 1;
};
struct Metastable {
  double gap, begins, ends, spread;  // T1, T2, and the bound on the spread (not squared)
};
Metastable metastability(const Caps& caps);
double cap_alpha(double angle, double eps);  // alpha of caps whose centres are `angle` apart

// Centres of causal swarms, 2411.04990, and hemispheres.

inline constexpr double renyi_constant = 0.7475979202534;  // of parking (Renyi 1958)
double cap_measure(int d, double angle);  // of a cap of that angular radius, uniform probability
// Tokens farther than delta from all earlier ones, p = cap_measure(d, delta): (1 - (1-p)^n)/p.
double strong_centres(int d, double delta, double n);
double renyi_centres(double delta);  // circle, infinite sequence: renyi_constant 2 pi / delta
// The mean over the first n tokens on the circle, from the law of intervals in random sequential
// adsorption (Gonzalez, Hemmer, Hoye, Chem. Phys. 3, 1974) at tau = n delta / 2 pi,
//   F = (2 pi / delta) int_0^tau e^{-2 g(u)} du,   g(u) = int_0^u (1 - e^{-v})/v dv,
// for a Poisson number of tokens, and F - (n/2) d^2 F / dn^2 for n tokens.
double parked_centres(double delta, int n);

// Noise, dX = v dt + sqrt(2/kappa) dB: USA, clock u1; 2606.05140, 2412.14813.

// beta / lambda_k: above it the uniform law is unstable to degree k. k = 1: kappa_c = 2 K_# of
// 2606.05140.
double noise_threshold(int d, double beta, int k = 1);
// beta_*: I_{d/2+1}/I_{d/2} = 1/d; the transition at kappa_c is continuous up to it (2606.05140).
double continuous_until(int d);
// Circle: r = |int e^{i theta} dp| of the stable law p ~ exp((kappa/beta) W * p), W = e^{beta cos},
// that is reached from order `start`: 1 gives the ordered law if there is one, small values the
// uniform one.
double stationary_order(double kappa, double beta, double start = 1);

// Weights drawn again after every time DT (`redraw`); derived here, announced in 2604.01978 and
// 2601.21942.

// V has independent normal entries of variance 1/d. In the time s = DT t its contributions add up
// to a matrix W of Brownian motions of variance s/d, the same for all tokens. As DT -> 0, SA
// becomes
//   dx_i = P_i dW A_i + (1/2d) (-(d-1) |A_i|^2 x_i + c P_i sum_ab e_a (D A_i[X_ab])_b) ds    (Ito)
// A_i = sum_j a_ij x_j. X_ab = (P_j e_a (A_j)_b)_j is the effect of the entry (a, b) on all tokens,
// P e_a the projection of a unit vector; c = 1 for the flow within a draw (Stratonovich), 1 - 1/k
// for k steps of `layers` or `euler` per draw.

// Two tokens. With p = e^beta/(e^beta + e^{beta rho}), q = 1 - p, the cosine is a diffusion:
//   drift     (1-rho^2)/d ((d-2) 2pq - rho (p^2+q^2) + c q (p - q rho)
//                          - c beta p q (p-q) (1-rho^2))
//   variance  (2/d) (p^2 + q^2) (1-rho^2)^2
struct RedrawnPair {
  int d = 3;
  double beta = 0;
  int steps = 0;  // k; 0: the flow
  double start = 0;
};
struct OverlapRates {
  double drift, variance;  // of rho, per unit of s
};
OverlapRates overlap_rates(const RedrawnPair& pair, double rho);
// Its law at s, by the Fokker-Planck equation in artanh(rho); weights sum to 1.
struct OverlapLaw {
  std::vector<double> rho{}, weight{};
};
OverlapLaw overlap_law(const RedrawnPair& pair, double s);
double overlap_moment(const OverlapLaw& law, int power);
double overlap_below(const OverlapLaw& law, double rho);  // probability
// If tokens converge, 1 - rho decays as e^{-rate s} for almost all draws, any n and beta: (d-1)/d.
// Near rho = -1, where artanh(rho) moves by ((d-2) 2pq - p^2 - q^2 + c q)/d, a pair is stable too
// if that is negative: it then converges to opposite tokens with positive probability.
double redrawn_late_rate(int d);

// n tokens of common cosine as d -> infinity, where noise is of order d^{-1/2} and c no longer
// matters. With p, q the weights of a token for itself and for another,
//   rho' = (1 - rho) ((n-1) rho + 1) q (2p + (n-2) q),
// which at beta = 0 is logistic in |mean|^2 = ((n-1) rho + 1)/n. With one layer per draw it is
// exactly
//   rho <- (rho + DT^2 <A_i, A_j>) / (1 + DT^2 |A_i|^2).
double redrawn_velocity(const Equiangular& swarm, double rho);
double redrawn_cosine(const Equiangular& swarm, double s);  // rho(s), to 1e-12
double redrawn_layer(const Equiangular& swarm, double dt, double rho);

// Contraction to one point, 2504.14697; the rates are derived here.

// Near a Dirac mass at angle 0 a token moves by theta' = -sin theta (SA), -e^{beta cos theta} sin
// theta (USA): distances decay at `near` = 1, e^beta, and tokens leave the opposite point at
// `opposite` = 1, e^{-beta}. With a density that is positive there, a mass of order e^{-(d-1)
// opposite t} is still far away at t, and W2 to the Dirac mass decays at
//   rate = min(near, (d-1) opposite / 2),
// times sqrt(t) if both are equal: SA in d = 3. If the density vanishes like the power z of the
// distance there, d - 1 + z replaces d - 1. With finitely many tokens all leave, and the rate is
// `near`.
struct Contraction {
  double near, opposite, rate;
};
Contraction contraction(Law law, double beta, int d, double z = 0);

// At beta = 0 tokens move by boosts: tan(theta/2) = e^{-b} tan(theta_0/2). The uniform law boosted
// by b has order r(b), tanh(b/2) for d = 2 and coth b - b/sinh^2 b for d = 3, and b' = r(b).
double boosted_spread(int d, double b);          // W2 to its pole, in chords: sqrt(2 (1 - r))
double boost_of_order(int d, double order);      // b of r in [0, 1)
double boost_at(int d, double start, double t);  // b(t) from b(0) = start

// Long context: tokens of common cosine rho attended at beta = gamma ln n, 2512.01868.

// cos(A_i, A_j), A_i = (a - 1) x_i + sum_j x_j, a = n^{gamma (1 - rho)}; one SA layer.
double context_cosine(double rho, double gamma, double n);

// Lost in the middle, 2605.09213: retrieval along a causal swarm with ALiBi slope lambda/N.

//   S_t(s) = sum_{n=1}^{modes} e^{-pi^2 n^2/(2 width^2)} g_{a_n}(s),    a_n = n^2 I_n(beta),
//   g_a = lambda e^{lambda s}/(e^lambda - 1) psi_{at}(ln((e^lambda - 1)/(e^{lambda s} - 1))),
//   psi_c(y) = sum_k c^{k+1} y^k / (k! (k+1)!).
struct Retrieval {
  double beta = 1;
  double lambda = 1;
  double width = 8;
  int modes = 20;
};
double retrieval_rate(double beta, int n);                                 // a_n
double retrieval_series(double c, double y);                               // psi_c(y)
double retrieval_profile(const Retrieval& retrieval, double t, double s);  // 0 < s <= 1
// The time at which the slope at s = 1 vanishes: 2 (1 - e^{-lambda}) sum w_n a_n / sum w_n a_n^2.
double retrieval_critical_time(const Retrieval& retrieval);
// Up to this time there is exactly one interior minimum:
//   t sup a_n <= min(3 - sqrt 3, 2 (1 - e^{-lambda}))
double retrieval_certain_until(const Retrieval& retrieval);

// Causal attention of infinitely many tokens, with labels s in (0, 1] (meanfield.h). The amplitude
// at label s of a wave of degree k over the uniform law obeys (derived here)
//   a_s' = s_k (1/s) int_0^s a_r dr  (SA),   a_s' = s_k int_0^s a_r dr  (USA),   less k(k+d-2)
//   noise
// a_s, s_k the growth rate without noise. From s^p it grows like s^p e^{s_k t / (1 + p)} under SA.

// The amplitude at label s and time t if labels up to `share` start with 1, later ones with 0. With
// c = s_k t and psi_c = retrieval_series, times e^{-k(k+d-2) noise t}:
//   SA   s <= share: e^c;               beyond: int_{ln(s/share)}^inf e^{-y} psi_c(y) dy
//   USA  s <= share: I_0(2 sqrt(c s));  beyond: int_{s-share}^s psi_c(y) dy
struct CausalWave {
  double share = 1;
  double s = 1;
  double t = 0;
};
double causal_amplitude(const Growth& growth, int k, const CausalWave& wave);
// The factor by which the mean square amplitude of n independent uniform tokens has grown at time
// t, for large n:
//   e^{2c} I_0(2c)  (SA; e^{2c} if all attend to all),   int_0^1 I_0(2 sqrt(c y))^2 dy  (USA)
double causal_variance(const Growth& growth, int k, double t);

// Densities and hardmax.

// sqrt(beta ln beta): scale of the number of modes of a Gaussian kernel density of bandwidth
// beta^{-1/2}, n^c <= beta <= n^{2-c}; 2412.09080.
double mode_scale(double beta);
// Hardmax, 2407.01602 and 2508.09628: a coordinate after `steps` steps towards vertex v,
//   (1-g)^steps x + (1 - (1-g)^steps) v,   g = alpha/(1 + alpha).
struct Towards {
  double x, vertex;
};
double hardmax(const Towards& towards, double alpha, int steps);

}  // namespace murmur::theory
