// token_move.h: the move of one token in one step, part by part: query, keys, weights, messages,
// feed-forward, and what layer norm and projection make of their sum.
#pragma once

#include <span>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/matrix.h"
#include "murmur/swarm.h"

namespace murmur {

// What one head does to token i; u are the points that forces are taken at: x, or x / |x| where
// norms move, times the gains.
//   message = total sum_j a_ij v_j
struct HeadPart {
  int sublayer = 0;
  double beta = 0;   // 0: every weight is the same, and query and keys play no part
  Vector query{};    // (k) Q u_i + b_Q
  Matrix keys{};     // (n, k) K u_j + b_K
  Vector scores{};   // (n) s_ij of dynamics.h, slope included; -infinity where i does not see j
  Vector weights{};  // (n) a_ij; sum to 1, or to 0 where i sees nobody
  double total = 1;  // unnormalised heads: sum_j m_j e^{s_ij} in the clock's kernel; others: 1
  Matrix values{};   // (n, d) V u_j + b_V; V (u_j - u_i) + b_V of a relative head
  Vector message{};  // (d)
};

struct FeedForwardPart {
  int sublayer = 0;
  Vector push{};  // (d) W_out s(W_in u_i + b_in) + b_out
};

// One addition to x_i: that of a sublayer in the method `layers`, that of all of them in others.
struct MoveStep {
  Vector from{};   // (d)
  Vector drift{};  // (d) what the layer norm, and in a flow the projection, make of the parts
  Vector to{};     // (d) retract(from + dt drift)
};

//   to - from = dt (sum of messages + sum of pushes) + correction
struct TokenMove {
  int token = 0;
  double t = 0, dt = 1;
  bool layers = true;
  std::vector<HeadPart> heads{};
  std::vector<FeedForwardPart> feed_forwards{};
  std::vector<MoveStep> steps{};
  Vector from{}, to{};                // (d)
  Vector messages{}, feed_forward{};  // (d) dt times the sum over heads, over perceptrons
  Vector correction{};                // (d) of layer norm, projection and retraction
  Vector move() const;                // (d) to - from
};

// What a picture of a move shows, (d) each: move = messages + feed_forward + correction. Of a flow
// they are velocities, dt left out, and the correction is projection and layer norm alone.
struct MoveArrows {
  Vector messages{}, feed_forward{}, correction{}, move{};
};
MoveArrows arrows_of(const TokenMove& move);

struct MoveRequest {
  int token = 0;
  double t = 0;
  double dt = 1;
  // True: sublayer after sublayer, each at the places that the one before left, as the method
  // `layers` does. False: all at once along the velocity, a step of first order of the flow.
  bool layers = true;
};

// The move from x without noise: positions by the engine's field, parts by the formulas of
// dynamics.h. Error(input) where there is no such token or a coordinate is not finite.
TokenMove token_move(Engine& engine, const Dynamics& dynamics, const HostSwarm& x,
                     const MoveRequest& request);

// (n) how far each token goes in such a step: for choosing one.
Vector lengths_of_moves(Engine& engine, const Dynamics& dynamics, const HostSwarm& x,
                        const MoveRequest& request);

// e^H, H the entropy of the weights: to how many tokens one attends. 0 where there are none.
double tokens_attended(const HeadPart& head);

// Query and keys of a head as points of the unit sphere in R^3, with the lengths of the keys.
//   k <= 3: their directions as they are.
//   k > 3:  the query at the north pole, each key at its true angle to it; how they lie around the
//           query is seen along the two leading axes of what is orthogonal to it.
struct Dome {
  int k = 0;         // of query and keys
  Vector query{};    // (3) unit; 0: it has no direction
  Matrix keys{};     // (n, 3) unit rows, or 0
  double share = 1;  // of what is orthogonal to the query, mean over the keys, the two axes show
  bool same_lengths = true;  // of all keys in R^k: their directions are all that scores see
  Vector lengths{};          // (n) |k_j| in R^k
  double mean_length = 0;    // r: mean of |k_j| over the keys that the token sees
  double concentration = 0;  // c = beta |q| r
};
Dome dome_of(const HeadPart& head);

// The field of vision of a head. A key of the mean length r at the angle theta from the query has
// the score c cos(theta), so that its e^s is the factor
//   e^{-c (1 - cos theta)}
// of what it would be at the query. Returns the angle at which that factor is `factor`, in radians;
// pi where it is larger everywhere. For c < 0 the angle is that from -q, and c is -c.
double angle_of_vision(double concentration, double factor);

// Keys that overlap on the dome. A key is drawn as a disc of the radius `ball` sqrt(weight), at
// least `least`, in radii of the dome.
struct KeyDiscs {
  double ball = 0.17;
  double least = 0.008;
};
// Values are diamonds, half as wide as this; the weight is their part of the message.
inline constexpr KeyDiscs kValueDiamonds{.ball = 0.13};
// (n) the number of each key's group: two groups are one where the middle of one lies within the
// disc of the other, which has their weights together. The first has the key of greatest weight;
// -1: the key has no direction.
std::vector<int> group_keys(const Matrix& keys, std::span<const double> weights,
                            const KeyDiscs& discs = {});

struct KeyGroup {
  Vector place{};  // (3) unit: the mean of the keys by weight
  double weight = 0;
  int count = 0;
};
std::vector<KeyGroup> summarise_groups(const Matrix& keys, std::span<const double> weights,
                                       std::span<const int> group);

// (n) a_ij |v_j| over their sum: the part that each value has in the message; 0 without one.
Vector parts_of_message(const HeadPart& head);

// (n, 3) unit rows, or 0: the direction of each row of `vectors`, as seen along the axes.
Matrix directions_along(const Matrix& axes, const Matrix& vectors);

// (3, d) orthonormal axes to draw vectors of R^d along: coordinates for d <= 3, missing ones 0,
// else the leading axes of the vectors, each of length 1; and what share of them these show.
struct ArrowAxes {
  Matrix axes{};
  double share = 1;
};
ArrowAxes arrow_axes(std::span<const Vector> vectors, int d);

}  // namespace murmur
