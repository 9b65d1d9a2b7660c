// continuum.cpp: the eigenvalues, energies and weights that all representations of a measure share,
// and families of laws under a causal mask.
#include "meanfield/continuum.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/forces.h"
#include "core/plain_forces.h"
#include "meanfield/harmonics.h"
#include "murmur/stop.h"
#include "murmur/theory.h"

namespace murmur {

Dynamics dynamics_of(const MeanField& f) {
  Attention head{.beta = f.beta, .weighting = f.weighting};
  if (f.repulsive) head.value = scaled_identity(f.d, -1);
  if (f.causal) head.mask = Attention::causal;
  Dynamics dynamics{.sublayers = {{{head}}}, .clock = f.clock, .noise = f.noise};
  if (f.perceptron) dynamics.sublayers.push_back({{*f.perceptron}});
  return dynamics;
}

MeanField mean_field_of(const Dynamics& dynamics, int d) {
  // The mask becomes one law per label; plain_forces refuses the rest as usual.
  Dynamics unmasked = dynamics;
  bool causal = false;
  for (Sublayer& sublayer : unmasked.sublayers)
    for (Force& force : sublayer.forces)
      if (const Attention* head = head_of(force);
          head != nullptr && head->mask == Attention::causal && head->alibi == 0) {
        Attention open = *head;
        open.mask = Attention::none;
        force = open;
        causal = true;
      }
  PlainForces forces = mean_field_forces(unmasked);
  return {.d = d,
          .beta = forces.head.beta,
          .weighting = forces.head.weighting,
          .repulsive = forces.repulsive,
          .clock = dynamics.clock,
          .perceptron = std::move(forces.perceptron),
          .noise = dynamics.noise,
          .causal = causal};
}

double clock_scale(const MeanField& f) {
  return f.weighting == Attention::softmax ? 1 : clock_scale(f.clock, f.beta);
}

bool has_potential(const MeanField& f) {
  return f.weighting == Attention::unnormalised && f.perceptron &&
         gradient_weights(*f.perceptron).has_value();
}

namespace meanfield {

Kernel kernel_of(int d, double beta, int count) {
  Kernel kernel{std::vector<double>(count), std::vector<double>(count)};
  for (int k = 0; k < count; ++k) {
    if (beta == 0) {
      kernel.value[k] = k == 0 ? 1 : 0;
      kernel.slope[k] = k == 1 ? 1.0 / d : 0;
      continue;
    }
    kernel.value[k] = std::exp(theory::log_eigenvalue(d, beta, k) - beta);
    kernel.slope[k] = kernel.value[k] / beta;
  }
  return kernel;
}

double harmonics(int d, int k) {
  if (k == 0) return 1;
  if (d == 2) return 2;
  double count = (2.0 * k + d - 2) / k;
  for (int j = 1; j < k; ++j) count *= static_cast<double>(j + d - 2) / j;
  return count;
}

State Continuum::mixed(const std::vector<State>& laws, const std::vector<double>& weight) const {
  State sum(laws.front().size());
  for (std::size_t l = 0; l < laws.size(); ++l)
    for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += weight[l] * laws[l][e];
  return sum;
}

int energy_degrees(const MeanField& f) {
  int k = 1;
  while (f.beta > 0 &&
         harmonics(f.d, k) * std::exp(theory::log_eigenvalue(f.d, f.beta, k) - f.beta) > 1e-17)
    ++k;
  return k;
}

double pairs_of(const MeanField& f, const Kernel& kernel, const std::vector<double>& amplitude) {
  double sum = 0;
  for (std::size_t k = amplitude.size(); k-- > 0;)
    sum += kernel.slope[k] * harmonics(f.d, static_cast<int>(k)) * amplitude[k] * amplitude[k];
  return 0.5 * sum;
}

std::optional<Potential> potential_of(const MeanField& f) {
  if (!has_potential(f)) return std::nullopt;
  return potential_of(*f.perceptron, f.repulsive ? -1 : 1);
}

void set_energies(const MeanField& f, const EnergyParts& parts, MeanFieldReading& r) {
  const double clocked =
      parts.pairs * (f.weighting == Attention::unnormalised ? clock_scale(f) : std::exp(f.beta));
  r.energy = has_potential(f) ? clocked + parts.potential : parts.pairs * std::exp(f.beta);
  r.free_energy = r.energy;
  if (f.noise > 0)
    r.free_energy = clocked + parts.potential - (f.repulsive ? -1 : 1) * f.noise * parts.entropy;
}

double entropy_of(const std::vector<double>& density, const std::vector<double>& weight) {
  double sum = 0;
  for (std::size_t i = 0; i < density.size(); ++i)
    if (density[i] > 0) sum += weight[i] * density[i] * std::log(density[i]);
  return sum;
}

double mean_of(const std::vector<double>& v, const std::vector<double>& density,
               const std::vector<double>& weight) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += weight[i] * density[i] * v[i];
  return sum;
}

double tail_of(const Kernel& kernel, const std::vector<double>& amplitude, int spacing) {
  const int last = static_cast<int>(amplitude.size()) - 1;
  double tail = 0, held = 0;  // held: the largest amplitude from degree last + 1 - l on
  for (int l = 1; l <= last; ++l) {
    held = std::fmax(held, amplitude[last + 1 - l]);
    if (l <= std::max(last / 10 + 1, spacing)) tail = std::fmax(tail, held);
    tail = std::fmax(tail, kernel.value[l] / kernel.value[0] * amplitude[l] * held);
  }
  return tail;
}

Shares shares_of(const Measure& m) {
  Shares shares;
  double sum = 0;
  for (const auto& b : m.bumps) sum += b.weight;
  for (const auto& a : m.atoms) sum += a.weight;
  shares.uniform = sum > 0 ? 0 : 1;
  for (const auto& b : m.bumps) shares.bumps.push_back(b.weight / sum);
  for (const auto& a : m.atoms) shares.atoms.push_back(a.weight / sum);
  return shares;
}

double beyond(const Measure& m, int d, int degree) {
  double most = 0;
  if (!m.density.empty() && d == 3) return grid_beyond(m, degree);
  if (!m.density.empty()) {
    const auto waves = grid_waves(m);
    for (std::size_t k = degree + 1; k < waves.size(); ++k)
      most = std::fmax(most, std::abs(waves[k]));
    return most;
  }
  const auto norm = [d](int k) { return d == 2 ? 1 : std::sqrt(harmonics(d, k)); };
  for (const Measure::Wave& w : m.waves)
    if (w.k > degree) most = std::fmax(most, 0.5 * std::fabs(w.eps) * norm(w.k));
  const Shares shares = shares_of(m);
  const double first = 0.5 * d - 1;  // heights of bumps are I_{first + k} / I_first
  for (std::size_t b = 0; b < m.bumps.size(); ++b)
    if (const double kappa = m.bumps[b].kappa; kappa > 0)
      most += shares.bumps[b] * norm(degree + 1) *
              std::exp(theory::log_bessel(first + degree + 1, kappa) -
                       theory::log_bessel(first, kappa));
  return m.atoms.empty() ? most : 1;
}

}  // namespace meanfield

