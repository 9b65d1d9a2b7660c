// answer.cpp: composes answers: refusals, files and parts of files, the list of runs, headers.
#include "serve/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

}  // namespace murmur
