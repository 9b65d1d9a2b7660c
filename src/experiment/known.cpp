// known.cpp: theorems about experiments, each with its hypotheses as a test of the experiment.
#include "murmur/known.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/forces.h"
#include "murmur/theory.h"
#include "observe/energy.h"
#include "run/text.h"
#include "theory/numeric.h"

namespace murmur {

namespace {

// Hypotheses.

bool all_zero(const Vector& v) {
  return std::all_of(v.begin(), v.end(), [](double value) { return value == 0; });
}

// Returns the only head of an experiment with constant weights and without biases; none if there is
// another force.
const Attention* only_head(const Experiment& e) {
  if (e.dynamics.sublayers.size() != 1) return nullptr;
  const Sublayer& sublayer = e.dynamics.sublayers[0];
  if (sublayer.forces.size() != 1 || sublayer.limited() || !sublayer.forces_end.empty())
    return nullptr;
  const Attention* head = head_of(sublayer.forces[0]);
  const bool unbiased = head != nullptr && all_zero(head->query_bias) && all_zero(head->key_bias) &&
                        all_zero(head->value_bias);
  return unbiased ? head : nullptr;
}

bool is_round(const Dynamics& dynamics) {
  return dynamics.gain.empty() && dynamics.gain_end.empty();
}

bool has_equal_masses(const Experiment& e) {
  const auto& mass = e.swarm.mass;
  return std::all_of(mass.begin(), mass.end(), [&](double m) { return m == mass[0]; });
}

Matrix scores_of(const Attention& a) { return score_matrix(a.query, a.key); }

bool has_plain_scores(const Attention& a) { return is_identity(scores_of(a)); }

bool is_scale(const Matrix& m, double scale) {
  return m.empty() ? scale == 1 : m == scaled_identity(m.rows, scale);
}

// Returns whether attention is softmax or unnormalised, of all to all.
bool attends_to_all(const Attention& a) {
  return a.mask == Attention::none && !a.rescaled &&
         (a.weighting == Attention::softmax || a.weighting == Attention::unnormalised);
}

// Returns the only head, on the round sphere, without noise, with layer norm post.
const Attention* sphere_head(const Experiment& e) {
  const Dynamics& dynamics = e.dynamics;
  const bool sphere = dynamics.manifold == Manifold::sphere && is_round(dynamics) &&
                      dynamics.noise == 0 && dynamics.normalisation == LayerNorm::post;
  return sphere ? only_head(e) : nullptr;
}

// sphere_head with Q = K = V = I and without a mask: SA or USA.
const Attention* plain_head(const Experiment& e) {
  const Attention* a = sphere_head(e);
  return a != nullptr && attends_to_all(*a) && has_plain_scores(*a) && is_identity(a->value)
             ? a
             : nullptr;
}

bool is_softmax(const Attention& a) { return a.weighting == Attention::softmax; }

// The only head, in R^d, without noise.
const Attention* space_head(const Experiment& e) {
  const bool space = e.dynamics.manifold == Manifold::space && e.dynamics.noise == 0 &&
                     e.dynamics.normalisation == LayerNorm::post;
  return space ? only_head(e) : nullptr;
}

// space_head of x' = sum_j a_ij V x_j, in x or in z = e^{-tV} x: 2305.05465.
const Attention* growing_head(const Experiment& e) {
  const Attention* a = space_head(e);
  const bool grows = a != nullptr && is_softmax(*a) && a->mask == Attention::none && a->self &&
                     a->beta > 0 && a->relative == a->rescaled;
  return grows ? a : nullptr;
}

// space_head of x_i' = sum_j a_ij x_j - x_i.
const Attention* averaging_head(const Experiment& e) {
  const Attention* a = space_head(e);
  const bool averages = a != nullptr && is_softmax(*a) && a->mask == Attention::none && a->self &&
                        a->relative && !a->rescaled && is_identity(a->value);
  return averages ? a : nullptr;
}

// Symmetric (relative 1e-12) and positive definite, by Cholesky's decomposition. Empty: identity.
bool is_positive(Matrix m) {
  if (m.empty()) return true;
  if (m.rows != m.cols) return false;
  double size = 0;
  for (const double entry : m.data) size = std::max(size, std::abs(entry));
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j <= i; ++j) {
      if (!(std::abs(m(i, j) - m(j, i)) <= 1e-12 * size)) return false;
      double rest = m(i, j);
      for (int k = 0; k < j; ++k) rest -= m(i, k) * m(j, k);
      if (i == j && !(rest > 1e-12 * size)) return false;
      m(i, j) = i == j ? std::sqrt(rest) : rest / m(j, j);
    }
  }
  return true;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// m x, or m^T x.
Vector product_of(const Matrix& m, const Vector& x, bool transposed = false) {
  Vector y(transposed ? m.cols : m.rows);
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.cols; ++j)
      (transposed ? y[j] : y[i]) += m(i, j) * (transposed ? x[i] : x[j]);
  return y;
}

