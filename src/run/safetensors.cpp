// safetensors.cpp: reads and writes safetensors files; the header is checked before memory is
// taken.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "run/formats.h"
#include "run/source.h"
#include "run/tensor_places.h"

namespace murmur {

// --- A cursor over the JSON text of the header: one pass, nothing is built.

// A cursor over the header of a safetensors file. The caller names what must come next, which
// bounds the depth; anything else is Error(input) with the byte offset.
class HeaderJson {
 public:
  HeaderJson(const Source& source, std::uint64_t start, std::uint64_t end);

  // Calls value(key) with the cursor before each value; the callee must take it.
  template <std::invocable<std::string> Value>
  void object(Value&& value) {
    expect('{');
    if (accept('}')) return;
    do {
      std::string key = string();
      expect(':');
      value(std::move(key));
    } while (accept(','));
    expect('}');
  }

  // Calls value() with the cursor before each value; the callee must take it.
  template <std::invocable Value>
  void array(Value&& value) {
    expect('[');
    if (accept(']')) return;
    do value();
    while (accept(','));
    expect(']');
  }

  std::string string();          // valid UTF-8, escapes resolved
  std::uint64_t whole_number();  // no sign, fraction, exponent or leading zero
  void finish();                 // only white space may follow

  [[noreturn]] void fail(std::string_view what, std::string_view remedy) const;

 private:
  int byte(std::size_t ahead = 0);  // at the cursor or a little after it; -1 after the end
  bool accept(char c);
  void expect(char c);
  void skip_space();
  void escape(std::string& out);  // after the backslash
  std::uint32_t four_hex_digits();
  void raw_character(std::string& out);  // one UTF-8 sequence

  const Source& source_;
  std::uint64_t at_, end_;
  std::uint64_t window_at_ = 0;  // offset of the window in the file
  std::string window_{};
};

namespace {

constexpr std::uint64_t window_size = 4096;
constexpr std::string_view rewrite = "download or write the file again";

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr std::uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(lead[more] | point >> 6 * more);
  for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80 | (point >> 6 * k & 0x3F));
}

}  // namespace

HeaderJson::HeaderJson(const Source& source, std::uint64_t start, std::uint64_t end)
    : source_(source), at_(start), end_(end) {}

void HeaderJson::fail(std::string_view what, std::string_view remedy) const {
  throw source_.wrong(at_, what, remedy);
}

int HeaderJson::byte(std::size_t ahead) {
  const std::uint64_t wanted = at_ + ahead;
  if (wanted >= end_) return -1;
  if (wanted >= window_at_ + window_.size()) {
    window_at_ = at_;
    window_ = source_.text(at_, std::min<std::uint64_t>(window_size, end_ - at_));
  }
  return static_cast<unsigned char>(window_[wanted - window_at_]);
}

void HeaderJson::skip_space() {
  while (byte() == ' ' || byte() == '\t' || byte() == '\r' || byte() == '\n') ++at_;
}

bool HeaderJson::accept(char c) {
  skip_space();
  const bool found = byte() == c;
  at_ += found;
  return found;
}

void HeaderJson::expect(char c) {
  if (!accept(c)) fail(fmt::format("the safetensors header lacks a '{}' here", c), rewrite);
}

void HeaderJson::finish() {
  skip_space();
  if (at_ < end_) fail("the safetensors header goes on after its object", rewrite);
}

std::uint64_t HeaderJson::whole_number() {
  skip_space();
  const auto digit = [this] { return byte() >= '0' && byte() <= '9'; };
  if (!digit()) fail("the safetensors header lacks a whole number here", rewrite);
  if (byte() == '0' && byte(1) >= '0' && byte(1) <= '9') fail("a number begins with 0", rewrite);
  std::uint64_t value = 0;
  for (; digit(); ++at_) {
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(byte() - '0'), &value))
      fail("a number is too large for any file", rewrite);
  }
  return value;
}

std::string HeaderJson::string() {
  expect('"');
  std::string out;
  while (byte() != '"') {
    if (byte() == '\\') {
      ++at_;
      escape(out);
    } else {
      raw_character(out);
    }
  }
  ++at_;
  return out;
}

void HeaderJson::escape(std::string& out) {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  if (byte() > 0 && letters.find(static_cast<char>(byte())) != std::string_view::npos) {
    out += meanings[letters.find(static_cast<char>(byte()))];
    ++at_;
    return;
  }
  if (byte() != 'u') fail("a text holds an unknown escape", rewrite);
  ++at_;
  std::uint32_t point = four_hex_digits();
  if (point >= 0xD800 && point < 0xDC00) {  // the first of a surrogate pair
    if (byte() != '\\' || byte(1) != 'u') fail("a text holds half a character", rewrite);
    at_ += 2;
    const std::uint32_t low = four_hex_digits();
    if (low < 0xDC00 || low > 0xDFFF) fail("a text holds half a character", rewrite);
    point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
  } else if (point >= 0xDC00 && point <= 0xDFFF) {
    fail("a text holds half a character", rewrite);
  }
  append_utf8(out, point);
}

