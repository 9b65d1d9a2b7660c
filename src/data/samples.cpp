// samples.cpp: the swarms that the ink of pictures and of pairs of pictures becomes.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "murmur/error.h"
#include "murmur/images.h"
#include "murmur/random.h"

namespace murmur {

// --- Centring, as MNIST does it.

namespace {

constexpr int square = 28, digit = 20;
// Index of the pixel where the centres of mass lie in MNIST, within half a pixel.
constexpr int middle = 14;

struct Box {
  int top = 0, left = 0, height = 0, width = 0;
};

// Returns the box of the pixels brighter than an eighth of the brightest, which excludes the grain
// of the paper.
Box ink_box(const Picture& picture, int brightest) {
  int top = picture.height, left = picture.width, bottom = -1, right = -1;
  for (int row = 0; row < picture.height; ++row)
    for (int col = 0; col < picture.width; ++col) {
      if (8 * picture.pixels[static_cast<std::size_t>(row) * picture.width + col] <= brightest)
        continue;
      top = std::min(top, row), bottom = std::max(bottom, row);
      left = std::min(left, col), right = std::max(right, col);
    }
  return {top, left, bottom - top + 1, right - left + 1};
}

// One axis of an area average: target cell i covers [i from/to, (i + 1) from/to) of the source.
// shares[i] are the overlaps with the source cells first[i], first[i] + 1, ..., summing to 1.
struct Shares {
  std::vector<int> first{};
  std::vector<std::vector<double>> shares{};
};

Shares area_shares(int from, int to) {
  Shares axis;
  const double cell = static_cast<double>(from) / to;
  for (int i = 0; i < to; ++i) {
    const double begin = i * cell, end = begin + cell;
    const int first = std::min(static_cast<int>(begin), from - 1);
    std::vector<double> overlap;
    for (int s = first; s < from && (s < end || s == first); ++s)
      overlap.push_back(std::max(0.0, std::min(end, s + 1.0) - std::max<double>(begin, s)) / cell);
    axis.first.push_back(first);
    axis.shares.push_back(std::move(overlap));
  }
  return axis;
}

struct Grey {
  int height = 0, width = 0;
  std::vector<double> values{};  // (height, width)
};

//   g_ij = sum_rc rows_i[r] cols_j[c] p_rc
Grey shrink(const Picture& picture, const Box& box, int height, int width) {
  const Shares rows = area_shares(box.height, height), cols = area_shares(box.width, width);
  Grey grey{height, width, std::vector<double>(static_cast<std::size_t>(height) * width)};
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < rows.shares[i].size(); ++r) {
        const std::size_t row = box.top + rows.first[i] + r;
        const auto* line = picture.pixels.data() + row * picture.width + box.left + cols.first[j];
        double along = 0;
        for (std::size_t c = 0; c < cols.shares[j].size(); ++c)
          along += cols.shares[j][c] * line[c];
        sum += rows.shares[i][r] * along;
      }
      grey.values[static_cast<std::size_t>(i) * width + j] = sum;
    }
  return grey;
}

// Returns the first pixel of a stretch of `length` with its centre of mass at `centre`: a whole
// pixel, and all of it inside.
int start_of(double centre, int length) {
  return std::clamp(static_cast<int>(std::lround(middle - centre)), 0, square - length);
}

}  // namespace

Picture centre_like_mnist(const Picture& picture, const std::string& where) {
  assert(picture.pixels.size() == static_cast<std::size_t>(picture.height) * picture.width);
  const auto brightest = std::max_element(picture.pixels.begin(), picture.pixels.end());
  if (brightest == picture.pixels.end() || *brightest == 0)
    throw Error(Fault::input, "the picture has no ink: every pixel is the same", where,
                "draw something, dark on light or light on dark");
  const Box box = ink_box(picture, *brightest);
  const double scale = static_cast<double>(digit) / std::max(box.height, box.width);
  const auto scaled = [&](int side) {
    return std::max(1, static_cast<int>(std::lround(side * scale)));
  };
  const Grey grey = shrink(picture, box, scaled(box.height), scaled(box.width));

  double mass = 0, row_mean = 0, col_mean = 0, most = 0;
  for (int i = 0; i < grey.height; ++i)
    for (int j = 0; j < grey.width; ++j) {
      const double g = grey.values[static_cast<std::size_t>(i) * grey.width + j];
      mass += g, row_mean += i * g, col_mean += j * g;
      most = std::max(most, g);
    }
  const int top = start_of(row_mean / mass, grey.height);
  const int left = start_of(col_mean / mass, grey.width);
  Picture centred{square, square, std::vector<std::uint8_t>(square * square)};
  for (int i = 0; i < grey.height; ++i)
    for (int j = 0; j < grey.width; ++j) {
      const double g = grey.values[static_cast<std::size_t>(i) * grey.width + j];
      centred.pixels[static_cast<std::size_t>(top + i) * square + left + j] =
          static_cast<std::uint8_t>(std::lround(255 * g / most));
    }
  return centred;
}

