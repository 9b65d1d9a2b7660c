// data_set.cpp: a folder read as training and test pictures, and what both must agree upon.
#include "data/data_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "murmur/error.h"
#include "run/sha256.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

// The files' lines as the program sha256sum writes them, digested once more.
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

Holding read_any(const fs::path& folder) {
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
  Holding holding;
  try {
    holding = read_any(folder);
  } catch (const fs::filesystem_error& error) {
    throw Error(Fault::runtime, "cannot look into the folder: " + error.code().message(),
                error.path1().string(), "choose a folder you may read, or change the permissions");
  }
  check_together(holding.train, holding.test);
  return {.name = holding.name.empty() ? own_name(folder) : holding.name,
          .train = std::move(holding.train),
          .test = std::move(holding.test),
          .checksum = digest_of(std::move(holding.digests))};
}

}  // namespace murmur
