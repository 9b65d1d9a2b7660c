// digit_stage.cpp: checks a digit's trajectory, chooses axes and bounds, interpolates frames.
#include "picture/digit_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/axes.h"
#include "murmur/error.h"

namespace murmur::picture {

namespace {

constexpr double kHalf = 10;   // of the floor: the digit lies in [-10, 10]^2
constexpr double kFar = 20;    // of the bounds: tokens farther away are left out
constexpr double kAtGate = 2;  // a token nearer than this is at its gate, 10 from the centre

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

void require_finite(const std::vector<double>& values, const std::string& where) {
  for (double v : values)
    if (!std::isfinite(v))
      refuse("the trajectory of the digit holds a number that is not finite", where,
             "train with a smaller rate, or use fewer blocks");
}

// Adds the outer square of a vector of `size` parts to a second moment.
template <typename Part>
void add_square(std::vector<double>& moment, int size, const Part& part, double weight) {
  for (int k = 0; k < size; ++k)
    for (int l = 0; l < size; ++l) moment[k * size + l] += weight * part(k) * part(l);
}

// Of a sentence: from the first gate to the last, then the two directions across in which the
// tokens are spread most.
void choose_axes_of_words(DigitStage& stage) {
  const DigitTrajectory& trajectory = *stage.trajectory;
  const Matrix& targets = trajectory.targets;
  const int d = stage.swarm.shape.d;
  std::vector<double> first(static_cast<std::size_t>(d));
  double square = 0;
  for (int k = 0; k < d; ++k) {
    first[k] = targets(targets.rows - 1, k) - (targets.rows > 1 ? targets(0, k) : 0);
    square += first[k] * first[k];
  }
  for (double& part : first) part /= std::sqrt(std::max(square, 1e-300));
  std::vector<double> moment(static_cast<std::size_t>(d) * d, 0.0);
  for (const HostSwarm& x : trajectory.frames)
    for (int i = 0; i < x.n(); ++i) {
      double along = 0;
      for (int k = 0; k < d; ++k) along += first[k] * x.at(i, k);
      add_square(
          moment, d, [&](int k) { return x.at(i, k) - along * first[k]; }, 1.0 / x.n());
    }
  const std::vector<double> across = leading_axes(moment, d, 2);
  std::vector<double>& axes = stage.swarm.projection.axes;
  std::copy(first.begin(), first.end(), axes.begin());
  std::copy(across.begin(), across.end(), axes.begin() + d);
  if (d > 3)
    stage.axes_note = fmt::format(
        "Across: from gate to gate; the other two axes: where the tokens spread most, of {} "
        "coordinates.",
        d);
}

// x and y are the picture's; the third axis is the third coordinate, or, where the targets have
// parts beyond it, the direction along which targets and the tokens at the end differ most.
void choose_axes(DigitStage& stage) {
  const DigitTrajectory& trajectory = *stage.trajectory;
  const int d = stage.swarm.shape.d;
  std::vector<double>& axes = stage.swarm.projection.axes;
  axes.assign(static_cast<std::size_t>(3) * d, 0.0);
  axes[0] = axes[d + 1] = 1;
  if (d == 2) return;
  if (!trajectory.words.empty()) return choose_axes_of_words(stage);
  double beyond = 0;
  for (int c = 0; c < trajectory.targets.rows; ++c)
    for (int k = 3; k < d; ++k) beyond = std::max(beyond, std::abs(trajectory.targets(c, k)));
  axes[2 * d + 2] = 1;
  if (d > 3) stage.axes_note = fmt::format("The first three of {} coordinates.", d);
  if (beyond < 1e-9) return;
  const int rest = d - 2;
  const HostSwarm& end = trajectory.frames.back();
  std::vector<double> moment(static_cast<std::size_t>(rest) * rest, 0.0);
  for (int c = 0; c < trajectory.targets.rows; ++c)
    add_square(
        moment, rest, [&](int k) { return trajectory.targets(c, k + 2); }, 1);
  for (int i = 0; i < end.n(); ++i)
    add_square(
        moment, rest, [&](int k) { return end.at(i, k + 2); }, 1.0 / end.n());
  const std::vector<double> leading = leading_axes(moment, rest, 1);
  for (int k = 0; k < rest; ++k) axes[2 * d + 2 + k] = leading[k];
  stage.axes_note = fmt::format(
      "Third axis: where gates and tokens differ most beyond x and y, of {} coordinates.", d);
}

// The floor, the gates and the trajectory without its stragglers, no farther than kFar.
void fit_bounds(DigitStage& stage, const Matrix& targets) {
  Projection& projection = stage.swarm.projection;
  TrajectoryExtent extent;
  for (const HostSwarm& x : stage.trajectory->frames) extent.add(projection.project(x));
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    const double floor = k < 2 ? kHalf : 0;
    double low = std::clamp(extent.low[k], -kFar, -floor);
    double high = std::clamp(extent.high[k], floor, kFar);
    for (int c = 0; c < targets.rows; ++c) {
      double along = 0;
      for (int l = 0; l < targets.cols; ++l)
        along += projection.axes[k * targets.cols + l] * targets(c, l);
      low = std::min(low, along), high = std::max(high, along);
    }
    projection.centre[k] = (low + high) / 2;
    projection.half[k] = (high - low) / 2;
    square += projection.half[k] * projection.half[k];
  }
  projection.scale = 1 / std::sqrt(square);
}

// The sentence below the title: the meaning of the marks, and how to read the verdict.
std::string note_of(const DigitTrajectory& trajectory) {
  std::string note =
      !trajectory.words.empty() ? "Each dart is a word; the ringed one is asked about and read."
      : trajectory.cls          ? "Each dart is a point of ink; only the ringed CLS token is read."
                       : "Each dart is a point of ink; the ring is their mean, which is read.";
  note += trajectory.classes.size() == 2 ? " The bar is cut where the ring is between the gates."
                                         : " The bars: how far the ring has come to each gate.";
  return note + " Percentages are chances.";
}

DigitLayout lay_out(const DigitStage& stage, const PictureStyle& style) {
  const double width = style.width, height = style.height;
  DigitLayout at;
  at.height = height;
  at.unit = std::sqrt(width * height / (1280.0 * 720.0));
  at.margin = std::max(14.0, 36 * at.unit);
  at.title_size = std::max(13.0, 25 * at.unit);
  at.text_size = std::max(9.5, 14.5 * at.unit);
  at.small_size = std::max(9.0, 12.5 * at.unit);
  at.clock_size = std::max(12.0, 19 * at.unit);
  at.bar = height - 0.62 * at.margin;
  Canvas ruler(8, 8);
  const double foot = at.bar - 2.1 * at.clock_size;  // the clock is below
  const double row = 1.75 * at.text_size;
  const bool wide = width >= 1.3 * height;
  const double bars = std::min(stage.classes() == 2 ? 3.1 * at.text_size : row * stage.classes(),
                               (wide ? 0.40 : 0.28) * height);
  const std::string title = clean_text(stage.trajectory->title);
  std::string note = note_of(*stage.trajectory);
  if (!stage.axes_note.empty()) note += " " + stage.axes_note;
  if (at.unit < 0.55) note.clear();
  const bool words = !stage.trajectory->words.empty();
  const auto sentence_height = [&](double room) {
    const double size = sentence_size(at);
    return words ? kSentenceLine * size *
                       (1 + words_in_lines(ruler, *stage.trajectory, room, size).back().line)
                 : 0;
  };
  if (wide) {
    const double column = 0.205 * width;
    at.title = ruler.wrap(title, 1.25 * column, at.title_size, true, 3);
    double y = at.margin + 1.25 * at.title_size * static_cast<double>(at.title.size());
    y += at.title.empty() ? 0 : 0.3 * at.margin;
    at.note = ruler.wrap(note, column, at.small_size, false, 9);
    at.note_top = y + 0.8 * at.small_size;
    y += 0.35 * at.margin;
    // The verdict and the count of tokens are below the bars.
    const double below = 2.6 * at.title_size + 2.8 * at.text_size + bars + 0.6 * at.margin;
    const double notes = 1.45 * at.small_size * static_cast<double>(at.note.size());
    if (y + notes + sentence_height(column) + below > foot && words)
      at.note.clear();
    else
      y += notes;
    const double side = std::clamp(foot - below - y, 0.12 * height,
                                   std::max(0.7 * column, sentence_height(column)));
    at.inset = {at.margin, y, words ? column : side, side};
    at.chances = {at.margin, y + side + 0.6 * at.margin, column, bars};
    const double x = at.margin + column + 0.8 * at.margin;
    at.scene = {x, 0.7 * at.margin, width - x - 0.6 * at.margin, foot - 0.7 * at.margin};
    return at;
  }
  const double inner = width - 2 * at.margin;
  at.title = ruler.wrap(title, inner, at.title_size, true, 2);
  double y = at.margin + 1.25 * at.title_size * static_cast<double>(at.title.size());
  at.note = ruler.wrap(note, inner, at.small_size, false, 2);
  at.note_top = y + 0.8 * at.small_size;
  y += 1.45 * at.small_size * static_cast<double>(at.note.size()) + 0.35 * at.margin;
  if (words) {
    at.inset = {at.margin, y, inner, sentence_height(inner)};
    at.chances = {at.margin, y + at.inset.height, inner, bars};
    y += at.inset.height + bars + 0.3 * at.margin;
    at.scene = {0.6 * at.margin, y, width - 1.2 * at.margin, foot - y};
    return at;
  }
  const double side = std::min(std::max(bars, 0.12 * height), 0.28 * inner);
  at.inset = {at.margin, y, side, side};
  const double x = at.margin + side + std::max(0.6 * at.margin, 5.4 * at.text_size);
  at.chances = {x, y + std::max(0.0, (side - bars) / 2), width - at.margin - x, bars};
  y += std::max(side, bars) + 0.3 * at.margin;
  at.scene = {0.6 * at.margin, y, width - 1.2 * at.margin, foot - y};
  return at;
}

}  // namespace

