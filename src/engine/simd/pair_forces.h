// pair_forces.h: adds the drift of attention heads on every particle.
#pragma once

#include <vector>

#include "core/buffer.h"
#include "engine/simd/head.h"
#include "engine/simd/kernels.h"
#include "engine/simd/sources.h"
#include "murmur/engine.h"

namespace murmur::simd {

// Everything is reduced to two numbers a row: mean_i, the average of the values that i sees,
// and what they weigh together, z_i 2^offset_i. Then
//   A_i = weight_i (V (mean_i - [relative] x_i) + b_V),
//   weight_i = 1 (softmax), or rate m z_i 2^{offset_i + c_i} (plain; m the largest mass).
// Scratch is O(n d) and kept between calls.
class PairForces {
 public:
  PairForces(Precision precision, int threads) : precision_(precision), threads_(threads) {}

  void add(const Head& head, const HostSwarm& x, HostSwarm& a);
  void add(const NarrowHeads& all, const HostSwarm& x, HostSwarm& a);
  // From now on of the rows first .. first + count - 1 alone, which are whole blocks or end with
  // the swarm: row 0 of a is row `first` of x. The bits of a row do not depend on which others are
  // asked for; sums over pairs that are taken once for both ends are not made.
  void only(int first, int count);

  // The same on targets x whose sources pass by block by block: `open`, each block once, `close`.
  // For heads where everybody is seen. The blocks' order shows in the last bits.
  static bool can_pass(const Head& head) { return head.self && !head.past && !head.narrow(); }
  void open(const Head& head, const HostSwarm& x, double heaviest);  // the largest mass of all
  void take(const Head& head, const HostSwarm& x, const HostSwarm& sources);
  void close(const Head& head, const HostSwarm& x, HostSwarm& a);

 private:
  void meet(const HostSwarm& x);
  void add_values(const Head& head, const HostSwarm& x, HostSwarm& a);
  const double* look(const Head& head, const HostSwarm& x);
  void map(const Affine& f, ConstColumns x, int n, double* to) const;
  void sum(const Head& head, const HostSwarm& x, const Sources& s);
  bool sum_in_float(const Head& head, const HostSwarm& x, const Sources& s);
  void sum_in_double(const Head& head, const HostSwarm& x, const Sources& s);
  void sum_again(const Head& head, const Sources& s, double too_small);
  void sum_rows(const PairSums<double>& all, const std::vector<int>& rows);
  const double* weights(const Head& head, const HostSwarm& x);

  template <class T>
  PairSums<T> pair_sums(const Head& head, const Sources& s);
  template <class T>
  void pack(const Head& head, const Sources& s, const double* origin, PairSums<T>& p,
            Buffer<T>& packed) const;
  template <class T>
  void sum(const PairSums<T>& p) const;
  template <class T>
  void sum_mutual(const PairSums<T>& p, double g);

  Precision precision_;
  int threads_;
  bool some_ = false;                     // rows are asked for by `only`
  int only_first_ = 0, only_count_ = 0;   // which
  int first_ = 0, end_ = 0;               // rows of the swarm at hand
  int targets_ = 0;                       // rows of u
  int team_ = 1;                          // threads that the swarm at hand is worth
  std::size_t stride_ = 0;                // n rounded up to whole blocks
  double heaviest_ = 1;                   // largest mass
  Buffer<double> u_, mean_, z_, offset_;  // (d, stride), (d, stride), (stride), (stride)
  Buffer<double> y_, packed_;             // sources, as kernels.h lays them out
  Buffer<float> y32_, packed32_, u32_;
  Buffer<double> strips_;                         // (kStrips, d + 1, stride), of mutual sums
  Buffer<double> all_mean_, all_z_, all_offset_;  // of the blocks taken so far
  bool unit_targets_ = true;                      // of those, whether they are unit vectors
};

}  // namespace murmur::simd
