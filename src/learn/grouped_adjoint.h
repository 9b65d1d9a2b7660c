// grouped_adjoint.h: splits a batch into fixed groups of samples, whose gradients add in order.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "learn/loss.h"
#include "murmur/learn.h"

namespace murmur {

// Workspaces that threads borrow: as many as ever were in use at once.
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
  GroupedAdjoint(const Architecture& architecture, int threads, std::size_t samples_a_group = 8);
  BatchResult backward(std::span<const float> parameters, const Batch& batch,
                       const Objective& objective, std::span<float> gradient) final;
  void forward(std::span<const float> parameters, const Batch& batch,
               std::span<float> readout) final;

 protected:
  // Called once a pass, before the groups.
  virtual void prepare(std::span<const float> parameters) = 0;
  // gradient (parameters), zero at first: added to.
  virtual BatchResult learn_group(const Group& group, float* gradient) = 0;
  virtual void forward_group(const Group& group,
                             float* readout) = 0;  // (batch, d), rows of the group

  int tokens_of(const Batch& batch, std::size_t sample) const;  // CLS included

  std::size_t longest_of(const Batch& batch) const;
  // Throws Error(input) unless every sample has tokens and, where asked, a label.
  void check_samples(const Batch& batch, bool labelled) const;

  const Architecture architecture_;
  std::vector<float> parameters_{};  // of this pass

 private:
  int threads_;
  std::size_t group_;                            // samples
  std::vector<std::vector<float>> gradients_{};  // one a group
};

// The token that is read of sample number `at` of a batch; negative: the mean of all.
int token_read(const Architecture& architecture, const Batch& batch, std::size_t at);

// dx (n, d), the gradient at the starts of sample number `at`, added to that of learned starts.
void add_starts_gradient(const Architecture& architecture, const Batch& batch, std::size_t at,
                         const Tokens& dx, float* gradient);

// Where token i of sample number `at` of a batch starts: shifted, coded, in `x`; CLS last.
void place_sample(const Architecture& architecture, std::span<const float> parameters,
                  const Batch& batch, std::size_t at, const Tokens& x);

std::unique_ptr<Adjoint> make_small_adjoint(const Architecture& architecture, int threads);
std::unique_ptr<Adjoint> make_wide_adjoint(const Architecture& architecture, int threads);

}  // namespace murmur
