// answer.h: what goes back to a client (status, headers, a text or a part of a file), and how a
// file below a folder is opened so that no link leads out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "serve/serve.h"

namespace murmur {

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
