// connection.cpp: reads heads and writes answers on one socket without ever waiting for long.
#include "serve/connection.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

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
// While others wait for a thread: a client that takes nothing holds one for half a second, not for
// the minute that megabytes would earn it.
constexpr auto kAnswerInCrowd = 500ms;
constexpr double kSlowestInCrowd = 1'048'576;
constexpr auto kSlice = 50ms;      // how soon a stop is noticed
constexpr auto kFarewell = 200ms;  // for what a refused client is still sending

}  // namespace

// True when the socket is ready; false at `until`, or when the server stops.
bool Connection::wait(short event, Clock::time_point until) const {
  while (!crowd_.stopping) {
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

// Appends what the client sent to heard_.
Connection::Heard Connection::hear(Clock::time_point start, Clock::duration patience) {
  const Clock::time_point end = start + patience;
  while (!wait(POLLIN, std::min<Clock::time_point>(end, Clock::now() + kSlice))) {
    const auto waited = Clock::now() - start;
    const bool crowded = crowd_.pressing() && waited > kInCrowd;
    if (crowd_.stopping || waited >= patience || crowded) return Heard::nothing;
  }
  std::array<char, 4096> bytes;
  const ssize_t count = recv(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
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
  answer_from_ = Clock::now();
  sent_ = 0;
  return asked;
}

// When the client must have taken what was sent of this answer, and a part more.
Connection::Clock::time_point Connection::answer_until() const {
  const bool crowded = crowd_.pressing();
  const std::chrono::duration<double> earned(sent_ / (crowded ? kSlowestInCrowd : kSlowest));
  return answer_from_ + (crowded ? Clock::duration(kAnswerInCrowd) : kAnswer) +
         std::chrono::duration_cast<Clock::duration>(earned);
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
    // In slices: others may come while this one waits, and then its time is shorter.
    if (!wait(POLLOUT, Clock::now() + kSlice) &&
        (crowd_.stopping || Clock::now() >= answer_until()))
      return false;
  }
  return !crowd_.stopping;
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
  // Closing with bytes unread would reset the connection, and the client would lose the answer.
  shutdown(socket_.number(), SHUT_WR);
  const Clock::time_point until = Clock::now() + kFarewell;
  std::array<char, 65'536> bytes;
  for (int k = 0; k < 64 && !crowd_.pressing() && wait(POLLIN, until); ++k)
    if (recv(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT) <= 0) break;
}

}  // namespace murmur
