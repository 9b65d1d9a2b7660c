// idx.cpp: reads idx files, plain or packed by gzip, and folders of four such files (MNIST).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "data/data_set.h"
#include "murmur/error.h"
#include "run/file.h"
#include "run/sha256.h"

namespace murmur {

// --- gzip: an announced size is never trusted.

namespace {

constexpr const char* fetch_gzip_again = "fetch or copy the file again; gzip -t FILE tests it";

}  // namespace

bool is_gzip(const Source& source) { return source.size >= 2 && source.text(0, 2) == "\x1f\x8b"; }

Gunzip::Gunzip(const Source& source) : source_(source) {
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&stream_); }

void Gunzip::refill() {
  const std::size_t taken = std::min<std::uint64_t>(packed_.size(), source_.size - at_);
  if (taken == 0)
    throw source_.wrong(source_.size, "the gzip file is truncated: it ends in mid-stream",
                        fetch_gzip_again);
  source_.read(at_, std::span(packed_).first(taken));
  at_ += taken;
  stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_.avail_in = static_cast<uInt>(taken);
}

std::size_t Gunzip::read(std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size() && !ended_) {
    if (stream_.avail_in == 0) refill();
    const std::size_t asked =
        std::min<std::size_t>(to.size() - done, std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data() + done);
    stream_.avail_out = static_cast<uInt>(asked);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    done += asked - stream_.avail_out;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    const std::uint64_t reached = at_ - stream_.avail_in;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      throw source_.wrong(reached,
                          fmt::format("the gzip data is damaged: {}",
                                      stream_.msg != nullptr ? stream_.msg : "unknown reason"),
                          fetch_gzip_again);
    ended_ = status == Z_STREAM_END;
    if (ended_ && reached < source_.size)
      throw source_.wrong(
          reached,
          fmt::format("the file goes on for {} bytes after its gzip data", source_.size - reached),
          fetch_gzip_again);
  }
  return done;
}

// --- idx files.

namespace {

constexpr const char* fetch_again = "fetch or copy the file again";
constexpr std::uint64_t largest_unpacked = std::uint64_t{1} << 30;

// The bytes of a source in order, unpacked if it is gzip.
class Stream {
 public:
  explicit Stream(const Source& source) : source_(source) {
    if (is_gzip(source)) gunzip_.emplace(source);
  }

  bool packed() const { return gunzip_.has_value(); }

  std::size_t read(std::span<std::byte> to) {
    if (gunzip_) return gunzip_->read(to);
    const std::size_t taken = std::min<std::uint64_t>(to.size(), source_.size - at_);
    source_.read(at_, to.first(taken));
    at_ += taken;
    return taken;
  }

 private:
  const Source& source_;
  std::uint64_t at_ = 0;
  std::optional<Gunzip> gunzip_{};
};

const char* name_of_type(unsigned type) {
  switch (type) {
    case 0x09:
      return "signed bytes";
    case 0x0b:
      return "16-bit integers";
    case 0x0c:
      return "32-bit integers";
    case 0x0d:
      return "32-bit floats";
    case 0x0e:
      return "64-bit floats";
    default:
      return "values of an unknown type";
  }
}

// Guesses the type of a file that is not an idx file.
std::string guess(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text == "\x89PNG") return "this is a PNG picture, not an idx file";
  if (text == "\x93NUM") return "this is an npy file, not an idx file";
  if (text.substr(0, 2) == "PK") return "this is a zip archive, not an idx file";
  if (text.substr(0, 1) == "<") return "this is a web page, not an idx file";
  return "this is not an idx file: it does not begin with two zero bytes";
}

