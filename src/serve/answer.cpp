// answer.cpp: statuses with their reasons, headers against other sites, and ranges of files.
#include "serve/answer.h"

#include <fmt/format.h>

#include <utility>

namespace murmur {
namespace {

// Scripts, workers and wasm of the page itself; pictures and films it makes are blobs. KaTeX
// places formulas by style attributes.
constexpr std::string_view kOfAll =
    "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
    "worker-src 'self' blob:; connect-src 'self' blob: data:; img-src 'self' blob: data:; "
    "media-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n";

struct Reason {
  int status;
  std::string_view phrase, sentence;  // of the status line; of the body
};
constexpr Reason kReasons[] = {
    {200, "OK", ""},
    {206, "Partial Content", ""},
    {400, "Bad Request", "the request cannot be read"},
    {403, "Forbidden", "this path or host is not served"},
    {404, "Not Found", "there is no such file"},
    {405, "Method Not Allowed", "only GET and HEAD are answered"},
    {408, "Request Timeout", "the request did not arrive in time"},
    {414, "URI Too Long", "the address is too long"},
    {416, "Range Not Satisfiable", "the file has no such bytes"},
    {431, "Request Header Fields Too Large", "the head of the request is too long"},
    {500, "Internal Server Error", "the server failed at this request; it goes on with others"},
    {503, "Service Unavailable", "files or memory have run out for a moment; try again"},
    {505, "HTTP Version Not Supported", "only HTTP/1.0 and HTTP/1.1 are spoken"},
};

const Reason& reason_of(int status) {
  for (const Reason& reason : kReasons)
    if (reason.status == status) return reason;
  return reason_of(500);
}

}  // namespace

Reply refusal(int status) {
  Reply answer{.status = status, .more = "Cache-Control: no-store\r\n"};
  if (status == 405) answer.more += "Allow: GET, HEAD\r\n";
  if (status == 503) answer.more += "Retry-After: 1\r\n";
  answer.text = fmt::format("{} {}\n", status, reason_of(status).sentence);
  return answer;
}

Reply file_answer(const Asked& asked, const OpenedFile& opened) {
  const auto part = part_of(asked.range, opened.size);
  if (!part) {
    Reply answer = refusal(416);
    answer.more +=
        fmt::format("Accept-Ranges: bytes\r\nContent-Range: bytes */{}\r\n", opened.size);
    return answer;
  }
  Reply answer{.status = part->length == opened.size ? 200 : 206,
               .type = media_type(asked.path),
               .file = opened,
               .part = *part};
  answer.more =
      fmt::format("Accept-Ranges: bytes\r\nCache-Control: {}\r\nVary: Accept-Encoding\r\n",
                  cache_rule(asked.path));
  if (answer.status == 206)
    answer.more += fmt::format("Content-Range: bytes {}-{}/{}\r\n", part->first,
                               part->first + part->length - 1, opened.size);
  return answer;
}

Reply coded_answer(const Asked& asked, const OpenedFile& copy, std::string_view coding) {
  Reply answer{.type = media_type(asked.path), .file = copy, .part = {0, copy.size}};
  answer.more =
      fmt::format("Content-Encoding: {}\r\nCache-Control: {}\r\nVary: Accept-Encoding\r\n", coding,
                  cache_rule(asked.path));
  return answer;
}

Reply list_answer(std::string text) {
  return {
      .type = "application/json", .more = "Cache-Control: no-store\r\n", .text = std::move(text)};
}

std::string head_of(const Reply& answer, bool keep) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\n{}Connection: {}\r\nContent-Length: {}\r\nContent-Type: {}\r\n{}\r\n",
      answer.status, reason_of(answer.status).phrase, answer.more, keep ? "keep-alive" : "close",
      answer.length(), answer.type, kOfAll);
}

}  // namespace murmur
