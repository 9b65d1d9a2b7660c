// samples.cpp: ink turned into tokens.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "murmur/error.h"
#include "murmur/images.h"

namespace murmur {
namespace {

constexpr int finest = 32;

void check(const Tokenisation& how) {
  if (!(how.threshold >= 0 && how.threshold < 1))
    throw Error(Fault::input, fmt::format("a threshold of {} cannot be", how.threshold),
                "threshold", "give a share of full ink: 0 or more, below 1");
  if (how.finer < 1 || how.finer > finest)
    throw Error(Fault::input, fmt::format("a grid {} times as fine cannot be", how.finer), "finer",
                fmt::format("give a whole number from 1 to {}", finest));
  if (how.every < 1)
    throw Error(Fault::input, fmt::format("one point in {} cannot be", how.every), "every",
                "give a whole number of 1 or more");
}

void check(const Images& images, const std::vector<int>& classes) {
  if (classes.empty()) return;
  if (images.labels.size() != images.count())
    throw Error(Fault::input,
                fmt::format("{} pictures have {} labels", images.count(), images.labels.size()),
                images.where, "give one label a picture, or ask for no classes");
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
                    ? "take the empty picture out of the data"
                    : "lower the threshold, or take the picture out of the data");
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

}  // namespace murmur