void check(const DigitTrajectory& trajectory) {
  const char* const remedy = "simulate the digit again, with the swarm that its gates belong to";
  if (!trajectory.words.empty()) {
    if (trajectory.frames.empty() || trajectory.asked < 0 || trajectory.cls ||
        trajectory.words.size() != static_cast<std::size_t>(trajectory.frames.front().n()) ||
        trajectory.asked >= trajectory.frames.front().n())
      refuse("words and tokens differ in number, or no token is asked about",
             "parameters words and asked", remedy);
  } else if (trajectory.height < 1 || trajectory.width < 1 ||
             trajectory.ink.size() !=
                 static_cast<std::size_t>(trajectory.height) * trajectory.width)
    refuse(fmt::format("the picture has {} pixels where {} x {} are needed", trajectory.ink.size(),
                       trajectory.height, trajectory.width),
           "parameter ink", remedy);
  if ((!trajectory.column.empty() &&
       trajectory.column.size() != static_cast<std::size_t>(trajectory.width)) ||
      (!trajectory.row.empty() &&
       trajectory.row.size() != static_cast<std::size_t>(trajectory.height)))
    refuse(fmt::format("there are places of {} columns and {} rows for a picture of {} x {}",
                       trajectory.column.size(), trajectory.row.size(), trajectory.width,
                       trajectory.height),
           "parameters column and row", remedy);
  if (trajectory.frames.empty())
    refuse("the trajectory holds no frame", "parameter frames", remedy);
  const Shape shape = trajectory.frames.front().shape();
  if (shape.n < (trajectory.cls ? 2 : 1) || shape.d < 2)
    refuse(fmt::format("the trajectory has {} tokens of {} coordinates", shape.n, shape.d),
           "parameter frames", "draw a trajectory of one token or more, in two dimensions or more");
  for (std::size_t f = 0; f < trajectory.frames.size(); ++f) {
    if (trajectory.frames[f].shape() != shape)
      refuse(fmt::format("frame {} is of another shape than the first", f), "parameter frames",
             remedy);
    require_finite(to_rows(trajectory.frames[f]), fmt::format("frame {}", f));
  }
  const int classes = static_cast<int>(trajectory.classes.size());
  if (classes < 1 || trajectory.targets.rows != classes || trajectory.targets.cols != shape.d)
    refuse(fmt::format("there are ({}, {}) targets for {} classes in {} dimensions",
                       trajectory.targets.rows, trajectory.targets.cols, classes, shape.d),
           "parameter targets", remedy);
  require_finite(trajectory.targets.data, "parameter targets");
  if (trajectory.chances.rows != static_cast<int>(trajectory.frames.size()) ||
      trajectory.chances.cols != classes)
    refuse(fmt::format("there are ({}, {}) chances for {} frames and {} classes",
                       trajectory.chances.rows, trajectory.chances.cols, trajectory.frames.size(),
                       classes),
           "parameter chances", remedy);
  require_finite(trajectory.chances.data, "parameter chances");
  if (trajectory.label < -1 || trajectory.label >= classes)
    refuse(fmt::format("there is no class {}", trajectory.label), "parameter label",
           fmt::format("name one from 0 to {}, or -1 where it is unknown", classes - 1));
}

