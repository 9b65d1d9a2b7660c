// png_folder.cpp: one PNG a picture, one folder a class.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "data/data_set.h"
#include "murmur/error.h"
#include "run/formats.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

using Classes = std::map<std::string, int>;  // name of the folder, label

// Names in order of their bytes; hidden ones are nobody's business.
std::vector<std::string> names_in(const fs::path& folder, bool directories) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name[0] != '.' && entry.is_directory() == directories) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_number(const std::string& name) {
  return name.size() <= 3 && std::all_of(name.begin(), name.end(),
                                         [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_png(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png";
}

// Numbers are their own labels; words are counted from 0 in order.
Classes classes_of(const fs::path& folder) {
  const std::vector<std::string> names = names_in(folder, true);
  if (names.empty())
    throw Error(Fault::input, "there is no folder of a class", folder.string(),
                "put the pictures of each class into a folder named after it");
  const auto numbers = std::count_if(names.begin(), names.end(), is_number);
  if (numbers != 0 && numbers != static_cast<std::ptrdiff_t>(names.size()))
    throw Error(Fault::input, "some classes are numbers and some are words", folder.string(),
                "name the folders of all classes by numbers below 1000, or all by words");
  Classes classes;
  std::map<int, std::string> holder;
  for (const std::string& name : names) {
    const int label = numbers != 0 ? std::stoi(name) : static_cast<int>(classes.size());
    if (const auto [other, fresh] = holder.emplace(label, name); !fresh)
      throw Error(Fault::input,
                  fmt::format("the classes {} and {} are one number", other->second, name),
                  folder.string(), "merge the two folders");
    classes[name] = label;
  }
  return classes;
}

void add_pictures(const fs::path& folder, int label, Images& images, Holding& holding) {
  bool any = false;
  for (const std::string& name : names_in(folder, false)) {
    if (!is_png(name)) continue;
    any = true;
    const fs::path path = folder / name;
    Picture picture = read_png(path);
    if (picture.height != images.height || picture.width != images.width)
      picture = centre_like_mnist(picture, path.string());
    images.pixels.insert(images.pixels.end(), picture.pixels.begin(), picture.pixels.end());
    images.labels.push_back(label);
    holding.digests.emplace_back(path.string(), sha256_of_file(path));
  }
  if (!any)
    throw Error(Fault::input, "the class has no picture", folder.string(),
                "put PNG files there, or take the folder away");
}

Images part_from(const fs::path& folder, const Classes& classes, Holding& holding) {
  Images images{.where = folder.string()};
  for (const auto& [name, own] : classes_of(folder)) {
    const auto known = classes.find(name);
    if (known == classes.end())
      throw Error(Fault::input, fmt::format("class {} does not occur in training", name),
                  (folder / name).string(), "name the folders in test as those in train");
    add_pictures(folder / name, known->second, images, holding);
  }
  return images;
}

}  // namespace

bool is_png_folder(const fs::path& folder) { return fs::is_directory(folder / "train"); }

Holding read_png_folder(const fs::path& folder) {
  if (!fs::is_directory(folder / "test"))
    throw Error(Fault::input, "there is no folder of test pictures", (folder / "test").string(),
                "put some pictures of each class into test/CLASS");
  const Classes classes = classes_of(folder / "train");
  Holding holding;
  holding.train = part_from(folder / "train", classes, holding);
  holding.test = part_from(folder / "test", classes, holding);
  for (auto& [file, digest] : holding.digests)
    file = fs::path(file).lexically_relative(folder).generic_string();
  return holding;
}

}  // namespace murmur
