// training_loop.cpp: the sequence of updates of a training, and random deformations of its samples.
#include "experiment/training_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {

// --- Deformations.

namespace {

constexpr double kEdge = 10, kSpacing = 5;      // of the plane, of the lattice
constexpr int kCells = 4, kNodes = kCells + 3;  // along one axis
constexpr double kShare = 151.0 / 315.0;        // integral of the square of the B-spline
constexpr std::uint16_t kFirstNode = 4;         // draws before it belong to the linear map

struct Bending {
  std::array<double, 2 * kNodes * kNodes> node{};  // (nodes, nodes, 2)
};

Bending draw_bending(const Draw& who, double warp) {
  Bending bending;
  for (std::size_t k = 0; k < bending.node.size(); ++k)
    bending.node[k] = warp / kShare * who.normal(static_cast<std::uint16_t>(kFirstNode + k));
  return bending;
}

// The cell along one axis, and the four B-splines that are not 0 in it.
struct Splines {
  int cell = 0;
  std::array<double, 4> weight{};
};
Splines splines_at(double coordinate) {
  const double along = (std::clamp(coordinate, -kEdge, kEdge) + kEdge) / kSpacing;
  Splines s;
  s.cell = std::min(static_cast<int>(along), kCells - 1);
  const double t = along - s.cell, r = 1 - t;
  s.weight = {r * r * r / 6, (4 - 6 * t * t + 3 * t * t * t) / 6,
              (4 - 6 * r * r + 3 * r * r * r) / 6, t * t * t / 6};
  return s;
}

std::array<double, 2> bent(const Bending& bending, double x, double y) {
  const Splines across = splines_at(x), up = splines_at(y);
  std::array<double, 2> to{x, y};
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      const double weight = up.weight[row] * across.weight[column];
      const int node = 2 * ((up.cell + row) * kNodes + across.cell + column);
      to[0] += weight * bending.node[node];
      to[1] += weight * bending.node[node + 1];
    }
  return to;
}

}  // namespace

void deform(const Deformation& deformation, const Draw& who, std::span<float> x,
            std::span<float> y) {
  std::array<double, 4> map{1, 0, 0, 1};
  for (std::uint16_t k = 0; deformation.affine > 0 && k < 4; ++k)
    map[k] += deformation.affine * who.normal(k);
  const Bending bending = deformation.warp > 0 ? draw_bending(who, deformation.warp) : Bending{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::array<double, 2> p{x[i], y[i]};
    if (deformation.warp > 0) p = bent(bending, p[0], p[1]);
    x[i] = static_cast<float>(map[0] * p[0] + map[1] * p[1]);
    y[i] = static_cast<float>(map[2] * p[0] + map[3] * p[1]);
  }
}

// --- Updates.

namespace {

Array floats(const std::vector<float>& values) { return {{values.size()}, values}; }

Array letters(const std::string& text) {
  return {{text.size()}, std::vector<std::uint8_t>(text.begin(), text.end())};
}

[[noreturn]] void refuse_checkpoint(const std::string& what) {
  throw Error(Fault::input, what, "checkpoint.safetensors",
              "delete it to start again from the first epoch");
}

}  // namespace

Record record_of(const TrainingState& state, const std::string& pictures) {
  Record record;
  record["pictures"] = letters(pictures);
  record["parameters"] = floats(state.parameters);
  record["momentum"] = floats(state.optimiser.momentum);
  record["square"] = floats(state.optimiser.square);
  record["optimiser_updates"] = array_of(state.optimiser.updates);
  record["update"] = array_of(state.update);
  record["loss"] = array_of(state.loss);
  record["gradient"] = array_of(state.gradient);
  record["correct"] = array_of(state.correct);
  record["seen"] = array_of(state.seen);
  record["seconds"] = array_of(state.seconds);
  if (state.left_out > 0) record["left_out"] = array_of(state.left_out);
  if (state.averaged == 0) return record;
  record["mean"] = floats(state.mean);
  record["averaged"] = array_of(state.averaged);
  return record;
}

