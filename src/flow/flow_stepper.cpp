// flow_stepper.cpp: single steps of every method, for every engine; sliding; the ways a flow ends
// early; and the merging of particles that have met, nearest pair first.
#include "flow/flow_stepper.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "flow/runge_kutta.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

bool is_lost(const HostSwarm& x, int i, Manifold manifold) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    if (!std::isfinite(x.at(i, k))) return true;
    square += x.at(i, k) * x.at(i, k);
  }
  return manifold == Manifold::sphere && square < 0.5;
}

// Returns the first particle of a row, in the numbering of the start.
int particle_of(const FlowState& state, int row) {
  const auto particle = std::find(state.group.begin(), state.group.end(), row);
  return static_cast<int>(particle - state.group.begin());
}

}  // namespace

Outcome not_finite(const FlowState& state, Manifold manifold, const HostSwarm& at, double h) {
  int row = 0;
  while (row + 1 < at.n() && !is_lost(at, row, manifold)) ++row;
  return {Ending::not_finite, state.t, particle_of(state, row),
          "a velocity or position stopped being a finite number in a step of " + std::to_string(h),
          "try a smaller dt or beta, clock=U2 (USA overflows beyond beta 709), or method=dopri5"};
}

Outcome out_of_evaluations(double t) {
  return {Ending::too_many_evaluations, t, -1, "the run used all its velocity evaluations",
          "raise max_evaluations, set merge, or ask for a smaller T"};
}

Outcome slides(const FlowState& state, int row) {
  return {Ending::sliding, state.t, particle_of(state, row),
          "a particle slides along a surface where hard attention switches, and steps by error "
          "control only chatter about it",
          "use method=euler or layers with a small dt, or dynamics=SA with a large beta"};
}

Outcome step_too_small(double t) {
  return {Ending::step_too_small, t, -1, "no step is small enough for the wanted tolerance",
          "raise rtol and atol, set merge, or use a smaller beta"};
}

namespace {

double squared_difference(const HostSwarm& a, const HostSwarm& b, int i) {
  double square = 0;
  for (int k = 0; k < a.d(); ++k) {
    const double difference = a.at(i, k) - b.at(i, k);
    square += difference * difference;
  }
  return square;
}

}  // namespace

bool velocity_jumps(const Dynamics& dynamics) {
  const std::vector<const Attention*> heads = by_kind(dynamics).heads;
  return std::any_of(heads.begin(), heads.end(),
                     [](const Attention* head) { return head->weighting == Attention::hard; });
}

void SlidingDetector::add(const HostSwarm& first, std::span<const HostSwarm> others, double least) {
  for (int i = 0; i < first.n(); ++i) {
    const bool jumped = std::any_of(others.begin(), others.end(), [&](const HostSwarm& other) {
      return squared_difference(first, other, i) > least * least;
    });
    if (jumped) ++steps_[i];
  }
}

int SlidingDetector::row() const {
  const auto most = std::max_element(steps_.begin(), steps_.end());
  if (most == steps_.end() || *most < kStepsLookedAt / 4) return -1;
  return static_cast<int>(most - steps_.begin());
}

double JumpScale::least(double h) const {
  return std::max({1e-3 * drift, 1e2 * h * drift * drift / size,
                   1e3 * (tolerance.atol + tolerance.rtol * size)});
}

void SwarmSystem::combine(const State& x, StepPoint, std::span<const StageTerm<State>> terms,
                          State& y) {
  field_.retract(*x, Terms(terms), *y);
}

double SwarmSystem::error(const StepEstimate<State>& estimate) {
  combine(estimate.x, {1, estimate.h}, estimate.embedded, embedded_);
  return field_.error_norm(*estimate.y, *embedded_, tolerance_);
}

Piece piece_of(const std::vector<double>& jumps, double t, double slack) {
  Piece piece;
  const auto next = std::upper_bound(jumps.begin(), jumps.end(), t + slack);
  if (next != jumps.begin()) piece.from = *(next - 1);
  if (next != jumps.end()) piece.until = *next;
  return piece;
}

