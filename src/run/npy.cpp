// npy.cpp: reads and writes npy files, and npy files that grow by whole rows.
#include "run/npy.h"

#include <fmt/format.h>

#include <cassert>
#include <map>
#include <memory>
#include <mutex>

#include "run/formats.h"
#include "run/text.h"

namespace murmur {
namespace {

// \x93NUMPY, version (2 bytes), length of the header (2 bytes; 4 from version 2), the header.
constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 10'000;  // the same limit as in numpy
constexpr std::size_t most_axes = 32;
constexpr std::size_t alignment = 64;
constexpr std::string_view convert =
    "save it again with numpy.save(path, numpy.ascontiguousarray(array, dtype='<f8'))";
constexpr std::string_view rewrite = "write the file again, for example with numpy.save";

// The header: a Python dict literal of exactly descr, fortran_order and shape.
class HeaderText {
 public:
  HeaderText(const Source& source, std::uint64_t start, std::string text)
      : source_(source), start_(start), text_(std::move(text)) {}

  NpyHeader parse() {
    NpyHeader header;
    header.data_offset = start_ + text_.size();
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::size_t key_at = at_;
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !has_descr) {
        header.element = element(), has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        header.fortran_order = boolean(), has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = tuple(), has_shape = true;
      } else {
        at_ = key_at;
        fail("the npy header has an unknown or repeated key", rewrite);
      }
      if (!accept(',') && peek() != '}') fail("the npy header lacks a comma or brace", rewrite);
    }
    if (peek() != '\0' || at_ < text_.size())
      fail("the npy header goes on after its dictionary", rewrite);
    if (!has_descr || !has_order || !has_shape)
      fail("the npy header lacks descr, fortran_order or shape", rewrite);
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view remedy) const {
    throw source_.wrong(start_ + at_, what, remedy);
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    const bool found = peek() == c && at_ < text_.size();
    at_ += found;
    return found;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("the npy header lacks a '{}'", c), rewrite);
  }

  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("the npy header lacks a quoted word", rewrite);
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail("a text of the npy header does not end", rewrite);
    std::string word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return word;
  }

  bool boolean() {
    peek();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.compare(at_, word.size(), word) == 0) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail("fortran_order of the npy header is neither True nor False", rewrite);
  }

  Element element() {
    if (peek() == '[') fail("the npy file holds records with named fields", convert);
    const std::size_t descr_at = at_;
    const std::string descr = quoted();
    const auto is = [&](std::string_view type) {
      return descr.size() == 3 && descr.substr(1) == type && (descr[0] == '<' || descr[0] == '=');
    };
    if (is("f8")) return Element::f64;
    if (is("f4")) return Element::f32;
    if (is("i8")) return Element::i64;
    if (is("i4")) return Element::i32;
    if (is("u1") || is("b1") || descr == "|u1" || descr == "|b1") return Element::u8;
    at_ = descr_at;
    if (descr.find('O') != std::string::npos)
      fail("the npy file holds pickled Python objects, which are never opened here", convert);
    fail("the npy file holds values other than little-endian f4, f8, i4, i8, u1 or b1", convert);
  }

  std::size_t extent() {
    if (peek() < '0' || peek() > '9') fail("the npy shape holds something not a number", rewrite);
    std::size_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const std::size_t digit = static_cast<std::size_t>(text_[at_] - '0');
      if (__builtin_mul_overflow(value, std::size_t{10}, &value) ||
          __builtin_add_overflow(value, digit, &value))
        fail("the npy shape holds a number too large for any machine", rewrite);
    }
    return value;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> shape;
    expect('(');
    bool comma = true;  // Python reads (5) as a number, (5,) as a tuple
    while (peek() != ')') {
      if (!comma) fail("the npy shape lacks a comma", rewrite);
      if (shape.size() == most_axes) fail("the npy shape has more than 32 axes", rewrite);
      shape.push_back(extent());
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) fail("the npy shape of one axis lacks its comma", rewrite);
    expect(')');
    return shape;
  }

  const Source& source_;
  std::uint64_t start_;  // offset of the text in the file
  std::string text_;
  std::size_t at_ = 0;
};

