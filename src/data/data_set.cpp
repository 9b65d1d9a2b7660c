// data_set.cpp: finds and reads data sets: folders of idx, npy or PNG files.
#include "data/data_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "murmur/error.h"
#include "murmur/images.h"
#include "run/formats.h"
#include "run/sha256.h"

namespace murmur {

// --- Where a data set is.

namespace {

namespace fs = std::filesystem;

constexpr const char* how_to_get =
    "./demo fetches MNIST into data/mnist; or put its four idx files there, or give data=DIR";

fs::path folder_of(const std::string& place, const char* asker) {
  if (fs::is_directory(place)) return place;
  throw Error(Fault::input,
              fs::exists(place) ? std::string("this is a file, not a data folder")
                                : "there is no such folder of data",
              std::string(asker) + place, how_to_get);
}

fs::path first_of(const std::vector<fs::path>& places, const char* name, const char* remedy) {
  std::string sought;
  for (const fs::path& place : places) {
    if (fs::is_directory(place)) return place;
    sought += (sought.empty() ? "" : ", ") + place.string();
  }
  throw Error(Fault::input, std::string("there is no ") + name + " on this machine", sought,
              remedy);
}

}  // namespace

fs::path find_data(const DataPlaces& places) {
  const auto kept = [&](const char* name) {
    std::vector<fs::path> folders{fs::path("data") / name};
    if (!places.xdg.empty()) folders.push_back(fs::path(places.xdg) / "murmur" / name);
    return folders;
  };
  if (places.asked == "fashion-mnist") {
    std::vector<fs::path> folders = kept("fashion-mnist");
    folders.push_back("/usr/share/datasets/fashion-mnist");
    return first_of(folders, "Fashion-MNIST", "apt-get install dataset-fashion-mnist");
  }
  if (!places.asked.empty() && places.asked != "mnist") return folder_of(places.asked, "data=");
  if (!places.environment.empty()) return folder_of(places.environment, "MURMUR_DATA=");
  return first_of(kept("mnist"), "MNIST", how_to_get);
}

// --- Folders of npy files.

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

Images part_from(const fs::path& folder, const std::string& part, FolderContent& content) {
  const std::string pictures = part + "_images.npy", labels = part + "_labels.npy";
  Images images = pictures_from(folder / pictures);
  images.labels = labels_from(folder / labels);
  check_counts(images, images.labels, folder / labels);
  for (const std::string& name : {pictures, labels})
    content.digests.emplace_back(name, sha256_of_file(folder / name));
  return images;
}

}  // namespace

bool is_npy_folder(const fs::path& folder) { return fs::exists(folder / "train_images.npy"); }

FolderContent read_npy_folder(const fs::path& folder) {
  FolderContent content;
  content.train = part_from(folder, "train", content);
  content.test = part_from(folder, "test", content);
  return content;
}

// --- Any of the three kinds of folder.

namespace {

namespace fs = std::filesystem;

// Returns the digest of the lines that the program sha256sum writes for the files.
std::string digest_of(std::vector<std::pair<std::string, std::string>> files) {
  std::sort(files.begin(), files.end());
  Sha256 whole;
  for (const auto& [file, digest] : files) {
    const std::string line = fmt::format("{}  {}\n", digest, file);
    whole.update(std::as_bytes(std::span(line)));
  }
  return whole.hex();
}

std::string own_name(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

void check_ink(const Images& images) {
  const auto inked = [](std::uint8_t pixel) { return pixel != 0; };
  if (std::none_of(images.pixels.begin(), images.pixels.end(), inked))
    throw Error(Fault::input, "every picture is empty: all pixels are 0", images.where,
                "give pictures with bright ink (255) on dark paper (0)");
}

void check_together(const Images& train, const Images& test) {
  check_ink(train);
  check_ink(test);
  if (train.height != test.height || train.width != test.width)
    throw Error(Fault::input,
                fmt::format("the test pictures are {} x {}, those for training {} x {}",
                            test.height, test.width, train.height, train.width),
                test.where, "give pictures of one size");
  const std::set<int> classes(train.labels.begin(), train.labels.end());
  for (std::size_t k = 0; k < test.labels.size(); ++k)
    if (classes.count(test.labels[k]) == 0)
      throw Error(Fault::input,
                  fmt::format("label {} of test picture {} is outside the {} classes for training",
                              test.labels[k], k, classes.size()),
                  test.where, "give test pictures of the classes that occur in training");
}

}  // namespace

void check_counts(const Images& images, const std::vector<int>& labels,
                  const fs::path& labels_file) {
  if (images.count() == labels.size()) return;
  throw Error(Fault::input,
              fmt::format("there are {} pictures and {} labels", images.count(), labels.size()),
              fmt::format("{} and {}", images.where, labels_file.string()),
              "give the labels that belong to these pictures; training and test files may be "
              "swapped");
}

namespace {

FolderContent read_any(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw Error(Fault::input, "there is no such folder", folder.string(),
                "give a folder of idx files, of npy files, or with train/CLASS/*.png");
  if (is_idx_folder(folder)) return read_idx_folder(folder);
  if (is_npy_folder(folder)) return read_npy_folder(folder);
  if (is_png_folder(folder)) return read_png_folder(folder);
  throw Error(Fault::input, "the folder holds no data set", folder.string(),
              "put train-images-idx3-ubyte and its three companions there, or train_images.npy "
              "and its, or train/CLASS/*.png and test/CLASS/*.png");
}

}  // namespace

DataSet read_data_set(const fs::path& folder) {
  FolderContent content;
  try {
    content = read_any(folder);
  } catch (const fs::filesystem_error& error) {
    throw Error(Fault::runtime, "cannot read the folder: " + error.code().message(),
                error.path1().string(), "choose a folder you may read, or change the permissions");
  }
  check_together(content.train, content.test);
  return {.name = content.name.empty() ? own_name(folder) : content.name,
          .train = std::move(content.train),
          .test = std::move(content.test),
          .checksum = digest_of(std::move(content.digests))};
}

}  // namespace murmur