std::uint32_t HeaderJson::four_hex_digits() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint32_t value = 0;
  for (int k = 0; k < 4; ++k, ++at_) {
    const int c = byte() >= 'A' && byte() <= 'F' ? byte() + ('a' - 'A') : byte();
    const std::size_t digit = c > 0 ? digits.find(static_cast<char>(c)) : std::string_view::npos;
    if (digit == std::string_view::npos) fail("a text holds an unknown escape", rewrite);
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return value;
}

void HeaderJson::raw_character(std::string& out) {
  const int lead = byte();
  if (lead < 0) fail("a text of the safetensors header does not end", rewrite);
  if (lead < 0x20) fail("a text holds a control character", rewrite);
  int more = 0;  // bytes after the lead
  if (lead >= 0x80) more = lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : -1;
  if (more < 0) fail("a text is not UTF-8", rewrite);
  std::uint32_t point = static_cast<std::uint32_t>(more == 0 ? lead : lead & (0x3F >> more));
  for (int k = 1; k <= more; ++k) {
    const int next = byte(static_cast<std::size_t>(k));
    if (next < 0 || next >> 6 != 2) fail("a text is not UTF-8", rewrite);
    point = point << 6 | static_cast<std::uint32_t>(next & 0x3F);
  }
  // Overlong forms, surrogates and points beyond Unicode are not UTF-8.
  constexpr std::uint32_t min[] = {0, 0x80, 0x800, 0x10000};
  if (point < min[more] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
    fail("a text is not UTF-8", rewrite);
  append_utf8(out, point);
  at_ += static_cast<std::size_t>(more) + 1;
}

// --- Tensors.

namespace {

constexpr std::uint64_t longest_header = 100'000'000;
constexpr std::size_t most_axes = 32;
constexpr std::size_t most_metadata = 512;
constexpr std::string_view metadata_key = "__metadata__";

constexpr std::array<std::pair<std::string_view, Element>, 7> types{{{"F64", Element::f64},
                                                                     {"F32", Element::f32},
                                                                     {"F16", Element::f16},
                                                                     {"BF16", Element::bf16},
                                                                     {"I64", Element::i64},
                                                                     {"I32", Element::i32},
                                                                     {"U8", Element::u8}}};

// Offsets of the data of one tensor, from the start of all data.
struct Extent {
  std::uint64_t begin = 0, end = 0;
  Element element = Element::f64;
  Array* array = nullptr;  // its shape is known, its values are read later
};

// Reads the header in one pass: names and shapes into `content`, extents in the order of the
// header.
class Header {
 public:
  Header(const Source& source, std::uint64_t length, Safetensors& content)
      : json_(source, 8, 8 + length), content_(content) {
    json_.object([this](std::string name) {
      if (name == metadata_key)
        metadata();
      else
        tensor(std::move(name));
    });
    json_.finish();
  }

  std::deque<Extent> extents{};

 private:
  void metadata() {
    if (has_metadata_) json_.fail("the safetensors header gives __metadata__ twice", rewrite);
    has_metadata_ = true;
    json_.object([this](std::string key) {
      if (content_.metadata.size() == most_metadata)
        json_.fail("the safetensors header has more than 512 entries of metadata", rewrite);
      const auto [entry, fresh] = content_.metadata.try_emplace(std::move(key));
      if (!fresh) json_.fail("the safetensors metadata gives one name twice", rewrite);
      entry->second = json_.string();
    });
  }

  void tensor(std::string name) {
    const auto entry = content_.tensors.try_emplace(std::move(name));
    if (!entry.second) json_.fail("the safetensors header gives one tensor twice", rewrite);
    Array& array = entry.first->second;
    Extent extent{.array = &array};
    bool has_type = false, has_shape = false, has_offsets = false;
    json_.object([&](std::string key) {
      if (key == "dtype" && !has_type) {
        extent.element = element(), has_type = true;
      } else if (key == "shape" && !has_shape) {
        array.shape = shape(), has_shape = true;
      } else if (key == "data_offsets" && !has_offsets) {
        offsets(extent), has_offsets = true;
      } else {
        json_.fail("a tensor's entry has an unknown or repeated key", rewrite);
      }
    });
    if (!has_type || !has_shape || !has_offsets)
      json_.fail("a tensor's entry lacks dtype, shape or data_offsets", rewrite);
    if (bytes_of(extent.element, array.shape) != extent.end - extent.begin)
      json_.fail("a tensor's data offsets disagree with its shape and dtype", rewrite);
    extents.push_back(extent);
  }

  Element element() {
    const std::string word = json_.string();
    for (const auto& [name, element] : types)
      if (word == name) return element;
    json_.fail("a tensor's dtype is none of F64, F32, F16, BF16, I64, I32, U8",
               "convert the tensors to one of these types");
  }

  std::vector<std::size_t> shape() {
    std::array<std::size_t, most_axes> axes;
    std::size_t count = 0;
    json_.array([&] {
      if (count == most_axes) json_.fail("a tensor has more than 32 axes", rewrite);
      axes[count++] = json_.whole_number();
    });
    return {axes.begin(), axes.begin() + count};
  }

  void offsets(Extent& extent) {
    std::size_t count = 0;
    json_.array([&] {
      const std::uint64_t value = json_.whole_number();
      (count == 0 ? extent.begin : extent.end) = value;
      if (++count > 2) json_.fail("data_offsets has more than two numbers", rewrite);
    });
    if (count < 2 || extent.end < extent.begin)
      json_.fail("data_offsets is not a pair in rising order", rewrite);
  }

  HeaderJson json_;
  Safetensors& content_;
  bool has_metadata_ = false;
};

// Sorted by offset, each tensor must begin where the one before it ends, up to the end of the file.
void require_contiguous(std::deque<Extent>& extents, const Source& source, std::uint64_t data) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::uint64_t end = 0;
  for (const Extent& extent : extents) {
    if (extent.begin != end)
      throw source.wrong(data + std::min(end, extent.begin),
                         "the data of tensors overlaps or leaves a hole", rewrite);
    end = extent.end;
  }
  const std::uint64_t held = source.size - data;
  if (end > held)
    throw source.wrong(source.size,
                       fmt::format("the safetensors file is truncated: {} bytes are missing of {}",
                                   end - held, end),
                       rewrite);
  if (end < held)
    throw source.wrong(
        data + end,
        fmt::format("the safetensors file goes on for {} bytes after its tensors", held - end),
        rewrite);
}

// Names, shapes, metadata and extents; the extents are sorted and count from `data`.
struct Layout {
  Safetensors content{};
  std::deque<Extent> extents{};
  std::uint64_t data = 0;
};

Layout layout_of(const Source& source) {
  if (source.size < 10)
    throw source.wrong(source.size, "the file is too short to be a safetensors file", rewrite);
  std::uint64_t length = 0;
  source.read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > longest_header || length > source.size - 8)
    throw source.wrong(
        0, fmt::format("the safetensors header claims {} bytes, more than there can be", length),
        rewrite);
  if (length == 0 || source.text(8, 1) != "{")
    throw source.wrong(8, "the safetensors header does not begin with '{'", rewrite);
  Layout layout{.data = 8 + length};
  layout.extents = std::move(Header(source, length, layout.content).extents);
  require_contiguous(layout.extents, source, layout.data);
  return layout;
}

