// run_program.cpp: a child process whose standard output goes nowhere.
#include "run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

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

std::optional<int> run_program(const std::string& program, std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return std::nullopt;
  return wait_for(child);
}

}  // namespace murmur::app
