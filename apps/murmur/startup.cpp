// startup.cpp: standard streams that are open, and signals that are errors.
#include "startup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <initializer_list>
#include <string_view>

namespace murmur::app {

namespace {

// Of an exception that nobody catches, in a thread of a library: three lines, and no core file.
[[noreturn]] void tell_and_end() {
  constexpr std::string_view kWords =
      "murmur: a thread ended in an error, most likely for want of memory or threads\n"
      "  where: a thread of the program\n"
      "  do:    use threads=1, or raise the limits of processes and memory: ulimit -u, ulimit -v\n";
  [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, kWords.data(), kWords.size());
  _exit(1);
}

}  // namespace

void prepare_process() {
  std::set_terminate(tell_and_end);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
      const int opened = open("/dev/null", O_RDWR);  // the lowest number that is free
      if (opened >= 0 && opened != stream) close(opened);
    }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);  // a caller that ignores it would hide how our children end
}

bool reader_has_left() {
  pollfd ask{STDOUT_FILENO, POLLOUT, 0};
  return poll(&ask, 1, 0) > 0 && (ask.revents & POLLERR) != 0;
}

}  // namespace murmur::app
