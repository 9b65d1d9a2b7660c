// token_move.cpp: the parts of one token's move, each by its formula; positions come from the
// field.
#include "murmur/token_move.h"

#include <cmath>
#include <limits>
#include <string>

#include "core/axes.h"
#include "core/elementary.h"
#include "core/forces.h"
#include "core/overloaded.h"
#include "core/sums.h"
#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {

namespace {

Vector row_of(const HostSwarm& x, int i) {
  Vector row(static_cast<std::size_t>(x.d()));
  for (int k = 0; k < x.d(); ++k) row[k] = x.at(i, k);
  return row;
}

// Returns u, the points where forces are evaluated.
HostSwarm force_points(const Dynamics& dynamics, const HostSwarm& x, double t) {
  HostSwarm u = moves_norms(dynamics) ? directions_of(x) : x;
  const Vector gain = gain_at(dynamics, t);
  for (std::size_t k = 0; k < gain.size(); ++k)
    for (int i = 0; i < u.n(); ++i) u.at(i, static_cast<int>(k)) *= gain[k];
  return u;
}

// (count, rows): M u_j + b for j = first, ..., first + count - 1.
Matrix affine(const Matrix& m, const Vector& bias, const HostSwarm& u, int first, int count) {
  const int rows = m.empty() ? u.d() : m.rows;
  Matrix y = zeros(count, rows);
  for (int j = 0; j < count; ++j)
    for (int r = 0; r < rows; ++r) {
      double sum = m.empty() ? u.at(first + j, r) : 0.0;
      for (int k = 0; k < m.cols; ++k) sum += m(r, k) * u.at(first + j, k);
      y(j, r) = bias.empty() ? sum : sum + bias[r];
    }
  return y;
}

bool sees(const Attention& head, int i, int j) {
  return (head.self || j != i) && (head.mask == Attention::none || j <= i);
}

// s_ij; unnormalised attention has its slope in the masses.
Vector scores_of(const Attention& head, const HeadPart& part, int i) {
  Vector scores(static_cast<std::size_t>(part.keys.rows));
  for (int j = 0; j < part.keys.rows; ++j) {
    double dot = 0;
    for (int k = 0; k < part.keys.cols; ++k) dot += part.query[k] * part.keys(j, k);
    scores[j] = head.beta * dot;
    if (head.weighting != Attention::unnormalised) scores[j] -= head.alibi * (i - j);
    if (!sees(head, i, j)) scores[j] = -std::numeric_limits<double>::infinity();
  }
  return scores;
}

// sum_j m_j e^{s_ij - shift}, times beta in clock u3; with a slope, m_j is as in dynamics.h.
double total_of(const Attention& head, const HeadPart& part, const HostSwarm& x, Clock clock,
                int i) {
  if (head.weighting != Attention::unnormalised) return 1;
  const ClockKernel kernel = kernel_of(clock);
  const double shift = kernel.over_max ? head.beta : 0.0;
  double total = 0, masses = 0;
  for (int j = 0; j < x.n(); ++j) {
    if (!sees(head, i, j) || !(x.mass[j] > 0)) continue;
    const double mass = head.alibi > 0 ? elementary::exp(-head.alibi * (i - j)) : x.mass[j];
    total += mass * elementary::exp(part.scores[j] - shift);
    masses += mass;
  }
  if (head.alibi > 0 && masses > 0) total /= masses;
  return kernel.times_beta ? head.beta * total : total;
}

struct TokenContext {  // a token at a time, in its swarm
  const Dynamics& dynamics;
  const HostSwarm& x;  // the swarm
  const HostSwarm& u;  // its force points
  int i;
  double t;
};

// `index`: its number among the heads that act at t.
HeadPart part_of(const Attention& given, const TokenContext& at, int index) {
  const int d = at.u.d(), n = at.u.n();
  const Attention head = given.rescaled ? at_time(given, at.t, d) : given;
  HeadPart part{.beta = head.beta};
  part.query = affine(head.query, head.query_bias, at.u, at.i, 1).data;
  part.keys = affine(head.key, head.key_bias, at.u, 0, n);
  part.values = affine(head.value, head.value_bias, at.u, 0, n);
  if (head.relative) {
    const Matrix own = affine(head.value, {}, at.u, at.i, 1);
    for (int j = 0; j < n; ++j)
      for (int c = 0; c < d; ++c) part.values(j, c) -= own(0, c);
  }
  part.scores = scores_of(head, part, at.i);
  part.weights = attention_row(at.x, at.dynamics, {index, at.i, at.t});
  part.total = total_of(head, part, at.x, at.dynamics.clock, at.i);
  part.message.assign(static_cast<std::size_t>(d), 0.0);
  for (int j = 0; j < n; ++j)
    for (int c = 0; c < d && part.weights[j] != 0; ++c)
      part.message[c] += part.total * part.weights[j] * part.values(j, c);
  return part;
}

// Adds the parts of a sublayer; `heads`: number of heads before it that act at t.
void add_parts(int sublayer, const TokenContext& at, int& heads, TokenMove& move) {
  for (const Force& force : forces_at(at.dynamics.sublayers[sublayer], at.t))
    std::visit(Overloaded{[&](const Attention& a) {
                            move.heads.push_back(part_of(a, at, heads++));
                            move.heads.back().sublayer = sublayer;
                          },
                          [&](const Perceptron& p) {
                            const Vector u = row_of(at.u, at.i);
                            FeedForwardPart part{sublayer, Vector(u.size())};
                            add_perceptron_at(p, u.data(), part.push.data());
                            move.feed_forwards.push_back(std::move(part));
                          },
                          [](const ManyHeads&) {
                            throw Error(Fault::input, "infinitely many heads have no parts to show",
                                        "head_scale=limit", "use head_scale=mean and heads=64");
                          }},
               force);
}

void check(const HostSwarm& x, const MoveRequest& request) {
  if (request.token < 0 || request.token >= x.n())
    throw Error(Fault::input, "there is no such token", "token = " + std::to_string(request.token),
                "the swarm has tokens 0 to " + std::to_string(x.n() - 1));
  require_measurable(x);
}

// Calls visit(sublayers, swarm before, drift, swarm after) for each addition of a step in turn.
template <class Visit>
void take_steps(Engine& engine, const Dynamics& dynamics, const HostSwarm& x,
                const MoveRequest& request, const Visit& visit) {
  const auto field = engine.prepare(dynamics, x.shape());
  const auto begin = engine.place(x);
  auto from = engine.place(x), to = from->like();
  const auto drift = from->like();
  std::vector<int> active;
  for (int s = 0; s < field->sublayers(); ++s)
    if (field->active(request.t, s)) active.push_back(s);
  const std::size_t count =
      request.layers ? active.size() : std::min<std::size_t>(1, active.size());
  for (std::size_t k = 0; k < count; ++k) {
    const std::span<const int> some =
        request.layers ? std::span<const int>(active).subspan(k, 1) : std::span<const int>(active);
    if (request.layers)
      field->drift(request.t, some.front(), *from, *drift);
    else
      field->velocity(request.t, *from, *drift);
    const Term term{request.dt, drift.get()};
    field->retract(*from, {&term, 1}, *to);
    field->keep_lengths(request.t, *begin, *to);
    visit(some, engine.fetch(*from), engine.fetch(*drift), engine.fetch(*to));
    from.swap(to);
  }
}

}  // namespace