TrainingState load_state(const Run& run, const std::string& pictures, TrainingState state) {
  if (!run.last_checkpoint()) return state;
  const Record& record = *run.last_checkpoint();
  const auto entry = [&](const char* name) -> const Array& {
    const auto found = record.find(name);
    if (found == record.end() || found->second.size() == 0)
      refuse_checkpoint(fmt::format("the checkpoint has no {}", name));
    return found->second;
  };
  if (entry("pictures").values != letters(pictures).values)
    throw Error(Fault::input, "the pictures differ from those at the start of the training",
                run.directory().string(), "provide the same data, or start a new run");
  const auto fill = [&](const char* name, std::vector<float>& to) {
    const auto* values = std::get_if<std::vector<float>>(&entry(name).values);
    if (values == nullptr || values->size() != to.size())
      refuse_checkpoint("the checkpoint belongs to another swarm");
    to = *values;
  };
  const auto real = [&](const char* name) { return entry(name).doubles()[0]; };
  const auto count = [&](const char* name) { return static_cast<std::int64_t>(real(name)); };
  fill("parameters", state.parameters);
  fill("momentum", state.optimiser.momentum);
  fill("square", state.optimiser.square);
  state.optimiser.updates = count("optimiser_updates");
  state.update = count("update");
  state.loss = real("loss");
  state.gradient = real("gradient");
  state.correct = count("correct");
  state.seen = count("seen");
  state.seconds = real("seconds");
  if (record.contains("left_out")) state.left_out = count("left_out");
  if (!record.contains("averaged")) return state;
  state.averaged = count("averaged");
  state.mean.resize(state.parameters.size());
  fill("mean", state.mean);
  return state;
}