PixelPlaces pixel_places(const DigitTrajectory& trajectory) {
  PixelPlaces at{trajectory.column, trajectory.row};
  const auto even = [](int count, double from, std::vector<double>& places) {
    for (int k = 0; k < count; ++k)
      places.push_back(count > 1 ? from * (1 - 2.0 * k / (count - 1)) : from);
  };
  if (at.column.empty()) even(trajectory.width, -kHalf, at.column);
  if (at.row.empty()) even(trajectory.height, kHalf, at.row);
  at.width = at.column.size() > 1 ? at.column[1] - at.column[0] : 2 * kHalf;
  at.height = at.row.size() > 1 ? at.row[0] - at.row[1] : 2 * kHalf;
  return at;
}

std::vector<int> choices(const DigitTrajectory& trajectory) {
  const HostSwarm& end = trajectory.frames.back();
  std::vector<int> choice(static_cast<std::size_t>(end.n()), -1);
  for (int i = 0; i < end.n() - (trajectory.cls ? 1 : 0); ++i) {
    double min = std::numeric_limits<double>::infinity();
    for (int c = 0; c < trajectory.targets.rows; ++c) {
      double square = 0;
      for (int k = 0; k < end.d(); ++k) {
        const double apart = end.at(i, k) - trajectory.targets(c, k);
        square += apart * apart;
      }
      if (square < min) min = square, choice[i] = c;
    }
  }
  return choice;
}

