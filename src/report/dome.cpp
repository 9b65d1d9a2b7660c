// dome.cpp: prepares the move of a token of a run for drawing, with a caption that names its exact
// and its projected parts.
#include "report/dome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "murmur/error.h"
#include "murmur/flow.h"
#include "murmur/observe.h"
#include "murmur/token_move.h"
#include "report/digits.h"
#include "run/file.h"

namespace murmur {

namespace {

constexpr std::int64_t kMostOfAFlow = 12;  // pictures in the film of a flow
constexpr std::size_t kMostHeads = 16;     // spheres on one picture
constexpr std::size_t kMostKeys = 20'000;  // points on one sphere

[[noreturn]] void refuse(const DomeStates& states, const std::string& what,
                         const std::string& remedy) {
  throw Error(Fault::input, what, states.name, remedy);
}

double size_of(const Vector& v) {
  double square = 0;
  for (const double c : v) square += c * c;
  return std::sqrt(square);
}

// No block begins at the last frame; a flow has a velocity there too.
std::int64_t last_frame(const DomeStates& states) {
  const auto frames = static_cast<std::int64_t>(states.times.size());
  return states.layers ? std::max<std::int64_t>(0, frames - 2) : frames - 1;
}

// The frame nearest to t at which a move begins.
std::int64_t nearest_start(const DomeStates& states, double t) {
  return nearest_frame(
      std::span(states.times).first(static_cast<std::size_t>(last_frame(states) + 1)), t);
}

std::int64_t frame_of_block(const DomeStates& states, std::int64_t block) {
  if (!states.layers)
    refuse(states, "block= counts the steps of the method layers, and this is a flow in time",
           "use t=TIME or --frame K");
  const auto blocks = std::llround(states.times.back() / states.dt);
  if (block < 0 || block >= blocks)
    refuse(states, fmt::format("there is no block {}", block),
           fmt::format("use block=0 to block={}", blocks - 1));
  const double t = static_cast<double>(block) * states.dt;
  const std::int64_t frame = nearest_start(states, t);
  if (std::fabs(states.times[frame] - t) > 0.01 * states.dt)
    refuse(states, fmt::format("the state before block {} was not stored", block),
           fmt::format("use --frame 0 to --frame {}, or simulate with save=every:{:g}",
                       last_frame(states), states.dt));
  return frame;
}

std::int64_t frame_asked(const DomeStates& states, const DomeRequest& request) {
  const int given = (request.block ? 1 : 0) + (request.t ? 1 : 0) + (request.frame ? 1 : 0);
  if (given > 1) refuse(states, "block, t and --frame say the same thing", "give one of them");
  if (request.block) return frame_of_block(states, *request.block);
  if (request.t) return nearest_start(states, *request.t);
  const std::int64_t asked = request.frame.value_or(0), last = last_frame(states);
  const std::int64_t frame = asked < 0 ? last + 1 + asked : asked;
  if (frame < 0 || frame > last)
    refuse(states, fmt::format("no move begins at frame {}", asked),
           fmt::format("use frames 0 to {}", last));
  return frame;
}

MoveRequest move_request(const DomeStates& states, std::int64_t frame, int token) {
  // A flow is drawn by its velocities, whatever the step.
  return {token, states.times[frame], states.layers ? states.dt : 1, states.layers};
}

int most_moved_token(const DomeStates& states, Engine& engine, std::int64_t frame) {
  const Vector lengths = lengths_of_moves(engine, states.dynamics, states.frame(frame),
                                          move_request(states, frame, 0));
  return static_cast<int>(std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
}

// The name of what layer norm and projection add to the parts.
std::string correction_name(const DomeStates& states) {
  const Dynamics& dynamics = states.dynamics;
  const bool plain = dynamics.normalisation == LayerNorm::post && dynamics.gain.empty() &&
                     dynamics.gain_end.empty() && !kernel_of(dynamics.clock).arc_length;
  if (!plain) return "layer norm, clock";
  return states.layers ? "back onto the sphere" : "projection";
}

Arrow3 along(const ArrowAxes& axes, const Vector& v) {
  Arrow3 out{};
  for (int a = 0; a < 3; ++a)
    for (std::size_t k = 0; k < v.size(); ++k) out[a] += axes.axes(a, static_cast<int>(k)) * v[k];
  return out;
}

Matrix rows_of(const std::vector<Arrow3>& points) {
  Matrix out = zeros(static_cast<int>(points.size()), 3);
  for (int j = 0; j < out.rows; ++j)
    for (int c = 0; c < 3; ++c) out(j, c) = points[j][c];
  return out;
}

std::vector<Arrow3> arrows_of_rows(const Matrix& rows) {
  std::vector<Arrow3> out;
  for (int j = 0; j < rows.rows; ++j) out.push_back({rows(j, 0), rows(j, 1), rows(j, 2)});
  return out;
}

DomeHead head_of(const HeadPart& part, const Dome& dome, const std::string& name) {
  DomeHead head{.name = name, .concentration = dome.concentration, .mean_length = dome.mean_length};
  head.attended = tokens_attended(part);
  head.query = {dome.query[0], dome.query[1], dome.query[2]};
  head.weights = part.weights;
  head.keys = arrows_of_rows(dome.keys);
  if (!dome.same_lengths) head.lengths = dome.lengths;
  if (head.keys.size() > kMostKeys) {
    std::vector<double> sorted = head.weights;
    std::nth_element(sorted.begin(), sorted.begin() + kMostKeys, sorted.end(), std::greater<>());
    for (std::size_t j = 0; j < head.keys.size(); ++j)
      if (head.weights[j] <= sorted[kMostKeys]) head.keys[j] = {};
  }
  head.groups = group_keys(rows_of(head.keys), head.weights);
  return head;
}

// Its values on the sphere, along the axes of the arrows.
void add_values(const HeadPart& part, const ArrowAxes& axes, DomeHead& head) {
  head.parts = parts_of_message(part);
  head.values = arrows_of_rows(directions_along(axes.axes, part.values));
  for (std::size_t j = 0; j < head.values.size(); ++j)  // of a key that is not drawn
    if (head.keys.size() > kMostKeys && head.keys[j] == Arrow3{}) head.values[j] = {};
  head.value_groups = group_keys(rows_of(head.values), head.parts, kValueDiamonds);
}

// Which parts of the picture are exact.
struct Exactness {
  bool selective = true, lengths = false, thinned = false, unnormalised = false;
  int k = 0;              // the largest, where it is above 3
  double around = 1;      // the least share of what lies around a query
  double arrows = 1;      // share of the arrows
  bool same_axes = true;  // sphere and arrows
};

std::string caption_of(const DomeStates& states, const Exactness& e, int d) {
  const bool whole = d <= 3 || e.arrows > 1 - 1e-9;
  std::string text =
      "The token attends in the direction of its query q. It receives the value v_j of each "
      "token j with the weight a_ij: the more, the closer the key k_j is to q";
  text += e.lengths ? ", and the longer the key is. " : ". ";
  text += e.selective ? "Exact: the weights a_ij, the angle between q and each key"
                      : "All weights are the same (beta = 0): query and keys play no "
                        "part. Exact: the weights";
  text += whole ? ", lengths and directions of the arrows, drawn head to tail."
                : ", the lengths in the key. Arrows are drawn head to tail.";
  std::vector<std::string> projected;
  if (e.k > 3)
    projected.push_back(
        fmt::format("how the keys, in R^{}, lie around q, along two axes ({:.0f}\u202f% of it)",
                    e.k, 100 * e.around));
  if (d > 3)
    projected.push_back(fmt::format("values of R^{}, along the three axes of the arrows", d));
  if (!whole)
    projected.push_back(
        fmt::format("arrows of R^{}, along three axes ({:.0f}\u202f% of them)", d, 100 * e.arrows));
  if (!projected.empty()) text += fmt::format(" Projected: {}.", fmt::join(projected, "; "));
  if (e.unnormalised) text += " Weights are divided by their sum; the message is not.";
  if (!e.same_axes) text += " Sphere and arrows have axes of their own.";
  if (e.thinned) text += fmt::format(" Drawn are the {} keys of greatest weight.", kMostKeys);
  if (states.dynamics.noise > 0) text += " Noise is left out.";
  return text;
}

DomePicture picture_of(const DomeStates& states, const TokenMove& move,
                       const DomeRequest& request) {
  const int d = static_cast<int>(move.from.size());
  const auto count = static_cast<int>(move.heads.size());
  if (request.head && (*request.head < 0 || *request.head >= count))
    refuse(states, fmt::format("there is no head {}", *request.head),
           count == 1 ? "there is one, head=0" : fmt::format("use head=0 to head={}", count - 1));
  if (!request.head && move.heads.size() > kMostHeads)
    refuse(states, fmt::format("{} heads do not fit one picture", count),
           fmt::format("choose one: head=0 to head={}", count - 1));
  const MoveArrows arrows = arrows_of(move);
  std::vector<Vector> drawn{arrows.messages, arrows.feed_forward, arrows.move};
  Exactness exact;
  DomePicture picture;
  std::vector<const HeadPart*> parts;
  for (int h = 0; h < count; ++h) {
    if (request.head && h != *request.head) continue;
    const HeadPart& part = move.heads[h];
    const Dome dome = dome_of(part);
    picture.heads.push_back(head_of(part, dome, count > 1 ? fmt::format("head {}", h) : ""));
    parts.push_back(&part);
    if (count > 1) drawn.push_back(part.message);
    exact.selective = exact.selective && part.beta != 0;
    exact.lengths = exact.lengths || !dome.same_lengths;
    exact.unnormalised = exact.unnormalised || part.total != 1;
    exact.thinned = exact.thinned || part.weights.size() > kMostKeys;
    if (dome.k > 3) exact.k = std::max(exact.k, dome.k);
    exact.around = std::min(exact.around, dome.share);
    exact.same_axes = exact.same_axes && dome.k <= 3 && d <= 3 && dome.k == d;
  }
  const ArrowAxes axes = arrow_axes(drawn, d);
  exact.arrows = axes.share;
  for (std::size_t h = 0; h < parts.size(); ++h) {
    Vector message = parts[h]->message;
    for (double& c : message) c *= states.layers ? move.dt : 1;
    picture.heads[h].message = along(axes, message);
    picture.heads[h].message_length = size_of(message);
    add_values(*parts[h], axes, picture.heads[h]);
  }
  picture.token = move.token;
  picture.all_heads = count;
  picture.messages = along(axes, arrows.messages);
  picture.feed_forward = along(axes, arrows.feed_forward);
  picture.correction = along(axes, arrows.correction);
  picture.move = along(axes, arrows.move);
  picture.messages_length = size_of(arrows.messages);
  picture.feed_forward_length = size_of(arrows.feed_forward);
  picture.correction_length = size_of(arrows.correction);
  picture.move_length = size_of(arrows.move);
  picture.has_feed_forward = !move.feed_forwards.empty();
  picture.move_name = states.layers ? "move" : "velocity";
  picture.correction_name = correction_name(states);
  picture.caption = caption_of(states, exact, d);
  return picture;
}

DomePicture picture_at(const DomeStates& states, Engine& engine, std::int64_t frame,
                       const DomeRequest& request) {
  const HostSwarm x = states.frame(frame);
  const double t = states.times[frame];
  const TokenMove move =
      token_move(engine, states.dynamics, x, move_request(states, frame, *request.token));
  if (move.heads.empty())
    refuse(states, "no token attends to another here", "draw a run that has attention");
  DomePicture picture = picture_of(states, move, request);
  picture.title = states.layers
                      ? fmt::format("Token {} in block {}", move.token, std::llround(t / states.dt))
                      : fmt::format("Token {} at t = {:.4g}", move.token, t);
  picture.subtitle =
      fmt::format("{}, n\u00a0=\u00a0{}, d\u00a0=\u00a0{}", states.name, x.n(), x.d());
  return picture;
}

// The request with its token, and the engine of the states.
std::unique_ptr<Engine> prepare_engine(const DomeStates& states, std::int64_t frame,
                                       DomeRequest& request) {
  if (states.times.empty()) refuse(states, "there is no frame yet", "let it run first");
  if (states.layers && states.times.size() < 2)
    refuse(states, "there is one frame, and no block after it", "store more of them");
  auto engine = make_engine(states.engine);
  if (!request.token) request.token = most_moved_token(states, *engine, frame);
  return engine;
}

}  // namespace

std::int64_t nearest_frame(std::span<const double> times, double t) {
  std::int64_t best = 0;
  for (std::size_t k = 0; k < times.size(); ++k)
    if (std::fabs(times[k] - t) < std::fabs(times[best] - t)) best = static_cast<std::int64_t>(k);
  return best;
}

DomeStates states_of_simulation(const RunReader& run, const Experiment& e) {
  DomeStates states{.name = run.directory().filename().string(),
                    .dynamics = e.dynamics,
                    .engine = e.engine,
                    .layers = e.flow.method == Method::layers,
                    .dt = e.flow.dt,
                    .times = run.times()};
  states.frame = [run](std::int64_t frame) { return run.frame(frame); };
  return states;
}

DomeStates states_of_training(const TrainedSwarm& swarm, const SampleSet& samples, std::size_t k,
                              const std::string& name) {
  const Architecture& a = swarm.architecture;
  auto frames = std::make_shared<std::vector<HostSwarm>>(simulate_sample(swarm, samples, k).frames);
  DomeStates states{.name = name,
                    .dynamics = dynamics_of(a, swarm.doubles()),
                    .engine = {.name = "reference"},
                    .dt = a.residual};
  for (std::size_t k = 0; k < frames->size(); ++k)
    states.times.push_back(static_cast<double>(k) * a.residual);
  states.frame = [frames](std::int64_t frame) {
    return (*frames)[static_cast<std::size_t>(frame)];
  };
  return states;
}

DomePicture dome_of_states(const DomeStates& states, const DomeRequest& asked) {
  DomeRequest request = asked;
  const std::int64_t frame = states.times.empty() ? 0 : frame_asked(states, request);
  const auto engine = prepare_engine(states, frame, request);
  return picture_at(states, *engine, frame, request);
}

std::vector<DomePicture> domes_of_states(const DomeStates& states, const DomeRequest& asked) {
  DomeRequest request = asked;
  const std::int64_t first = states.times.empty() ? 0 : frame_asked(states, request);
  const auto engine = prepare_engine(states, first, request);
  const std::int64_t last = last_frame(states);
  const std::int64_t most = request.most > 0 ? request.most
                            : states.layers  ? last + 1
                                             : kMostOfAFlow;
  const std::int64_t count = std::min(most, last - first + 1);
  std::vector<DomePicture> pictures;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t frame = count > 1 ? first + k * (last - first) / (count - 1) : first;
    pictures.push_back(picture_at(states, *engine, frame, request));
  }
  return pictures;
}

void add_dome(RunReport& report, const DomeStates& states) {
  constexpr std::size_t kSideBySide = 4;
  constexpr int kLargestSinkhorn = 8'192;  // of attention_weights
  if (states.times.empty() || (states.layers && states.times.size() < 2)) return;
  const std::vector<Attention> heads = heads_of(states.dynamics, states.times.front());
  const int n = states.frame(0).n();
  for (const Attention& head : heads)
    if (head.weighting == Attention::sinkhorn && n > kLargestSinkhorn) return;
  if (heads.empty()) return;
  DomeRequest request{.most = 6};
  if (heads.size() > kSideBySide) request.head = 0;
  const DomePicture picture = dome_of_states(states, request);
  request.token = picture.token;
  std::vector<std::filesystem::path> drawn;
  for (const char* ending : {"dome.svg", "dome.png"}) {
    drawn.push_back(report.figures / ending);
    draw_dome(picture, {.style = report.style()}, drawn.back());
  }
  report.add_figure(drawn, "One token's move",
                    fmt::format("{}, the one that moves most. {}", picture.title, picture.caption));
  if (!report.request.film) return;
  make_folder_of_run(report.video);
  const std::vector<DomePicture> pictures = domes_of_states(states, request);
  const DomeFilm film{.style = {.style = FigureStyle::dark},
                      .fps = 15,
                      .seconds = 3.0 * static_cast<double>(pictures.size()),
                      .stop = report.request.stop};
  if (film_domes(pictures, film, report.video / "dome.mp4"))
    report.add_picture({.picture = report.video / "dome.mp4",
                        .caption = "The same token later, part after part."});
}

}  // namespace murmur
