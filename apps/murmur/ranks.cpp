// ranks.cpp: finds out what this process was started as, and speaks for all of them once.
#include "ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>

#include "command.h"
#include "engine/cuda/cuda.h"
#include "generated/version.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

// What becomes of a command that is started as several ranks.
enum class Sharing {
  refused,   // it is done by one process
  together,  // the ranks share one piece of work, over MPI
  dealt,     // each does units that no other does, and they meet in a folder alone
};

Sharing sharing_of(const std::string& command) {
  if (command == "simulate" || command == "runs") return Sharing::together;
  return command == "sweep" || command == "reproduce" ? Sharing::dealt : Sharing::refused;
}

Ranks* connected = nullptr;
int own_stderr = -1;  // of a rank that was silenced
bool speaks_for_itself = false;

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

StartedAs look_around() {
  const auto number = [](const char* name) { return std::atoi(variable(name).c_str()); };
  StartedAs me;
  if (!variable("OMPI_COMM_WORLD_SIZE").empty()) {
    me = {number("OMPI_COMM_WORLD_RANK"),
          number("OMPI_COMM_WORLD_SIZE"),
          number("OMPI_COMM_WORLD_LOCAL_SIZE"),
          number("OMPI_COMM_WORLD_LOCAL_RANK"),
          variable("PMIX_NAMESPACE") + variable("SLURM_JOB_ID"),
          "mpirun"};
  } else if (number("SLURM_STEP_NUM_TASKS") > 1) {
    // SLURM_TASKS_PER_NODE: 4, or 2(x2),1: the first machine's stands for all.
    me = {number("SLURM_PROCID"),
          number("SLURM_STEP_NUM_TASKS"),
          number("SLURM_STEP_TASKS_PER_NODE"),
          number("SLURM_LOCALID"),
          variable("SLURM_JOB_ID") + "." + variable("SLURM_STEP_ID"),
          "srun"};
  }
  me.size = std::max(me.size, 1);
  me.here = std::clamp(me.here, 1, me.size);
  return me;
}

void silence() {
  std::fflush(stdout);
  std::fflush(stderr);
  own_stderr = dup(STDERR_FILENO);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  close(nothing);
}

void speak_again() {
  if (own_stderr >= 0) dup2(own_stderr, STDERR_FILENO);
}

// libmurmur_mpi.so beside the program, or where it is installed.
fs::path library_path() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path beside = folder / "libmurmur_mpi.so";
  if (fs::exists(beside, ignored)) return beside;
  return folder.parent_path() / MURMUR_LIBDIR / "murmur" / "libmurmur_mpi.so";
}

Ranks* load_ranks() {
  const fs::path path = library_path();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw Error(Fault::tool,
                "this murmur was built without MPI, and cannot be one of several ranks",
                path.string(), "install OpenMPI and build again with -DMURMUR_MPI=ON");
  using Open = Ranks* (*)();
  const auto open = reinterpret_cast<Open>(dlsym(library, "murmur_ranks_over_mpi"));
  if (open == nullptr)
    throw Error(Fault::tool, "the library for ranks is of another murmur", path.string(),
                "install both from one build");
  return open();
}

std::string digest_of(const HostSwarm& x) {
  std::uint64_t digest = 14695981039346656037ull;  // FNV-1a over words
  const auto take = [&](const double* from, int count) {
    for (int i = 0; i < count; ++i) {
      std::uint64_t word;
      std::memcpy(&word, from + i, sizeof word);
      digest = (digest ^ word) * 1099511628211ull;
    }
  };
  for (int k = 0; k < x.d(); ++k) take(x.axis(k), x.n());
  take(x.mass.data(), x.n());
  return fmt::format("{:016x}", digest);
}

}  // namespace

const StartedAs& started_as() {
  static const StartedAs me = look_around();
  return me;
}

std::string mpi_library() {
  std::error_code ignored;
  const fs::path path = library_path();
  return fs::exists(path, ignored) ? path.string() : "";
}

Ranks* ranks() { return connected; }

void connect_ranks(const std::string& command) {
  const StartedAs& me = started_as();
  if (me.size == 1 && me.means.empty()) return;
  if (me.rank > 0) silence();
  if (me.size == 1) return;  // mpirun -n 1
  choose_gpu(me.place);
  switch (sharing_of(command)) {
    case Sharing::refused:
      throw Error(Fault::usage, fmt::format("murmur {} is done by one process", command),
                  fmt::format("{} started {} of them", me.means, me.size),
                  "start it without " + me.means +
                      "; simulate, sweep and reproduce are shared among ranks");
    case Sharing::dealt:
      return;
    case Sharing::together:
      break;
  }
  // MPI itself would end the process with words of its own.
  const bool reachable = me.means != "srun" || !variable("PMIX_RANK").empty();
  Ranks* found = reachable ? load_ranks() : nullptr;
  if (found == nullptr || found->size() != me.size)
    throw Error(Fault::tool,
                fmt::format("{} started {} ranks, and nothing connects them", me.means, me.size),
                "MPI", "use srun --mpi=pmix, or mpirun in the place of srun");
  connected = found;
}

int shared_threads(int threads) {
  if (started_as().size == 1 || threads != 0) return threads;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / started_as().here);
}

void own_errors_are_told() { speaks_for_itself = true; }

void require_one_experiment(const Experiment& e, const std::string& engine) {
  const Likeness all[] = {
      {"the program", fmt::format("murmur {} ({})", MURMUR_VERSION, MURMUR_COMMIT)},
      {"the experiment", e.config},
      {"the particles", digest_of(e.swarm)},
      {"the engine", engine}};
  require_alike(connected, all);
}

void share_signal() {
  if (connected == nullptr) return;
  std::int64_t most[] = {caught_signal};
  connected->largest(most);
  caught_signal = static_cast<int>(most[0]);
}

int leave_ranks(int code, const std::optional<Error>& error,
                const std::function<void(const Error&)>& tell) {
  constexpr double kForever = 1e9, kPatience = 10;
  if (connected == nullptr) {
    if (speaks_for_itself) speak_again();
    const bool speaks = speaks_for_itself || started_as().rank == 0;
    if (error && speaks) tell(*error);
    // Whoever leaves with a code ends all: the first must have spoken by then, and ends this one.
    if (code != 0 && started_as().rank != 0 && !(error && speaks))
      std::this_thread::sleep_for(std::chrono::seconds(3));
    return code;
  }
  const bool alike = !error || connected->failed_together;
  if (connected->first() && error && alike) tell(*error);
  if (connected->all_leave(alike ? kForever : kPatience)) {
    if (connected->first() && error && !alike) tell(*error);
    return code;
  }
  speak_again();
  if (error)
    tell(Error(error->fault, error->summary,
               fmt::format("{} (rank {})", error->where, connected->rank()), error->remedy));
  std::fflush(stderr);
  connected->abandon(code);
  return code;
}

}  // namespace murmur::app