struct LeadingEigen {
  double value;
  Vector vector;  // of length 1
};

// Returns the eigenvalue of greatest modulus by iteration; none if it is not found, for example if
// it is not real.
std::optional<LeadingEigen> leading_eigen(const Matrix& m, bool transposed = false) {
  Vector x(m.rows);
  for (int k = 0; k < m.rows; ++k) x[k] = 1 + 0.1 * std::sin(1.0 + k);
  for (int round = 0; round < 10'000; ++round) {
    const double length = std::sqrt(dot(x, x));
    if (!(length > 0) || !std::isfinite(length)) return std::nullopt;
    for (double& entry : x) entry /= length;
    Vector next = product_of(m, x, transposed);
    const double value = dot(x, next);
    double off = 0;
    for (int k = 0; k < m.rows; ++k) off = std::max(off, std::abs(next[k] - value * x[k]));
    if (off <= 1e-12 * std::abs(value)) return LeadingEigen{value, x};
    x = std::move(next);
  }
  return std::nullopt;
}

// A good triple (Q, K, V) of 2305.05465, Section 4: the eigenvalue of V of greatest modulus is
// real, positive and simple, and <Q f, K f> > 0 for its eigenvector f.
bool is_good_triple(const Attention& a) {
  if (a.value.empty()) return false;  // the identity has d such eigenvalues
  const std::optional<LeadingEigen> right = leading_eigen(a.value),
                                    left = leading_eigen(a.value, true);
  if (!right || !left || !(right->value > 0)) return false;
  const double overlap = dot(right->vector, left->vector);
  if (std::abs(overlap) < 1e-6) return false;
  Matrix rest = a.value;  // without that eigenvalue
  for (int i = 0; i < rest.rows; ++i)
    for (int j = 0; j < rest.cols; ++j)
      rest(i, j) -= right->value * right->vector[i] * left->vector[j] / overlap;
  // |rest^64 x|^(1/64) of a generic x is close to the next modulus.
  Vector x(rest.rows);
  for (int k = 0; k < rest.rows; ++k) x[k] = std::cos(1.0 + 2 * k);
  constexpr int kPowers = 64;
  double growth = 0;  // ln
  for (int power = 0; power < kPowers; ++power) {
    x = product_of(rest, x);
    const double length = std::sqrt(dot(x, x));
    if (!(length > 0)) growth = -std::numeric_limits<double>::infinity();
    if (!(length > 0)) break;
    growth += std::log(length);
    for (double& entry : x) entry /= length;
  }
  const Matrix scores = scores_of(a);
  const double score = scores.empty() ? 1 : dot(right->vector, product_of(scores, right->vector));
  return std::exp(growth / kPowers) < 0.999 * right->value && score > 0;
}

// Each token attends to one token, which attends to itself and so never moves. Not tested for large
// swarms, for which it would take long.
bool attends_to_leaders(const Attention& a, const HostSwarm& x) {
  const int n = x.n(), d = x.d();
  if (static_cast<double>(n) * n * d > 1e8) return false;
  const Matrix scores = scores_of(a);
  std::vector<int> leader(n);
  for (int i = 0; i < n; ++i) {
    Vector at(d);
    for (int k = 0; k < d; ++k) at[k] = x.at(i, k);
    const Vector key = scores.empty() ? at : product_of(scores, at, true);
    double most = -std::numeric_limits<double>::infinity();
    int times_most = 0;
    for (int j = 0; j < n; ++j) {
      double score = 0;
      for (int k = 0; k < d; ++k) score += key[k] * x.at(j, k);
      score *= a.beta;
      times_most = score > most ? 1 : times_most + (score == most);
      if (score > most) leader[i] = j;
      most = std::max(most, score);
    }
    if (times_most != 1) return false;
  }
  return std::all_of(leader.begin(), leader.end(), [&](int j) { return leader[j] == j; });
}

