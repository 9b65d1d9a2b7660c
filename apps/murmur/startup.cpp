// startup.cpp: standard streams that are open, and signals that are errors.
#include "startup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <initializer_list>

namespace murmur::app {

void prepare_process() {
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