// In Fortran order the first index varies fastest, in C order the last one.
template <class T>
std::vector<T> in_c_order(const std::vector<T>& fortran, const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (std::size_t axis = 1; axis < shape.size(); ++axis)
    stride[axis] = stride[axis - 1] * shape[axis - 1];
  std::vector<T> values(fortran.size());
  std::size_t from = 0;
  for (T& value : values) {
    value = fortran[from];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return values;
}

Array read_array(const Source& source) {
  const NpyHeader header = read_npy_header(source);
  const std::uint64_t held = source.size - header.data_offset;
  const auto needed = bytes_of(header.element, header.shape);
  if (!needed)
    throw source.wrong(header.data_offset, "the npy shape is larger than any file", rewrite);
  if (held < *needed)
    throw source.wrong(source.size,
                       fmt::format("the npy file is truncated: {} bytes are missing of {}",
                                   *needed - held, *needed),
                       "copy or write the file again");
  if (held > *needed)
    throw source.wrong(
        header.data_offset + *needed,
        fmt::format("the npy file goes on for {} bytes after its array", held - *needed), rewrite);
  Array array;
  array.values =
      read_values(source, header.data_offset, header.element, *needed / bytes_of(header.element));
  if (header.fortran_order && header.shape.size() > 1)
    std::visit([&](auto& v) { v = in_c_order(v, header.shape); }, array.values);
  array.shape = header.shape;
  return array;
}

std::string_view descr_of(Element element) {
  switch (element) {
    case Element::f64:
      return "<f8";
    case Element::f32:
      return "<f4";
    case Element::i64:
      return "<i8";
    case Element::i32:
      return "<i4";
    default:
      return "|u1";
  }
}

std::string axes_text(const std::vector<std::size_t>& shape) {
  return fmt::format("{}{}", joined(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

NpyHeader read_npy_header(const Source& source) {
  const std::size_t prefix = magic.size() + 2;
  if (source.size < prefix + 2 || source.text(0, magic.size()) != magic)
    throw source.wrong(0, "this is not an npy file: it does not begin with \\x93NUMPY",
                       "give a file written by numpy.save");
  const int version = static_cast<unsigned char>(source.text(magic.size(), 1)[0]);
  if (version < 1 || version > 3)
    throw source.wrong(magic.size(), fmt::format("the npy version {} is unknown", version),
                       rewrite);
  const std::size_t width = version == 1 ? 2 : 4;
  std::uint64_t length = 0;
  if (source.size < prefix + width)
    throw source.wrong(source.size, "the npy file ends inside its header", rewrite);
  const std::string digits = source.text(prefix, width);
  for (std::size_t k = 0; k < width; ++k)
    length |= std::uint64_t{static_cast<unsigned char>(digits[k])} << 8 * k;
  const std::uint64_t start = prefix + width;
  if (length > longest_header)
    throw source.wrong(
        prefix, fmt::format("the npy header claims {} bytes; 10000 is the most", length), rewrite);
  if (length > source.size - start)
    throw source.wrong(source.size, "the npy file ends inside its header", rewrite);
  return HeaderText(source, start, source.text(start, length)).parse();
}

std::string npy_header_text(Element element, std::string_view axes) {
  const std::string dictionary = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr_of(element), axes);
  const std::size_t before = magic.size() + 4;
  const std::size_t unpadded = before + dictionary.size() + 1;
  const std::size_t total = (unpadded + alignment - 1) / alignment * alignment;
  const std::size_t length = total - before;
  std::string header(magic);
  header += {1, 0, static_cast<char>(length & 255), static_cast<char>(length >> 8)};
  header += dictionary;
  header.resize(total - 1, ' ');
  return header + '\n';
}

Array parse_npy(std::span<const std::byte> bytes, const std::string& where) {
  return read_array(source_of(bytes, where));
}

namespace {

// The arrays in memory by path.
struct ArraysByPath {
  std::mutex mutex{};
  std::map<std::string, std::shared_ptr<const Array>> arrays{};
  std::uint64_t made = 0;
};

ArraysByPath& arrays_in_memory() {
  static auto* const all = new ArraysByPath;
  return *all;
}

std::shared_ptr<const Array> find_in_memory(const std::string& path) {
  ArraysByPath& all = arrays_in_memory();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.arrays.find(path);
  return found == all.arrays.end() ? nullptr : found->second;
}

}  // namespace

ArrayInMemory::ArrayInMemory(const std::string& name, Array array) {
  ArraysByPath& all = arrays_in_memory();
  auto kept = std::make_shared<const Array>(std::move(array));
  const std::lock_guard<std::mutex> lock(all.mutex);
  path_ = fmt::format("/murmur-memory/{}/{}.npy", all.made++, name);
  all.arrays[path_] = std::move(kept);
}

ArrayInMemory::~ArrayInMemory() {
  ArraysByPath& all = arrays_in_memory();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.arrays.erase(path_);
}

Array read_npy(const std::filesystem::path& path) {
  if (const auto array = find_in_memory(path.string())) return *array;
  const File file = File::reading(path);
  return read_array(source_of(file));
}

void write_npy(const std::filesystem::path& path, const Array& array) {
  const auto bytes = bytes_of(array);
  assert(bytes.size() == array.size() * bytes_of(element_of(array)));
  Replacement replacement(path);
  replacement.write(npy_header_text(element_of(array), axes_text(array.shape)));
  replacement.write(bytes);
  replacement.commit();
}

// --- Files that grow: new rows are written first, then the header that counts them.

GrowingNpy::GrowingNpy(File file, Element element, const std::vector<std::size_t>& row)
    : file_(std::move(file)), element_(element), row_(row) {
  const auto bytes = bytes_of(element, row);
  if (!bytes || (element != Element::f32 && element != Element::f64) ||
      header(0).size() != kHeaderSize)
    throw Error(Fault::input, "this is not an array that a run can grow", file_.path().string(),
                "restore the file, or make the run again from its config.toml");
  row_bytes_ = *bytes;
}

GrowingNpy GrowingNpy::create(const std::filesystem::path& path, Element element,
                              const std::vector<std::size_t>& row) {
  GrowingNpy npy(File::creating(path), element, row);
  npy.count(0);
  return npy;
}

GrowingNpy GrowingNpy::open(const std::filesystem::path& path) {
  File file = File::writing(path);
  const Source source = source_of(file);
  const NpyHeader header = read_npy_header(source);
  if (header.data_offset != kHeaderSize || header.fortran_order || header.shape.empty())
    throw source.wrong(0, "this npy file was not written by a run",
                       "restore the file, or make the run again from its config.toml");
  return GrowingNpy(std::move(file), header.element,
                    {header.shape.begin() + 1, header.shape.end()});
}

std::string GrowingNpy::header(std::int64_t rows) const {
  return npy_header_text(
      element_, fmt::format("{:20},{}{}", rows, row_.empty() ? "" : " ", joined(row_, ", ")));
}

std::uint64_t GrowingNpy::place(std::int64_t index) const {
  return kHeaderSize + static_cast<std::uint64_t>(index) * row_bytes_;
}

void GrowingNpy::put(std::int64_t index, std::span<const std::byte> bytes) {
  assert(bytes.size() == row_bytes_);
  file_.write_at(place(index), bytes);
}

void GrowingNpy::put_part(std::int64_t index, std::uint64_t at, std::span<const std::byte> bytes) {
  assert(at + bytes.size() <= row_bytes_);
  file_.write_at(place(index) + at, bytes);
}

void GrowingNpy::count(std::int64_t rows) { file_.write_at(0, header(rows)); }

void GrowingNpy::check_length(std::int64_t rows) const {
  const std::uint64_t held = file_.size() - kHeaderSize;
  if (rows < 0 || (row_bytes_ > 0 && static_cast<std::uint64_t>(rows) > held / row_bytes_))
    throw Error(
        Fault::input,
        fmt::format("the file holds {} bytes of data, fewer than the last checkpoint says", held),
        file_.path().string(),
        "delete checkpoint.safetensors next to it to start again from t = 0");
}

void GrowingNpy::cut(std::int64_t rows) {
  check_length(rows);
  count(rows);
  file_.truncate(place(rows));
}

}  // namespace murmur