// Refuses a start (4) of another kind than the wanted one.
void check_start(const Source& source, std::span<const std::byte> start, IdxKind wanted) {
  const bool images = wanted == IdxKind::images;
  if (start[0] != std::byte{0} || start[1] != std::byte{0})
    throw source.wrong(0, guess(start), fetch_again);
  const unsigned type = std::to_integer<unsigned>(start[2]);
  const unsigned axes = std::to_integer<unsigned>(start[3]);
  if (type != 0x08)
    throw source.wrong(2, fmt::format("the idx file holds {}", name_of_type(type)),
                       "give a file of unsigned bytes (type 8)");
  if (images && axes == 1)
    throw source.wrong(3, "this is a file of labels, but images belong here",
                       "check whether the files of images and labels are swapped");
  if (!images && axes == 3)
    throw source.wrong(3, "this is a file of images, but labels belong here",
                       "check whether the files of images and labels are swapped");
  if (axes != (images ? 3u : 1u))
    throw source.wrong(
        3, fmt::format("the idx file has {} axes", axes),
        images ? "give images of shape (count, height, width)" : "give labels of shape (count)");
}

std::vector<std::size_t> read_shape(const Source& source, Stream& stream, IdxKind wanted) {
  std::array<std::byte, 4> word{};
  const auto next = [&] {
    if (stream.read(word) < word.size())
      throw source.wrong(source.size, "the idx file ends inside its header", fetch_again);
    std::size_t value = 0;
    for (std::byte b : word) value = value << 8 | std::to_integer<std::size_t>(b);
    return value;
  };
  next();
  check_start(source, word, wanted);
  std::vector<std::size_t> shape(wanted == IdxKind::images ? 3 : 1);
  for (std::size_t& extent : shape) extent = next();
  if (shape[0] == 0)
    throw source.wrong(
        4, wanted == IdxKind::images ? "the file holds no images" : "the file holds no labels",
        "give a file that holds at least one");
  for (std::size_t axis = 1; axis < shape.size(); ++axis)
    if (shape[axis] < 2 || shape[axis] > kLongestSide)
      throw source.wrong(4 + 4 * axis,
                         fmt::format("the images are {} x {} pixels", shape[1], shape[2]),
                         fmt::format("give images of 2 to {} pixels a side", kLongestSide));
  return shape;
}

// Memory grows with the bytes that have arrived, so a small file cannot claim a large memory.
std::vector<std::uint8_t> read_values(const Source& source, Stream& stream, std::uint64_t claim) {
  if (stream.packed() && claim > largest_unpacked)
    throw source.wrong(4, fmt::format("the packed file claims {} bytes; 1 GiB is the most", claim),
                       "unpack it with gunzip first if it is what you want");
  std::vector<std::uint8_t> values;
  const std::uint64_t at_once = stream.packed() ? 32768 : std::min(claim, source.size);
  while (values.size() < claim) {
    const std::size_t held = values.size();
    values.resize(std::min(claim, std::max<std::uint64_t>(at_once, 2 * held)));
    const std::size_t got = stream.read(std::as_writable_bytes(std::span(values).subspan(held)));
    if (held + got < values.size())
      throw source.wrong(source.size,
                         fmt::format("the idx file is truncated: {} bytes are missing of {}",
                                     claim - held - got, claim),
                         fetch_again);
  }
  return values;
}

}  // namespace

Idx read_idx(const Source& source, IdxKind wanted) {
  Stream stream(source);
  Idx idx;
  idx.shape = read_shape(source, stream, wanted);
  std::uint64_t claim = 1;  // below 2^32 2^24: sides are bounded
  for (std::size_t extent : idx.shape) claim *= extent;
  idx.values = read_values(source, stream, claim);
  std::byte beyond{};
  if (stream.read({&beyond, 1}) != 0)
    throw source.wrong(4 + 4 * idx.shape.size() + claim,
                       fmt::format("the idx file goes on after the {} bytes it announces", claim),
                       fetch_again);
  return idx;
}

std::string digest_of(const Idx& idx) {
  std::vector<std::byte> header{std::byte{0}, std::byte{0}, std::byte{8},
                                std::byte(idx.shape.size())};
  for (std::size_t extent : idx.shape)
    for (int shift = 24; shift >= 0; shift -= 8) header.push_back(std::byte(extent >> shift));
  Sha256 digest;
  digest.update(header);
  digest.update(std::as_bytes(std::span(idx.values)));
  return digest.hex();
}