FlowStepper::FlowStepper(const Flow& flow, FlowState& flow_state, const FlowWatch& watch)
    : settings(flow.settings),
      state(flow_state),
      engine_(flow.engine),
      field_(flow.field),
      manifold_(flow.field.dynamics().manifold),
      jumps_(velocity_jumps(flow.field.dynamics())),
      noise_strength_(flow.field.dynamics().noise),
      random_(flow.random),
      row_(row_of(flow.settings.method)),
      watch_(watch) {
  committed_ = state;
  x_ = engine_.place(state.x);
}

void FlowStepper::prepare() {
  for (State* scratch : {&y_, &between_, &noise_}) {
    stop_point();
    *scratch = x_->like();
  }
  driver_.reset();
  system_.emplace(field_, settings.tolerance, *x_);
  stop_point();
  if (const Tableau* tableau = tableau_of(settings.method))
    driver_.emplace(*system_, *tableau, state.evaluations);
  stop_point();
  origin_ = engine_.place(HostSwarm(state.x.shape()));
}

void FlowStepper::emit_frame(double t, const Swarm& groups) {
  if (!watch_.frame) return;
  const HostSwarm frame = unfold(state, engine_.fetch(groups));
  if (frame.n() == groups.shape().n) return watch_.frame(t, {groups, frame});
  watch_.frame(t, {*engine_.place(frame), frame});
}

void FlowStepper::merge() {
  if (settings.merge <= 0 || field_.nearest_pair(*x_, settings.merge).i < 0) return;
  fetch_state();
  for (const Merge& merge : merge_close(state, settings.merge, manifold_))
    if (watch_.merged) watch_.merged(merge);
  const HoldStop whole;
  x_ = engine_.place(state.x);
  prepare();
}

bool FlowStepper::pause() {
  if (!watch_.pause) return false;
  return watch_.pause(state, [this]() -> FlowState& {
    fetch_state();
    return state;
  });
}

// Fixed steps end at jumps up to the rounding of their times; adaptive steps are shortened to.
void FlowStepper::enter_piece() {
  const double slack = is_fixed(settings.method) ? settings.dt / 4 : 0;
  system_->piece = piece_of(field_.dynamics().jump_times, state.t, slack);
}

void FlowStepper::step_fixed() {
  enter_piece();
  switch (row_.stepping) {
    case Stepping::layers:
      return step_layers();
    case Stepping::strang:
      return step_strang();
    case Stepping::runge_kutta:
      return step_tableau();
    case Stepping::cvode:
      break;  // has its own loop
  }
  assert(false);
}

// to = retract(from + drift + noise). In R^d noise changes lengths, so it is added after
// keep_lengths, which changes no bit of the sum.
void FlowStepper::add_drift(const Swarm& from, Drift drift, Swarm& to) {
  const bool noisy = drift.noisy && noise_strength_ > 0;
  if (noisy) field_.noise_increment(noise_step(0, settings.dt), from, *noise_);
  const bool afterwards = manifold_ == Manifold::space;
  if (noisy && !afterwards) drift.terms.add(1, *noise_);
  field_.retract(from, drift.terms, to);
  field_.keep_lengths(drift.last_t, *x_, to);
  if (!noisy || !afterwards) return;
  Terms noise;
  noise.add(1, *noise_);
  field_.retract(to, noise, to);
}

// x <- retract(x + dt A) for each active sublayer in turn; the noise is part of the last.
void FlowStepper::step_layers() {
  const double t = system_->piece.nearest(state.t);
  int last = field_.sublayers() - 1;
  while (last > 0 && !field_.active(t, last)) --last;
  last = std::max(last, 0);
  const Swarm* from = x_.get();
  for (int sublayer = 0; sublayer <= last; ++sublayer) {
    if (sublayer < last && !field_.active(t, sublayer)) continue;
    Terms terms;
    if (sublayer < field_.sublayers()) {
      field_.drift(t, sublayer, *from, *between_);
      terms.add(settings.dt, *between_);
    }
    add_drift(*from, {terms, state.t, sublayer == last}, *y_);
    from = y_.get();
  }
  ++state.evaluations;
}

// x <- retract(x + dt sum_i b_i k_i); with noise this is Euler-Maruyama.
void FlowStepper::step_tableau() {
  driver_->stages(state.t, x_, settings.dt);
  add_drift(*x_, {Terms(driver_->terms(settings.dt)), last_velocity(), true}, *driver_->end());
}