DigitStage set_digit_stage(const DigitTrajectory& trajectory, const PictureStyle& style) {
  check_size(style);
  check(trajectory);
  DigitStage stage;
  stage.trajectory = &trajectory;
  Stage& swarm = stage.swarm;
  swarm.settings.style = style;
  swarm.theme = &theme_of(style.dark);
  swarm.shape = trajectory.frames.front().shape();
  stage.flat = swarm.shape.d == 2;
  swarm.projection.view = stage.flat ? View::plane : View::box;
  choose_axes(stage);
  fit_bounds(stage, trajectory.targets);
  swarm.settings.label = choices(trajectory);
  swarm.samples = choose_samples(swarm);
  const Projection& seen = swarm.projection;
  for (int c = 0; c < stage.classes(); ++c) {
    HostSwarm target({1, trajectory.targets.cols});
    for (int k = 0; k < trajectory.targets.cols; ++k) target.at(0, k) = trajectory.targets(c, k);
    stage.gate.push_back(seen.project(target).front());
  }
  const double widest = *std::max_element(seen.half.begin(), seen.half.end());
  stage.ring = seen.scale * std::max(stage.classes() > 4 ? 1.2 : 2.0, 0.07 * widest);
  const int last = trajectory.chances.rows - 1;
  for (int c = 1; c < stage.classes(); ++c)
    if (trajectory.chances(last, c) > trajectory.chances(last, stage.verdict)) stage.verdict = c;
  stage.layout = lay_out(stage, style);
  return stage;
}

Point DigitStage::place(double x, double y, double z) const {
  const Projection& box = swarm.projection;
  return {static_cast<float>(box.scale * (x - box.centre[0])),
          static_cast<float>(box.scale * (y - box.centre[1])),
          static_cast<float>(box.scale * (z - box.centre[2]))};
}

