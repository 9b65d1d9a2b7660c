// find_data.cpp: where the data of a name lies on this machine.
#include <vector>

#include "murmur/error.h"
#include "murmur/images.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

constexpr const char* how_to_get =
    "./demo fetches MNIST into data/mnist; or put its four idx files there, or give data=DIR";

fs::path folder_of(const std::string& place, const char* asker) {
  if (fs::is_directory(place)) return place;
  throw Error(Fault::input,
              fs::exists(place) ? std::string("this is a file where a folder of data belongs")
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

}  // namespace murmur
