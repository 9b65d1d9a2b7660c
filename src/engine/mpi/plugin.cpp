// plugin.cpp: ranks over MPI, a separate library that the program loads if it was started as one of
// several processes.
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <thread>

#include "murmur/error.h"
#include "murmur/ranks.h"

namespace murmur {

namespace {

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(Fault::runtime, "the ranks cannot communicate: " + std::string(text), "MPI",
              "check the network and the rank that ended; murmur runs resume continues the run");
}

// Adds integers of 128 bits, each as two halves, low half first.
void add_wide(void* in, void* in_out, int* length, MPI_Datatype*) {
  const auto* from = static_cast<const std::uint64_t*>(in);
  auto* to = static_cast<std::uint64_t*>(in_out);
  for (int e = 0; e < *length; ++e) {
    const std::uint64_t low = to[2 * e] + from[2 * e];
    to[2 * e + 1] += from[2 * e + 1] + (low < from[2 * e] ? 1 : 0);
    to[2 * e] = low;
  }
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int ready = 0;
    check(MPI_Initialized(&ready));
    if (ready == 0) check(MPI_Init(nullptr, nullptr));
    check(MPI_Comm_dup(MPI_COMM_WORLD, &work_));
    check(MPI_Comm_dup(MPI_COMM_WORLD, &leaving_));
    MPI_Comm_set_errhandler(work_, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(leaving_, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(work_, &rank_));
    check(MPI_Comm_size(work_, &size_));
    check(MPI_Type_contiguous(2, MPI_UINT64_T, &wide_));
    check(MPI_Type_commit(&wide_));
    check(MPI_Op_create(add_wide, 1, &add_wide_));
  }
  ~MpiRanks() override {
    if (left_) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void gather(std::span<const double> own, std::span<const int> counts,
              std::span<double> all) override {
    std::vector<int> places(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    check(MPI_Allgatherv(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, all.data(),
                         counts.data(), places.data(), MPI_DOUBLE, work_));
  }

  std::vector<std::int64_t> gather(std::int64_t own) override {
    std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
    check(MPI_Allgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, work_));
    return all;
  }

  void add(std::span<std::uint64_t> halves) override {
    check(MPI_Allreduce(MPI_IN_PLACE, halves.data(), static_cast<int>(halves.size() / 2), wide_,
                        add_wide_, work_));
  }

  void largest(std::span<double> values) override {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                        MPI_MAX, work_));
  }
  void largest(std::span<std::int64_t> values) override {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T,
                        MPI_MAX, work_));
  }

  std::string broadcast_text(int rank, const std::string& text) override {
    std::uint64_t size = text.size();
    check(MPI_Bcast(&size, 1, MPI_UINT64_T, rank, work_));
    std::string received = text;
    received.resize(size);
    check(MPI_Bcast(received.data(), static_cast<int>(size), MPI_CHAR, rank, work_));
    return received;
  }

  void pass(std::span<const double> own, std::span<double> other,
            const std::function<void()>& between) override {
    const int next = (rank_ + 1) % size_, before = (rank_ + size_ - 1) % size_;
    MPI_Request requests[2];
    check(MPI_Irecv(other.data(), static_cast<int>(other.size()), MPI_DOUBLE, before, 0, work_,
                    &requests[0]));
    check(MPI_Isend(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, next, 0, work_,
                    &requests[1]));
    between();
    check(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  }

  bool all_leave(double seconds) override {
    MPI_Request request;
    if (MPI_Ibarrier(leaving_, &request) != MPI_SUCCESS) return false;
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    for (int here = 0; here == 0;) {
      if (MPI_Test(&request, &here, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
      if (here == 0 && Clock::now() > until) return false;
      if (here == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    left_ = true;
    return true;
  }

  void abandon(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 private:
  MPI_Comm work_{}, leaving_{};
  MPI_Datatype wide_{};
  MPI_Op add_wide_{};
  int rank_ = 0, size_ = 1;
  bool left_ = false;
};

}  // namespace

}  // namespace murmur

// The only exported function. The object that it returns lives until the process ends, and callers
// must not delete it.
extern "C" __attribute__((visibility("default"))) murmur::Ranks* murmur_ranks_over_mpi() {
  static murmur::MpiRanks ranks;
  return &ranks;
}
