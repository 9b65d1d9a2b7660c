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

void append(const std::vector<double>& numbers, std::vector<double>& out) {
  out.insert(out.end(), numbers.begin(), numbers.end());
}

// Appends (groups, 5); how many there are.
int add_groups(const Matrix& points, const Vector& weights, const KeyDiscs& discs,
               std::vector<double>& out) {
  const std::vector<int> of = group_keys(points, weights, discs);
  const std::vector<KeyGroup> groups = summarise_groups(points, weights, of);
  for (const KeyGroup& group : groups) {
    append(group.place, out);
    append({group.weight, static_cast<double>(group.count)}, out);
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
    append(head.weights, weights);
    append(dome.keys.data, keys);
    append(dome.query, queries);
    append(dome.lengths, lengths);
    arrows.push_back(head.message);
    if (layers)
      for (double& c : arrows.back()) c *= move.dt;
    Json told = numbers({{"k", dome.k},
                         {"share", dome.share},
                         {"attended", tokens_attended(head)},
                         {"beta", head.beta},
                         {"message", length_of(arrows.back())},
                         {"meanLength", dome.mean_length},
                         {"concentration", dome.concentration},
                         {"halfAngle", angle_of_vision(dome.concentration, 0.5)},
                         {"keyGroups", add_groups(dome.keys, head.weights, {}, key_groups)}});
    told["sameLengths"] = dome.same_lengths;
    heads.push_back(std::move(told));
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
    append(seen.data, values);
    heads[h]["valueGroups"] =
        add_groups(seen, parts_of_message(head), kValueDiamonds, value_groups);
  }
  reply.text = numbers({{"ball", KeyDiscs{}.ball},
                        {"diamond", kValueDiamonds.ball},
                        {"dt", layers ? e.flow.dt : 1.0},
                        {"share", axes.share},
                        {"feedForwards", static_cast<double>(move.feed_forwards.size())},
                        {"noise", e.dynamics.noise}});
  reply.text["heads"] = std::move(heads);
  reply.text["layers"] = layers;
  reply.text["lengths"] = numbers({{"messages", length_of(parts.messages)},
                                   {"feedForward", length_of(parts.feed_forward)},
                                   {"correction", length_of(parts.correction)},
                                   {"move", length_of(parts.move)}});
  for (const auto* array :
       {&weights, &keys, &queries, &drawn, &lengths, &values, &key_groups, &value_groups})
    reply.add(*array);
}

}  // namespace murmur::facade
