// serve.h: serves the page of the studio, and the runs of a folder, to a browser on this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "murmur/error.h"

namespace murmur {

// The request of a browser, read only from its head.
struct HttpRequest {
  int status = 0;  // 0: more bytes are needed; 200: accepted; else the status of the refusal
  std::size_t length = 0;  // bytes of the head, including its empty line
  bool body = true;        // false: HEAD
  bool keep = false;       // the connection stays open for another request
  std::string path{};      // decoded, below the root: "assets/page.js", "index.html" for "/"
  std::string range{};     // value of Range; empty: the whole file
  std::string codings{};   // value of Accept-Encoding
};

// Accepts GET and HEAD of HTTP/1.x only to 127.0.0.1, localhost or [::1] at `port`, as a protection
// against DNS rebinding. Refuses ambiguous paths: dot segments, hidden files, empty segments,
// backslashes, encoded slashes, control characters.
HttpRequest read_request(std::string_view bytes, int port);

// Returns the part of a file of `size` bytes that "bytes=first-last" names: the whole file if the
// text is empty, is not a range or names several; nothing if the range lies outside.
struct ByteSpan {
  std::uint64_t first = 0, length = 0;
};
std::optional<ByteSpan> part_of(std::string_view range, std::uint64_t size);

// Returns whether a value of Accept-Encoding accepts a content coding by its name or by "*" (RFC
// 9110, section 12.5.3). A weight of 0 refuses; an empty value accepts only the uncompressed file.
bool takes_coding(std::string_view codings, std::string_view name);

std::string_view media_type(std::string_view path);  // Content-Type by the file name
std::string_view cache_rule(std::string_view path);  // Cache-Control: names with a hash are kept

// A kind of runs that the page can show.
struct ShownKind {
  std::string word{};  // in manifest.json
  // Returns additional facts for the page as a JSON object: digits, accuracy.
  std::function<std::string(const std::filesystem::path& run)> facts{};
};

// The text of /runs/index.json: a list of {name, kind, status, n, d, frames, digits, accuracy,
// model, trajectory, times, observables, summary, config}, the last six as addresses or null; a run
// that cannot be read is {name, kind: "damaged", note}. Runs of other kinds are left out.
std::string list_runs(const std::filesystem::path& runs, const std::vector<ShownKind>& kinds);
bool is_shown_of_run(std::string_view file);  // model.safetensors, trajectory.npy, ...

// Returns the status after an exception: 503 if files or memory ran out, which is temporary; else
// 500.
int status_of(const std::exception_ptr& failure);

struct Site {
  std::filesystem::path page{};    // holds index.html
  std::filesystem::path runs{};    // empty: none
  std::vector<ShownKind> kinds{};  // of runs that are listed
};

// Thrown if another program listens at the port.
struct PortTaken : Error {
  using Error::Error;
};

// Serves a site on 127.0.0.1 with a bounded number of threads until it is destroyed.
class PageServer {
 public:
  // Port 0 selects any free port. PortTaken if the port is taken, Error(runtime) if the system
  // refuses.
  PageServer(const Site& site, int port);
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer();
  int port() const;
  bool running() const;  // false after the system closed the socket

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A file descriptor that its owner closes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }  // negative: none
  void release() { number_ = -1; }        // the caller closes it now

 private:
  int number_;
};

struct OpenedFile {
  int status = 200;                    // 404, 403, or 503 without descriptors or memory
  std::shared_ptr<Descriptor> file{};  // a regular file
  std::uint64_t size = 0;              // when it was opened; it may grow
  std::size_t read_at(std::uint64_t at,
                      std::span<char> to) const;  // 0: end of the file, or an error
};

// `path` is one that read_request accepted. All links are refused.
OpenedFile open_below(const std::filesystem::path& root, const std::string& path);

struct Reply {
  int status = 200;
  std::string_view type = "text/plain; charset=utf-8";  // of Content-Type
  std::string more{};                                   // more headers, each ended by CR LF
  std::string text{};                                   // the body if there is no file
  OpenedFile file{};
  ByteSpan part{};  // of the file
  std::uint64_t length() const { return file.file ? part.length : text.size(); }
};

Reply refusal(int status);  // with the reason as text
Reply file_answer(const HttpRequest& asked,
                  const OpenedFile& opened);  // the whole file, a range, or status 416
// Sends the whole compressed copy of a file.
Reply coded_answer(const HttpRequest& asked, const OpenedFile& copy, std::string_view coding);
Reply list_answer(std::string text);  // JSON, never cached

// Returns status line and headers up to the empty line (RFC 9112).
std::string head_of(const Reply& answer, bool keep);

}  // namespace murmur
