// server.cpp: the studio's server: one site, 127.0.0.1, files and nothing that computes.
#include <errno.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "murmur/error.h"
#include "murmur/run.h"
#include "serve/answer.h"
#include "serve/connection.h"
#include "serve/open_below.h"
#include "serve/pool.h"
#include "serve/serve.h"

namespace murmur {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr const char* kHost = "127.0.0.1";
constexpr int kBacklog = 1024, kRequestsAConnection = 1000;
// A client earns time by what the system takes for it: megabytes would earn a slow one a minute.
constexpr int kSendBuffer = 131'072;

// Content codings by falling gain, and how the names of their copies end: a page's build leaves
// page.js.br and page.js.gz beside page.js.
constexpr std::pair<const char*, const char*> kCodings[] = {{"br", ".br"}, {"gzip", ".gz"}};

bool is_of_runs(const std::string& path) { return path.rfind("runs/", 0) == 0; }

// The list of runs, read at most once a second however many ask.
class Listing {
 public:
  std::string text(const Site& site) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (text_.empty() || now - read_ > 1s) {
      text_ = site.runs.empty() ? "[]\n" : list_runs(site.runs, site.kinds);
      read_ = std::chrono::steady_clock::now();
    }
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_{};
  std::chrono::steady_clock::time_point read_{};
};

ServingPool::Size pool_size() {
  rlimit limit{};
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const long files = known ? static_cast<long>(std::min<rlim_t>(limit.rlim_cur, 4096)) : 1024;
  ServingPool::Size size;  // each thread may hold a socket, a folder and a file
  size.most_waiting = static_cast<int>(std::clamp<long>(files - 3 * size.threads - 64, 16, 512));
  return size;
}

[[noreturn]] void refuse_port(int wanted, int error) {
  const std::string where = fmt::format("{}:{}", kHost, wanted);
  const char* remedy = "choose another by --port N; --port 0 takes any that is free";
  if (error == EADDRINUSE)
    throw PortTaken(Fault::runtime, fmt::format("port {} is taken", wanted), where, remedy);
  throw Error(Fault::runtime,
              fmt::format("port {} cannot be listened at: {}", wanted, std::strerror(error)), where,
              remedy);
}

// A socket that listens at a port of 127.0.0.1 alone; 0: any that is free.
Descriptor listen_at(int wanted) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Free again at once after an end; not SO_REUSEPORT, by which two servers could share a port.
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(wanted));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listener.number() < 0 ||
      setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener.number(), kBacklog) != 0)
    refuse_port(wanted, errno);
  return listener;
}

int port_of(const Descriptor& listener) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  if (getsockname(listener.number(), reinterpret_cast<sockaddr*>(&address), &length) != 0)
    refuse_port(0, errno);
  return ntohs(address.sin_port);
}

}  // namespace

struct PageServer::State {
  Site site;
  Crowd crowd{};
  Listing listing{};
  Descriptor listener;
  int port;
  std::atomic<bool> ended{false};
  ServingPool pool;
  std::thread accepting;

  State(const Site& given, int wanted)
      : site(given),
        listener(listen_at(wanted)),
        port(port_of(listener)),
        pool(crowd, pool_size(), [this](int socket) { serve(socket); }),
        accepting([this] { accept_all(); }) {}

  ~State() {
    crowd.stopping = true;
    accepting.join();
  }

  void accept_all() {
    while (!crowd.stopping) {
      pollfd ask{listener.number(), POLLIN, 0};
      if (poll(&ask, 1, 50) == 0) continue;
      Descriptor socket(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      const int error = socket.number() < 0 ? errno : 0;
      // Without descriptors or memory clients wait in the system's queue until others have left.
      crowd.starved = error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
      if (crowd.starved) std::this_thread::sleep_for(50ms);
      if (error == EBADF || error == EINVAL || error == ENOTSOCK) break;
      if (error == 0) pass_on(std::move(socket));
    }
    ended = true;
  }

  void pass_on(Descriptor socket) try {
    const int yes = 1, most = kSendBuffer;
    setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(socket.number(), SOL_SOCKET, SO_SNDBUF, &most, sizeof most);
    pool.enqueue(socket.number());
    socket.release();
  } catch (const std::bad_alloc&) {  // this one is closed; the others go on
  }

  void serve(int socket) try {
    Connection connection(socket, crowd);
    for (int count = 1; !crowd.stopping; ++count) {
      const Asked asked = connection.next(port);
      if (asked.status == 0) return;
      const bool keep = asked.keep && count < kRequestsAConnection;
      if (!connection.send(reply(asked), asked.body, keep) || !keep) return;
    }
  } catch (const std::exception&) {  // no memory for this one; the others go on
  }

  Reply reply(const Asked& asked) try {
    if (asked.status != 200) return refusal(asked.status);
    if (asked.path == "runs/index.json") return list_answer(listing.text(site));
    const OpenedFile opened = find(asked.path);
    if (opened.status != 200) return refusal(opened.status);
    for (const auto& [coding, ending] : kCodings) {
      if (!asked.range.empty() || is_of_runs(asked.path) || !takes_coding(asked.codings, coding))
        continue;
      const OpenedFile copy = open_below(site.page, asked.path + ending);
      if (copy.status == 200) return coded_answer(asked, copy, coding);
    }
    return file_answer(asked, opened);
  } catch (...) {
    return refusal(status_of(std::current_exception()));
  }

  // runs/NAME/FILE is of the runs, everything else of the page.
  OpenedFile find(const std::string& path) const {
    if (!is_of_runs(path)) return open_below(site.page, path);
    const std::size_t slash = path.find('/', 5);
    if (site.runs.empty() || slash == std::string::npos || !is_shown_of_run(path.substr(slash + 1)))
      return {.status = 404};
    const OpenedFile opened = open_below(site.runs, path.substr(5));
    const bool run =
        opened.status != 200 || is_run_directory(site.runs / path.substr(5, slash - 5));
    return run ? opened : OpenedFile{.status = 404};
  }
};

int status_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::system_error& error) {
    for (const std::errc full : {std::errc::too_many_files_open, std::errc::not_enough_memory,
                                 std::errc::too_many_files_open_in_system})
      if (error.code() == full) return 503;
    return 500;
  } catch (const std::bad_alloc&) {
    return 503;
  } catch (...) {
    return 500;
  }
}

PageServer::PageServer(const Site& site, int port) try
    : state_(std::make_unique<State>(site, port)) {
} catch (const std::system_error&) {
  throw Error(Fault::runtime, "the system has no thread for a server", kHost,
              "end other programs, or raise the limit: ulimit -u");
}

PageServer::~PageServer() = default;

int PageServer::port() const { return state_->port; }
bool PageServer::running() const { return !state_->ended; }

}  // namespace murmur
