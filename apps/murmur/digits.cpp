// digits.cpp: reads the pictures that arguments name, and shows one as text.
#include "digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "murmur/error.h"
#include "run/formats.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// FILE:0-3,8 as FILE and its spans. The text is split at the last colon, unless a file has the
// whole name.
struct Range {
  std::string name{};
  std::vector<IndexSpan> spans{};  // empty: all
};

Range range_of(const std::string& asked) {
  const std::size_t colon = asked.rfind(':');
  if (colon == std::string::npos || is_file(asked)) return {asked};
  const std::string tail = asked.substr(colon + 1);
  const auto spans = index_spans(tail);
  if (!spans)
    throw Error(Fault::input, fmt::format("'{}' is not a list of pictures", tail),
                "images=" + asked,
                "write images=FILE:3 for one picture, FILE:3-7 for five, FILE:0-3,8 for a list");
  return {asked.substr(0, colon), *spans};
}

// The numbers in the spans, or all numbers below `count`. Error(input) for a number of `count` or
// more.
std::vector<std::size_t> indices_of(const Range& range, std::size_t count, const char* noun,
                                    const std::string& where) {
  std::vector<std::size_t> indices;
  if (range.spans.empty()) {
    indices.resize(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
  }
  for (const auto& [first, last] : range.spans) {
    if (last >= count)
      throw Error(Fault::input, fmt::format("there is no {} {}", noun, last), where,
                  fmt::format("it has {}s 0 to {}", noun, count - 1));
    for (std::size_t k = first; k <= last; ++k) indices.push_back(k);
  }
  return indices;
}

// The file of labels next to a file of pictures: t10k-images-idx3-ubyte has
// t10k-labels-idx1-ubyte, compressed or not. Empty if there is none.
fs::path labels_file(const fs::path& images) {
  std::string name = images.filename().string();
  const std::size_t at = name.find("images-idx3");
  if (at == std::string::npos) return {};
  name.replace(at, 11, "labels-idx1");
  const bool packed = fs::path(name).extension() == ".gz";
  const std::string plain = packed ? name.substr(0, name.size() - 3) : name;
  for (const std::string& other : {name, plain, plain + ".gz"})
    if (is_file(images.parent_path() / other)) return images.parent_path() / other;
  return {};
}

Images read_idx(const fs::path& path) {
  Images images = read_idx_images(path);
  const fs::path labels = labels_file(path);
  if (labels.empty()) return images;
  images.labels = read_idx_labels(labels);
  if (images.labels.size() != images.count())
    throw Error(
        Fault::input,
        fmt::format("there are {} pictures and {} labels", images.count(), images.labels.size()),
        fmt::format("{} and {}", path.string(), labels.string()),
        "put the labels of these pictures next to them, or none");
  return images;
}

Images read_array(const fs::path& path) {
  Array array = read_npy(path);
  if (array.shape.size() == 2) array.shape.insert(array.shape.begin(), 1);
  auto* pixels = std::get_if<std::vector<std::uint8_t>>(&array.values);
  if (pixels == nullptr || array.shape.size() != 3)
    throw Error(Fault::input, "the array does not hold pictures", path.string(),
                "save unsigned bytes of shape (count, height, width): 0 is paper, 255 is ink");
  for (const std::size_t side : {array.shape[1], array.shape[2]})
    if (side < 2 || side > 4096)
      throw Error(Fault::input,
                  fmt::format("the pictures are {} x {} pixels", array.shape[1], array.shape[2]),
                  path.string(), "give 2 to 4096 pixels per side");
  return {static_cast<int>(array.shape[1]),
          static_cast<int>(array.shape[2]),
          std::move(*pixels),
          {},
          path.string()};
}

Images read_images(const std::string& name, const std::string& data, const TrainedSwarm& swarm) {
  if (name == "test" || name == "train") {
    DataSet set = read_data_set(data_folder(data.empty() ? swarm.data : data));
    return name == "test" ? std::move(set.test) : std::move(set.train);
  }
  const std::string ending = fs::path(name).extension().string();
  if (ending == ".png" || ending == ".PNG") {
    Picture picture = read_digit_png(name);
    return {picture.height, picture.width, std::move(picture.pixels), {}, name};
  }
  return ending == ".npy" ? read_array(name) : read_idx(name);
}

// Adds one picture, given by its name, to others of its size.
void add_named(const std::string& asked, const std::string& data, const TrainedSwarm& swarm,
               ChosenPairs& chosen) {
  const ChosenImages one = choose_images(asked, data, swarm);
  if (one.index.size() != 1)
    throw Error(Fault::input, fmt::format("'{}' names {} pictures", asked, one.index.size()),
                "images=LEFT+RIGHT", "give one picture on either side: test:17, me.png");
  const auto ink = one.images.picture(one.index[0]);
  Images& to = chosen.images;
  to.height = one.images.height, to.width = one.images.width;
  to.where = one.name;
  to.pixels.insert(to.pixels.end(), ink.begin(), ink.end());
  to.labels.push_back(one.images.labels.empty() ? -1 : one.images.labels[one.index[0]]);
}

}  // namespace

