// server.cpp: the studio's server: accepts connections, and answers them by a fixed number of
// threads.
#include <errno.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "murmur/error.h"
#include "murmur/run.h"
#include "serve/serve.h"

namespace murmur {

// --- A fixed number of threads with a bounded queue of connections.

// State of the server that its connections share.
struct ServerLoad {
  std::atomic<bool> stopping{false};
  std::atomic<int> waiting{0};       // connections that wait for a thread
  std::atomic<bool> starved{false};  // the system has no descriptor for another connection
  bool pressing() const { return waiting > 0 || starved; }
};

class ServingPool {
 public:
  struct Size {
    int threads = 32;
    int most_waiting = 512;
  };
  using Serve = std::function<void(int socket)>;  // closes the socket and does not throw
  ServingPool(ServerLoad& load, Size size,
              Serve serve);  // std::system_error if no thread starts
  ~ServingPool();            // serves waiting connections, which is fast once `stopping` is set
  ServingPool(const ServingPool&) = delete;
  ServingPool& operator=(const ServingPool&) = delete;
  // Blocks while the queue is full. More connections then wait in the queue of the system and take
  // no descriptors.
  void enqueue(int socket);

 private:
  void work();
  ServerLoad& load_;
  Size size_;
  Serve serve_;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  std::deque<int> sockets_;
  std::vector<std::thread> threads_;
};

ServingPool::ServingPool(ServerLoad& load, Size size, Serve serve)
    : load_(load), size_(size), serve_(std::move(serve)) {
  try {
    for (int k = 0; k < size.threads; ++k) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // the system has no more threads: use those that started
    if (threads_.empty()) throw;
  }
}

ServingPool::~ServingPool() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ServingPool::enqueue(int socket) {
  std::unique_lock lock(mutex_);
  const auto room = [&] {
    return sockets_.size() < static_cast<std::size_t>(size_.most_waiting) || load_.stopping;
  };
  while (!room()) emptied_.wait_for(lock, std::chrono::milliseconds(50));
  sockets_.push_back(socket);
  load_.waiting = static_cast<int>(sockets_.size());
  filled_.notify_one();
}

void ServingPool::work() {
  for (;;) {
    int socket = -1;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [&] { return !sockets_.empty() || ended_; });
      if (sockets_.empty()) return;
      socket = sockets_.front();
      sockets_.pop_front();
      load_.waiting = static_cast<int>(sockets_.size());
    }
    emptied_.notify_one();
    serve_(socket);
  }
}

// --- One accepted socket: each request and each answer has a time limit.

class Connection {
 public:
  Connection(int socket, const ServerLoad& load) : socket_(socket), load_(load) {}
  ~Connection();  // ends the answer, reads what the client still sends for a moment, and closes

  // Returns the next request. Status 0: the client left or sent nothing in time, or the server
  // stops.
  HttpRequest next(int port);

  // Returns false if the client left, did not read the answer in time, or the file became shorter.
  bool send(const Reply& answer, bool body, bool keep);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Received { bytes, nothing, closed };
  Received receive(Clock::time_point start, Clock::duration patience);
  bool wait(short event, Clock::time_point until) const;
  bool write(std::string_view bytes);
  Clock::time_point answer_until() const;

  Descriptor socket_;
  const ServerLoad& load_;
  std::string received_{};  // bytes of the client that are not used yet
  Clock::time_point answer_from_{};
  double sent_ = 0;  // bytes of this answer that the system accepted
};

namespace {

using namespace std::chrono_literals;

constexpr auto kIdle = 5s;           // between two requests
constexpr auto kHead = 10s;          // from the first byte of a head to its last
constexpr auto kUnderLoad = 250ms;   // for both, while others wait for a thread
constexpr auto kAnswer = 10s;        // to read an answer, plus one second
constexpr double kSlowest = 65'536;  // per so many bytes
// While others wait for a thread, a client that reads nothing keeps one for only half a second.
constexpr auto kAnswerUnderLoad = 500ms;
constexpr double kSlowestUnderLoad = 1'048'576;
constexpr auto kSlice = 50ms;      // delay until a stop is noticed
constexpr auto kFarewell = 200ms;  // to read what a refused client still sends

}  // namespace

