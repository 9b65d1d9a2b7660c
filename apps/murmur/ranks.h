// ranks.h: the processes that this one was started with, by mpirun or srun.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/ranks.h"

namespace murmur::app {

// As the environment says it; the program alone is rank 0 of 1.
struct StartedAs {
  int rank = 0, size = 1;
  int here = 1;         // of them on this machine
  int place = 0;        // number of this one among those
  std::string job{};    // the same for all ranks that were started together
  std::string means{};  // mpirun, srun
};
const StartedAs& started_as();

std::string mpi_library();  // where the library for ranks is; empty: it was not built

// Before a command runs: connects the ranks where they share it, and refuses it where only one
// process can do it. The first alone goes on talking.
void connect_ranks(const std::string& command);
Ranks* ranks();  // connected ones; null: this process is alone, or units are dealt

// threads=all (0) is a rank's part of the machine's cores.
int shared_threads(int threads);
// Error(verification) where the ranks were not given one experiment and one program.
void require_one_experiment(const Experiment& experiment, const std::string& engine);
void share_signal();  // one that reached some of the ranks has reached all

void own_errors_are_told();  // by this rank, whichever it is: no other has the same

// Ends as all ranks do. An error that all have is told once; the others are told by their rank,
// and end all. Returns the exit code.
int leave_ranks(int code, const std::optional<Error>& error,
                const std::function<void(const Error&)>& tell);

}  // namespace murmur::app
