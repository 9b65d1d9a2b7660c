// grouped_adjoint.h: splits a batch into fixed groups of samples, whose gradients are added in
// order; the adjoints that are built on it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "learn/objective.h"
#include "murmur/learn.h"

namespace murmur {

// Workspaces that threads borrow. The pool holds as many as were in use at the same time.
template <class T>
class Pool {
 public:
  struct Loan {
    Loan(Pool& from, std::unique_ptr<T> what) : pool(from), workspace(std::move(what)) {}
    ~Loan() {
      const std::lock_guard lock(pool.mutex_);
      pool.free_.push_back(std::move(workspace));
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Pool& pool;
    std::unique_ptr<T> workspace;
  };
  Loan borrow() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return {*this, std::make_unique<T>()};
    auto last = std::move(free_.back());
    free_.pop_back();
    return {*this, std::move(last)};
  }

 private:
  std::mutex mutex_{};
  std::vector<std::unique_ptr<T>> free_{};
};

inline constexpr std::size_t kSamplesPerGroup = 8;

// A part of a batch: samples [begin, end) of `chosen`.
struct Group {
  const Batch* batch = nullptr;
  const Objective* objective = nullptr;
  std::size_t begin = 0, end = 0;
  std::size_t longest = 0;  // tokens of the batch's longest sample, CLS included
};

// The groups do not depend on the number of threads, and neither does any sum.
class GroupedAdjoint : public Adjoint {
 public:
  GroupedAdjoint(const Architecture& architecture, int threads,
                 std::size_t samples_per_group = kSamplesPerGroup);
  BatchResult backward(std::span<const float> parameters, const Batch& batch,
                       const Objective& objective, std::span<float> gradient) final;
  void forward(std::span<const float> parameters, const Batch& batch,
               std::span<float> readout) final;

 protected:
  // Called once per pass, before the groups.
  virtual void prepare(std::span<const float> parameters) = 0;
  // Adds to gradient (parameters), which is zero at first.
  virtual BatchResult learn_group(const Group& group, float* gradient) = 0;
  virtual void forward_group(const Group& group,
                             float* readout) = 0;  // (batch, d), rows of the group

  int tokens_of(const Batch& batch, std::size_t sample) const;  // CLS included

  std::size_t longest_of(const Batch& batch) const;
  // Throws Error(input) unless every sample has tokens and, if `labelled`, a label.
  void check_samples(const Batch& batch, bool labelled) const;

  const Architecture architecture_;
  std::vector<float> parameters_{};  // of this pass

 private:
  int threads_;
  std::size_t group_;                            // samples
  std::vector<std::vector<float>> gradients_{};  // one per group
};

// The token of the readout of sample number `at` of a batch; negative: the mean of all.
int readout_token(const Architecture& architecture, const Batch& batch, std::size_t at);

// Writes the starts of the tokens of sample number `at` of a batch to x: shifted, with their codes,
// the CLS token last.
void write_start(const Architecture& architecture, std::span<const float> parameters,
                 const Batch& batch, std::size_t at, const Tokens& x);

std::unique_ptr<Adjoint> make_small_adjoint(const Architecture& architecture, int threads);
std::unique_ptr<Adjoint> make_wide_adjoint(const Architecture& architecture, int threads);

// On a GPU, with -DMURMUR_CUDA=ON: by matrix products for any d; by fused kernels for d = 2, 3, 4
// and one head.
std::unique_ptr<Adjoint> make_wide_cuda_adjoint(const Architecture& architecture);
std::unique_ptr<Adjoint> make_narrow_cuda_adjoint(const Architecture& architecture);
void refuse_dropout(const Objective& objective);  // Error(input) if the objective has dropout

}  // namespace murmur
