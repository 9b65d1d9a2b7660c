// server.cpp: the studio's server: one site, 127.0.0.1, files and nothing that computes.
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "murmur/error.h"
#include "murmur/run.h"
#include "murmur/serve.h"
#include "serve/connection.h"
#include "serve/open_below.h"
#include "serve/pool.h"

namespace murmur {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr const char* kHost = "127.0.0.1";
constexpr int kBacklog = 1024, kRequestsAConnection = 1000;

// Scripts, workers and wasm of the page itself; pictures and films it makes are blobs. KaTeX
// places formulas by style attributes.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; "
    "connect-src 'self' blob: data:; img-src 'self' blob: data:; media-src 'self' blob: data:; "
    "style-src 'self' 'unsafe-inline'; font-src 'self' data:; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const httplib::Headers& headers_of_all() {
  static const httplib::Headers headers{{"Content-Security-Policy", kPolicy},
                                        {"X-Content-Type-Options", "nosniff"},
                                        {"Referrer-Policy", "no-referrer"},
                                        {"Cross-Origin-Opener-Policy", "same-origin"},
                                        {"Cross-Origin-Resource-Policy", "same-origin"}};
  return headers;
}

std::string reason_of(int status) {
  switch (status) {
    case 403:
      return "this path or host is not served";
    case 404:
      return "there is no such file";
    case 405:
      return "only GET and HEAD are answered";
    case 408:
      return "the request did not arrive in time";
    case 414:
      return "the address is too long";
    case 416:
      return "the file has no such bytes";
    case 431:
      return "the head of the request is too long";
    case 500:
      return "the server failed at this request; it goes on with others";
    case 503:
      return "files or memory have run out for a moment; try again";
    case 505:
      return "only HTTP/1.0 and HTTP/1.1 are spoken";
    default:
      return "the request cannot be read";
  }
}

void refuse(httplib::Response& answer, int status) {
  answer.status = status;
  answer.set_header("Cache-Control", "no-store");
  if (status == 405) answer.set_header("Allow", "GET, HEAD");
  if (status == 503) answer.set_header("Retry-After", "1");
  answer.set_content(fmt::format("{} {}\n", status, reason_of(status)),
                     "text/plain; charset=utf-8");
}

void send_file(const Asked& asked, const OpenedFile& opened, httplib::Response& answer) {
  const std::string type(media_type(asked.path));
  const auto part = part_of(asked.range, opened.size);
  answer.set_header("Accept-Ranges", "bytes");
  if (!part) {
    refuse(answer, 416);
    answer.set_header("Content-Range", fmt::format("bytes */{}", opened.size));
    return;
  }
  answer.status = part->length == opened.size ? 200 : 206;
  answer.set_header("Cache-Control", std::string(cache_rule(asked.path)));
  if (answer.status == 206)
    answer.set_header("Content-Range", fmt::format("bytes {}-{}/{}", part->first,
                                                   part->first + part->length - 1, opened.size));
  if (part->length == 0) return answer.set_content("", type);
  answer.set_content_provider(
      part->length, type,
      [opened, first = part->first](std::size_t at, std::size_t length, httplib::DataSink& sink) {
        std::array<char, 65'536> bytes;
        const std::size_t count =
            opened.read_at(first + at, {bytes.data(), std::min(length, bytes.size())});
        return count > 0 && sink.write(bytes.data(), count);  // false: the file became shorter
      });
}

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

Pool::Size pool_size() {
  rlimit limit{};
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const long files = known ? static_cast<long>(std::min<rlim_t>(limit.rlim_cur, 4096)) : 1024;
  Pool::Size size;  // each thread may hold a socket, a folder and a file
  size.most_waiting = static_cast<int>(std::clamp<long>(files - 3 * size.threads - 64, 16, 512));
  return size;
}

thread_local const Asked* answered = nullptr;  // what this thread is answering

}  // namespace

struct PageServer::State : httplib::Server {
  Site site;
  Crowd crowd;
  Listing listing;
  int port = 0;
  std::atomic<bool> ended{false};
  std::thread listener;

