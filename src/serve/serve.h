// serve.h: hands the studio's page, and the runs of a folder, to a browser on this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "murmur/error.h"

namespace murmur {

// What a browser asks for, read from the head of its request and from nothing else.
struct Asked {
  int status = 0;          // 0: more bytes are needed; 200: may be looked for; else the refusal
  std::size_t length = 0;  // bytes of the head, its empty line included
  bool body = true;        // false: HEAD
  bool keep = false;       // the connection serves a further request
  std::string path{};      // decoded, below the root: "assets/page.js", "index.html" for "/"
  std::string range{};     // value of Range; empty: the whole file
  std::string codings{};   // value of Accept-Encoding
};

// GET and HEAD of HTTP/1.x to 127.0.0.1, localhost or [::1] at `port` alone, so that no other name
// that was made to lead here is answered (DNS rebinding). Refused are paths that could mean another
// place than they say: dot segments, hidden files, empty segments, backslashes, encoded slashes,
// control characters.
Asked read_request(std::string_view bytes, int port);

// The part of a file of `size` bytes that "bytes=first-last" names: the whole file where the text
// is empty, is no range or names several; nothing where it lies outside.
struct ByteSpan {
  std::uint64_t first = 0, length = 0;
};
std::optional<ByteSpan> part_of(std::string_view range, std::uint64_t size);

// Whether a value of Accept-Encoding takes a content coding by its name or by "*" (RFC 9110,
// section 12.5.3); a weight of 0 refuses, and without a value nothing is taken but the file as it
// is.
bool takes_coding(std::string_view codings, std::string_view name);

std::string_view media_type(std::string_view path);  // of Content-Type, by the ending of the path
std::string_view cache_rule(std::string_view path);  // of Cache-Control: names with a hash stay

// A kind of runs that the page knows what to do with.
struct ShownKind {
  std::string word{};  // in manifest.json
  // What the page is told beside what every run tells, as a JSON object: digits, accuracy.
  std::function<std::string(const std::filesystem::path& run)> facts{};
};

// The text of /runs/index.json: a list of {name, kind, status, n, d, frames, digits, accuracy,
// model, trajectory, times, observables, summary, config}, the last six as addresses, null where
// there is none; a run that cannot be read is {name, kind: "damaged", note}. Runs of other kinds
// are left out.
std::string list_runs(const std::filesystem::path& runs, const std::vector<ShownKind>& kinds);
bool is_shown_of_run(std::string_view file);  // model.safetensors, trajectory.npy, ...

// The status of an answer that ended in an exception: 503 where files or memory ran out, which
// passes; else 500.
int status_of(const std::exception_ptr& failure);

struct Site {
  std::filesystem::path page{};    // holds index.html
  std::filesystem::path runs{};    // empty: none
  std::vector<ShownKind> kinds{};  // of runs that are listed
};

// Another program listens at the port.
struct PortTaken : Error {
  using Error::Error;
};

// Serves a site on 127.0.0.1 by a bounded number of threads until it is destroyed.
class PageServer {
 public:
  // Port 0: any that is free. PortTaken where it is not, Error(runtime) where the system refuses.
  PageServer(const Site& site, int port);
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer();
  int port() const;
  bool running() const;  // false once the system took the socket away for good

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace murmur