bool is_adaptive(const Experiment& e) { return row_of(e.flow.method).embedded_order > 0; }

// Returns 1 if E rises along the flow, -1 if it falls; 0: no energy.
double energy_direction(const Experiment& e) {
  if (e.dynamics.noise != 0 || !interaction(e.dynamics)) return 0;
  return value_sign(*first_attention(e.dynamics)).value_or(0);
}

// Returns the value of a parameter in a config.toml with one line per parameter.
std::string setting_of(const Experiment& e, const std::string& key) {
  const std::string opening = "\n" + key + " = ";
  const std::size_t found = ("\n" + e.config).find(opening);
  if (found == std::string::npos) return {};
  const std::size_t from = found + opening.size() - 1;
  std::string value = e.config.substr(from, e.config.find('\n', from) - from);
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

// Returns whether weights are drawn again after every time `redraw`, V from the given law.
bool redraws(const Experiment& e, std::initializer_list<const char*> laws) {
  const std::vector<Sublayer>& all = e.dynamics.sublayers;
  const bool changes =
      std::any_of(all.begin(), all.end(), [](const Sublayer& s) { return s.limited(); });
  if (!changes || e.dynamics.noise != 0 || e.inputs.count("model") > 0) return false;
  const std::string value = setting_of(e, "value");
  return std::any_of(laws.begin(), laws.end(), [&](const char* law) { return value == law; });
}

double redraw_of(const Experiment& e) { return parse_number(setting_of(e, "redraw")).value(); }

// Returns the only head: softmax on the round sphere, V redrawn with independent entries.
const Attention* redrawn_head(const Experiment& e) {
  if (!redraws(e, {"gaussian"}) || e.swarm.n() < 2) return nullptr;
  const Dynamics& dynamics = e.dynamics;
  const std::vector<Force>& forces = dynamics.sublayers[0].forces;
  const Attention* head = forces.size() == 1 ? head_of(forces[0]) : nullptr;
  const bool plain = head != nullptr && by_kind(dynamics).perceptrons.empty() &&
                     dynamics.manifold == Manifold::sphere && is_round(dynamics) &&
                     dynamics.normalisation == LayerNorm::post && is_softmax(*head) &&
                     head->mask == Attention::none && head->self && !head->relative &&
                     head->beta >= 0;
  return plain ? head : nullptr;
}

bool has_fixed_scores(const Experiment& e) {
  return setting_of(e, "query") == "identity" && setting_of(e, "key") == "identity";
}

// Conclusions.

// Near one cluster each token moves to the mean of the tokens it attends to. Without itself that is
// n / (n - 1) times as far away as the mean of all:
//   x_i' = mean_{j != i} x_j - x_i = n / (n - 1) (mean_j x_j - x_i)
double rate_factor(const Attention& a, const HostSwarm& x) {
  return a.self ? 1 : x.n() / (x.n() - 1.0);
}

Conclusion late_rate(const Experiment& e) {
  const Attention& a = *sphere_head(e);
  if (is_softmax(a))
    return {a.self ? "" : "without-self",
            {fmt::format("e^(-{:.6g} t)", 2 * rate_factor(a, e.swarm))}};
  const ClockKernel kernel = kernel_of(e.dynamics.clock);
  return {"",
          {kernel.over_max     ? "e^(-2 t)"
           : kernel.times_beta ? "e^(-2 beta e^beta t)"
                               : "e^(-2 e^beta t)"}};
}

Conclusion normalised_late_rate(const Experiment& e) {
  const double times = rate_factor(*only_head(e), e.swarm);
  switch (e.dynamics.normalisation) {
    case LayerNorm::post:
      break;  // late_rate
    case LayerNorm::pre:
    case LayerNorm::peri:
    case LayerNorm::mix:
      return {"", {fmt::format("t^(-{:.6g})", 2 * times)}};
    case LayerNorm::ngpt:
      return {"", {fmt::format("e^(-{:.6g} t)", 2 * times * e.dynamics.speed)}};
    case LayerNorm::sqrt:
      return {"", {fmt::format("e^(-{:.6g} sqrt(t))", 4 * times)}};
  }
  return {};
}

// Appends the time when two equal clusters at a right angle are 0.1 apart, in the clock of the
// experiment; the form `untimed` if it is too large.
Conclusion with_right_angle(const Experiment& e, const char* scale) {
  const Attention& a = *plain_head(e);
  if (a.beta > 100) return {"untimed", {scale}};
  const theory::Law law = is_softmax(a) ? theory::Law::sa : theory::Law::usa;
  double t = theory::lifetime({.beta = a.beta, .law = law}, std::numbers::pi / 2, 0.1);
  if (!is_softmax(a)) t *= std::exp(a.beta) / clock_scale(e.dynamics.clock, a.beta);
  return {"", {scale, fmt::format("{:.4g}", t)}};
}

Conclusion straight(const Experiment& e) {
  const Method method = e.flow.method;
  const bool steps = method == Method::layers || method == Method::euler;
  return {steps ? "steps" : "", {}};
}

Conclusion rescaled_or_not(const Experiment& e) {
  return {only_head(e)->rescaled ? "rescaled" : "", {}};
}

// Of infinitely many tokens, in clock u3.
Conclusion lost_middle(const Experiment& e) {
  const Attention& a = *sphere_head(e);
  const theory::Retrieval retrieval{.beta = a.beta, .lambda = a.alibi * e.swarm.n()};
  const double unit = a.beta * std::exp(a.beta) / clock_scale(e.dynamics.clock, a.beta);
  return {"",
          {fmt::format("{:.4g}", unit * theory::retrieval_certain_until(retrieval)),
           fmt::format("{:.4g}", unit * theory::retrieval_critical_time(retrieval))}};
}

Conclusion noise_threshold(const Experiment& e) {
  const double critical = theory::noise_threshold(e.swarm.d(), only_head(e)->beta);
  return {"",
          {fmt::format("{:.6g}", critical), fmt::format("{:.6g}", 1 / critical),
           fmt::format("{:.6g}", 1 / e.dynamics.noise)}};
}

Conclusion redrawn_cosines(const Experiment& e) {
  const bool fixed = has_fixed_scores(e);
  const theory::Equiangular swarm{.n = e.swarm.n(), .beta = fixed ? redrawn_head(e)->beta : 0};
  const double half = theory::quadrature(
      [&](double rho) { return 1 / theory::redrawn_velocity(swarm, rho); }, 0, 0.5);
  return {fixed ? "" : "drawn-scores", {fmt::format("{:.4g}", half / redraw_of(e))}};
}

Conclusion plainly(const Experiment&) { return {}; }

// Replaces each {} of a text by the next value.
std::string fill(const std::string& text, const std::vector<std::string>& values) {
  std::string filled;
  std::size_t from = 0;
  for (const std::string& value : values) {
    const std::size_t gap = text.find("{}", from);
    filled += text.substr(from, gap - from) + value;
    from = gap + 2;
  }
  return filled + text.substr(from);
}

constexpr const char* kFlowOfPair = "derived: theory.md";
constexpr const char* kOfExactFlow =
    "This is known of the exact flow: steps of fixed length, here {}, need not follow it.";

constexpr KnownStatement kStatements[] = {
    {"causal-first",
     "causal SA on the sphere, V = I, any Q and K, equal masses",
     "2411.04990",
     [](const Experiment& e) {
       const Attention* a = sphere_head(e);
       return a != nullptr && a->mask == Attention::causal && is_softmax(*a) && a->self &&
              a->alibi == 0 && is_identity(a->value) && has_equal_masses(e);
     },
     plainly,
     {{"", "For almost every start all tokens come to the first, which never moves"}}},
    {"sphere-one-cluster",
     "SA or USA, Q = K = V = I, d >= 3, beta >= 0, equal masses",
     "Markdahl et al. 2018, 1609.04885; 2405.18273",
     [](const Experiment& e) {
       const Attention* a = plain_head(e);
       return a != nullptr && e.swarm.d() >= 3 && a->beta >= 0 && has_equal_masses(e);
     },
     plainly,
     {{"", "For almost every start the swarm ends as one cluster"}}},
    {"circle-one-cluster",
     "SA or USA, Q = K = V = I, d = 2, beta >= -0.16, equal masses",
     "2507.22857: on the circle for every beta >= -0.16",
     [](const Experiment& e) {
       const Attention* a = plain_head(e);
       return a != nullptr && e.swarm.d() == 2 && a->beta >= -0.16 && has_equal_masses(e);
     },
     plainly,
     {{"", "For almost every start the swarm ends as one cluster"}}},
    {"exponential",
     "SA on the sphere, V = I, any Q and K, d >= n; also USA with Q = K = I, beta >= 0",
     "2312.10794, Section 6",
     [](const Experiment& e) {
       const Attention* a = sphere_head(e);
       if (a == nullptr || !attends_to_all(*a) || !is_identity(a->value) || !a->self) return false;
       const bool plain =
           plain_head(e) != nullptr && a->beta >= 0 && !kernel_of(e.dynamics.clock).arc_length;
       return e.swarm.d() >= e.swarm.n() && (is_softmax(*a) || plain) && has_equal_masses(e);
     },
     [](const Experiment& e) -> Conclusion {
       return {is_softmax(*sphere_head(e)) ? "any-scores" : "", {}};
     },
     {{"", "With d >= n and V = I almost every start ends as one cluster, exponentially fast"},
      {"any-scores",
       "With d >= n and V = I almost every start ends as one cluster, exponentially fast, "
       "whatever Q and K"}}},
    {"late-rate",
     "SA on the sphere, V = I, any Q and K; USA with Q = K = I, clocks U1 to U3",
     "derived: theory.md; 2312.10794, Theorem 6.8, for orthogonal tokens",
     [](const Experiment& e) {
       const Attention* a = sphere_head(e);
       if (a == nullptr || !attends_to_all(*a) || !is_identity(a->value) || e.swarm.n() < 2)
         return false;
       if (is_softmax(*a)) return a->self || has_equal_masses(e);
       return has_plain_scores(*a) && !kernel_of(e.dynamics.clock).arc_length;
     },
     late_rate,
     {{"", "Near one cluster 1 - cos decays as {}"},
      {"without-self",
       "Near one cluster 1 - cos decays as {}, which is e^(-2 n/(n-1) t) without j = i"}}},
    {"normalised-late-rate",
     "SA with Q = K = V = I under any layer norm but post",
     "2510.22026, 2512.01868",
     [](const Experiment& e) {
       const Attention* a = only_head(e);
       return a != nullptr && is_round(e.dynamics) && e.dynamics.noise == 0 &&
              e.dynamics.normalisation != LayerNorm::post && is_softmax(*a) && attends_to_all(*a) &&
              has_plain_scores(*a) && is_identity(a->value) && !a->relative && e.swarm.n() > 1 &&
              (a->self || has_equal_masses(e));
     },
     normalised_late_rate,
     {{"", "Near one cluster 1 - cos decays as {}"}}},
    {"metastable",
     "SA with j = i, or USA in the clock U2; Q = K = V = I, beta > 1",
     "2410.06833, Section 2; the time is derived: theory.md",
     [](const Experiment& e) {
       const Attention* a = plain_head(e);
       return a != nullptr && a->beta > 1 &&
              (is_softmax(*a) ? a->self : e.dynamics.clock == Clock::u2);
     },
     [](const Experiment& e) { return with_right_angle(e, "e^(beta (1 - cos theta))"); },
     {{"",
       "Clusters at an angle theta wait for times of order {} before they meet; two equal ones at "
       "a "
       "right angle are 0.1 apart at t = {}"},
      {"untimed", "Clusters at an angle theta wait for times of order {} before they meet"}}},
    {"pair-usa",
     "USA in the clock U1 or U3; Q = K = V = I, beta > 1",
     kFlowOfPair,
     [](const Experiment& e) {
       const Attention* a = plain_head(e);
       return a != nullptr && a->beta > 1 && !is_softmax(*a) &&
              (e.dynamics.clock == Clock::u1 || e.dynamics.clock == Clock::u3);
     },
     [](const Experiment& e) {
       return with_right_angle(e, e.dynamics.clock == Clock::u3
                                      ? "e^(-beta cos theta) / (beta^2 sin^2 theta)"
                                      : "e^(-beta cos theta) / (beta sin^2 theta)");
     },
     {{"",
       "Two clusters at an angle theta meet in times of order {}; two equal ones at a right angle "
       "are 0.1 apart at t = {}"},
      {"untimed", "Two clusters at an angle theta meet in times of order {}"}}},
    {"pair-arc",
     "USA in the clock U4; Q = K = V = I, beta > 1, equal masses",
     kFlowOfPair,
     [](const Experiment& e) {
       const Attention* a = plain_head(e);
       return a != nullptr && a->beta > 1 && !is_softmax(*a) && has_equal_masses(e) &&
              kernel_of(e.dynamics.clock).arc_length;
     },
     plainly,
     {{"",
       "Two clusters of n1 and n2 tokens at an angle theta, and no other, meet at t = theta "
       "sqrt(n1 n2 / (n1 + n2)) / ln(beta)"}}},
    {"pair-without-self",
     "SA without j = i, two tokens of equal mass; Q = K = V = I",
     kFlowOfPair,
     [](const Experiment& e) {
       const Attention* a = plain_head(e);
       return a != nullptr && is_softmax(*a) && !a->self && e.swarm.n() == 2;
     },
     plainly,
     {{"",
       "Two tokens that attend only to each other meet as fast at every beta: tan(theta/2) falls "
       "as e^(-2 t)"}}},
    {"straight",
     "hard attention in R^d, V = I on differences; who is attended to attends to itself, no ties",
     "2407.01602; 2508.09628, Section 4",
     [](const Experiment& e) {
       const Attention* a = space_head(e);
       return a != nullptr && a->weighting == Attention::hard && a->relative && a->self &&
              a->mask == Attention::none && is_identity(a->value) &&
              attends_to_leaders(*a, e.swarm);
     },
     straight,
     {{"",
       "Each token goes straight to the token v that it attends to, x(t) = e^(-t) x(0) + "
       "(1 - e^(-t)) v"},
      {"steps",
       "Each token goes straight to the token v that it attends to, x(t) = (1 - dt)^k x(0) + "
       "(1 - (1 - dt)^k) v after k steps"}},
     false},
    {"polytope",
     "softmax in R^d (euclidean, rescaled), V = I, Q^T K symmetric and positive, beta > 0",
     "2305.05465, Section 3",
     [](const Experiment& e) {
       const Attention* a = growing_head(e);
       return a != nullptr && is_identity(a->value) && is_positive(scores_of(*a));
     },
     rescaled_or_not,
     {{"",
       "With z = e^(-tV) x, the convex hull never grows, and every particle ends at 0 or on the "
       "boundary of a limit polytope"},
      {"rescaled",
       "The convex hull never grows, and every particle ends at 0 or on the boundary of a limit "
       "polytope"}}},
    {"to-zero",
     "softmax in R^d (euclidean, rescaled), V = -I, Q^T K = I, beta > 0",
     "2305.05465, Section 8",
     [](const Experiment& e) {
       const Attention* a = growing_head(e);
       return a != nullptr && is_scale(a->value, -1) && has_plain_scores(*a);
     },
     rescaled_or_not,
     {{"", "Everything comes to 0 and the weights to 1/n"},
      {"rescaled", "The tokens x = e^(-t) z come to 0 and the weights to 1/n; z need not"}}},
    {"hyperplanes",
     "softmax in R^d (euclidean, rescaled), beta > 0; the eigenvalue of V of greatest modulus is "
     "real, positive and simple, and <Q f, K f> > 0 for its eigenvector f",
     "2305.05465, Section 4",
     [](const Experiment& e) {
       const Attention* a = growing_head(e);
       return a != nullptr && is_good_triple(*a);
     },
     rescaled_or_not,
     {{"", "With z = e^(-tV) x, the particles end on at most three parallel hyperplanes"},
      {"rescaled", "The particles end on at most three parallel hyperplanes"}}},
    {"one-point",
     "softmax in R^d, V = I on differences, any Q and K",
     "derived: theory.md",
     [](const Experiment& e) { return averaging_head(e) != nullptr; },
     plainly,
     {{"", "All tokens become one point"}}},
    {"vertices",
     "softmax in R^d, V = I on differences, Q^T K symmetric and positive, beta > 1",
     "2508.09628, Section 5",
     [](const Experiment& e) {
       const Attention* a = averaging_head(e);
       return a != nullptr && a->beta > 1 && is_positive(scores_of(*a));
     },
     plainly,
     {{"",
       "Before that tokens stay near the vertices of their hull, for times of order e^(c beta)"}}},
    {"sinkhorn-mean",
     "Sinkhorn attention of all to all in R^d",
     "2110.11773",
     [](const Experiment& e) {
       const Attention* a = space_head(e);
       return a != nullptr && a->weighting == Attention::sinkhorn && a->mask == Attention::none;
     },
     [](const Experiment& e) -> Conclusion {
       const Attention& a = *only_head(e);
       return {"", {a.relative ? "m' = 0" : is_identity(a.value) ? "m' = m" : "m' = V m"}};
     },
     {{"", "The weights are doubly stochastic, so that the mean m obeys {}"}}},
    {"sinkhorn-gradient",
     "Sinkhorn attention of all to all with j = i, V = +-Q^T K symmetric",
     "2110.11773",
     [](const Experiment& e) {
       const Attention* a = only_head(e);
       return a != nullptr && a->weighting == Attention::sinkhorn && a->mask == Attention::none &&
              a->self && e.dynamics.noise == 0 && is_round(e.dynamics) &&
              e.dynamics.normalisation == LayerNorm::post && value_sign(*a).has_value();
     },
     plainly,
     {{"", "Here V = +-Q^T K is symmetric, and the flow is a Wasserstein gradient"}}},
    {"noise-threshold",
     "USA in the clock U1 on the sphere with noise, Q = K = V = I, beta > 0",
     "2412.14813, 2606.05140",
     [](const Experiment& e) {
       const Attention* a = only_head(e);
       return a != nullptr && e.dynamics.noise > 0 && a->beta > 0 &&
              e.dynamics.manifold == Manifold::sphere && is_round(e.dynamics) &&
              e.dynamics.normalisation == LayerNorm::post && e.dynamics.clock == Clock::u1 &&
              attends_to_all(*a) && !is_softmax(*a) && has_plain_scores(*a) &&
              is_identity(a->value);
     },
     noise_threshold,
     {{"",
       "The uniform law of infinitely many tokens loses stability at kappa_c = {}, noise {}; here "
       "kappa = {}"}},
     false},
    {"redraw-mean",
     "V redrawn from psd",
     "derived: laboratory.md",
     [](const Experiment& e) { return redraws(e, {"psd"}); },
     plainly,
     {{"", "V = G G^T / d has mean I: as redraw -> 0 velocities average to those of V = I"}},
     false},
    {"redraw-diffusion",
     "V redrawn from gaussian, goe or wigner",
     "derived: laboratory.md; announced in 2604.01978, 2601.21942",
     [](const Experiment& e) {
       return redraws(e, {"gaussian", "goe", "wigner"});
     },
     plainly,
     {{"",
       "V has mean 0: as redraw -> 0 the swarm moves in the time s = redraw t, by an Ito equation "
       "whose noise is the same for all tokens. Layers and the flow have different limits"}},
     false},
    {"redraw-late",
     "one softmax head on the sphere with j = i, V redrawn from gaussian, beta >= 0",
     "derived: laboratory.md",
     [](const Experiment& e) { return redrawn_head(e) != nullptr; },
     [](const Experiment& e) -> Conclusion {
       const double rate = theory::redrawn_late_rate(e.swarm.d()) * redraw_of(e);
       return {"", {fmt::format("e^(-{:.4g} t)", rate)}};
     },
     {{"",
       "Where tokens meet, 1 - cos decays as {} for almost all draws, e^(-(d-1)/d s), as redraw -> "
       "0"}},
     false},
    {"redraw-cosines",
     "as before, with Q = K = I, or both redrawn from gaussian",
     "derived: laboratory.md",
     [](const Experiment& e) {
       const bool drawn =
           setting_of(e, "query") == "gaussian" && setting_of(e, "key") == "gaussian";
       return redrawn_head(e) != nullptr && (has_fixed_scores(e) || drawn);
     },
     redrawn_cosines,
     {{"",
       "As d grows, cosines obey rho' = (1 - rho) ((n-1) rho + 1) q (2p + (n-2) q) in s, with the "
       "weights p of oneself and q of another: from orthogonal tokens to 1/2 at t = {}"},
      {"drawn-scores",
       "As d grows, cosines obey rho' = (1 - rho) ((n-1) rho + 1) q (2p + (n-2) q) in s, with the "
       "weights p of oneself and q of another, here 1/n, since scores have variance beta^2/d: from "
       "orthogonal tokens to 1/2 at t = {}"}},
     false},
    {"energy-rises",
     "one head without mask, V = Q^T K symmetric, perceptrons along their gradient; no noise, no "
     "gains, an adaptive method",
     "2312.10794, Section 3; 2501.03096; with a perceptron 2601.21366",
     [](const Experiment& e) { return is_adaptive(e) && energy_direction(e) > 0; },
     plainly,
     {{"", "The flow goes up the gradient of the energy, which never falls"}}},
    {"energy-falls",
     "as before, with V = -Q^T K",
     "2312.10794, Section 3; 2501.03096; with a perceptron 2601.21366",
     [](const Experiment& e) { return is_adaptive(e) && energy_direction(e) < 0; },
     plainly,
     {{"", "The flow goes down the gradient of the energy, which never rises"}}},
    {"lost-middle",
     "causal USA on the circle with ALiBi, Q = K = V = I, beta > 0, clocks U1 to U3",
     "2605.09213",
     [](const Experiment& e) {
       const Attention* a = sphere_head(e);
       return a != nullptr && a->mask == Attention::causal && e.swarm.d() == 2 && a->alibi > 0 &&
              a->weighting == Attention::unnormalised && a->beta > 0 && has_plain_scores(*a) &&
              is_identity(a->value) && !kernel_of(e.dynamics.clock).arc_length;
     },
     lost_middle,
     {{"",
       "For many tokens that start uniform, what the last keeps of the others is U-shaped in their "
       "place, so that the middle is lost: certainly up to t = {}, and until a critical time, t = "
       "{} for marks of the paper's width; later the end keeps least"}}},
};

}  // namespace

