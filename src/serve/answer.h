// answer.h: what goes back to a client: a status, headers, and a text or a part of a file.
#pragma once

#include <string>
#include <string_view>

#include "serve/open_below.h"
#include "serve/serve.h"

namespace murmur {

struct Reply {
  int status = 200;
  std::string_view type = "text/plain; charset=utf-8";  // of Content-Type
  std::string more{};                                   // further headers, each ended by CR LF
  std::string text{};                                   // the body where there is no file
  OpenedFile file{};
  ByteSpan part{};  // of the file
  std::uint64_t length() const { return file.file ? part.length : text.size(); }
};

Reply refusal(int status);                                        // with a sentence that says why
Reply file_answer(const Asked& asked, const OpenedFile& opened);  // all of it, a range, or 416
// All of a compressed copy of the file that was asked for.
Reply coded_answer(const Asked& asked, const OpenedFile& copy, std::string_view coding);
Reply list_answer(std::string text);  // JSON that is never kept

// Status line and headers up to the empty line (RFC 9112), among them those that every answer has.
std::string head_of(const Reply& answer, bool keep);

}  // namespace murmur