// Half a step of noise, a whole one of drift, half a step of noise (Strang 1968): weakly of second
// order, since both parts are. The committed x does not change until the step is committed.
void FlowStepper::step_strang() {
  const double dt = settings.dt;
  if (noise_strength_ == 0) return step_tableau();
  field_.diffuse(noise_step(0, dt / 2), *x_, *between_);
  driver_->forget();
  driver_->attempt(state.t, between_, dt);
  field_.keep_lengths(last_velocity(), *between_, *driver_->end());
  field_.diffuse(noise_step(1, dt / 2), *driver_->end(), *driver_->end());
}

// Returns the time of the last velocity of a step of dt.
double FlowStepper::last_velocity() const {
  const Tableau& tableau = driver_->tableau();
  return state.t + tableau.c[tableau.stages - 1] * settings.dt;
}

NoiseStep FlowStepper::noise_step(int half, double h) const {
  return {.noise = noise_strength_, .h = h, .random = random_, .moment = 2 * state.step + half};
}

// A vector whose length overflows is retracted to the origin: finite, but not on the manifold.
bool FlowStepper::on_manifold(const Swarm& swarm) {
  switch (manifold_) {
    case Manifold::space:
      return std::isfinite(field_.error_norm(swarm, swarm, {0, 1}));
    case Manifold::sphere: {
      // Detects one lost particle among a thousand million
      constexpr double kMinLength = 1 - 1e-10;
      return field_.error_norm(swarm, *origin_, {0, 1}) > kMinLength;
    }
  }
  return false;
}

Outcome FlowStepper::not_finite_outcome(const Swarm& swarm, Manifold manifold, double h) {
  return not_finite(state, manifold, engine_.fetch(swarm), h);
}

std::optional<Outcome> FlowStepper::failure_after(double h) {
  if (!on_manifold(*end())) return not_finite_outcome(*end(), manifold_, h);
  if (state.evaluations >= settings.max_evaluations) return out_of_evaluations(state.t);
  return std::nullopt;
}

// A step that would cross a jump ends there. The proposal state.h is kept for a continuation and
// for the steps after the jump.
std::optional<Outcome> FlowStepper::step_adaptive() {
  enter_piece();
  driver_->begin(state.t, x_);
  if (!system_->finite(driver_->stage(0)))
    return not_finite_outcome(*driver_->stage(0), Manifold::space, state.h);
  if (state.h == 0)
    state.h = driver_->first_step(state, x_, settings.tolerance,
                                  [this](const State& a, const State& b, Tolerance tolerance) {
                                    return field_.error_norm(*a, *b, tolerance);
                                  });
  const StepController controller{.order = driver_->tableau().order};
  const double left = system_->piece.until - state.t;
  StepState from = state;
  from.h = std::min(state.h, left);
  const StepEnd end_of_search =
      driver_->find(from, x_, controller, settings.max_evaluations, found_);
  state.rejected = from.rejected;
  to_jump_ = found_.h == left;
  if (to_jump_) found_.next_h = std::max(found_.next_h, state.h);
  switch (end_of_search) {
    case StepEnd::found:
      return std::nullopt;
    case StepEnd::out_of_evaluations:
      return out_of_evaluations(state.t);
    case StepEnd::too_small:
      return step_too_small(state.t);
    case StepEnd::not_finite:
      break;
  }
  const State& y = driver_->end();
  return not_finite_outcome(system_->finite(y) ? *driver_->last_stage() : *y, Manifold::space,
                            found_.h);
}

const Swarm& FlowStepper::interpolate(double theta) {
  driver_->interpolate(state, x_, found_.h, theta);
  return *driver_->between();
}

void FlowStepper::commit_fixed() {
  if (driver_)
    driver_->commit(x_);
  else
    std::swap(x_, y_);
  ++state.step;
  state.t = static_cast<double>(state.step) * settings.dt;
  committed_ = state;
}

void FlowStepper::commit_adaptive() {
  driver_->commit(x_);
  state.t = to_jump_ ? system_->piece.until : state.t + found_.h;
  if (to_jump_) driver_->forget();  // the velocity jumps
  state.h = found_.next_h;
  state.last_error = found_.error;
  ++state.step;
  committed_ = state;
}

