// images.h: pictures with labels from files, and the samples of points made of their ink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace murmur {

// Grey pictures of one size. Pixels: 0 is paper, 255 is ink; row 0 is the top.
struct Images {
  int height = 28, width = 28;
  std::vector<std::uint8_t> pixels{};  // (count, height, width)
  std::vector<int> labels{};           // (count), or empty if unknown
  std::string where{};                 // the file or folder they came from, for messages

  std::size_t count() const {
    return pixels.size() / (static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
  }
  std::span<const std::uint8_t> picture(std::size_t index) const {
    const std::size_t size = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    return {pixels.data() + index * size, size};
  }
};

// idx files (LeCun's format), plain or gzip, recognised by their first bytes. Throws Error(input)
// for files that are missing, truncated, too long, or of the wrong kind, such as labels instead of
// images. Never allocates more than the file can fill; a compressed file may hold up to 1 GiB.
Images read_idx_images(const std::filesystem::path& path);
std::vector<int> read_idx_labels(const std::filesystem::path& path);
Images parse_idx_images(std::span<const std::byte> bytes, const std::string& where);
std::vector<int> parse_idx_labels(std::span<const std::byte> bytes, const std::string& where);

// Reads one PNG of any colour type, at most 4096 pixels per side, as grey, with 0 for the paper. A
// picture whose border is brighter than its middle is dark ink on light paper and is inverted; the
// median shade of the border is the paper. Transparent parts are white.
struct Picture {
  int height = 0, width = 0;
  std::vector<std::uint8_t> pixels{};  // (height, width)
};
Picture read_png(const std::filesystem::path& path);
Picture parse_png(std::span<const std::byte> bytes, const std::string& where);

// Prepares a picture like those of MNIST: scales the ink's bounding box to fit 20 x 20 with its
// proportions (by area averages), makes its darkest spot full ink, and moves it by whole pixels
// inside 28 x 28 so that its centre of mass is at pixel (14, 14), as far as the ink stays inside.
// Error(input) for a picture without ink.
Picture centre_like_mnist(const Picture& picture, const std::string& where);

// A training set and a test set.
struct DataSet {
  std::string name{};  // mnist, fashion-mnist, or the folder's own
  Images train{}, test{};
  std::string checksum{};  // sha256 of the output of sha256sum for the uncompressed files, by name
};

// Reads a folder: four idx files (plain or .gz) with the canonical names; or train/CLASS/*.png and
// test/CLASS/*.png; or train_images.npy (count, height, width) u1, train_labels.npy, test_*.npy.
// Files with the names and sizes of MNIST or Fashion-MNIST must have their checksums. PNGs that are
// not 28 x 28 go through centre_like_mnist; folders named by numbers have these as labels, other
// folders get the labels 0, 1, 2, ... in order of their names. Throws Error(input) with the name of
// the file if parts do not fit together.
DataSet read_data_set(const std::filesystem::path& folder);

// Returns the first of these that is given: `asked`; `environment` (MURMUR_DATA); ./data/mnist; the
// XDG data folder's murmur/mnist. `asked` may be a name: mnist, the same as an empty one;
// fashion-mnist, searched next to MNIST and in Debian's folder. Throws Error(input) with
// instructions to get the data if the given folder does not exist, or if none is found.
struct DataPlaces {
  std::string asked{}, environment{}, xdg{};  // xdg: $XDG_DATA_HOME or ~/.local/share
};
std::filesystem::path find_data(const DataPlaces& places);

// Many samples of tokens, one after another, without padding. Tokens are points of the plane, or
// words.
struct SampleSet {
  std::vector<float> x{}, y{};       // (points): x to the right, y up; of pictures in [-10, 10]
  std::vector<std::size_t> first{};  // (samples + 1) start of each sample
  std::vector<int> label{};          // (samples) index of its class; -1: unknown
  std::vector<int> word{};           // (points) of a vocabulary; x and y are then empty
  std::vector<int> asked{};          // (samples) token that is read, if one is

  std::size_t samples() const { return first.empty() ? 0 : first.size() - 1; }
  int size_of(std::size_t sample) const {
    return static_cast<int>(first[sample + 1] - first[sample]);
  }
};

inline constexpr double kPlaneHalfWidth = 10;

// Pixels above `threshold` (as a fraction of full ink) become points, in reading order:
//   x = 20 (column / (width - 1) - 1/2),    y = -20 (row / (height - 1) - 1/2)
// `finer` > 1 interpolates the picture linearly on a finer grid: about finer^2 times as many
// tokens. `every` > 1 keeps the first of every so many points, in reading order. Throws
// Error(input) for a picture without such a pixel.
struct Tokenisation {
  double threshold = 0.5;
  int finer = 1;
  int every = 1;
};
void add_sample(const Images& images, std::size_t index, int label, const Tokenisation& how,
                SampleSet& samples);

// Returns the pictures whose label is among `classes` as samples, labelled by the index in that
// list; `source` receives the index of each picture. Throws Error(input) for pictures without ink,
// with the first of them, and for a class without pictures. Empty `classes`: every picture,
// unlabelled.
SampleSet samples_of(const Images& images, const std::vector<int>& classes, const Tokenisation& how,
                     std::vector<std::size_t>* source = nullptr);

// Two pictures next to each other: samples `left` and `right` of a set, half as large, around x =
// -5.5 and x = 5.5, points of the left one first.
struct PicturePair {
  std::size_t left = 0, right = 0;
  bool same = false;  // whether both have the same class
};
inline constexpr double kPairCentre = 5.5, kPairScale = 0.5;
enum PairLabel { same_class = 0, other_class = 1 };
void add_pair(const SampleSet& pictures, const PicturePair& pair, int label, SampleSet& pairs);
// The same for two pictures that are not points yet.
void add_pair(const Images& images, const PicturePair& pair, int label, const Tokenisation& how,
              SampleSet& pairs);

// Pairs of the samples `from`, by the stream `samples`: `use` and `step` select the draw.
struct PairDraw {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  enum Use : std::uint32_t { train, validation, test } use = train;
};
// Independent pairs: same or different with equal probability, classes and pictures uniform.
std::vector<PicturePair> draw_pairs(const SampleSet& pictures, std::span<const std::size_t> from,
                                    std::size_t count, const PairDraw& draw);
// Groups of four: a left and a right picture of each of two classes, in all four pairs, so that
// every picture on either side is in as many equal pairs as different ones: same, different,
// different, same.
std::vector<PicturePair> crossed_pairs(const SampleSet& pictures, std::span<const std::size_t> from,
                                       std::size_t fours, const PairDraw& draw);
// Returns samples of the pairs, labelled same_class or other_class.
SampleSet samples_of(const SampleSet& pictures, const std::vector<PicturePair>& pairs);

}  // namespace murmur
