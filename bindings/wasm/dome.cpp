// dome.cpp: parts of a boid's move, put on a sphere and along three axes by the library.
#include "dome.h"

#include <cmath>

#include "murmur/token_move.h"

namespace murmur::facade {

namespace {

double length_of(const Vector& v) {
  double square = 0;
  for (const double c : v) square += c * c;
  return std::sqrt(square);
}

// Appends (groups, 5); how many there are.
int add_groups(const Matrix& points, const Vector& weights, const KeyDiscs& discs,
               std::vector<double>& out) {
  const std::vector<int> of = group_keys(points, weights, discs);
  const std::vector<KeyGroup> groups = summarise_groups(points, weights, of);
  for (const KeyGroup& group : groups) {
    out.insert(out.end(), group.place.begin(), group.place.end());
    out.push_back(group.weight);
    out.push_back(group.count);
  }
  return static_cast<int>(groups.size());
}

}  // namespace

void add_dome(const Recording& trajectory, std::int64_t frame, int token, Reply& reply) {
  const Experiment& e = trajectory.experiment();
  const HostSwarm x = trajectory.swarm(frame);
  const bool layers = e.flow.method == Method::layers;
  const auto engine = make_engine(e.engine);
  const TokenMove move = token_move(
      *engine, e.dynamics, x, {token, trajectory.time(frame), layers ? e.flow.dt : 1, layers});
  const MoveArrows parts = arrows_of(move);
  std::vector<Vector> arrows;
  std::vector<double> weights, keys, queries, drawn;
  std::vector<double> lengths, values, key_groups, value_groups;
  Json heads = Json::array();
  for (const HeadPart& head : move.heads) {
    const Dome dome = dome_of(head);
    weights.insert(weights.end(), head.weights.begin(), head.weights.end());
    keys.insert(keys.end(), dome.keys.data.begin(), dome.keys.data.end());
    queries.insert(queries.end(), dome.query.begin(), dome.query.end());
    lengths.insert(lengths.end(), dome.lengths.begin(), dome.lengths.end());
    arrows.push_back(head.message);
    if (layers)
      for (double& c : arrows.back()) c *= move.dt;
    heads.push_back({{"k", dome.k},
                     {"share", dome.share},
                     {"attended", tokens_attended(head)},
                     {"beta", head.beta},
                     {"message", length_of(arrows.back())},
                     {"sameLengths", dome.same_lengths},
                     {"meanLength", dome.mean_length},
                     {"concentration", dome.concentration},
                     {"halfAngle", angle_of_vision(dome.concentration, 0.5)},
                     {"keyGroups", add_groups(dome.keys, head.weights, {}, key_groups)}});
  }
  for (const Vector* part : {&parts.messages, &parts.feed_forward, &parts.correction, &parts.move})
    arrows.push_back(*part);
  const ArrowAxes axes = arrow_axes(arrows, x.d());
  for (const Vector& arrow : arrows)
    for (int a = 0; a < 3; ++a) {
      double along = 0;
      for (int k = 0; k < x.d(); ++k) along += axes.axes(a, k) * arrow[k];
      drawn.push_back(along);
    }
  for (std::size_t h = 0; h < move.heads.size(); ++h) {
    const HeadPart& head = move.heads[h];
    const Matrix seen = directions_along(axes.axes, head.values);
    values.insert(values.end(), seen.data.begin(), seen.data.end());
    heads[h]["valueGroups"] =
        add_groups(seen, parts_of_message(head), kValueDiamonds, value_groups);
  }
  reply.text = {{"heads", heads},
                {"layers", layers},
                {"ball", KeyDiscs{}.ball},
                {"diamond", kValueDiamonds.ball},
                {"dt", layers ? e.flow.dt : 1.0},
                {"share", axes.share},
                {"feedForwards", move.feed_forwards.size()},
                {"noise", e.dynamics.noise},
                {"lengths",
                 {{"messages", length_of(parts.messages)},
                  {"feedForward", length_of(parts.feed_forward)},
                  {"correction", length_of(parts.correction)},
                  {"move", length_of(parts.move)}}}};
  reply.add(weights);
  reply.add(keys);
  reply.add(queries);
  reply.add(drawn);
  reply.add(lengths);
  reply.add(values);
  reply.add(key_groups);
  reply.add(value_groups);
}

}  // namespace murmur::facade
