// media.cpp: what a file is called in an answer, and how long a browser may keep it.
#include <algorithm>

#include "serve/serve.h"

namespace murmur {
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

}  // namespace murmur
