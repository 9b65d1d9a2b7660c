// process.cpp: child processes by posix_spawn, fed from a file in memory or over a socket pair.
#include "picture/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "murmur/error.h"
#include "murmur/stop.h"

extern char** environ;

namespace murmur::picture {

namespace {

struct SpawnPlan {  // who holds which stream in the child
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t defaults, none;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);  // Ctrl-C is for us: we end the child ourselves
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

Process::Process(const Command& command)
    : name_(command.words.front()), complaints_(std::tmpfile()) {
  const int read_end = complaints_ ? open_input(command.input) : -1;
  if (read_end < 0) {
    const int reason = errno;
    throw Error(Fault::runtime, "no channel to another program could be opened", name_,
                fmt::format("the system says: {}", std::strerror(reason)));
  }
  SpawnPlan plan;
  const std::string output = command.output.empty() ? "/dev/null" : command.output.string();
  posix_spawn_file_actions_adddup2(&plan.actions, read_end, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&plan.actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&plan.actions, fileno(complaints_.get()), STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int status =
      posix_spawnp(&child_, words[0], &plan.actions, &plan.attributes, words.data(), environ);
  close(read_end);
  if (status == 0) return;
  child_ = -1;
  close_input();
  const std::filesystem::path folder = command.output.parent_path();
  const bool writable =
      command.output.empty() || access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
  if (status == ENOENT && writable)
    throw Error(Fault::tool, fmt::format("the program {} is not installed", name_), "PATH",
                command.remedy);
  throw Error(Fault::runtime, fmt::format("the program {} could not be started", name_), output,
              fmt::format("the system says: {}", std::strerror(status)));
}

Process::~Process() {
  close_input();
  if (child_ < 0) return;
  kill(child_, SIGKILL);  // what it has written is not kept
  wait();
}

int Process::open_input(std::string_view text) {
  if (text.empty()) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    input_ = ends[1];
    return ends[0];
  }
  const int file = memfd_create("murmur", MFD_CLOEXEC);
  for (std::size_t done = 0; file >= 0 && done < text.size();) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      close(file);
      errno = reason;
      return -1;
    }
    done += static_cast<std::size_t>(written);
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}

void Process::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

int Process::wait() {
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return status;
}

int Process::wait_unless_stopped() {
  int status = 0;
  for (pid_t ended = 0; ended == 0 || (ended < 0 && errno == EINTR);) {
    stop_point();
    ended = waitpid(child_, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  child_ = -1;
  return status;
}

void Process::write(const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = send(input_, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      close_input();
      wait();
      fail();
    }
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

void Process::finish() {
  close_input();
  const int status = wait_unless_stopped();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail();
}

void Process::fail() {
  std::string said(600, '\0');
  std::rewind(complaints_.get());
  said.resize(std::fread(said.data(), 1, said.size(), complaints_.get()));
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  throw Error(Fault::runtime, fmt::format("the program {} stopped before it was done", name_),
              fmt::format("{} said: {}", name_, said.empty() ? "nothing" : said),
              "check that the disk has room and that the output folder is writable");
}

}  // namespace murmur::picture
