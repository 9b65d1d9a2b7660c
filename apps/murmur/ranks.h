// ranks.h: the processes that mpirun or srun started together with this one.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "command.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/ranks.h"

namespace murmur {
class Claims;
}

namespace murmur::app {

// How this process was launched, from the environment; without a launcher it is rank 0 of 1.
struct Launch {
  int rank = 0, size = 1;
  int local_size = 1;      // ranks on this machine
  int local_rank = 0;      // number of this rank among those
  std::string job{};       // the same for all ranks that were started together
  std::string launcher{};  // mpirun, srun
};
const Launch& launch();

std::string mpi_library();  // path of the library for MPI; empty: it was not built

// Before a command runs: connects the ranks if they share it, and refuses commands that one process
// must do. After it, only rank 0 prints.
void connect_ranks(const std::string& command);
Ranks* ranks();  // the connected ranks; null: one process, or ranks that compute separate units

// For threads=all (0), this rank's part of the cores of the machine.
int shared_threads(int threads);
// Error(verification) if the ranks differ in experiment or program.
void require_one_experiment(const Experiment& experiment, const std::string& engine);
void share_signal();  // stores on all ranks a signal that reached some of them

// Lets this rank print its own errors: no other rank has the same ones.
void print_errors_of_this_rank();

// Ends as all ranks do. An error that all ranks have is printed once; any other is printed by its
// rank and ends all ranks. Returns the exit code.
int leave_ranks(int code, const std::optional<Error>& error,
                const std::function<void(const Error&)>& print);

// The message of rank 0 to the other ranks before they begin.
struct RankTask {
  std::string folder{};  // to work in
  std::string config{};  // description of the work, which must be the same for all
  int exit_code = 0;     // not 0: rank 0 could not begin
};

// A folder below the folder of runs, through which ranks that compute separate units coordinate
// without MPI: when one of them dies, the others continue. There is one folder for each start by
// mpirun or srun; rank 0 removes it when it leaves.
class RankFolder {
 public:
  explicit RankFolder(const Flags& flags);
  ~RankFolder();
  RankFolder(const RankFolder&) = delete;
  RankFolder& operator=(const RankFolder&) = delete;

  bool first() const;                   // whether this is rank 0
  void announce(const RankTask& task);  // by rank 0, once
  // By the other ranks: waits for the task of rank 0. From here on this rank prints its own errors.
  // Error(verification) if program or `config` differ from those of rank 0.
  RankTask wait_for_task(const std::string& config);
  const Claims& claims() const { return *claims_; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<Claims> claims_;
};

}  // namespace murmur::app
