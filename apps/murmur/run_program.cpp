// run_program.cpp: child processes, and signals that end them with us.
#include "run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace murmur::app {

namespace {

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A file without a name that is gone when it is closed.
class Scratch {
 public:
  Scratch() : descriptor_(memfd_create("output", MFD_CLOEXEC)) {}
  ~Scratch() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
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

std::optional<ProgramOutput> output_of(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const Scratch out, err;
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

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP};
constexpr timespec kLook{0, 100'000'000};  // between two looks at the child, at most
constexpr int kMostLooks = 15;             // after it was asked to end

sigset_t set_of(bool with_children) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kEnding) sigaddset(&set, number);
  if (with_children) sigaddset(&set, SIGCHLD);
  return set;
}

// In the child of a fork: only calls that a signal handler may make.
[[noreturn]] void become(const char* program, char** argv, char** environment, const sigset_t& mask,
                         pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvpe(program, argv, environment);
  _exit(127);
}

// The exit code of a child that leads its own group. A signal of ours goes to all of the group.
int wait_or_end(pid_t child) {
  const sigset_t set = set_of(true);
  for (int ended_by = 0, looks = 0;;) {
    int status = 0;
    const pid_t gone = waitpid(child, &status, WNOHANG);
    if (gone == child) {
      kill(-child, SIGKILL);  // what it may have left behind
      if (ended_by != 0) return 128 + ended_by;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (gone < 0 && errno != EINTR) return 1;
    const int number = sigtimedwait(&set, nullptr, &kLook);
    const bool asked = number > 0 && number != SIGCHLD;
    if (asked && ended_by == 0)
      kill(-child, ended_by = number);
    else if (asked || (ended_by != 0 && ++looks > kMostLooks))
      kill(-child, SIGKILL);
  }
}

}  // namespace

SignalsHeld::SignalsHeld() {
  const sigset_t set = set_of(false);
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int SignalsHeld::take() const {
  const sigset_t set = set_of(false);
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
  const sigset_t set = set_of(true);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  sigset_t usual = before;  // without what a SignalsHeld holds back
  for (const int number : kEnding) sigdelset(&usual, number);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) become(program.c_str(), argv.data(), environment.data(), usual, parent);
  std::optional<int> code;
  if (child > 0) {
    setpgid(child, child);  // whoever of the two comes first
    code = wait_or_end(child);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (code == 127) return std::nullopt;
  return code;
}

}  // namespace murmur::app
