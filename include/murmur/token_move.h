// token_move.h: the move of one token in one step, part by part: query, keys, weights, messages,
// feed-forward, and the effect of layer norm and projection on their sum.
#pragma once

#include <span>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/matrix.h"
#include "murmur/swarm.h"

namespace murmur {

// The effect of one head on token i. Forces are evaluated at u: x, or x / |x| if norms change,
// times the gains.
//   message = total sum_j a_ij v_j
struct HeadPart {
  int sublayer = 0;
  double beta = 0;   // 0: every weight is the same, without query and keys
  Vector query{};    // (k) Q u_i + b_Q
  Matrix keys{};     // (n, k) K u_j + b_K
  Vector scores{};   // (n) s_ij of dynamics.h, slope included; -infinity if i does not see j
  Vector weights{};  // (n) a_ij; sum to 1, or to 0 if i sees no token
  double total = 1;  // unnormalised heads: sum_j m_j e^{s_ij} in the clock's kernel; others: 1
  Matrix values{};   // (n, d) V u_j + b_V; V (u_j - u_i) + b_V of a relative head
  Vector message{};  // (d)
};

struct FeedForwardPart {
  int sublayer = 0;
  Vector push{};  // (d) W_out s(W_in u_i + b_in) + b_out
};

// One addition to x_i: of one sublayer in the method `layers`, of all of them in other methods.
struct MoveStep {
  Vector from{};   // (d)
  Vector drift{};  // (d) the parts after layer norm, and in a flow after projection
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
  Vector correction{};                // (d) effect of layer norm, projection and retraction
  Vector move() const;                // (d) to - from
};

// The arrows in a picture of a move, (d) each: move = messages + feed_forward + correction. In a
// flow they are velocities, without dt, and the correction is only projection and layer norm.
struct MoveArrows {
  Vector messages{}, feed_forward{}, correction{}, move{};
};
MoveArrows arrows_of(const TokenMove& move);

struct MoveRequest {
  int token = 0;
  double t = 0;
  double dt = 1;
  // True: sublayer after sublayer, each from the positions after the one before, as in the method
  // `layers`. False: all at once along the velocity, a first-order step of the flow.
  bool layers = true;
};

// Computes the move from x without noise: positions by the engine's field, parts by the formulas of
// dynamics.h. Throws Error(input) if there is no such token or a coordinate is not finite.
TokenMove token_move(Engine& engine, const Dynamics& dynamics, const HostSwarm& x,
                     const MoveRequest& request);

// (n) distance of each token in such a step, to choose one.
Vector lengths_of_moves(Engine& engine, const Dynamics& dynamics, const HostSwarm& x,
                        const MoveRequest& request);

// Returns e^H, H the entropy of the weights: the effective number of attended tokens, or 0 if there
// are none.
double tokens_attended(const HeadPart& head);

// Query and keys of a head as points of the unit sphere in R^3, with the lengths of the keys.
//   k <= 3: their directions as they are.
//   k > 3:  the query at the north pole, each key at its true angle to it; the directions around
//   the
//           query are along the two leading axes of the orthogonal parts.
struct Dome {
  int k = 0;         // of query and keys
  Vector query{};    // (3) unit; 0: it has no direction
  Matrix keys{};     // (n, 3) unit rows, or 0
  double share = 1;  // fraction of the orthogonal parts, mean over the keys, in the two axes
  bool same_lengths = true;  // of all keys in R^k, whose directions determine the scores
  Vector lengths{};          // (n) |k_j| in R^k
  double mean_length = 0;    // r: mean of |k_j| over the keys that the token sees
  double concentration = 0;  // c = beta |q| r
};
Dome dome_of(const HeadPart& head);

// The angle within which a head attends. A key of the mean length r at the angle theta from the
// query has the score c cos(theta), so that its e^s is the factor
//   e^{-c (1 - cos theta)}
// times its value at the query. Returns the angle at which that factor is `factor`, in radians; pi
// if it is larger everywhere. For c < 0 the angle is that from -q, and c is -c.
double attention_angle(double concentration, double factor);

// Keys that overlap on the dome. A key is drawn as a disc of the radius `ball` sqrt(weight), at
// least `least`, in radii of the dome.
struct KeyDiscs {
  double ball = 0.17;
  double least = 0.008;
};
// Values are diamonds, half as wide; their weight is their part of the message.
inline constexpr KeyDiscs kValueDiamonds{.ball = 0.13};
// (n) the number of each key's group: two groups merge if the centre of one lies within the disc of
// the other, which has the sum of the weights. The first has the key of greatest weight; -1: the
// key has no direction.
std::vector<int> group_keys(const Matrix& keys, std::span<const double> weights,
                            const KeyDiscs& discs = {});

struct KeyGroup {
  Vector place{};  // (3) unit: the mean of the keys by weight
  double weight = 0;
  int count = 0;
};
std::vector<KeyGroup> summarise_groups(const Matrix& keys, std::span<const double> weights,
                                       std::span<const int> group);

// (n) a_ij |v_j| over their sum: the part of each value in the message; 0 without a message.
Vector parts_of_message(const HeadPart& head);

// (n, 3) unit rows, or 0: the direction of each row of `vectors`, projected on the axes.
Matrix directions_along(const Matrix& axes, const Matrix& vectors);

// (3, d) orthonormal axes to draw vectors of R^d: coordinate axes for d <= 3, missing ones 0, else
// the leading axes of the normalised vectors; and the fraction of them in these axes.
struct ArrowAxes {
  Matrix axes{};
  double share = 1;
};
ArrowAxes arrow_axes(std::span<const Vector> vectors, int d);

}  // namespace murmur
