// run_program.cpp: a child process whose standard output goes nowhere, or to us.
#include "run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

extern char** environ;

namespace murmur::app {

namespace {

// Starts it with its standard output at `out`, which is closed here; nothing where it cannot be.
std::optional<pid_t> started(const std::string& program, std::vector<std::string>& words, int out) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out);
  if (failure != 0) return std::nullopt;
  return child;
}

int end_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::optional<int> run_program(const std::string& program, std::vector<std::string> words) {
  const auto child = started(program, words, open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!child) return std::nullopt;
  return end_of(*child);
}

std::optional<std::string> output_of_program(const std::string& program,
                                             std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const auto child = started(program, words, ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t got; child && (got = read(ends[0], piece, sizeof piece)) != 0;) {
    if (got > 0)
      text.append(piece, static_cast<std::size_t>(got));
    else if (errno != EINTR)
      break;
  }
  close(ends[0]);
  if (!child || end_of(*child) != 0) return std::nullopt;
  return text;
}

}  // namespace murmur::app
