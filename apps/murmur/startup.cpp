// startup.cpp: standard streams that are open, and signals that are errors.
#include "startup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string_view>

#include "command.h"
#include "model/mapped_file.h"
#include "murmur/error.h"

namespace murmur::app {

namespace {

// What complain() writes of an error, by calls that a handler of signals may make.
void tell_of_cut_file(const char* path) {
  const auto put = [](const char* text, std::size_t size) {
    while (size > 0) {
      const ssize_t put = write(STDERR_FILENO, text, size);
      if (put <= 0) return;
      text += put;
      size -= static_cast<std::size_t>(put);
    }
  };
  const auto say = [&](std::string_view text) { put(text.data(), text.size()); };
  say("murmur: the file was cut while it was read\n  where: ");
  for (const char* c = path; *c != '\0'; ++c) {
    const bool control = static_cast<unsigned char>(*c) < 0x20 || *c == 0x7f;
    put(control ? "?" : c, 1);
  }
  say("\n  do:    wait until nothing writes to it, then start again\n");
}

// A mapped file that another program cuts ends this one by SIGBUS: an error like any other.
void on_bus_error(int, siginfo_t* facts, void*) {
  if (const char* const path = mapped_file_at(facts->si_addr)) {
    tell_of_cut_file(path);
    _exit(static_cast<int>(Fault::runtime));
  }
  signal(SIGBUS, SIG_DFL);  // it comes again
}

// Of an exception that nobody catches, in a thread of a library: three lines, and no core file.
[[noreturn]] void tell_and_end() {
  constexpr std::string_view kWords =
      "murmur: a thread ended in an error, most likely for want of memory or threads\n"
      "  where: a thread of the program\n"
      "  do:    use threads=1, or raise the limits of processes and memory: ulimit -u, ulimit -v\n";
  [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, kWords.data(), kWords.size());
  _exit(1);
}

// `timeout` sends its signal to the process and to its group: both within this time are one.
constexpr std::int64_t kOneSignal = 100'000'000;  // nanoseconds
std::atomic<std::int64_t> noted_at{0};

void end_at_once(int number) { _exit(128 + number); }

void note(int number) {
  timespec clock{};
  clock_gettime(CLOCK_MONOTONIC, &clock);
  const std::int64_t now = clock.tv_sec * std::int64_t{1'000'000'000} + clock.tv_nsec;
  std::int64_t before = 0;
  if (noted_at.compare_exchange_strong(before, now))
    caught_signal = number;
  else if (now - before > kOneSignal)
    end_at_once(number);
}

void at_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

}  // namespace

void end_at_signals() { at_signals(end_at_once); }
void note_signals() { at_signals(note); }

void prepare_process() {
  std::set_terminate(tell_and_end);
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
  signal(SIGCHLD, SIG_DFL);  // a caller that ignores it would hide how our children end
  end_at_signals();
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);  // they may come to us blocked
}

bool reader_has_left() {
  pollfd ask{STDOUT_FILENO, POLLOUT, 0};
  return poll(&ask, 1, 0) > 0 && (ask.revents & POLLERR) != 0;
}

}  // namespace murmur::app
