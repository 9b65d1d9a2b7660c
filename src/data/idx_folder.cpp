// idx_folder.cpp: four idx files with canonical names, and the digests of the famous ones.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "data/data_set.h"
#include "data/idx.h"
#include "murmur/error.h"
#include "run/file.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

struct Role {
  const char* file;
  IdxKind kind;
  std::size_t count;  // in MNIST and Fashion-MNIST
};

constexpr std::array<Role, 4> roles{{{"train-images-idx3-ubyte", IdxKind::images, 60000},
                                     {"train-labels-idx1-ubyte", IdxKind::labels, 60000},
                                     {"t10k-images-idx3-ubyte", IdxKind::images, 10000},
                                     {"t10k-labels-idx1-ubyte", IdxKind::labels, 10000}}};

struct Famous {
  const char* name;
  std::array<std::string_view, 4> digests;  // (role)
};

constexpr std::array<Famous, 2> famous{
    {{"mnist",
      {"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
       "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
       "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
       "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}},
     {"fashion-mnist",
      {"c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
       "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
       "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
       "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}}}};

// The plain file, or else the packed one.
std::optional<fs::path> file_of(const fs::path& folder, const Role& role) {
  for (const char* ending : {"", ".gz"})
    if (fs::path path = folder / (std::string(role.file) + ending); fs::exists(path)) return path;
  return std::nullopt;
}

bool has_famous_size(const Idx& idx, const Role& role) {
  return idx.shape[0] == role.count &&
         (role.kind == IdxKind::labels || (idx.shape[1] == 28 && idx.shape[2] == 28));
}

// The famous set whose file in this role has this digest.
std::optional<std::size_t> set_of(std::string_view digest, std::size_t role) {
  for (std::size_t set = 0; set < famous.size(); ++set)
    if (famous[set].digests[role] == digest) return set;
  return std::nullopt;
}

// The four files as read.
struct Four {
  std::array<fs::path, 4> paths{};
  std::array<Idx, 4> idx{};
  std::array<std::string, 4> digests{};
};

void check_not_swapped(const Four& four) {
  for (std::size_t kind : {0, 1})  // images, labels
    if (has_famous_size(four.idx[kind], {"", roles[kind].kind, 10000}) &&
        has_famous_size(four.idx[kind + 2], {"", roles[kind].kind, 60000}))
      throw Error(
          Fault::input, "the files for training and for the test are swapped",
          fmt::format("{} and {}", four.paths[kind].string(), four.paths[kind + 2].string()),
          fmt::format("rename them: {} is the one of 60000", roles[kind].file));
}

// The name of the famous set that these four are; empty when they are nobody's.
std::string famous_name(const Four& four) {
  std::optional<std::size_t> known{};
  std::size_t first = 0, members = 0;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    if (!has_famous_size(four.idx[role], roles[role])) continue;
    const auto set = set_of(four.digests[role], role);
    if (!set)
      throw Error(Fault::input,
                  fmt::format("the file has MNIST's name and size, but its checksum is {}...",
                              four.digests[role].substr(0, 12)),
                  four.paths[role].string(),
                  "fetch it again; if it is of another data set, give that as train_images.npy, "
                  "train_labels.npy, test_images.npy, test_labels.npy");
    if (known && *known != *set)
      throw Error(
          Fault::input,
          fmt::format("one file is of {}, the other of {}", famous[*known].name, famous[*set].name),
          fmt::format("{} and {}", four.paths[first].string(), four.paths[role].string()),
          "keep each data set in a folder of its own");
    if (!known) first = role;
    known = set;
    ++members;
  }
  return members == roles.size() ? famous[*known].name : "";
}

Images with_labels(Four& four, std::size_t images) {
  Images part = images_of(std::move(four.idx[images]), four.paths[images].string());
  part.labels = labels_of(four.idx[images + 1]);
  check_counts(part, part.labels, four.paths[images + 1]);
  return part;
}

}  // namespace

bool is_idx_folder(const fs::path& folder) {
  for (const Role& role : roles)
    if (file_of(folder, role)) return true;
  return false;
}

Holding read_idx_folder(const fs::path& folder) {
  Four four;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    const auto path = file_of(folder, roles[role]);
    if (!path)
      throw Error(Fault::input, "a file of the data set is missing",
                  (folder / roles[role].file).string(),
                  "put it there, plain or with .gz; ./demo fetches MNIST into data/mnist");
    four.paths[role] = *path;
    const File file = File::reading(*path);
    four.idx[role] = read_idx(source_of(file), roles[role].kind);
  }
  check_not_swapped(four);
  Holding holding;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    four.digests[role] = digest_of(four.idx[role]);
    holding.digests.emplace_back(roles[role].file, four.digests[role]);
  }
  holding.name = famous_name(four);
  holding.train = with_labels(four, 0);
  holding.test = with_labels(four, 2);
  return holding;
}

}  // namespace murmur