  State(const Site& given, int wanted) : site(given) {
    set_default_headers(headers_of_all());
    set_tcp_nodelay(true);
    // The library's default lets two servers share a port, and requests go to either.
    set_socket_options([](int socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    new_task_queue = [this] { return new Pool(crowd, pool_size()); };
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response& answer) {
      reply(*answered, answer);
      return HandlerResponse::Handled;
    });
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& answer, const std::exception_ptr& failure) {
          refuse(answer, status_of(failure));
        });
    errno = 0;
    port = wanted == 0 ? bind_to_any_port(kHost) : bind_to_port(kHost, wanted) ? wanted : -1;
    if (port <= 0) refuse_port(wanted, errno);
    deepen_backlog();
  }

  [[noreturn]] static void refuse_port(int wanted, int error) {
    const std::string where = fmt::format("{}:{}", kHost, wanted);
    const char* remedy = "choose another by --port N; --port 0 takes any that is free";
    if (error == EADDRINUSE)
      throw PortTaken(Fault::runtime, fmt::format("port {} is taken", wanted), where, remedy);
    const std::string why = error == 0 ? "" : fmt::format(": {}", std::strerror(error));
    throw Error(Fault::runtime, fmt::format("port {} cannot be listened at{}", wanted, why), where,
                remedy);
  }

  void deepen_backlog() {  // the library asks for 5
    ::listen(svr_sock_, kBacklog);
    fcntl(svr_sock_, F_SETFD, FD_CLOEXEC);
  }

  void start() {
    listener = std::thread([this] {
      listen_on();
      ended = true;
    });
    while (!is_running() && !ended) std::this_thread::sleep_for(1ms);
  }

  // The library leaves its loop when the system cannot accept for a moment; a second later it
  // may again.
  void listen_on() try {
    for (int tries = 0; !crowd.stopping && tries < 60; ++tries) {
      if (tries > 0) {
        for (int k = 0; k < 20 && !crowd.stopping; ++k) std::this_thread::sleep_for(50ms);
        if (crowd.stopping || !bind_to_port(kHost, port)) continue;
        deepen_backlog();
      }
      listen_after_bind();
    }
  } catch (const std::exception&) {  // not one thread could be had
  }

  void halt() {
    crowd.stopping = true;
    while (!ended) {  // it may be between two sockets
      if (is_running() && svr_sock_ != INVALID_SOCKET) stop();
      std::this_thread::sleep_for(1ms);
    }
    listener.join();
  }

  void reply(const Asked& asked, httplib::Response& answer) {
    if (asked.status != 200) return refuse(answer, asked.status);
    if (asked.path == "runs/index.json") {
      answer.status = 200;
      answer.set_header("Cache-Control", "no-store");
      return answer.set_content(listing.text(site), "application/json");
    }
    const OpenedFile opened = find(asked.path);
    if (opened.status != 200) return refuse(answer, opened.status);
    send_file(asked, opened, answer);
  }

  // runs/NAME/FILE is of the runs, everything else of the page.
  OpenedFile find(const std::string& path) const {
    if (path.rfind("runs/", 0) != 0) return open_below(site.page, path);
    const std::size_t slash = path.find('/', 5);
    if (site.runs.empty() || slash == std::string::npos || !is_shown_of_run(path.substr(slash + 1)))
      return {.status = 404};
    const OpenedFile opened = open_below(site.runs, path.substr(5));
    const bool run =
        opened.status != 200 || is_run_directory(site.runs / path.substr(5, slash - 5));
    return run ? opened : OpenedFile{.status = 404};
  }

  bool process_and_close_socket(int socket) override try {
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    Connection connection(socket, crowd);
    for (int count = 1; !crowd.stopping; ++count) {
      const Asked asked = connection.next(port);
      if (asked.status == 0) return true;
      const bool last = !asked.keep || count == kRequestsAConnection;
      bool closed = false;
      answered = &asked;
      if (!process_request(connection, last, closed, nullptr) || last) return true;
    }
    return true;
  } catch (const std::exception&) {  // no memory for this one; the others go on
    return false;
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

PageServer::PageServer(const Site& site, int port) : state_(std::make_unique<State>(site, port)) {
  try {
    state_->start();
  } catch (const std::system_error&) {  // not even for the one that listens
    state_->ended = true;
  }
  if (!running()) {
    if (state_->listener.joinable()) state_->listener.join();
    throw Error(Fault::runtime, "the system has no thread for a server", kHost,
                "end other programs, or raise the limit: ulimit -u");
  }
}

PageServer::~PageServer() { state_->halt(); }

int PageServer::port() const { return state_->port; }
bool PageServer::running() const { return !state_->ended; }

}  // namespace murmur
