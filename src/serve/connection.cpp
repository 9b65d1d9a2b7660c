// connection.cpp: reads heads and writes answers on one socket without ever waiting for long.
#include "serve/connection.h"

#include <errno.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace murmur {
namespace {

using namespace std::chrono_literals;

constexpr auto kIdle = 5s;           // between two requests
constexpr auto kHead = 10s;          // from the first byte of a head to its last
constexpr auto kInCrowd = 250ms;     // for either, while others wait for a thread
constexpr auto kAnswer = 10s;        // to take an answer, and one second more
constexpr double kSlowest = 65'536;  // for so many bytes
constexpr auto kSlice = 50ms;        // how soon a stop is noticed
constexpr auto kFarewell = 200ms;    // for what a refused client is still sending

}  // namespace

// True when the socket is ready; false at `until`, or when the server stops.
bool Connection::wait(short event, Clock::time_point until) const {
  while (!crowd_.stopping) {
    const auto left = until - Clock::now();
    if (left <= 0s) return false;
    const auto slice = std::min<Clock::duration>(left, kSlice);
    pollfd ask{socket_, event, 0};
    const int milliseconds =
        static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(slice).count());
    const int ready = poll(&ask, 1, milliseconds);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

// Appends what the client sent to heard_.
Connection::Heard Connection::hear(Clock::time_point start, Clock::duration patience) {
  const Clock::time_point end = start + patience;
  while (!wait(POLLIN, std::min<Clock::time_point>(end, Clock::now() + kSlice))) {
    const auto waited = Clock::now() - start;
    const bool crowded = crowd_.waiting > 0 && waited > kInCrowd;
    if (crowd_.stopping || waited >= patience || crowded) return Heard::nothing;
  }
  std::array<char, 4096> bytes;
  const ssize_t count = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Heard::bytes;
  if (count <= 0) return Heard::gone;
  heard_.append(bytes.data(), static_cast<std::size_t>(count));
  return Heard::bytes;
}

Asked Connection::next(int port) {
  Clock::time_point start = Clock::now();
  bool begun = !heard_.empty();
  Asked asked = read_request(heard_, port);
  while (asked.status == 0) {
    const bool late = Clock::now() - start >= (begun ? Clock::duration(kHead) : kIdle);
    const Heard heard = late ? Heard::nothing : hear(start, begun ? kHead : kIdle);
    if (heard == Heard::gone || crowd_.stopping || (heard == Heard::nothing && !begun)) return {};
    if (heard == Heard::nothing) {
      asked = {.status = 408};
      break;
    }
    if (!begun && !heard_.empty()) start = Clock::now(), begun = true;
    asked = read_request(heard_, port);
  }
  heard_.erase(0, asked.length);
  request_line_ = fmt::format("{} / HTTP/1.1\r\n\r\n", asked.body ? "GET" : "HEAD");
  at_ = 0;
  answer_until_ = Clock::now() + kAnswer;
  return asked;
}

ssize_t Connection::read(char* to, std::size_t size) {
  const std::size_t count = request_line_.copy(to, size, at_);
  at_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* from, std::size_t size) {
  for (;;) {
    const ssize_t count = send(socket_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
      const std::chrono::duration<double> earned(static_cast<double>(count) / kSlowest);
      answer_until_ += std::chrono::duration_cast<Clock::duration>(earned);
      return count;
    }
    if (errno != EAGAIN && errno != EINTR) return -1;
    if (!wait(POLLOUT, answer_until_)) return -1;
  }
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = "127.0.0.1";
  port = 0;
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  get_remote_ip_and_port(ip, port);
}

Connection::~Connection() {
  // Closing with bytes unread would reset the connection, and the client would lose the answer.
  shutdown(socket_, SHUT_WR);
  const Clock::time_point until = Clock::now() + kFarewell;
  std::array<char, 65'536> bytes;
  for (int k = 0; k < 64 && crowd_.waiting == 0 && wait(POLLIN, until); ++k)
    if (recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT) <= 0) break;
  close(socket_);
}

}  // namespace murmur
