// causal.cpp: a family of laws, one a label, each attending to those of the labels up to its own.
#include <algorithm>
#include <cmath>

#include "meanfield/continuum.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

struct Label {
  double s;
  std::size_t part;  // of the start's laws, the last being the measure itself
  bool whole;        // stands for all labels of its part, which have one law
};

double start_of(const Measure& start, std::size_t part) {
  return part == 0 ? 0 : start.before[part - 1].until;
}

double end_of(const Measure& start, std::size_t part) {
  return part == start.before.size() ? 1 : start.before[part].until;
}

// Under SA the first part's laws stay equal: each attends to the mean of equal laws.
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

// State: the laws' states one after another. Law i is under attention to
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

  State start(const Measure&) const override {  // that of the constructor
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
      // Nothing lies before the label 0: under USA it does not move.
      if (labels_[i].s > 0)
        law_->flow(own[i], mixed_until(all, i, divided_), part);
      else
        part = still(own[i]);
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

  // A law under no attention at all: what a perceptron alone does to it.
  State still(const State& law) {
    State change;
    law_->flow(law, law_->mixed({law}, {0}), change);
    return change;
  }

  // Over s_i where `scaled`, so that the weights sum to 1, else to s_i.
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
