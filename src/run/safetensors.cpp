// safetensors.cpp: reads and writes named arrays in the safetensors format, trusting nothing.
//
// A file is the length of its header (8 bytes, little endian), the header (JSON), the data. Refused
// are: a length beyond the file or 100 MB, names given twice, types and keys unknown, and data
// offsets that overlap, leave holes or disagree with shape and type.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <nlohmann/json.hpp>

#include "run/formats.h"
#include "run/header_json.h"
#include "run/source.h"
#include "run/tensor_places.h"

namespace murmur {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;
constexpr std::size_t most_axes = 32;
constexpr std::size_t most_metadata = 512;
constexpr std::string_view rewrite = "download or write the file again";
constexpr std::string_view metadata_key = "__metadata__";

constexpr std::array<std::pair<std::string_view, Element>, 7> types{{{"F64", Element::f64},
                                                                     {"F32", Element::f32},
                                                                     {"F16", Element::f16},
                                                                     {"BF16", Element::bf16},
                                                                     {"I64", Element::i64},
                                                                     {"I32", Element::i32},
                                                                     {"U8", Element::u8}}};

// Where the data of one tensor lies, counted from the start of all data.
struct Extent {
  std::uint64_t begin = 0, end = 0;
  Element element = Element::f64;
  Array* array = nullptr;  // its shape is known, its values are still to come
};

// The header walked once: names and shapes go into `content`, extents are kept in stated order.
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

// In order of place, each tensor must begin where the one before it ends, to the end of the file.
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

// Names, shapes and metadata, and where the data lie: in order of place, from `data` on.
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
  // Wide types first, then by name: every tensor lies aligned and equal content gives equal bytes.
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