JumpScale FlowStepper::jump_scale() {
  const auto greatest = [](const HostSwarm& a) {
    double square = 0;
    for (int i = 0; i < a.n(); ++i) {
      double own = 0;
      for (int k = 0; k < a.d(); ++k) own += a.at(i, k) * a.at(i, k);
      square = std::max(square, own);
    }
    return std::sqrt(square);
  };
  JumpScale scale{.size = greatest(engine_.fetch(*x_)), .tolerance = settings.tolerance};
  for (int sublayer = 0; sublayer < field_.sublayers(); ++sublayer) {
    if (!field_.active(state.t, sublayer)) continue;
    field_.drift(state.t, sublayer, *x_, *between_);
    scale.drift = std::max(scale.drift, greatest(engine_.fetch(*between_)));
  }
  return scale;
}

std::optional<Outcome> FlowStepper::sliding() {
  if (!jumps_ || state.step % kStepsBetweenLooks != 0) return std::nullopt;
  const StepState here = state;
  State x = engine_.place(engine_.fetch(*x_));
  const JumpScale scale = jump_scale();
  SlidingDetector look(state.x.n());
  const bool whole = finishes([&] {
    for (int step = 0; step < kStepsLookedAt; ++step) {
      if (step_adaptive()) break;  // the real step will report it
      std::vector<HostSwarm> others;
      for (int stage = 1; stage < driver_->tableau().stages; ++stage)
        others.push_back(engine_.fetch(*driver_->stage(stage)));
      look.add(engine_.fetch(*driver_->stage(0)), others, scale.least(found_.h));
      commit_adaptive();
    }
  });
  std::swap(x_, x);
  driver_->forget();
  static_cast<StepState&>(state) = committed_ = here;
  if (!whole) throw Stopped();
  enter_piece();
  driver_->begin(here.t, x_);
  state.evaluations = here.evaluations;
  return look.row() < 0 ? std::nullopt : std::optional(slides(state, look.row()));
}

void FlowStepper::fetch_state() { state.x = engine_.fetch(*x_); }

Outcome FlowStepper::stopped() {
  const HoldStop whole;
  static_cast<StepState&>(state) = committed_;
  if (!pause()) throw;
  return {Ending::interrupted, state.t, -1, {}, {}};
}

namespace {

// Two rows closer than delta, found from `owner`, with the number of merges of each at that time.
struct Candidate {
  double square;
  int i, j;  // i < j
  int owner;
  int joins_i, joins_j;

  // Nearest first; of equal distances, lower rows first.
  bool operator<(const Candidate& other) const {
    if (square != other.square) return square > other.square;
    return i != other.i ? i > other.i : j > other.j;
  }
};

// The particles of a state while pairs are merged. A row keeps its number until the end, so a merge
// costs a search around one particle and not a pass over all. Every row that has a neighbour owns
// one candidate, its nearest pair. The nearest candidate is the nearest pair of the swarm, once
// candidates with a row that has moved or gone are replaced.
class Joining {
 public:
  Joining(const FlowState& state, double delta, Manifold manifold)
      : x_(state.x), delta_(delta), manifold_(manifold), left_(state.x.n()) {
    const int n = x_.n();
    joins_.assign(n, 0);
    into_.resize(n);
    for (int i = 0; i < n; ++i) into_[i] = i;
    first_member_.assign(n, std::numeric_limits<int>::max());
    for (int member = static_cast<int>(state.group.size()) - 1; member >= 0; --member)
      first_member_[state.group[member]] = member;
    for (int i = 0; i < n; ++i) index(i);
    for (int i = 0; i < n; ++i) {
      if (i % 256 == 0) stop_point();
      find_nearest(i);
    }
  }

  // Merges the nearest pair into its lower row; returns false if no pair is left.
  bool join_nearest(double t, std::vector<Merge>& merges) {
    while (!candidates_.empty()) {
      const Candidate nearest = candidates_.top();
      candidates_.pop();
      const int partner = nearest.owner == nearest.i ? nearest.j : nearest.i;
      const bool owner_is_current = current(nearest, nearest.owner);
      if (owner_is_current && current(nearest, partner)) {
        join(nearest.i, nearest.j);
        merges.push_back(
            {t, first_member_[nearest.i], first_member_[nearest.j], x_.mass[nearest.i], left_});
        first_member_[nearest.i] = std::min(first_member_[nearest.i], first_member_[nearest.j]);
        find_nearest(nearest.i);
        return true;
      }
      if (owner_is_current) find_nearest(nearest.owner);
    }
    return false;
  }