Safetensors read_all(const Source& source) {
  Layout layout = layout_of(source);
  for (const Extent& extent : layout.extents)
    extent.array->values = read_values(source, layout.data + extent.begin, extent.element,
                                       (extent.end - extent.begin) / bytes_of(extent.element));
  return std::move(layout.content);
}

std::string_view name_of(Element element) {
  return std::find_if(types.begin(), types.end(),
                      [&](const auto& type) { return type.second == element; })
      ->first;
}

}  // namespace

std::map<std::string, TensorOnDisk> tensor_places(const Source& source) {
  const Layout layout = layout_of(source);
  std::map<const Array*, const Extent*> extents;
  for (const Extent& extent : layout.extents) extents[extent.array] = &extent;
  std::map<std::string, TensorOnDisk> places;
  for (const auto& [name, array] : layout.content.tensors) {
    const Extent& extent = *extents.at(&array);
    places[name] = {array.shape, extent.element, layout.data + extent.begin};
  }
  return places;
}

Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& where) {
  return read_all(source_of(bytes, where));
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  const File file = File::reading(path);
  return read_all(source_of(file));
}

void write_safetensors(const std::filesystem::path& path, const Safetensors& content) {
  // Wide types first, then by name: every tensor is aligned, and equal content gives equal bytes.
  std::vector<Record::const_pointer> order;
  for (const auto& entry : content.tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return bytes_of(element_of(a->second)) > bytes_of(element_of(b->second));
  });

  nlohmann::json header = nlohmann::json::object();
  if (!content.metadata.empty()) header[std::string(metadata_key)] = content.metadata;
  std::uint64_t end = 0;
  for (const auto* entry : order) {
    const auto& [name, array] = *entry;
    assert(name != metadata_key);
    assert(bytes_of(array).size() == array.size() * bytes_of(element_of(array)));
    const std::uint64_t begin = end;
    end += bytes_of(array).size();
    header[name] = {{"dtype", name_of(element_of(array))},
                    {"shape", array.shape},
                    {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();

  Replacement replacement(path);
  replacement.write(std::as_bytes(std::span(&length, 1)));
  replacement.write(text);
  for (const auto* entry : order) replacement.write(bytes_of(entry->second));
  replacement.commit();
}

}  // namespace murmur
