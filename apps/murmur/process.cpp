// process.cpp: handles signals, and runs child processes that end with this one.
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "command.h"
#include "model/mapped_file.h"
#include "murmur/error.h"
#include "run/file.h"

extern char** environ;

namespace murmur::app {

namespace {

// Prints an error as print_error() does, using only calls that a signal handler may make.
void print_truncated_file_error(const char* path) {
  const auto put = [](std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
      if (written <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  };
  put("murmur: the file was truncated while it was read\n  where: ");
  for (const char* c = path; *c != '\0'; ++c) {
    const bool control = static_cast<unsigned char>(*c) < 0x20 || *c == 0x7f;
    put(control ? std::string_view("?") : std::string_view(c, 1));
  }
  put("\n  do:    wait until nothing writes to it, then start again\n");
}

// SIGBUS comes when another program truncates a file that is mapped here.
void on_bus_error(int, siginfo_t* facts, void*) {
  if (const char* const path = mapped_file_at(facts->si_addr)) {
    print_truncated_file_error(path);
    _exit(static_cast<int>(Fault::runtime));
  }
  signal(SIGBUS, SIG_DFL);  // the default action ends the program when it is raised again
}

// Prints three lines, without a core file, for an uncaught exception in a thread of a library.
[[noreturn]] void print_and_exit() {
  constexpr std::string_view kText =
      "murmur: a thread ended with an error, probably because memory or threads ran out\n"
      "  where: a thread of the program\n"
      "  do:    use threads=1, or raise the limits of processes and memory: ulimit -u, ulimit -v\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
  _exit(1);
}

// `timeout` sends its signal to the process and to its group: two within this time count as one.
constexpr std::int64_t kOneSignal = 100'000'000;  // nanoseconds
std::atomic<std::int64_t> recorded_at{0};

void exit_now(int number) {
  remove_listed_parts();
  _exit(128 + number);
}

void record_signal(int number) {
  timespec clock{};
  clock_gettime(CLOCK_MONOTONIC, &clock);
  const std::int64_t now = clock.tv_sec * std::int64_t{1'000'000'000} + clock.tv_nsec;
  std::int64_t before = 0;
  if (recorded_at.compare_exchange_strong(before, now))
    caught_signal = number;
  else if (now - before > kOneSignal)
    exit_now(number);
}

constexpr int kTermination[] = {SIGINT, SIGTERM, SIGHUP};

// SIGHUP stays ignored where it is, as under nohup.
void handle_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (const int number : kTermination) {
    struct sigaction present {};
    sigaction(number, nullptr, &present);
    if (number != SIGHUP || present.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

}  // namespace

sigset_t termination_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kTermination) sigaddset(&set, number);
  return set;
}

void exit_on_signals() { handle_signals(exit_now); }
void record_signals() { handle_signals(record_signal); }

void prepare_process() {
  std::set_terminate(print_and_exit);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
      const int opened = open("/dev/null", O_RDWR);  // the lowest number that is free
      if (opened >= 0 && opened != stream) close(opened);
    }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  struct sigaction bus {};
  bus.sa_sigaction = on_bus_error;
  bus.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &bus, nullptr);
  signal(SIGCHLD, SIG_DFL);  // the caller may ignore it, which would hide how child processes end
  exit_on_signals();
  const sigset_t ending = termination_signals();
  pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);  // the caller may have blocked them
}

bool stdout_reader_is_gone() {
  pollfd ask{STDOUT_FILENO, POLLOUT, 0};
  return poll(&ask, 1, 0) > 0 && (ask.revents & POLLERR) != 0;
}

namespace {

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A file in memory, without a name.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("output", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int descriptor() const { return descriptor_; }
  std::string text() const {
    std::string all;
    char part[4096];
    for (ssize_t got;
         (got = pread(descriptor_, part, sizeof part, static_cast<off_t>(all.size()))) > 0;)
      all.append(part, static_cast<std::size_t>(got));
    return all;
  }

 private:
  int descriptor_;
};

}  // namespace

std::optional<ProgramOutput> capture_output(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const MemoryFile out, err;
  if (out.descriptor() < 0 || err.descriptor() < 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return std::nullopt;
  const int code = wait_for(child);
  return ProgramOutput{code, out.text(), err.text()};
}

namespace {

constexpr timespec kPollInterval{0, 100'000'000};
constexpr int kMostPolls = 15;  // after the child was asked to end; then it is killed

// Runs in the child of a fork, so it makes only calls that a signal handler may make.
[[noreturn]] void exec_in_child(const char* program, char** argv, char** environment,
                                const sigset_t& mask, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null_device >= 0) dup2(null_device, STDOUT_FILENO);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvpe(program, argv, environment);
  _exit(127);
}

// Waits for a child that leads its own process group and returns its exit code. A signal to this
// process is passed to the whole group.
int wait_or_end(pid_t child) {
  sigset_t set = termination_signals();
  sigaddset(&set, SIGCHLD);
  for (int ended_by = 0, polls = 0;;) {
    int status = 0;
    const pid_t gone = waitpid(child, &status, WNOHANG);
    if (gone == child) {
      kill(-child, SIGKILL);  // processes that it may have left behind
      if (ended_by != 0) return 128 + ended_by;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (gone < 0 && errno != EINTR) return 1;
    const int number = sigtimedwait(&set, nullptr, &kPollInterval);
    const bool asked = number > 0 && number != SIGCHLD;
    if (asked && ended_by == 0)
      kill(-child, ended_by = number);
    else if (asked || (ended_by != 0 && ++polls > kMostPolls))
      kill(-child, SIGKILL);
  }
}

}  // namespace

BlockedSignals::BlockedSignals() {
  const sigset_t set = termination_signals();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int BlockedSignals::take_pending() const {
  const sigset_t set = termination_signals();
  constexpr timespec now{0, 0};
  const int number = sigtimedwait(&set, nullptr, &now);
  return number > 0 ? number : 0;
}

std::optional<int> run_program(const std::string& program, std::vector<std::string> words,
                               const std::string& folder) {
  std::vector<char*> argv, environment;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string temporary = "TMPDIR=" + folder;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (folder.empty() || std::strncmp(*entry, "TMPDIR=", 7) != 0) environment.push_back(*entry);
  if (!folder.empty()) environment.push_back(temporary.data());
  environment.push_back(nullptr);
  sigset_t before;
  sigset_t set = termination_signals();
  sigaddset(&set, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  sigset_t usual = before;  // without the signals that a BlockedSignals blocks
  for (const int number : kTermination) sigdelset(&usual, number);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) exec_in_child(program.c_str(), argv.data(), environment.data(), usual, parent);
  std::optional<int> code;
  if (child > 0) {
    setpgid(child, child);  // both processes do it: either may be first
    code = wait_or_end(child);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (code == 127) return std::nullopt;
  return code;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "murmur-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error(Fault::runtime, "no temporary folder could be created",
                std::filesystem::temp_directory_path().string(),
                "set TMPDIR to a folder that you may write");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace murmur::app