namespace {

std::vector<std::size_t> all_of(const SampleSet& set) {
  std::vector<std::size_t> all(set.samples());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

Batch some_of(const SampleSet& set, std::span<const std::size_t> chosen) {
  return {.x = set.x,
          .y = set.y,
          .first = set.first,
          .label = set.label,
          .chosen = chosen,
          .word = set.word,
          .asked = set.asked};
}

}  // namespace

ChosenSamples validation_samples(const TrainingData& data) {
  if (data.validation.samples() > 0) return {data.validation, all_of(data.validation)};
  return {data.train, data.kept_back.empty() ? data.learned : data.kept_back};
}

ChosenSamples test_samples(const TrainingData& data) { return {data.test, all_of(data.test)}; }

Batch batch_of(const ChosenSamples& samples) { return some_of(samples.set, samples.chosen); }

TrainingLoop::TrainingLoop(const Training& training, const TrainingData& data, Adjoint& adjoint)
    : training_(training),
      data_(data),
      adjoint_(adjoint),
      device_(training.deeper > 1 ? nullptr : dynamic_cast<DeviceTraining*>(&adjoint)) {
  const std::size_t samples = training.samples > 0 ? training.samples : data.learned.size();
  batch_ = std::min(training.batch, samples);
  per_epoch_ = static_cast<std::int64_t>(samples / batch_);  // a remainder is left for later epochs
}

TrainingState TrainingLoop::begin(const Training& training, std::vector<float> parameters) {
  TrainingState state;
  state.optimiser.decay = training.decay;
  state.optimiser.momentum.assign(parameters.size(), 0.0f);
  state.optimiser.square.assign(parameters.size(), 0.0f);
  state.parameters = std::move(parameters);
  return state;
}

double TrainingLoop::rate(std::int64_t update) const {
  return training_.one_cycle ? one_cycle(update, updates(), training_.rate) : training_.rate;
}

int TrainingLoop::blocks(std::int64_t update) const {
  const int least = training_.architecture.blocks;
  const auto most = static_cast<int>(std::floor(training_.deeper * least));
  if (most <= least) return least;
  double share = Draw{training_.seed, Stream::depth, static_cast<std::uint32_t>(update)}.uniform(0);
  if (training_.mostly_shallow) share *= share;
  return least + static_cast<int>(share * (most - least + 1));
}

Adjoint& TrainingLoop::adjoint_of(std::int64_t update) {
  const int depth = blocks(update);
  if (depth == training_.architecture.blocks) return adjoint_;
  std::unique_ptr<Adjoint>& adjoint = deeper_[depth];
  if (!adjoint) {
    Training other = training_;
    other.architecture.blocks = depth;
    adjoint = adjoint_for(other);
  }
  return *adjoint;
}

// Drawn samples are already in random order.
void TrainingLoop::prepare(int epoch) {
  if (prepared_ == epoch) return;
  if (training_.samples > 0) {
    of_epoch_ = draw_epoch(training_, data_, epoch);
    order_.resize(of_epoch_.samples());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  } else {
    shuffle(epoch);
  }
  prepared_ = epoch;
}

void TrainingLoop::shuffle(int epoch) {
  std::vector<std::pair<std::uint64_t, std::size_t>> keys;
  keys.reserve(data_.learned.size());
  for (const std::size_t sample : data_.learned) {
    const auto bits = Draw{training_.seed, Stream::order, static_cast<std::uint32_t>(sample),
                           static_cast<std::uint32_t>(epoch)}
                          .bits(0);
    keys.emplace_back(static_cast<std::uint64_t>(bits[0]) << 32 | bits[1], sample);
  }
  std::sort(keys.begin(), keys.end());
  order_.clear();
  for (const auto& key : keys) order_.push_back(key.second);
}

// Samples of the epoch of order_.
void TrainingLoop::draw(std::int64_t update, DrawnBatch& to) {
  const auto epoch_of = static_cast<std::uint32_t>(update / per_epoch_);
  const auto begin =
      order_.begin() + static_cast<std::ptrdiff_t>(update % per_epoch_) * static_cast<int>(batch_);
  to.update = update;
  to.chosen.assign(begin, begin + static_cast<std::ptrdiff_t>(batch_));
  to.shift.resize(training_.shift > 0 ? 2 * batch_ : 0);
  for (std::size_t k = 0; k < to.shift.size(); ++k)
    to.shift[k] = static_cast<float>(
        training_.shift *
        Draw{training_.seed, Stream::shift, static_cast<std::uint32_t>(to.chosen[k / 2]), epoch_of}
            .normal(static_cast<std::uint16_t>(k % 2)));
  change_samples(epoch_of, to);
}

// The chosen samples with the tokens of this update, deformed; then the samples of one token at its
// target.
void TrainingLoop::change_samples(std::uint32_t epoch, DrawnBatch& to) const {
  const Deformation deformation{training_.affine, training_.warp};
  if (!deformation.any() && training_.token_share >= 1 && training_.stay == 0) return;
  const SampleSet& from = training_.samples > 0 ? of_epoch_ : data_.train;
  SampleSet& set = to.changed;
  set.x.clear(), set.y.clear(), set.label.clear();
  set.first.assign(1, 0);
  for (const std::size_t sample : to.chosen) {
    const std::size_t begin = from.first[sample], end = from.first[sample + 1];
    for (std::size_t k = begin; k < end; ++k) {
      if (k > begin && !computes_with(sample, epoch, k - begin)) continue;
      set.x.push_back(from.x[k]);
      set.y.push_back(from.y[k]);
    }
    const std::size_t at = set.first.back();
    if (deformation.any())
      deform(deformation,
             {training_.seed, Stream::deform, static_cast<std::uint32_t>(sample), epoch},
             std::span(set.x).subspan(at), std::span(set.y).subspan(at));
    set.first.push_back(set.x.size());
    set.label.push_back(from.label[sample]);
  }
  const Matrix& targets = training_.architecture.targets;
  for (int k = 0; k < training_.stay * targets.rows; ++k) {
    const int label = k % targets.rows;
    set.x.push_back(static_cast<float>(targets(label, 0)));
    set.y.push_back(static_cast<float>(targets(label, 1)));
    set.first.push_back(set.x.size());
    set.label.push_back(label);
  }
  if (!to.shift.empty()) to.shift.resize(2 * set.samples(), 0.0f);  // targets do not shift
  to.in_turn = all_of(set);
}

// Each token of a sample except the first is kept by a separate draw.
bool TrainingLoop::computes_with(std::size_t sample, std::uint32_t epoch, std::size_t token) const {
  return training_.token_share >= 1 ||
         Draw{training_.seed, Stream::token_share, static_cast<std::uint32_t>(sample), epoch,
              static_cast<std::uint32_t>(token)}
                 .uniform(0) <= training_.token_share;
}

Batch TrainingLoop::batch_of(const DrawnBatch& drawn) const {
  Batch batch = drawn.in_turn.empty()
                    ? some_of(training_.samples > 0 ? of_epoch_ : data_.train, drawn.chosen)
                    : some_of(drawn.changed, drawn.in_turn);
  batch.shift = drawn.shift;
  batch.seed = training_.seed;
  batch.update = static_cast<std::uint32_t>(drawn.update);
  return batch;
}

DeviceTraining::Update TrainingLoop::learn(TrainingState& state) {
  draw(state.update, drawn_);
  gradient_.resize(state.parameters.size());
  DeviceTraining::Update made;
  made.result = adjoint_of(state.update)
                    .backward(state.parameters, batch_of(drawn_), training_.objective, gradient_);
  made.gradient = clip(gradient_, training_.clip);
  if (std::isfinite(made.result.loss) && std::isfinite(made.gradient))
    state.optimiser.update(state.parameters, gradient_);
  return made;
}

// While the device is busy, draws the next batch of the current epoch.
DeviceTraining::Update TrainingLoop::learn_on_device(TrainingState& state) {
  if (on_device_ != state.update) device_->put(state.parameters, state.optimiser);
  if (next_.update == state.update)
    std::swap(drawn_, next_);
  else
    draw(state.update, drawn_);
  Batch after;
  const auto next = [&]() -> const Batch* {
    if ((state.update + 1) % per_epoch_ == 0) return nullptr;
    draw(state.update + 1, next_);
    return &(after = batch_of(next_));
  };
  const DeviceTraining::Update made =
      device_->update(batch_of(drawn_), training_.objective, training_.clip, state.optimiser, next);
  on_device_ = state.update + 1;
  collected_ = false;
  return made;
}

void TrainingLoop::collect(TrainingState& state) {
  if (!collected_) device_->get(state.parameters, state.optimiser);
  collected_ = true;
}

//   mean <- mean + (parameters - mean) / k,  k epochs in the mean (1803.05407)
void TrainingLoop::average(TrainingState& state) {
  const auto last = static_cast<int>(std::ceil(training_.averaging * training_.epochs));
  if (epoch(state) <= training_.epochs - last) return;
  collect(state);
  state.mean.resize(state.parameters.size());
  const auto epochs = static_cast<double>(++state.averaged);
  for (std::size_t e = 0; e < state.mean.size(); ++e)
    state.mean[e] = static_cast<float>(
        state.mean[e] + (static_cast<double>(state.parameters[e]) - state.mean[e]) / epochs);
}

// An update whose loss or gradient is not finite changes nothing: `learn` does not change the
// parameters. A few of them per epoch are batches in which one deep pass diverged; more mean that
// the training diverged.
void TrainingLoop::leave_out(TrainingState& state) const {
  constexpr std::int64_t kOneIn = 20;
  if (++state.left_out * kOneIn <= per_epoch_ && device_ == nullptr) return;
  throw Error(Fault::numerical, "the loss or its gradient is no longer finite",
              fmt::format("epoch {}, update {}", epoch(state) + 1, state.update + 1),
              "use a smaller rate, or clip=1");
}

bool TrainingLoop::update(TrainingState& state) {
  const int epoch_now = epoch(state);
  if (state.update % per_epoch_ == 0)
    state.loss = state.gradient = 0, state.correct = state.seen = state.left_out = 0;
  prepare(epoch_now);
  const auto began = std::chrono::steady_clock::now();
  state.optimiser.rate = rate(state.update);
  const DeviceTraining::Update made = device_ != nullptr ? learn_on_device(state) : learn(state);
  if (!std::isfinite(made.result.loss) || !std::isfinite(made.gradient))
    leave_out(state);
  else
    state.loss += made.result.loss, state.gradient += made.gradient;
  state.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  // samples that start at their target are not counted; they are assumed right
  const auto at_targets =
      static_cast<std::int64_t>(training_.stay) * training_.architecture.targets.rows;
  state.correct +=
      std::max<std::int64_t>(0, static_cast<std::int64_t>(made.result.correct) - at_targets);
  state.seen += static_cast<std::int64_t>(batch_);
  ++state.update;
  const bool ended = state.update % per_epoch_ == 0;
  if (ended) average(state);
  return ended;
}

double mean_of_epoch(const TrainingLoop& loop, const TrainingState& state, double sum) {
  return sum / static_cast<double>(std::max<std::int64_t>(1, loop.per_epoch() - state.left_out));
}

double images_per_second(const TrainingLoop& loop, const TrainingState& state) {
  const double images = static_cast<double>(state.update) * static_cast<double>(loop.batch());
  return state.seconds > 0 ? images / state.seconds : 0;
}

Progress progress_of(const TrainingLoop& loop, const TrainingState& state, double validation) {
  const std::int64_t within = (state.update - 1) % loop.per_epoch() + 1;
  const auto epoch = static_cast<int>((state.update - 1) / loop.per_epoch()) + 1;
  const double loss = state.loss /
                      static_cast<double>(std::max<std::int64_t>(1, within - state.left_out)),
               accuracy = static_cast<double>(state.correct) / static_cast<double>(state.seen),
               speed = images_per_second(loop, state),
               left = static_cast<double>(loop.updates() - state.update) *
                      static_cast<double>(loop.batch());
  const std::string validated =
      std::isnan(validation) ? "" : fmt::format("  validation {:.2f} %", 100 * validation);
  Progress p{.done = static_cast<double>(state.update),
             .of = static_cast<double>(loop.updates()),
             .what = "updates",
             .position = fmt::format("epoch {} / {}", epoch, loop.epochs()),
             .speed = speed,
             .speed_of = "images",
             .seconds_left = speed > 0 ? left / speed : 0};
  p.live = fmt::format("loss {:.4f}  accuracy {:.2f} %{}", loss, 100 * accuracy, validated);
  p.details = {{"epoch", static_cast<double>(epoch)},
               {"epochs", static_cast<double>(loop.epochs())},
               {"update", p.done},
               {"updates", p.of},
               {"loss", loss},
               {"accuracy", accuracy},
               {"images_per_second", speed}};
  return p;
}

}  // namespace murmur
