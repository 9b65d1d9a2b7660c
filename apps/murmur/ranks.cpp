// ranks.cpp: reads how this process was launched, and connects ranks by MPI or by a shared folder.
#include "ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "command.h"
#include "engine/cuda/cuda.h"
#include "murmur/error.h"
#include "run/claims.h"
#include "run/json_text.h"
#include "run/kept_json.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

// How several ranks do a command.
enum class Sharing {
  refused,   // only one process can do it
  together,  // the ranks share one computation over MPI
  divided,   // each rank computes separate units, coordinated by a RankFolder
};

Sharing sharing_of(const std::string& command) {
  if (command == "simulate" || command == "runs") return Sharing::together;
  return command == "sweep" || command == "reproduce" ? Sharing::divided : Sharing::refused;
}

Ranks* connected = nullptr;
int own_stderr = -1;  // the stderr of a rank whose output is discarded
bool prints_own_errors = false;

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

Launch read_launch() {
  const auto number = [](const char* name) { return std::atoi(variable(name).c_str()); };
  Launch me;
  if (!variable("OMPI_COMM_WORLD_SIZE").empty()) {
    me = {number("OMPI_COMM_WORLD_RANK"),
          number("OMPI_COMM_WORLD_SIZE"),
          number("OMPI_COMM_WORLD_LOCAL_SIZE"),
          number("OMPI_COMM_WORLD_LOCAL_RANK"),
          variable("PMIX_NAMESPACE") + variable("SLURM_JOB_ID"),
          "mpirun"};
  } else if (number("SLURM_STEP_NUM_TASKS") > 1) {
    // SLURM_STEP_TASKS_PER_NODE: 4, or 2(x2),1: the number of the first machine is used for all.
    me = {number("SLURM_PROCID"),
          number("SLURM_STEP_NUM_TASKS"),
          number("SLURM_STEP_TASKS_PER_NODE"),
          number("SLURM_LOCALID"),
          variable("SLURM_JOB_ID") + "." + variable("SLURM_STEP_ID"),
          "srun"};
  }
  me.size = std::max(me.size, 1);
  me.local_size = std::clamp(me.local_size, 1, me.size);
  return me;
}

void discard_output() {
  std::fflush(stdout);
  std::fflush(stderr);
  own_stderr = dup(STDERR_FILENO);
  const int null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(null_device, STDOUT_FILENO);
  dup2(null_device, STDERR_FILENO);
  close(null_device);
}

void restore_stderr() {
  if (own_stderr >= 0) dup2(own_stderr, STDERR_FILENO);
}

// libmurmur_mpi.so in the folder of the program, or where it is installed.
fs::path library_path() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path built = folder / "libmurmur_mpi.so";
  if (fs::exists(built, ignored)) return built;
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
    throw Error(Fault::tool, "the library for ranks belongs to another version of murmur",
                path.string(), "install both from the same build");
  return open();
}

std::string digest_of(const HostSwarm& x) {
  std::uint64_t digest = 14695981039346656037ull;  // FNV-1a over 64-bit words
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

const Launch& launch() {
  static const Launch me = read_launch();
  return me;
}

std::string mpi_library() {
  std::error_code ignored;
  const fs::path path = library_path();
  return fs::exists(path, ignored) ? path.string() : "";
}

Ranks* ranks() { return connected; }

void connect_ranks(const std::string& command) {
  const Launch& me = launch();
  if (me.size == 1 && me.launcher.empty()) return;
  if (me.rank > 0) discard_output();
  if (me.size == 1) return;  // mpirun -n 1
  choose_gpu(me.local_rank);
  switch (sharing_of(command)) {
    case Sharing::refused:
      throw Error(Fault::usage, fmt::format("murmur {} runs as one process", command),
                  fmt::format("{} started {} of them", me.launcher, me.size),
                  "start it without " + me.launcher +
                      "; simulate, sweep and reproduce are shared among ranks");
    case Sharing::divided:
      return;
    case Sharing::together:
      break;
  }
  // Checked here, because MPI would end the process with its own message.
  const bool reachable = me.launcher != "srun" || !variable("PMIX_RANK").empty();
  Ranks* found = reachable ? load_ranks() : nullptr;
  if (found == nullptr || found->size() != me.size)
    throw Error(Fault::tool,
                fmt::format("{} started {} ranks, and nothing connects them", me.launcher, me.size),
                "MPI", "use srun --mpi=pmix, or mpirun instead of srun");
  connected = found;
}

int shared_threads(int threads) {
  if (launch().size == 1 || threads != 0) return threads;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / launch().local_size);
}