// --- One picture.

namespace {

constexpr int finest = 32;

void check(const Tokenisation& how) {
  if (!(how.threshold >= 0 && how.threshold < 1))
    throw Error(Fault::input, fmt::format("the threshold {} is not possible", how.threshold),
                "threshold", "give a share of full ink: 0 or more, below 1");
  if (how.finer < 1 || how.finer > finest)
    throw Error(Fault::input, fmt::format("a grid {} times as fine is not possible", how.finer),
                "finer", fmt::format("give a whole number from 1 to {}", finest));
  if (how.every < 1)
    throw Error(Fault::input, fmt::format("one point in {} is not possible", how.every), "every",
                "give a whole number of 1 or more");
}

void check(const Images& images, const std::vector<int>& classes) {
  if (classes.empty()) return;
  if (images.labels.size() != images.count())
    throw Error(Fault::input,
                fmt::format("{} pictures have {} labels", images.count(), images.labels.size()),
                images.where, "give one label per picture, or ask for no classes");
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (std::find(classes.begin(), classes.begin() + k, classes[k]) != classes.begin() + k)
      throw Error(Fault::input, fmt::format("class {} is asked for twice", classes[k]), "classes",
                  "name each class once");
    if (std::find(images.labels.begin(), images.labels.end(), classes[k]) == images.labels.end())
      throw Error(Fault::input, fmt::format("no picture is labelled {}", classes[k]), images.where,
                  fmt::format("ask for classes from {} to {} that occur there",
                              *std::min_element(images.labels.begin(), images.labels.end()),
                              *std::max_element(images.labels.begin(), images.labels.end())));
  }
}

}  // namespace

//   on the grid: row = i / finer, col = j / finer;  r, c their whole parts, u, v their fractions
//   p = (1 - u) ((1 - v) p_rc + v p_r,c+1) + u ((1 - v) p_r+1,c + v p_r+1,c+1)
void add_sample(const Images& images, std::size_t index, int label, const Tokenisation& how,
                SampleSet& samples) {
  check(how);
  assert(index < images.count() && images.height > 1 && images.width > 1);
  const auto picture = images.picture(index);
  const int h = images.height, w = images.width, f = how.finer;
  const double enough = 255 * how.threshold;
  const std::size_t before = samples.x.size();
  int inked = 0;
  for (int i = 0; i <= f * (h - 1); ++i) {
    const std::uint8_t* upper = picture.data() + static_cast<std::size_t>(i / f) * w;
    const std::uint8_t* lower = i % f == 0 ? upper : upper + w;
    const double u = static_cast<double>(i % f) / f;
    for (int j = 0; j <= f * (w - 1); ++j) {
      const int c = j / f, next = j % f == 0 ? c : c + 1;
      const double v = static_cast<double>(j % f) / f;
      const double p = (1 - u) * ((1 - v) * upper[c] + v * upper[next]) +
                       u * ((1 - v) * lower[c] + v * lower[next]);
      if (!(p > enough) || inked++ % how.every != 0) continue;
      const double across = static_cast<double>(j) / (f * (w - 1));
      const double down = static_cast<double>(i) / (f * (h - 1));
      samples.x.push_back(static_cast<float>(2 * kPlaneHalfWidth * (across - 0.5)));
      samples.y.push_back(static_cast<float>(-2 * kPlaneHalfWidth * (down - 0.5)));
    }
  }
  if (samples.x.size() == before)
    throw Error(Fault::input,
                fmt::format("the picture has no ink above the threshold {}", how.threshold),
                fmt::format("{}: picture {}", images.where, index),
                *std::max_element(picture.begin(), picture.end()) == 0
                    ? "remove the empty picture from the data"
                    : "lower the threshold, or remove the picture from the data");
  if (samples.first.empty()) samples.first.push_back(0);
  samples.first.push_back(samples.x.size());
  samples.label.push_back(label);
}

SampleSet samples_of(const Images& images, const std::vector<int>& classes, const Tokenisation& how,
                     std::vector<std::size_t>* source) {
  check(images, classes);
  if (source != nullptr) source->clear();
  SampleSet samples;
  for (std::size_t index = 0; index < images.count(); ++index) {
    int place = -1;
    if (!classes.empty()) {
      const auto found = std::find(classes.begin(), classes.end(), images.labels[index]);
      if (found == classes.end()) continue;
      place = static_cast<int>(found - classes.begin());
    }
    add_sample(images, index, place, how, samples);
    if (source != nullptr) source->push_back(index);
  }
  return samples;
}