  // Moves the remaining rows up.
  void store(FlowState& state) const {
    const int n = x_.n();
    std::vector<int> row(n);
    HostSwarm left({left_, x_.d()});
    int to = 0;
    for (int i = 0; i < n; ++i) {
      if (into_[i] != i) continue;
      for (int k = 0; k < x_.d(); ++k) left.at(to, k) = x_.at(i, k);
      left.mass[to] = x_.mass[i];
      row[i] = to++;
    }
    for (int& group : state.group) {
      while (into_[group] != group) group = into_[group];
      group = row[group];
    }
    state.x = std::move(left);
  }

 private:
  bool current(const Candidate& pair, int row) const {
    return into_[row] == row && joins_[row] == (row == pair.i ? pair.joins_i : pair.joins_j);
  }

  void index(int i) {
    if (std::isfinite(x_.at(i, 0))) along_first_axis_.insert({x_.at(i, 0), i});
  }

  double square_distance(int i, int j) const {
    double square = 0;
    for (int k = 0; k < x_.d(); ++k) {
      const double difference = x_.at(i, k) - x_.at(j, k);
      square += difference * difference;
    }
    return square;
  }

  void find_nearest(int i) {
    const double first = x_.at(i, 0);
    if (!std::isfinite(first)) return;
    Candidate nearest{delta_ * delta_, -1, -1, i, 0, 0};
    const auto compare = [&](int j) {
      const Candidate pair{square_distance(i, j), std::min(i, j), std::max(i, j), i, 0, 0};
      if (pair.square < nearest.square || (nearest.i >= 0 && nearest < pair)) nearest = pair;
    };
    const auto here = along_first_axis_.find({first, i});
    for (auto at = std::next(here); at != along_first_axis_.end() && at->first - first < delta_;
         ++at)
      compare(at->second);
    for (auto at = here; at != along_first_axis_.begin() && first - std::prev(at)->first < delta_;
         --at)
      compare(std::prev(at)->second);
    if (nearest.i < 0) return;
    nearest.joins_i = joins_[nearest.i];
    nearest.joins_j = joins_[nearest.j];
    candidates_.push(nearest);
  }

  // Merges row j into row i.
  void join(int i, int j) {
    along_first_axis_.erase({x_.at(i, 0), i});
    along_first_axis_.erase({x_.at(j, 0), j});
    const double mass = x_.mass[i] + x_.mass[j];
    double square = 0;
    for (int k = 0; k < x_.d(); ++k) {
      x_.at(i, k) = (x_.mass[i] * x_.at(i, k) + x_.mass[j] * x_.at(j, k)) / mass;
      square += x_.at(i, k) * x_.at(i, k);
    }
    if (manifold_ == Manifold::sphere)
      for (int k = 0; k < x_.d(); ++k) x_.at(i, k) /= std::sqrt(square);
    x_.mass[i] = mass;
    into_[j] = i;
    ++joins_[i];
    --left_;
    index(i);
  }

  HostSwarm x_;
  double delta_;
  Manifold manifold_;
  int left_;
  std::vector<int> joins_;         // of each row
  std::vector<int> into_;          // the row that a row was merged into; itself if it remains
  std::vector<int> first_member_;  // of each row, the first particle of its group
  std::set<std::pair<double, int>> along_first_axis_;  // first coordinate and row
  std::priority_queue<Candidate> candidates_;
};

}  // namespace

std::vector<Merge> merge_close(FlowState& state, double delta, Manifold manifold) {
  std::vector<Merge> merges;
  if (state.x.n() == 0) return merges;
  Joining joining(state, delta, manifold);
  while (joining.join_nearest(state.t, merges))
    if (merges.size() % 256 == 0) stop_point();
  if (!merges.empty()) joining.store(state);
  return merges;
}

}  // namespace murmur