Vector TokenMove::move() const {
  Vector way = to;
  for (std::size_t k = 0; k < way.size(); ++k) way[k] -= from[k];
  return way;
}

MoveArrows arrows_of(const TokenMove& move) {
  if (move.layers) return {move.messages, move.feed_forward, move.correction, move.move()};
  MoveArrows arrows{move.messages, move.feed_forward, {}, Vector(move.from.size())};
  if (!move.steps.empty()) arrows.move = move.steps.front().drift;
  for (std::size_t k = 0; k < arrows.move.size(); ++k) {
    arrows.messages[k] /= move.dt;
    arrows.feed_forward[k] /= move.dt;
    arrows.correction.push_back(arrows.move[k] - arrows.messages[k] - arrows.feed_forward[k]);
  }
  return arrows;
}

TokenMove token_move(Engine& engine, const Dynamics& dynamics, const HostSwarm& x,
                     const MoveRequest& request) {
  check(x, request);
  TokenMove move{request.token, request.t, request.dt, request.layers};
  move.from = move.to = row_of(x, request.token);
  int heads = 0;
  take_steps(engine, dynamics, x, request,
             [&](std::span<const int> sublayers, const HostSwarm& from, const HostSwarm& drift,
                 const HostSwarm& to) {
               const HostSwarm u = force_points(dynamics, from, request.t);
               const TokenContext at{dynamics, from, u, request.token, request.t};
               for (const int sublayer : sublayers) add_parts(sublayer, at, heads, move);
               move.steps.push_back({row_of(from, request.token), row_of(drift, request.token),
                                     row_of(to, request.token)});
               move.to = move.steps.back().to;
             });
  const std::size_t d = move.from.size();
  move.messages.assign(d, 0.0);
  move.feed_forward.assign(d, 0.0);
  for (const HeadPart& part : move.heads)
    for (std::size_t k = 0; k < d; ++k) move.messages[k] += request.dt * part.message[k];
  for (const FeedForwardPart& part : move.feed_forwards)
    for (std::size_t k = 0; k < d; ++k) move.feed_forward[k] += request.dt * part.push[k];
  move.correction = move.move();
  for (std::size_t k = 0; k < d; ++k) move.correction[k] -= move.messages[k] + move.feed_forward[k];
  return move;
}

Vector lengths_of_moves(Engine& engine, const Dynamics& dynamics, const HostSwarm& x,
                        const MoveRequest& request) {
  HostSwarm end = x;
  take_steps(engine, dynamics, x, request,
             [&](std::span<const int>, const HostSwarm&, const HostSwarm&, const HostSwarm& to) {
               end = to;
             });
  Vector lengths(static_cast<std::size_t>(x.n()));
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k)
      square += (end.at(i, k) - x.at(i, k)) * (end.at(i, k) - x.at(i, k));
    lengths[i] = std::sqrt(square);
  }
  return lengths;
}

double tokens_attended(const HeadPart& head) {
  double entropy = 0, sum = 0;
  for (const double a : head.weights) {
    if (a > 0) entropy -= a * elementary::log(a);
    sum += a;
  }
  return sum > 0 ? elementary::exp(entropy) : 0;
}

}  // namespace murmur