Images images_of(Idx idx, const std::string& where) {
  return {.height = static_cast<int>(idx.shape[1]),
          .width = static_cast<int>(idx.shape[2]),
          .pixels = std::move(idx.values),
          .where = where};
}

std::vector<int> labels_of(const Idx& idx) { return {idx.values.begin(), idx.values.end()}; }

Images read_idx_images(const std::filesystem::path& path) {
  const File file = File::reading(path);
  return images_of(read_idx(source_of(file), IdxKind::images), path.string());
}

std::vector<int> read_idx_labels(const std::filesystem::path& path) {
  const File file = File::reading(path);
  return labels_of(read_idx(source_of(file), IdxKind::labels));
}

Images parse_idx_images(std::span<const std::byte> bytes, const std::string& where) {
  return images_of(read_idx(source_of(bytes, where), IdxKind::images), where);
}

std::vector<int> parse_idx_labels(std::span<const std::byte> bytes, const std::string& where) {
  return labels_of(read_idx(source_of(bytes, where), IdxKind::labels));
}

// --- Folders of four idx files.

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

struct KnownSet {
  const char* name;
  std::array<std::string_view, 4> digests;  // (role)
};

constexpr std::array<KnownSet, 2> known_sets{
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

// Returns the plain file, or else the packed one.
std::optional<fs::path> file_of(const fs::path& folder, const Role& role) {
  for (const char* ending : {"", ".gz"})
    if (fs::path path = folder / (std::string(role.file) + ending); fs::exists(path)) return path;
  return std::nullopt;
}

bool has_known_size(const Idx& idx, const Role& role) {
  return idx.shape[0] == role.count &&
         (role.kind == IdxKind::labels || (idx.shape[1] == 28 && idx.shape[2] == 28));
}

// Returns the known set whose file in this role has this digest.
std::optional<std::size_t> set_of(std::string_view digest, std::size_t role) {
  for (std::size_t set = 0; set < known_sets.size(); ++set)
    if (known_sets[set].digests[role] == digest) return set;
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
    if (has_known_size(four.idx[kind], {"", roles[kind].kind, 10000}) &&
        has_known_size(four.idx[kind + 2], {"", roles[kind].kind, 60000}))
      throw Error(
          Fault::input, "the files for training and for the test are swapped",
          fmt::format("{} and {}", four.paths[kind].string(), four.paths[kind + 2].string()),
          fmt::format("rename them: {} is the one of 60000", roles[kind].file));
}

// Returns the name of the known set that these four files are; empty if they are another set.
std::string known_name(const Four& four) {
  std::optional<std::size_t> known{};
  std::size_t first = 0, members = 0;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    if (!has_known_size(four.idx[role], roles[role])) continue;
    const auto set = set_of(four.digests[role], role);
    if (!set)
      throw Error(Fault::input,
                  fmt::format("the file has MNIST's name and size, but its checksum is {}...",
                              four.digests[role].substr(0, 12)),
                  four.paths[role].string(),
                  "fetch it again; if it is of another data set, give that as train_images.npy, "
                  "train_labels.npy, test_images.npy, test_labels.npy");
    if (known && *known != *set)
      throw Error(Fault::input,
                  fmt::format("one file is of {}, the other of {}", known_sets[*known].name,
                              known_sets[*set].name),
                  fmt::format("{} and {}", four.paths[first].string(), four.paths[role].string()),
                  "keep each data set in a folder of its own");
    if (!known) first = role;
    known = set;
    ++members;
  }
  return members == roles.size() ? known_sets[*known].name : "";
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

FolderContent read_idx_folder(const fs::path& folder) {
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
  FolderContent content;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    four.digests[role] = digest_of(four.idx[role]);
    content.digests.emplace_back(roles[role].file, four.digests[role]);
  }
  content.name = known_name(four);
  content.train = with_labels(four, 0);
  content.test = with_labels(four, 2);
  return content;
}

}  // namespace murmur
