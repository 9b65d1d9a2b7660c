// pairs.cpp: two pictures side by side, and how pairs of them are drawn.
#include <algorithm>
#include <cassert>

#include "murmur/error.h"
#include "murmur/images.h"
#include "murmur/random.h"

namespace murmur {
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
  // A class, and another: each with equal chances.
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