Past DigitStage::past(double t) const {
  constexpr int kInstants = 32;
  std::vector<double> times(trajectory->frames.size());
  for (std::size_t f = 0; f < times.size(); ++f) times[f] = static_cast<double>(f);
  Track track(
      times,
      [this](std::int64_t index) {
        return swarm.projection.project(trajectory->frames[static_cast<std::size_t>(index)]);
      },
      false);
  const double span = std::clamp(0.25 * blocks(), 0.5, 2.5);
  Past past;
  for (int k = 0; k <= kInstants; ++k) {
    const double then = std::max(0.0, t - span * (kInstants - k) / kInstants);
    past.push_back(std::make_shared<Snapshot>(Snapshot{then, 0, track.at(then)}));
  }
  return past;
}

std::vector<double> DigitStage::chances(double t) const {
  const Matrix& all = trajectory->chances;
  const int before = std::clamp(static_cast<int>(std::floor(t)), 0, blocks());
  const int after = std::min(before + 1, blocks());
  std::vector<double> now(static_cast<std::size_t>(classes()));
  for (int c = 0; c < classes(); ++c)
    now[c] = std::clamp(all(before, c) + (t - before) * (all(after, c) - all(before, c)), 0.0, 1.0);
  return now;
}

std::vector<double> DigitStage::readout(double t) const {
  const int before = std::clamp(static_cast<int>(std::floor(t)), 0, blocks());
  const int after = std::min(before + 1, blocks()), read = trajectory->read();
  const int n = swarm.shape.n, d = swarm.shape.d;
  std::vector<double> mean(static_cast<std::size_t>(d));
  for (const auto& [frame, share] : {std::pair{before, 1 - (t - before)}, {after, t - before}}) {
    const HostSwarm& x = trajectory->frames[static_cast<std::size_t>(frame)];
    for (int i = read < 0 ? 0 : read; i < (read < 0 ? n : read + 1); ++i)
      for (int k = 0; k < d; ++k) mean[k] += share * x.at(i, k) / (read < 0 ? n : 1);
  }
  return mean;
}

std::vector<double> DigitStage::progress_to_gates(double t) const {
  const std::vector<double> m = readout(t);
  std::vector<double> way(static_cast<std::size_t>(classes()));
  for (int c = 0; c < classes(); ++c) {
    double along = 0, square = 0;
    for (int k = 0; k < swarm.shape.d; ++k) {
      along += m[k] * trajectory->targets(c, k);
      square += trajectory->targets(c, k) * trajectory->targets(c, k);
    }
    way[c] = square > 0 ? along / square : 0;
  }
  return way;
}

double DigitStage::between_gates(double t) const {
  const std::vector<double> m = readout(t);
  double along = 0, square = 0;
  for (int k = 0; k < swarm.shape.d; ++k) {
    const double side = trajectory->targets(1, k) - trajectory->targets(0, k);
    along += (m[k] - trajectory->targets(0, k)) * side;
    square += side * side;
  }
  return square > 0 ? along / square : 0.5;
}

int DigitStage::count_at_gate(int c, double t) const {
  const int before = std::clamp(static_cast<int>(std::floor(t)), 0, blocks());
  const int after = std::min(before + 1, blocks());
  const HostSwarm& a = trajectory->frames[static_cast<std::size_t>(before)];
  const HostSwarm& b = trajectory->frames[static_cast<std::size_t>(after)];
  int count = 0;
  for (int i = 0; i < swarm.shape.n - (trajectory->cls ? 1 : 0); ++i) {
    double square = 0;
    for (int k = 0; k < swarm.shape.d; ++k) {
      const double x = a.at(i, k) + (t - before) * (b.at(i, k) - a.at(i, k));
      square += (x - trajectory->targets(c, k)) * (x - trajectory->targets(c, k));
    }
    count += square < kAtGate * kAtGate ? 1 : 0;
  }
  return count;
}

std::string verdict_sentence(const DigitStage& stage) {
  const auto name = [&](int c) { return clean_text(stage.trajectory->classes[c]); };
  const int label = stage.trajectory->label;
  if (label < 0) return "truth unknown";
  if (label == stage.verdict) return "✓ right";
  return fmt::format("✗ wrong: it is {}", name(label));
}

}  // namespace murmur::picture
