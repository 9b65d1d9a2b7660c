// startup.cpp: standard streams that are open, and signals that are errors.
#include "startup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>

#include "command.h"

namespace murmur::app {

namespace {

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
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
      const int opened = open("/dev/null", O_RDWR);  // the lowest number that is free
      if (opened >= 0 && opened != stream) close(opened);
    }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  end_at_signals();
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);  // they may come to us blocked
}

}  // namespace murmur::app