// --- Two pictures.

namespace {

// The samples of each class that pairs are made of.
class Members {
 public:
  Members(const SampleSet& pictures, std::span<const std::size_t> from) {
    for (const std::size_t sample : from) {
      const int label = pictures.label[sample];
      assert(label >= 0);
      if (static_cast<std::size_t>(label) >= of_.size()) of_.resize(label + 1);
      of_[label].push_back(sample);
    }
    std::erase_if(of_, [](const auto& members) { return members.empty(); });
    if (of_.size() < 2)
      throw Error(Fault::input, "pairs need pictures of two classes or more", "the pictures",
                  "keep fewer back for validation, or give more pictures");
  }
  std::size_t classes() const { return of_.size(); }
  std::size_t draw(std::size_t c, const Draw& who, std::uint16_t number) const {
    return of_[c][place(of_[c].size(), who, number)];
  }
  // Draws two different classes with equal probabilities.
  std::pair<std::size_t, std::size_t> two_classes(const Draw& who) const {
    const std::size_t one = place(of_.size(), who, 0), step = place(of_.size() - 1, who, 1);
    return {one, (one + 1 + step) % of_.size()};
  }

 private:
  static std::size_t place(std::size_t count, const Draw& who, std::uint16_t number) {
    return std::min(count - 1,
                    static_cast<std::size_t>(who.uniform(number) * static_cast<double>(count)));
  }
  std::vector<std::vector<std::size_t>> of_{};  // (classes that occur, members)
};

Draw drawer(const PairDraw& draw, std::size_t number) {
  return {.seed = draw.seed,
          .stream = Stream::samples,
          .particle = static_cast<std::uint32_t>(number),
          .step = draw.step,
          .replica = draw.use};
}

}  // namespace

void add_pair(const SampleSet& pictures, const PicturePair& pair, int label, SampleSet& pairs) {
  for (const bool right : {false, true}) {
    const std::size_t sample = right ? pair.right : pair.left;
    const double centre = right ? kPairCentre : -kPairCentre;
    for (std::size_t i = pictures.first[sample]; i < pictures.first[sample + 1]; ++i) {
      pairs.x.push_back(static_cast<float>(kPairScale * pictures.x[i] + centre));
      pairs.y.push_back(static_cast<float>(kPairScale * pictures.y[i]));
    }
  }
  if (pairs.first.empty()) pairs.first.push_back(0);
  pairs.first.push_back(pairs.x.size());
  pairs.label.push_back(label);
}

void add_pair(const Images& images, const PicturePair& pair, int label, const Tokenisation& how,
              SampleSet& pairs) {
  SampleSet two;
  for (const std::size_t index : {pair.left, pair.right}) add_sample(images, index, -1, how, two);
  add_pair(two, {.left = 0, .right = 1}, label, pairs);
}

std::vector<PicturePair> draw_pairs(const SampleSet& pictures, std::span<const std::size_t> from,
                                    std::size_t count, const PairDraw& draw) {
  const Members members(pictures, from);
  std::vector<PicturePair> pairs;
  pairs.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Draw who = drawer(draw, k);
    const auto [one, other] = members.two_classes(who);
    const bool same = who.uniform(2) < 0.5;
    pairs.push_back({members.draw(one, who, 3), members.draw(same ? one : other, who, 4), same});
  }
  return pairs;
}

std::vector<PicturePair> crossed_pairs(const SampleSet& pictures, std::span<const std::size_t> from,
                                       std::size_t fours, const PairDraw& draw) {
  const Members members(pictures, from);
  std::vector<PicturePair> pairs;
  pairs.reserve(4 * fours);
  for (std::size_t k = 0; k < fours; ++k) {
    const Draw who = drawer(draw, k);
    const auto [one, other] = members.two_classes(who);
    const std::size_t left[] = {members.draw(one, who, 3), members.draw(other, who, 4)};
    const std::size_t right[] = {members.draw(one, who, 5), members.draw(other, who, 6)};
    for (const int l : {0, 1})
      for (const int r : {0, 1}) pairs.push_back({left[l], right[r], l == r});
  }
  return pairs;
}

SampleSet samples_of(const SampleSet& pictures, const std::vector<PicturePair>& pairs) {
  SampleSet samples;
  for (const PicturePair& pair : pairs)
    add_pair(pictures, pair, pair.same ? same_class : other_class, samples);
  return samples;
}

}  // namespace murmur
