// ranks.h: the processes that share one piece of work, and how they come to agree.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace murmur {

// A rank is one of several processes that were started together, on one machine or many. All that
// changes data here is done by every rank at once, each in the same order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool first() const { return rank() == 0; }
  bool failed_together = false;  // an Error was thrown on all of them

  // `all` gets what each rank has: of rank 0 first; counts (size) says how much that is.
  virtual void gather(std::span<const double> own, std::span<const int> counts,
                      std::span<double> all) = 0;
  // (size) a number of each rank.
  virtual std::vector<std::int64_t> gather(std::int64_t own) = 0;
  // Integers of 128 bits, low half first, become their sums: exact, and so the same for any order.
  virtual void add(std::span<std::uint64_t> halves) = 0;
  virtual void largest(std::span<double> values) = 0;  // of all ranks, number by number
  virtual void largest(std::span<std::int64_t> values) = 0;
  virtual std::string told_by(int rank, const std::string& text) = 0;  // the text of that rank
  // Sends `own` to the next rank, and `other` becomes what the rank before sent; `between` is done
  // while both are on their way.
  virtual void pass(std::span<const double> own, std::span<double> other,
                    const std::function<void()>& between) = 0;
  // Whether every rank has come here within so many seconds. Once, at the end.
  virtual bool all_leave(double seconds) = 0;
  [[noreturn]] virtual void abandon(int code) = 0;  // ends all of them, wherever they are
};

// Does `work` on every rank. Where it throws an Error on some of them, that of the lowest is thrown
// on all, and its `where` names the rank. Without ranks it is just done.
void together(Ranks* ranks, const std::function<void()>& work);
// The same of work that the first rank does for all.
void on_first(Ranks* ranks, const std::function<void()>& work);

// What every rank must have alike, by name: the program, the experiment. Error(verification) that
// shows the first difference where one of them has another.
struct Likeness {
  std::string what{}, text{};
};
void require_alike(Ranks* ranks, std::span<const Likeness> all);

}  // namespace murmur