void print_errors_of_this_rank() { prints_own_errors = true; }

void require_one_experiment(const Experiment& e, const std::string& engine) {
  const RequiredEqual all[] = {{"the program", program_version()},
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
                const std::function<void(const Error&)>& print) {
  constexpr double kForever = 1e9, kTimeout = 10;  // seconds
  if (connected == nullptr) {
    if (prints_own_errors) restore_stderr();
    const bool prints = prints_own_errors || launch().rank == 0;
    if (error && prints) print(*error);
    // The launcher ends all ranks when one of them fails, so rank 0 gets time to print its error.
    if (code != 0 && launch().rank != 0 && !(error && prints))
      std::this_thread::sleep_for(std::chrono::seconds(3));
    return code;
  }
  const bool alike = !error || connected->failed_together;
  if (connected->first() && error && alike) print(*error);
  if (connected->all_leave(alike ? kForever : kTimeout)) {
    if (connected->first() && error && !alike) print(*error);
    return code;
  }
  restore_stderr();
  if (error)
    print(Error(error->fault, error->summary,
                fmt::format("{} (rank {})", error->where, connected->rank()), error->remedy));
  std::fflush(stderr);
  connected->abandon(code);
  return code;
}

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr auto kTaskTimeout = std::chrono::minutes(10);   // for the task of rank 0
constexpr auto kLeaveTimeout = std::chrono::seconds(20);  // for the slowest rank to read it

fs::path rank_folder(const Flags& flags) {
  std::string job = launch().job;
  for (char& c : job)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '-';
  make_directory(flags.runs);
  return fs::path(flags.runs) / (".ranks-" + job);
}

}  // namespace

RankFolder::RankFolder(const Flags& flags)
    : folder_(rank_folder(flags)), claims_(std::make_unique<Claims>(folder_)) {}

// Waits, up to a limit, for ranks that start late: they still have to read the task.
RankFolder::~RankFolder() {
  if (!first()) return;
  const auto until = Clock::now() + kLeaveTimeout;
  for (int rank = 1; rank < launch().size; ++rank)
    while (!claims_->message_about(fmt::format("heard-{}", rank)) && Clock::now() < until)
      std::this_thread::sleep_for(kPollInterval);
  Claims::clear(folder_);
}

bool RankFolder::first() const { return launch().rank == 0; }

void RankFolder::announce(const RankTask& task) {
  // The folder is empty if rank 0 failed before it had one.
  const std::string folder = task.folder.empty() ? "" : fs::absolute(task.folder).string();
  claims_->leave_message("task", json_text(nlohmann::json{{"program", program_version()},
                                                          {"folder", folder},
                                                          {"config", task.config},
                                                          {"exit_code", task.exit_code}}));
}

RankTask RankFolder::wait_for_task(const std::string& config) {
  const auto until = Clock::now() + kTaskTimeout;
  std::optional<std::string> text;
  while (!(text = claims_->message_about("task"))) {
    if (Clock::now() > until)
      throw Error(Fault::runtime, "rank 0 has not announced the folder of the work",
                  folder_.string(), "give --runs a folder that all machines share");
    std::this_thread::sleep_for(kPollInterval);
  }
  claims_->leave_message(fmt::format("heard-{}", launch().rank), "");
  print_errors_of_this_rank();
  const KeptJson task = KeptJson::parse(*text, (folder_ / "task").string());
  const auto differ = [&](const char* what, const std::string& first, const std::string& own) {
    throw Error(Fault::verification, fmt::format("ranks disagree on {}", what),
                fmt::format("rank 0 has {}, rank {} has {}", first, launch().rank, own),
                "start all ranks with one command, one program and one set of files");
  };
  const int exit_code = task.at("exit_code").small_whole();
  const std::string program = task.at("program").text();
  if (exit_code == 0 && program != program_version())
    differ("the program", program, program_version());
  if (exit_code == 0 && task.at("config").text() != config)
    differ("the work", "other settings", "these");
  return {task.at("folder").text(), config, exit_code};
}

}  // namespace murmur::app
