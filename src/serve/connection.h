// connection.h: one accepted socket, whose requests and answers each have their time.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "serve/answer.h"
#include "serve/open_below.h"
#include "serve/pool.h"
#include "serve/serve.h"

namespace murmur {

class Connection {
 public:
  Connection(int socket, const Crowd& crowd) : socket_(socket), crowd_(crowd) {}
  ~Connection();  // ends the answer, hears the client out for a moment, closes

  // The next request. Status 0: the client left, said nothing in time, or the server stops.
  Asked next(int port);

  // False where the client left, did not take the answer in time, or the file became shorter.
  bool send(const Reply& answer, bool body, bool keep);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Heard { bytes, nothing, gone };
  Heard hear(Clock::time_point start, Clock::duration patience);
  bool wait(short event, Clock::time_point until) const;
  bool write(std::string_view bytes);
  Clock::time_point answer_until() const;

  Descriptor socket_;
  const Crowd& crowd_;
  std::string heard_{};  // bytes of the client that no request used yet
  Clock::time_point answer_from_{};
  double sent_ = 0;  // bytes of this answer that the system took
};

}  // namespace murmur