std::optional<std::vector<IndexSpan>> index_spans(const std::string& text) {
  std::vector<IndexSpan> spans;
  for (const std::string& part : split_list(text, ',')) {
    const std::vector<std::string> ends = split_list(part, '-');
    const auto first = parse_whole(ends.front(), 0, 999'999'999);
    const auto last = parse_whole(ends.back(), 0, 999'999'999);
    if (ends.size() > 2 || !first || !last || *last < *first) return std::nullopt;
    spans.push_back({static_cast<std::size_t>(*first), static_cast<std::size_t>(*last)});
  }
  return spans;
}

ChosenPairs choose_pairs(const std::string& asked, const std::string& data,
                         const TrainedSwarm& swarm) {
  ChosenPairs chosen;
  if (const std::size_t plus = asked.find('+'); plus != std::string::npos && !is_file(asked)) {
    add_named(asked.substr(0, plus), data, swarm, chosen);
    add_named(asked.substr(plus + 1), data, swarm, chosen);
    const std::vector<int>& label = chosen.images.labels;
    const bool known = class_of(swarm, label[0]) >= 0 && class_of(swarm, label[1]) >= 0;
    chosen.pair = {{0, 1, label[0] == label[1]}};
    chosen.label = {!known ? -1 : label[0] == label[1] ? same_class : other_class};
    chosen.index = {0};
    return chosen;
  }
  const Range range = range_of(asked);
  if (range.name != "test")
    throw Error(Fault::input, "the swarm compares two pictures", "images=" + asked,
                "write images=test:0-9 for pairs of the test, images=LEFT+RIGHT for two pictures");
  chosen.images = read_images("test", data, swarm);
  const std::vector<PicturePair> pairs = test_pairs_of(swarm, chosen.images);
  chosen.index = indices_of(range, pairs.size(), "pair", chosen.images.where);
  for (const std::size_t k : chosen.index) {
    chosen.pair.push_back(pairs[k]);
    chosen.label.push_back(pairs[k].same ? same_class : other_class);
  }
  return chosen;
}

SampleSet samples_of_chosen(const ChosenPairs& chosen, const TrainedSwarm& swarm) {
  SampleSet samples;
  for (std::size_t k = 0; k < chosen.pair.size(); ++k)
    add_pair(chosen.images, chosen.pair[k], chosen.label[k], swarm.tokens, samples);
  return samples;
}

fs::path find_model(const Flags& flags, const std::string& word) {
  return is_file(word) ? fs::path(word) : find_run(flags, word);
}

ChosenImages choose_images(const std::string& asked, const std::string& data,
                           const TrainedSwarm& swarm) {
  const Range range = range_of(asked);
  ChosenImages chosen{read_images(range.name, data, swarm), {}, range.name};
  const Images& images = chosen.images;
  if (images.height != swarm.height || images.width != swarm.width)
    throw Error(Fault::input,
                fmt::format("the pictures are {} x {} pixels, the swarm learned from {} x {}",
                            images.height, images.width, swarm.height, swarm.width),
                images.where, "give pictures of that size; a PNG of any other size is scaled");
  if (images.count() == 0)
    throw Error(Fault::input, "the file holds no pictures", images.where, "give one or more");
  chosen.index = indices_of(range, images.count(), "picture", images.where);
  return chosen;
}

SampleSet samples_of_chosen(const ChosenImages& chosen, const TrainedSwarm& swarm) {
  SampleSet samples;
  const Images& images = chosen.images;
  for (const std::size_t index : chosen.index)
    add_sample(images, index, images.labels.empty() ? -1 : class_of(swarm, images.labels[index]),
               swarm.tokens, samples);
  return samples;
}

std::string half_blocks(const Images& images, std::size_t index, double threshold) {
  const auto ink = images.picture(index);
  const auto dark = [&](int row, int col) {
    return row < images.height &&
           ink[static_cast<std::size_t>(row) * images.width + col] > 255 * threshold;
  };
  std::string text;
  for (int row = 0; row < images.height; row += 2) {
    std::string line;
    for (int col = 0; col < images.width; ++col) {
      const bool upper = dark(row, col), lower = dark(row + 1, col);
      line += upper && lower ? "█" : upper ? "▀" : lower ? "▄" : " ";
    }
    text += (row > 0 ? "\n  " : "  ") + line;
  }
  return text;
}

}  // namespace murmur::app
