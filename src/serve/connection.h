// connection.h: one accepted socket, whose requests and answers each have their time.
#pragma once

#include <httplib.h>

#include <chrono>
#include <string>

#include "murmur/serve.h"
#include "serve/pool.h"

namespace murmur {

// The library's own reader knows no limit of a line's length, of the number of headers or of the
// time that a head may take. Here the head is read and judged first; the library is handed a
// request line of ours, and writes the answer through `write`.
class Connection : public httplib::Stream {
 public:
  Connection(int socket, const Crowd& crowd) : socket_(socket), crowd_(crowd) {}
  ~Connection() override;  // ends the answer, hears the client out for a moment, closes

  // The next request. Status 0: the client left, said nothing in time, or the server stops.
  Asked next(int port);

  bool is_readable() const override { return at_ < request_line_.size(); }
  bool is_writable() const override { return !crowd_.stopping; }
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  int socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Heard { bytes, nothing, gone };
  Heard hear(Clock::time_point start, Clock::duration patience);
  bool wait(short event, Clock::time_point until) const;

  int socket_;
  const Crowd& crowd_;
  std::string heard_{};         // bytes of the client that no request used yet
  std::string request_line_{};  // what the library reads
  std::size_t at_ = 0;          // of request_line_
  Clock::time_point answer_until_{};
};

}  // namespace murmur