// --- A family of laws, one for each label; each attends to those of the labels up to its own.

namespace {

struct Label {
  double s;
  std::size_t part;  // index among the laws of the start; the last one is the measure itself
  bool whole;        // represents all labels of its part, which share one law
};

double start_of(const Measure& start, std::size_t part) {
  return part == 0 ? 0 : start.before[part - 1].until;
}

double end_of(const Measure& start, std::size_t part) {
  return part == start.before.size() ? 1 : start.before[part].until;
}

// Under SA the laws of the first part stay equal: each attends to the mean of equal laws.
std::vector<Label> all_labels(const MeanField& field, const Measure& start, int count) {
  const bool divided = field.weighting == Attention::softmax;
  std::vector<Label> labels;
  for (std::size_t part = 0; part <= start.before.size(); ++part) {
    const double from = start_of(start, part), to = end_of(start, part);
    if (part == 0 && divided) {
      labels.push_back({to, part, true});
      continue;
    }
    for (int i = 0; i <= count; ++i) {
      const double share = static_cast<double>(i) / count;
      const double s = divided ? from * std::pow(to / from, share) : from + (to - from) * share;
      labels.push_back({i == count ? to : s, part, false});
    }
  }
  return labels;
}

}  // namespace

std::vector<double> labels_of(const MeanField& field, const Measure& start,
                              const MeanFieldMethod& method) {
  std::vector<double> s;
  for (const Label& label : all_labels(field, start, method.labels)) s.push_back(label.s);
  return s;
}

