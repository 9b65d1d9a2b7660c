// request.cpp: parses and checks the head of a request before any file is opened.
#include <algorithm>
#include <charconv>

#include "serve/serve.h"

namespace murmur {
namespace {

constexpr std::size_t kMostHead = 16'384, kMostTarget = 4'096, kMostHeaders = 100;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Returns whether lines end by CR LF and hold no control character except the tab.
bool is_text(std::string_view bytes) {
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const char c = bytes[k];
    const bool last = k + 1 == bytes.size();
    if (c == '\r' ? !last && bytes[k + 1] != '\n'
                  : (c == '\n' ? k == 0 || bytes[k - 1] != '\r' : c != '\t' && is_control(c)))
      return false;
  }
  return true;
}

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find("\r\n");
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
  return line;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

// Returns the path with %XX decoded once, or nothing if it holds a character that no served file
// has in its name.
std::optional<std::string> decoded(std::string_view path) {
  std::string text;
  for (std::size_t k = 0; k < path.size(); ++k) {
    char c = path[k];
    const bool escaped = c == '%';
    if (escaped) {
      if (path.size() - k < 3 || digit_of(path[k + 1]) < 0 || digit_of(path[k + 2]) < 0) return {};
      c = static_cast<char>(16 * digit_of(path[k + 1]) + digit_of(path[k + 2]));
      k += 2;
    }
    if (is_control(c) || c == '\\' || (escaped && c == '/')) return {};
    text += c;
  }
  return text;
}

// Returns the status for a target "/a/b?query"; stores its path "a/b".
int check_target(std::string_view target, std::string& path) {
  if (target.size() > kMostTarget) return 414;
  if (target.empty() || target.front() != '/') return 400;
  if (!std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7f; }))
    return 400;
  const auto text = decoded(target.substr(1, target.find_first_of("?#") - 1));
  if (!text) return 400;
  path = text->empty() ? "index.html" : *text;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (end == start) return path.size() == end ? 404 : 400;  // a folder; or "//"
    if (path[start] == '.') return 403;
    if (end - start > 255) return 414;
    start = end + 1;
  }
  return 200;
}

bool is_this_machine(std::string_view host, int port) {
  const std::string number = ":" + std::to_string(port);
  if (host.size() > number.size() && host.substr(host.size() - number.size()) == number)
    host.remove_suffix(number.size());
  else if (port != 80)
    return false;
  return host == "127.0.0.1" || same_word(host, "localhost") || host == "[::1]";
}

struct Headers {
  int status = 200, hosts = 0;
  std::string_view host{}, range{}, codings{};
  bool close = false, has_body = false;
};

// Returns the next member of a comma-separated list.
std::string_view next_member(std::string_view& rest) {
  const std::size_t comma = rest.find(',');
  const std::string_view member = trimmed(rest.substr(0, comma));
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return member;
}

bool asks_to_close(std::string_view value) {
  while (!value.empty())
    if (same_word(next_member(value), "close")) return true;
  return false;
}

// Returns whether the weight is zero: ";q=0", ";q=0.000".
bool is_refused(std::string_view parameters) {
  const std::size_t equals = parameters.find('=');
  if (equals == std::string_view::npos || !same_word(trimmed(parameters.substr(0, equals)), "q"))
    return false;
  return trimmed(parameters.substr(equals + 1)).find_first_not_of("0.") == std::string_view::npos;
}

Headers read_headers(std::string_view rest) {
  Headers found;
  std::size_t count = 0;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    if (colon == line.size() || !is_token(name)) return {.status = 400};
    if (++count > kMostHeaders) return {.status = 431};
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (same_word(name, "host")) ++found.hosts, found.host = value;
    if (same_word(name, "range")) found.range = value;
    if (same_word(name, "accept-encoding")) found.codings = value;
    if (same_word(name, "connection")) found.close = found.close || asks_to_close(value);
    if (same_word(name, "transfer-encoding") || (same_word(name, "content-length") && value != "0"))
      found.has_body = true;
  }
  return found;
}

int check_version(std::string_view version) {
  if (version == "HTTP/1.1" || version == "HTTP/1.0") return 200;
  return version.substr(0, 5) == "HTTP/" ? 505 : 400;
}

// Checks a complete head, without its empty line.
HttpRequest check_head(std::string_view head, int port) {
  HttpRequest asked;
  const std::string_view line = next_line(head);
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return {.status = 400};
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  if (!is_token(method)) return {.status = 400};
  asked.status = check_version(version);
  if (asked.status != 200) return asked;
  const Headers headers = read_headers(head);
  asked.body = method != "HEAD";
  asked.status = headers.status != 200                  ? headers.status
                 : headers.hosts != 1                   ? 400
                 : !is_this_machine(headers.host, port) ? 403
                 : method != "GET" && method != "HEAD"  ? 405
                 : headers.has_body                     ? 400
                                                        : 200;
  if (asked.status == 200)
    asked.status = check_target(line.substr(first + 1, last - first - 1), asked.path);
  asked.keep = asked.status == 200 && version == "HTTP/1.1" && !headers.close;
  asked.range = headers.range;
  asked.codings = headers.codings;
  return asked;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error != std::errc()) return {};
  return value;
}

}  // namespace

HttpRequest read_request(std::string_view bytes, int port) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (!is_text(bytes.substr(0, std::min(end, kMostHead)))) return {.status = 400};
  if (std::min(end, bytes.size()) > kMostHead) return {.status = 431};
  if (end == std::string_view::npos) return {};
  HttpRequest asked = check_head(bytes.substr(0, end), port);
  asked.length = end + 4;
  return asked;
}

bool takes_coding(std::string_view codings, std::string_view name) {
  bool all = false;
  while (!codings.empty()) {
    const std::string_view member = next_member(codings);
    const std::size_t end = std::min(member.find(';'), member.size());
    const std::string_view coding = trimmed(member.substr(0, end));
    const bool refused = end < member.size() && is_refused(member.substr(end + 1));
    if (same_word(coding, name)) return !refused;
    if (coding == "*") all = !refused;
  }
  return all;
}

std::optional<ByteSpan> part_of(std::string_view range, std::uint64_t size) {
  const ByteSpan whole{0, size};
  if (range.substr(0, 6) != "bytes=") return whole;
  range.remove_prefix(6);
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return whole;
  const auto first = number_of(range.substr(0, dash)), last = number_of(range.substr(dash + 1));
  if (!first && last && dash == 0) {  // the last N bytes
    if (*last == 0 || size == 0) return {};
    return ByteSpan{size - std::min(size, *last), std::min(size, *last)};
  }
  if (!first || (!last && dash + 1 != range.size()) || (last && *last < *first)) return whole;
  if (*first >= size) return {};
  return ByteSpan{*first, (last ? std::min(*last, size - 1) : size - 1) - *first + 1};
}

}  // namespace murmur
