// answer.cpp: parses and checks the head of a request before any file is opened, and composes
// answers: refusals, files and parts of files, the list of runs, headers.
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "murmur/error.h"
#include "murmur/run.h"
#include "run/json_text.h"
#include "serve/serve.h"

namespace murmur {

// --- Files: each folder on the path is opened in turn, and links are refused.

namespace {

int status_of(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return 503;
    case EACCES:
    case EPERM:
    case ELOOP:
      return 403;
    default:
      return 404;
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

std::size_t OpenedFile::read_at(std::uint64_t at, std::span<char> to) const {
  for (;;) {
    const ssize_t count = pread(file->number(), to.data(), to.size(), static_cast<off_t>(at));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return 0;
  }
}

OpenedFile open_below(const std::filesystem::path& root, const std::string& path) {
  Descriptor folder(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::size_t start = 0;
  for (std::size_t end; (end = path.find('/', start)) != std::string::npos; start = end + 1) {
    if (folder.number() < 0) return {.status = status_of(errno)};
    folder = Descriptor(openat(folder.number(), path.substr(start, end - start).c_str(),
                               O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (folder.number() < 0) return {.status = status_of(errno)};
  // Non-blocking, so that a pipe in the folder cannot block a thread.
  Descriptor file(openat(folder.number(), path.c_str() + start,
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0) return {.status = status_of(errno)};
  struct stat about {};
  if (fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) return {.status = 404};
  return {200, std::make_shared<Descriptor>(std::move(file)),
          static_cast<std::uint64_t>(about.st_size)};
}

// --- Content types, and how long a browser may keep a file.

namespace {

struct Media {
  std::string_view ending, type;
};
constexpr Media kMedia[] = {
    {"html", "text/html; charset=utf-8"},
    {"js", "text/javascript; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"json", "application/json"},
    {"map", "application/json"},
    {"webmanifest", "application/manifest+json"},
    {"svg", "image/svg+xml"},
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"webp", "image/webp"},
    {"ico", "image/x-icon"},
    {"woff2", "font/woff2"},
    {"woff", "font/woff"},
    {"ttf", "font/ttf"},
    {"mp4", "video/mp4"},
    {"webm", "video/webm"},
    {"txt", "text/plain; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"toml", "text/plain; charset=utf-8"},
};

constexpr std::string_view kNameOfHash =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string_view media_type(std::string_view path) {
  const std::string_view name = name_of(path);
  const std::size_t dot = name.rfind('.');
  const std::string_view ending = dot == std::string_view::npos ? "" : name.substr(dot + 1);
  for (const Media& media : kMedia)
    if (media.ending == ending) return media.type;
  return "application/octet-stream";  // safetensors, npy, bin
}

std::string_view cache_rule(std::string_view path) {
  // Vite writes assets/NAME-HASH.ENDING, eight characters of URL-safe base 64.
  constexpr std::size_t length = 8;
  const std::string_view name = name_of(path), stem = name.substr(0, name.find('.'));
  const bool hashed =
      path.substr(0, 7) == "assets/" && stem.size() > length + 1 &&
      stem[stem.size() - length - 1] == '-' &&
      stem.find_first_not_of(kNameOfHash, stem.size() - length) == std::string_view::npos;
  return hashed ? "public, max-age=31536000, immutable" : "no-cache";
}

bool is_shown_of_run(std::string_view file) {
  constexpr std::string_view kShown[] = {"model.safetensors", "trajectory.npy", "times.npy",
                                         "observables.csv",   "summary.json",   "config.toml"};
  return std::find(std::begin(kShown), std::end(kShown), file) != std::end(kShown);
}

// --- The runs of a folder as the page lists them.

namespace {

namespace fs = std::filesystem;

std::string encoded(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

nlohmann::json address_of(const fs::path& run, const char* file) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(run / file, ignored))) return nullptr;
  return fmt::format("/runs/{}/{}", encoded(run.filename().string()), file);
}

nlohmann::json row_of(const RunReader& run, const ShownKind& kind) {
  const fs::path& directory = run.directory();
  nlohmann::json row = {{"name", directory.filename().string()},
                        {"kind", run.command()},
                        {"status", run.status()},
                        {"n", run.shape().n},
                        {"d", run.shape().d},
                        {"frames", run.frames()},
                        {"digits", nullptr},
                        {"accuracy", nullptr},
                        {"model", address_of(directory, "model.safetensors")},
                        {"trajectory", address_of(directory, "trajectory.npy")},
                        {"times", address_of(directory, "times.npy")},
                        {"observables", address_of(directory, "observables.csv")},
                        {"summary", address_of(directory, "summary.json")},
                        {"config", address_of(directory, "config.toml")}};
  if (kind.facts) row.update(json_of_text(kind.facts(directory)));
  return row;
}

// Links are not followed, so nothing outside the folder is shown.
std::vector<fs::path> runs_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const bool hidden = at->path().filename().string().front() == '.';
    if (!hidden && fs::is_directory(at->symlink_status(ignored)) &&
        fs::is_regular_file(fs::symlink_status(at->path() / "manifest.json", ignored)))
      found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string list_runs(const fs::path& runs, const std::vector<ShownKind>& kinds) {
  nlohmann::json rows = nlohmann::json::array();
  for (const fs::path& directory : runs_of(runs)) {
    const std::string name = directory.filename().string();
    try {
      const RunReader run(directory);
      for (const ShownKind& kind : kinds)
        if (kind.word == run.command()) rows.push_back(row_of(run, kind));
    } catch (const Error& error) {
      rows.push_back({{"name", name}, {"kind", "damaged"}, {"note", error.summary}});
    } catch (const fs::filesystem_error& error) {
      rows.push_back({{"name", name}, {"kind", "damaged"}, {"note", error.code().message()}});
    }
  }
  return json_text(rows, 2) + "\n";
}

// --- Replies.

namespace {

// Allows scripts, workers and wasm of the page itself, and blobs for pictures and films that it
// makes. KaTeX uses style attributes.
constexpr std::string_view kCommonHeaders =
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
    {500, "Internal Server Error", "the server failed at this request; it continues with others"},
    {503, "Service Unavailable", "files or memory have run out for a moment; try again"},
    {505, "HTTP Version Not Supported", "only HTTP/1.0 and HTTP/1.1 are supported"},
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

Reply file_answer(const HttpRequest& asked, const OpenedFile& opened) {
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

Reply coded_answer(const HttpRequest& asked, const OpenedFile& copy, std::string_view coding) {
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
      answer.length(), answer.type, kCommonHeaders);
}

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