namespace meanfield {

namespace {

// State: the states of the laws one after another. Law i attends to
//   sum_{j <= i} w_ij mu_j,   the trapezoidal sum of int_0^{s_i} mu_r dr, over s_i for SA
class Causal final : public Continuum {
 public:
  Causal(const MeanField& field, std::unique_ptr<Continuum> law, const Measure& start, int count)
      : divided_(field.weighting == Attention::softmax),
        law_(std::move(law)),
        labels_(all_labels(field, start, count)) {
    for (const Measure::Earlier& earlier : start.before) parts_.push_back(law_->start(earlier.law));
    Measure last = start;
    last.before.clear();
    parts_.push_back(law_->start(last));
    for (const Label& label : labels_) {
      begin_.push_back(begin_.back() + static_cast<std::ptrdiff_t>(parts_[label.part].size()));
      laplacian_.insert(laplacian_.end(), law_->laplacian().begin(), law_->laplacian().end());
    }
  }

  State start(const Measure&) const override {  // the start given to the constructor
    State y;
    for (const Label& label : labels_)
      y.insert(y.end(), parts_[label.part].begin(), parts_[label.part].end());
    return y;
  }

  const std::vector<double>& laplacian() const override { return laplacian_; }

  void flow(const State& y, const State& seen, State& change) override {
    const std::vector<State> all = laws_of(seen), own = laws_of(y);
    change.clear();
    State part;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      stop_point();
      // No label precedes label 0: under USA it does not move.
      if (labels_[i].s > 0)
        law_->flow(own[i], mixed_until(all, i, divided_), part);
      else
        part = without_attention(own[i]);
      change.insert(change.end(), part.begin(), part.end());
    }
  }

  MeanFieldFrame read(const State& y) override {
    const std::vector<State> laws = laws_of(y);
    MeanFieldFrame frame = law_->read(mixed_until(laws, laws.size() - 1, true));
    for (const State& law : laws) {
      MeanFieldFrame one = law_->read(law);
      frame.label_density.insert(frame.label_density.end(), one.density.begin(), one.density.end());
      frame.reading.tail = std::fmax(frame.reading.tail, one.reading.tail);
      frame.reading.min = std::fmin(frame.reading.min, one.reading.min);
      frame.reading.max = std::fmax(frame.reading.max, one.reading.max);
      frame.labels.push_back(std::move(one.reading));
    }
    return frame;
  }

  double grain(const State& y) const override { return law_->grain(laws_of(y).back()); }
  std::vector<double> cells() const override { return law_->cells(); }

 private:
  std::vector<State> laws_of(const State& y) const {
    std::vector<State> laws;
    for (std::size_t i = 0; i < labels_.size(); ++i)
      laws.emplace_back(y.begin() + begin_[i], y.begin() + begin_[i + 1]);
    return laws;
  }

  // The change of a law without attention: only the perceptron acts.
  State without_attention(const State& law) {
    State change;
    law_->flow(law, law_->mixed({law}, {0}), change);
    return change;
  }

  // Divided by s_i if `scaled`, so that the weights sum to 1; else they sum to s_i.
  State mixed_until(const std::vector<State>& laws, std::size_t i, bool scaled) const {
    std::vector<double> weight(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      if (labels_[j].whole) weight[j] += labels_[j].s;
      if (j == 0 || labels_[j].part != labels_[j - 1].part) continue;
      const double half = 0.5 * (labels_[j].s - labels_[j - 1].s);
      weight[j - 1] += half;
      weight[j] += half;
    }
    if (scaled)
      for (double& w : weight) w /= labels_[i].s;
    return law_->mixed({laws.begin(), laws.begin() + static_cast<std::ptrdiff_t>(i) + 1}, weight);
  }

  bool divided_;
  std::unique_ptr<Continuum> law_;
  std::vector<Label> labels_;
  std::vector<State> parts_;                 // at the start
  std::vector<std::ptrdiff_t> begin_ = {0};  // (labels + 1) of each law's state
  std::vector<double> laplacian_;
};

}  // namespace

std::unique_ptr<Continuum> make_causal(const MeanField& field, std::unique_ptr<Continuum> law,
                                       const Measure& start, const MeanFieldMethod& method) {
  return std::make_unique<Causal>(field, std::move(law), start, method.labels);
}

}  // namespace meanfield
}  // namespace murmur
