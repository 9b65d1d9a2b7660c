// ranks.h: processes that share one piece of work, and how they agree on errors.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace murmur {

// A rank is one of several processes that were started together, on one machine or many. Every rank
// has to call these functions, in the same order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool first() const { return rank() == 0; }
  bool failed_together = false;  // an Error was thrown on all of them

  // `all` receives the values of each rank, those of rank 0 first; counts (size) has their numbers.
  virtual void gather(std::span<const double> own, std::span<const int> counts,
                      std::span<double> all) = 0;
  // (size) the number of each rank.
  virtual std::vector<std::int64_t> gather(std::int64_t own) = 0;
  // Replaces integers of 128 bits, low half first, by their sums over the ranks: exact, and so
  // independent of the order.
  virtual void add(std::span<std::uint64_t> halves) = 0;
  virtual void largest(std::span<double> values) = 0;  // of all ranks, number by number
  virtual void largest(std::span<std::int64_t> values) = 0;
  virtual std::string broadcast_text(int rank,
                                     const std::string& text) = 0;  // the text of that rank
  // Sends `own` to the next rank and receives `other` from the rank before; calls `between` while
  // both are being sent.
  virtual void pass(std::span<const double> own, std::span<double> other,
                    const std::function<void()>& between) = 0;
  // Whether every rank calls this within this many seconds. To be called once, at the end.
  virtual bool all_leave(double seconds) = 0;
  [[noreturn]] virtual void abandon(int code) = 0;  // ends all ranks at once
};

// Does `work` on every rank. If it throws an Error on some of them, the Error of the lowest rank is
// thrown on all, and its `where` names the rank. Without ranks it only does `work`.
void together(Ranks* ranks, const std::function<void()>& work);
// The same for work that only the first rank does.
void on_first(Ranks* ranks, const std::function<void()>& work);

// Texts that must be equal on every rank, with their names: the program, the experiment. Throws
// Error(verification) with the first difference if they are not.
struct RequiredEqual {
  std::string what{}, text{};
};
void require_alike(Ranks* ranks, std::span<const RequiredEqual> all);

}  // namespace murmur
