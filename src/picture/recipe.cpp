// recipe.cpp: puts text into the places that PNG, GIF, SVG and PDF have for it, and finds it there.
#include "picture/recipe.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>

namespace murmur::picture {

namespace {

const RecipeOf* current = nullptr;  // of the innermost Signature

constexpr std::string_view kPngHead = "\x89PNG\r\n\x1a\n";
constexpr std::size_t kChunkFrame = 12;  // bytes of a chunk around its data: size, name, checksum
// Keyword, no compression, no language, no translated keyword.
constexpr std::string_view kPngKeyword("murmur\0\0\0\0\0", 11);
constexpr std::string_view kSvgBegin = "<metadata id=\"murmur\"><![CDATA[";
constexpr std::string_view kSvgEnd = "]]></metadata>";
constexpr std::string_view kPdfBegin = "\n%murmur ";

std::string big_endian(std::uint32_t value) {
  std::string bytes(4, '\0');
  for (int k = 0; k < 4; ++k) bytes[k] = static_cast<char>(value >> (24 - 8 * k) & 0xff);
  return bytes;
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int k = 0; k < size; ++k) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

std::string png_chunk(const std::string& name, const std::string& data) {
  const std::string summed = name + data;
  const uLong sum =
      crc32(0, reinterpret_cast<const Bytef*>(summed.data()), static_cast<uInt>(summed.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + summed +
         big_endian(static_cast<std::uint32_t>(sum));
}

// Calls take(name, data) for every chunk until it returns true.
template <typename Take>
void for_chunks(std::string_view png, const Take& take) {
  std::size_t at = kPngHead.size();
  while (png.size() - at >= kChunkFrame) {
    const std::uint64_t size = number_at(png, at, 4);
    if (size > png.size() - at - kChunkFrame) return;
    if (take(png.substr(at + 4, 4), png.substr(at + 8, size))) return;
    at += kChunkFrame + size;
  }
}

std::optional<std::string> recipe_in_png(std::string_view png) {
  std::optional<std::string> found;
  for_chunks(png, [&](std::string_view name, std::string_view data) {
    if (name == "iTXt" && data.substr(0, kPngKeyword.size()) == kPngKeyword)
      found = std::string(data.substr(kPngKeyword.size()));
    return found.has_value();
  });
  return found;
}

// Returns the text between two marks, after the last occurrence of the first.
std::optional<std::string> between(std::string_view bytes, std::string_view begin,
                                   std::string_view end) {
  const std::size_t from = bytes.rfind(begin);
  if (from == bytes.npos) return std::nullopt;
  const std::size_t to = bytes.find(end, from + begin.size());
  if (to == bytes.npos) return std::nullopt;
  return std::string(bytes.substr(from + begin.size(), to - from - begin.size()));
}

// The inside of the first box of a name among the boxes of an ISO base media file.
std::optional<std::string_view> box_in(std::string_view boxes, std::string_view name) {
  while (boxes.size() >= 8) {
    std::uint64_t size = number_at(boxes, 0, 4);
    std::size_t head = 8;
    if (size == 1 && boxes.size() >= 16) {
      size = number_at(boxes, 8, 8);
      head = 16;
    }
    if (size < head || size > boxes.size()) return std::nullopt;
    if (boxes.substr(4, 4) == name) return boxes.substr(head, size - head);
    boxes.remove_prefix(size);
  }
  return std::nullopt;
}

// moov/udta/meta/ilst/(c)cmt/data: `meta` begins with four bytes of version, `data` with eight of
// type and language.
std::optional<std::string> recipe_in_mp4(std::string_view bytes) {
  std::optional<std::string_view> box = bytes;
  for (const std::string_view name : {"moov", "udta", "meta", "ilst",
                                      "\xa9"
                                      "cmt",
                                      "data"}) {
    box = box_in(*box, name);
    const std::size_t skipped = name == "meta" ? 4 : name == "data" ? 8 : 0;
    if (!box || box->size() < skipped) return std::nullopt;
    box->remove_prefix(skipped);
  }
  return std::string(*box);
}

// The offset of the blocks of a GIF: after six bytes of name, seven of screen, and the common
// colours.
std::size_t gif_blocks(std::string_view gif) {
  constexpr std::size_t kHead = 13;
  if (gif.size() < kHead) return gif.size();
  const unsigned flags = static_cast<unsigned char>(gif[10]);
  const std::size_t colours = (flags & 0x80u) != 0 ? std::size_t{3} << ((flags & 7u) + 1) : 0;
  return std::min(gif.size(), kHead + colours);
}

// The first comment before the first picture. Data are in parts: a byte with the size, then that
// many bytes.
std::optional<std::string> recipe_in_gif(std::string_view gif) {
  std::size_t at = gif_blocks(gif);
  while (at + 2 < gif.size() && gif[at] == '\x21') {
    const bool comment = gif[at + 1] == '\xfe';
    std::string text;
    at += 2;
    while (at < gif.size() && gif[at] != '\0') {
      const std::size_t size = static_cast<unsigned char>(gif[at]);
      text += gif.substr(at + 1, size);
      at = std::min(gif.size(), at + 1 + size);
    }
    if (at == gif.size()) return std::nullopt;  // cut off
    if (comment) return text;
    ++at;
  }
  return std::nullopt;
}

std::string gif_comment(std::string_view text) {
  std::string block = "\x21\xfe";
  for (std::size_t at = 0; at < text.size(); at += 255) {
    const std::string_view part = text.substr(at, 255);
    block += static_cast<char>(part.size());
    block += part;
  }
  return block + '\0';
}

}  // namespace

Signature::Signature(RecipeOf recipe) : recipe_(std::move(recipe)), outer_(current) {
  current = &recipe_;
}
Signature::~Signature() { current = outer_; }

std::string recipe_for(const std::filesystem::path& place) {
  return current != nullptr ? (*current)(place) : std::string();
}

std::string with_recipe(std::string bytes, std::string_view ending, std::string_view recipe) {
  if (recipe.empty()) return bytes;
  const std::string text(recipe);
  if (ending == ".png" && std::string_view(bytes).substr(0, kPngHead.size()) == kPngHead) {
    const std::size_t header = kChunkFrame + 13;  // IHDR
    bytes.insert(std::min(bytes.size(), kPngHead.size() + header),
                 png_chunk("iTXt", std::string(kPngKeyword) + text));
  } else if (ending == ".gif") {
    bytes.insert(gif_blocks(bytes), gif_comment(text));
  } else if (ending == ".svg") {
    const std::size_t open = bytes.find("<svg");
    const std::size_t close = open == bytes.npos ? open : bytes.find('>', open);
    if (close == bytes.npos) return bytes;
    std::string safe;  // must not contain "]]>"
    for (const char c : text)
      if (c == '>')
        safe += "\\u003e";
      else
        safe += c;
    bytes.insert(close + 1, fmt::format("\n{}{}{}", kSvgBegin, safe, kSvgEnd));
  } else if (ending == ".pdf") {
    const std::size_t start = bytes.rfind("startxref");
    if (start == bytes.npos) return bytes;
    const std::string end = bytes.substr(start);
    bytes += fmt::format("{}{}\n{}", kPdfBegin.substr(bytes.back() == '\n' ? 1 : 0), text, end);
  }
  return bytes;
}

std::optional<std::string> recipe_in(std::string_view bytes) {
  if (bytes.substr(0, kPngHead.size()) == kPngHead) return recipe_in_png(bytes);
  if (bytes.substr(0, 4) == "GIF8") return recipe_in_gif(bytes);
  if (bytes.substr(0, 5) == "%PDF-") return between(bytes, kPdfBegin, "\n");
  if (bytes.size() > 8 && bytes.substr(4, 4) == "ftyp") return recipe_in_mp4(bytes);
  if (bytes.substr(0, 5) == "<?xml" || bytes.substr(0, 4) == "<svg")
    return between(bytes, kSvgBegin, kSvgEnd);
  return std::nullopt;
}

}  // namespace murmur::picture