std::span<const KnownStatement> known_statements() { return kStatements; }

std::string form_name(const KnownStatement& statement, std::string_view form) {
  return form.empty() ? statement.name : fmt::format("{}-{}", statement.name, form);
}

std::vector<KnownResult> find_known_results(const Experiment& e) {
  std::vector<KnownResult> known;
  bool of_flow = false;
  for (const KnownStatement& statement : kStatements) {
    if (!statement.applies(e)) continue;
    Conclusion conclusion = statement.conclude(e);
    for (const auto& [form, text] : statement.forms)
      if (form != nullptr && conclusion.form == form)
        known.push_back({form_name(statement, form), statement.source,
                         fmt::format("{} ({}).", fill(text, conclusion.values), statement.source),
                         std::move(conclusion.values)});
    of_flow = of_flow || statement.of_flow;
  }
  if (of_flow && !is_adaptive(e)) {
    const std::string step = fmt::format("{:g}", e.flow.dt);
    known.push_back({"exact-flow", "", fill(kOfExactFlow, {step}), {step}});
  }
  return known;
}

std::vector<std::string> known_results(const Experiment& e) {
  std::vector<std::string> sentences;
  for (KnownResult& result : find_known_results(e)) sentences.push_back(std::move(result.sentence));
  return sentences;
}

}  // namespace murmur
