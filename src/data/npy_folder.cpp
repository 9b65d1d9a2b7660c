// npy_folder.cpp: pictures and labels as numpy saved them.
#include <fmt/format.h>

#include <string>
#include <type_traits>

#include "data/data_set.h"
#include "data/idx.h"
#include "murmur/error.h"
#include "run/formats.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

constexpr int largest_label = 999;

Images pictures_from(const fs::path& path) {
  Array array = read_npy(path);
  auto* pixels = std::get_if<std::vector<std::uint8_t>>(&array.values);
  if (pixels == nullptr)
    throw Error(Fault::input, "the pictures are not of unsigned bytes", path.string(),
                "save them with .astype('uint8'): 0 is paper, 255 is ink");
  if (array.shape.size() != 3)
    throw Error(Fault::input, fmt::format("the pictures have {} axes", array.shape.size()),
                path.string(), "save them in the shape (count, height, width)");
  for (std::size_t axis : {1, 2})
    if (array.shape[axis] < 2 || array.shape[axis] > kLongestSide)
      throw Error(Fault::input,
                  fmt::format("the pictures are {} x {} pixels", array.shape[1], array.shape[2]),
                  path.string(), fmt::format("give 2 to {} pixels a side", kLongestSide));
  if (array.shape[0] == 0)
    throw Error(Fault::input, "the file holds no images", path.string(),
                "give a file that holds at least one");
  return {.height = static_cast<int>(array.shape[1]),
          .width = static_cast<int>(array.shape[2]),
          .pixels = std::move(*pixels),
          .where = path.string()};
}

std::vector<int> labels_from(const fs::path& path) {
  const Array array = read_npy(path);
  if (array.shape.size() != 1)
    throw Error(Fault::input, fmt::format("the labels have {} axes", array.shape.size()),
                path.string(), "save them in the shape (count)");
  std::vector<int> labels;
  labels.reserve(array.size());
  std::visit(
      [&](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (!std::is_integral_v<Value>) {
          throw Error(Fault::input, "the labels are not whole numbers", path.string(),
                      "save them with .astype('uint8')");
        } else {
          for (Value value : values) {
            if (value < Value{0} || static_cast<std::int64_t>(value) > largest_label)
              throw Error(Fault::input,
                          fmt::format("label {} of picture {} cannot be", value, labels.size()),
                          path.string(), fmt::format("give labels from 0 to {}", largest_label));
            labels.push_back(static_cast<int>(value));
          }
        }
      },
      array.values);
  return labels;
}

Images part_from(const fs::path& folder, const std::string& part, Holding& holding) {
  const std::string pictures = part + "_images.npy", labels = part + "_labels.npy";
  Images images = pictures_from(folder / pictures);
  images.labels = labels_from(folder / labels);
  check_counts(images, images.labels, folder / labels);
  for (const std::string& name : {pictures, labels})
    holding.digests.emplace_back(name, sha256_of_file(folder / name));
  return images;
}

}  // namespace

bool is_npy_folder(const fs::path& folder) { return fs::exists(folder / "train_images.npy"); }

Holding read_npy_folder(const fs::path& folder) {
  Holding holding;
  holding.train = part_from(folder, "train", holding);
  holding.test = part_from(folder, "test", holding);
  return holding;
}

}  // namespace murmur
