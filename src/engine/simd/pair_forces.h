// pair_forces.h: adds the drift of attention heads on every particle.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "core/host_field.h"
#include "engine/simd/head.h"
#include "engine/simd/kernels.h"
#include "murmur/engine.h"

namespace murmur::simd {

// The vectors of a sum over pairs, as columns: u (k, stride), padded with zeros; keys (k, stride)
// of the scores; values (d, stride), which are averaged into mean (d, stride). Keys and values are
// the particles, except for narrow heads.
struct Sources {
  ConstColumns u{}, keys{}, values{};
  double* mean = nullptr;
  int n = 0, k = 0, d = 0;
  std::span<const double> mass{};  // (n)
};

// Each row i is reduced to mean_i, the average of the values that i attends to, and to their total
// weight z_i 2^offset_i. Then
//   A_i = weight_i (V (mean_i - [relative] x_i) + b_V),
//   weight_i = 1 (softmax), or rate m z_i 2^{offset_i + c_i} (plain; m the largest mass).
// Scratch is O(n d) and kept between calls.
class PairForces {
 public:
  PairForces(Precision precision, int threads) : precision_(precision), threads_(threads) {}

  void add(const Head& head, const HostSwarm& x, HostSwarm& a);
  void add(const NarrowHeads& all, const HostSwarm& x, HostSwarm& a);
  // Limits later calls to the rows first .. first + count - 1, which are whole blocks or end with
  // the swarm: row 0 of a is row `first` of x. The bits of a row do not depend on which other rows
  // are selected. The symmetric kernel, which sums a pair for both rows at once, is not used then.
  void select_rows(int first, int count);

  // The same on targets x with the sources in blocks: `begin_blocks`, `add_block` once per block,
  // `finish_blocks`. For heads without a mask. The order of the blocks changes the last bits.
  static bool can_sum_by_blocks(const Head& head) {
    return head.self && !head.causal && !head.narrow();
  }
  void begin_blocks(const Head& head, const HostSwarm& x, double largest_mass);  // of all blocks
  void add_block(const Head& head, const HostSwarm& x, const HostSwarm& sources);
  void finish_blocks(const Head& head, const HostSwarm& x, HostSwarm& a);

 private:
  void prepare(const HostSwarm& x);
  void add_values(const Head& head, const HostSwarm& x, HostSwarm& a);
  const double* project_queries(const Head& head, const HostSwarm& x);
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
  void sum_symmetric(const PairSums<T>& p, double g);

  Precision precision_;
  int threads_;
  bool rows_selected_ = false;
  int selected_first_ = 0, selected_count_ = 0;
  int first_ = 0, end_ = 0;  // rows of the current swarm
  int targets_ = 0;          // rows of u
  int threads_used_ = 1;     // for the current swarm
  std::size_t stride_ = 0;   // n rounded up to whole blocks
  double largest_mass_ = 1;
  Buffer<double> u_, mean_, z_, offset_;  // (d, stride), (d, stride), (stride), (stride)
  Buffer<double> y_, packed_;             // sources, as kernels.h lays them out
  Buffer<float> y32_, packed32_, u32_;
  Buffer<double> strips_;                         // (kStrips, d + 1, stride), of symmetric sums
  Buffer<double> all_mean_, all_z_, all_offset_;  // of the blocks added so far
  bool unit_targets_ = true;                      // whether the targets are unit vectors
};

// Calls `add` once with the block of every rank, starting with its own. While a block is used, it
// is already being sent to the next rank.
void pass_blocks_around(Share& share, const HostSwarm& own,
                        const std::function<void(const HostSwarm& block)>& add);

}  // namespace murmur::simd
