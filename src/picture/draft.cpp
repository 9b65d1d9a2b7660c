// draft.cpp: judges what a tool left by its first and last bytes, brings it to disk, renames it.
#include "picture/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "murmur/error.h"
#include "picture/recipe.h"
#include "run/file.h"
#include "run/formats.h"

namespace murmur::picture {

namespace {

namespace fs = std::filesystem;

std::string text_at(const File& file, std::uint64_t at, std::size_t length) {
  std::string text(length, '\0');
  file.read_at(at, std::as_writable_bytes(std::span(text)));
  return text;
}

std::uint64_t big_endian(const std::string& bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// ISO base media: boxes of a size and a name, one after another to the end of the file; the first
// is ftyp, and the index moov and the frames mdat are among them.
bool is_whole_mp4(const File& file) {
  bool index = false, frames = false;
  std::uint64_t at = 0;
  const std::uint64_t end = file.size();
  while (end - at >= 16) {
    std::uint64_t size = big_endian(text_at(file, at, 4));
    const std::string name = text_at(file, at + 4, 4);
    if (size == 1) size = big_endian(text_at(file, at + 8, 8));
    if (size < 8 || size > end - at || (at == 0 && name != "ftyp")) return false;
    index = index || name == "moov";
    frames = frames || name == "mdat";
    at += size;
  }
  return (at == end || end - at == 8) && index && frames;
}

// A PDF says when it was made: in its place stands the first second of 1970, of the same length, so
// that the same figure has the same bytes.
void take_the_date_out(const fs::path& path) {
  constexpr std::string_view kDate = "/CreationDate (D:", kThen = "19700101000000";
  const std::string text = read_text(path);
  const std::size_t found = text.find(kDate);
  if (found == std::string::npos || text.size() < found + kDate.size() + kThen.size()) return;
  File::writing(path).write_at(found + kDate.size(), kThen);
}

}  // namespace

bool is_whole_picture(const fs::path& path, const std::string& ending) {
  const File file = File::reading(path);
  const std::uint64_t size = file.size();
  if (size < 16) return false;
  if (ending == ".mp4") return is_whole_mp4(file);
  const std::string head = text_at(file, 0, std::min<std::uint64_t>(size, 512));
  const std::string tail =
      text_at(file, size - std::min<std::uint64_t>(size, 64), std::min<std::uint64_t>(size, 64));
  if (ending == ".svg")
    return (head.starts_with("<?xml") || head.starts_with("<svg")) &&
           head.find("<svg") != std::string::npos && tail.find("</svg>") != std::string::npos;
  if (ending == ".png")
    return head.starts_with("\x89PNG\r\n\x1a\n") && tail.find("IEND") != std::string::npos;
  if (ending == ".gif") return head.starts_with("GIF89a") && tail.ends_with('\x3b');
  if (ending == ".pdf") return head.starts_with("%PDF-") && tail.find("%%EOF") != std::string::npos;
  return true;
}

Draft::Draft(const fs::path& place) : place_(place) {
  std::error_code failure, ignored;
  const fs::path folder = place.parent_path();
  if (!folder.empty()) fs::create_directories(folder, failure);
  const fs::file_status there = fs::status(place, ignored);
  if (failure || (fs::exists(there) && !fs::is_regular_file(there)))
    throw Error(Fault::runtime, "the picture cannot be written there", place.string(),
                "name a file in a folder that you may write to");
  path_ = hidden_sibling(place, "part");
}

Draft::~Draft() {
  if (!kept_) remove_quietly(path_);
}

void Draft::keep(const char* tool) {
  const char* remedy = "check that the disk has room and that this program is the one it is called";
  std::error_code ignored;
  if (!fs::is_regular_file(path_, ignored) || fs::file_size(path_, ignored) == 0)
    throw Error(Fault::runtime, fmt::format("the program {} left no picture", tool),
                place_.string(), remedy);
  if (!is_whole_picture(path_, place_.extension().string()))
    throw Error(Fault::runtime, fmt::format("the picture that {} left is not whole", tool),
                place_.string(), remedy);
  const std::string ending = place_.extension().string();
  if (ending == ".pdf") take_the_date_out(path_);
  if (const std::string recipe = recipe_for(place_); ending != ".mp4" && !recipe.empty())
    write_file_atomically(path_, with_recipe(read_text(path_), ending, recipe));
  File::writing(path_).sync();
  rename_path(path_, place_);
  kept_ = true;
  sync_directory(parent_of(place_));
}

}  // namespace murmur::picture