// Returns true when the socket is ready; false at `until`, or when the server stops.
bool Connection::wait(short event, Clock::time_point until) const {
  while (!load_.stopping) {
    const auto left = until - Clock::now();
    if (left <= 0s) return false;
    const auto slice = std::min<Clock::duration>(left, kSlice);
    pollfd ask{socket_.number(), event, 0};
    const int milliseconds =
        static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(slice).count());
    const int ready = poll(&ask, 1, milliseconds);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

// Appends the bytes that the client sent to received_.
Connection::Received Connection::receive(Clock::time_point start, Clock::duration patience) {
  const Clock::time_point end = start + patience;
  while (!wait(POLLIN, std::min<Clock::time_point>(end, Clock::now() + kSlice))) {
    const auto waited = Clock::now() - start;
    const bool busy = load_.pressing() && waited > kUnderLoad;
    if (load_.stopping || waited >= patience || busy) return Received::nothing;
  }
  std::array<char, 4096> bytes;
  const ssize_t count = recv(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Received::bytes;
  if (count <= 0) return Received::closed;
  received_.append(bytes.data(), static_cast<std::size_t>(count));
  return Received::bytes;
}

HttpRequest Connection::next(int port) {
  Clock::time_point start = Clock::now();
  bool begun = !received_.empty();
  HttpRequest asked = read_request(received_, port);
  while (asked.status == 0) {
    const bool late = Clock::now() - start >= (begun ? Clock::duration(kHead) : kIdle);
    const Received received = late ? Received::nothing : receive(start, begun ? kHead : kIdle);
    if (received == Received::closed || load_.stopping || (received == Received::nothing && !begun))
      return {};
    if (received == Received::nothing) {
      asked = {.status = 408};
      break;
    }
    if (!begun && !received_.empty()) start = Clock::now(), begun = true;
    asked = read_request(received_, port);
  }
  received_.erase(0, asked.length);
  answer_from_ = Clock::now();
  sent_ = 0;
  return asked;
}

// Returns the time by which the client must have read the sent part of this answer and a little
// more.
Connection::Clock::time_point Connection::answer_until() const {
  const bool busy = load_.pressing();
  const std::chrono::duration<double> allowed(sent_ / (busy ? kSlowestUnderLoad : kSlowest));
  return answer_from_ + (busy ? Clock::duration(kAnswerUnderLoad) : kAnswer) +
         std::chrono::duration_cast<Clock::duration>(allowed);
}

bool Connection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::send(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
      sent_ += static_cast<double>(count);
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return false;
    // Waits in slices, since the time limit becomes shorter when other clients arrive.
    if (!wait(POLLOUT, Clock::now() + kSlice) && (load_.stopping || Clock::now() >= answer_until()))
      return false;
  }
  return !load_.stopping;
}

bool Connection::send(const Reply& answer, bool body, bool keep) {
  const std::string head = head_of(answer, keep);
  if (!answer.file.file || !body) return write(body ? head + answer.text : head);
  std::array<char, 65'536> bytes;
  if (!write(head)) return false;
  for (std::uint64_t at = 0; at < answer.part.length;) {
    const auto most = std::min<std::uint64_t>(answer.part.length - at, bytes.size());
    const std::size_t count =
        answer.file.read_at(answer.part.first + at, {bytes.data(), static_cast<std::size_t>(most)});
    if (count == 0 || !write({bytes.data(), count})) return false;
    at += count;
  }
  return true;
}

Connection::~Connection() {
  // Closing with unread bytes would reset the connection, and the client would lose the answer.
  shutdown(socket_.number(), SHUT_WR);
  const Clock::time_point until = Clock::now() + kFarewell;
  std::array<char, 65'536> bytes;
  for (int k = 0; k < 64 && !load_.pressing() && wait(POLLIN, until); ++k)
    if (recv(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT) <= 0) break;
}

// --- The server.

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr const char* kHost = "127.0.0.1";
constexpr int kBacklog = 1024, kRequestsAConnection = 1000;
// Bounds the bytes that the system buffers, since a client's time limit grows with them.
constexpr int kSendBuffer = 131'072;

// Content codings, best first, and the endings of compressed copies: the build of the page writes
// page.js.br and page.js.gz next to page.js.
constexpr std::pair<const char*, const char*> kCodings[] = {{"br", ".br"}, {"gzip", ".gz"}};

bool is_of_runs(const std::string& path) { return path.rfind("runs/", 0) == 0; }

// The list of runs, read at most once per second for all clients.
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
  const char* remedy = "choose another with --port N; --port 0 takes any free port";
  if (error == EADDRINUSE)
    throw PortTaken(Fault::runtime, fmt::format("port {} is taken", wanted), where, remedy);
  throw Error(Fault::runtime,
              fmt::format("port {} cannot be listened at: {}", wanted, std::strerror(error)), where,
              remedy);
}

// Returns a socket that listens at a port of 127.0.0.1; 0: any free port.
Descriptor listen_at(int wanted) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // The port is free again immediately after the program ends. SO_REUSEPORT would let two servers
  // share a port.
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
  ServerLoad load{};
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
        pool(load, pool_size(), [this](int socket) { serve(socket); }),
        accepting([this] { accept_all(); }) {}

  ~State() {
    load.stopping = true;
    accepting.join();
  }

  void accept_all() {
    while (!load.stopping) {
      pollfd ask{listener.number(), POLLIN, 0};
      if (poll(&ask, 1, 50) == 0) continue;
      Descriptor socket(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      const int error = socket.number() < 0 ? errno : 0;
      // Without descriptors or memory, clients wait in the queue of the system until others have
      // left.
      load.starved = error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
      if (load.starved) std::this_thread::sleep_for(50ms);
      if (error == EBADF || error == EINVAL || error == ENOTSOCK) break;
      if (error == 0) hand_over(std::move(socket));
    }
    ended = true;
  }

  void hand_over(Descriptor socket) try {
    const int yes = 1, most = kSendBuffer;
    setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(socket.number(), SOL_SOCKET, SO_SNDBUF, &most, sizeof most);
    pool.enqueue(socket.number());
    socket.release();
  } catch (const std::bad_alloc&) {  // this connection is closed; the others continue
  }

  void serve(int socket) try {
    Connection connection(socket, load);
    for (int count = 1; !load.stopping; ++count) {
      const HttpRequest asked = connection.next(port);
      if (asked.status == 0) return;
      const bool keep = asked.keep && count < kRequestsAConnection;
      if (!connection.send(reply(asked), asked.body, keep) || !keep) return;
    }
  } catch (const std::exception&) {  // no memory for this connection; the others continue
  }

  Reply reply(const HttpRequest& asked) try {
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

  // runs/NAME/FILE is a file of a run, everything else belongs to the page.
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
  throw Error(Fault::runtime, "the system has no thread for the server", kHost,
              "end other programs, or raise the limit: ulimit -u");
}

PageServer::~PageServer() = default;

int PageServer::port() const { return state_->port; }
bool PageServer::running() const { return !state_->ended; }

}  // namespace murmur
