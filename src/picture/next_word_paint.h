// next_word_paint.h: the two parts of a picture of next words: the sphere, and curves over time.
#pragma once

#include <string>
#include <vector>

#include "picture/dome_paint.h"
#include "picture/next_word.h"

namespace murmur::picture {

// What stays the same over a film.
struct WordCast {
  std::vector<int> ranked{};  // the words that have a colour, the most probable first
  std::vector<int> rank{};    // (V) place among them; -1: grey
  Camera camera{0.6, 0.35};

  explicit WordCast(const NextWordPicture& picture);
  Colour colour(const Theme& theme, int word) const;
};

// An instant between frame `before` and the next one.
struct Instant {
  std::size_t before = 0;
  double share = 0;  // 0: at `before`
};
Instant instant_at(const NextWordPicture& picture, double t);
double time_at(const NextWordPicture& picture, const Instant& now);

void paint_words(const Pen& pen, const DomeLook& look, const NextWordPicture& picture,
                 const WordCast& cast, const Instant& now, const Frame& square);

// A chart over the times of the picture; curves are drawn fully up to now, and faintly after.
struct WordCurve {
  std::vector<double> value{};  // (frames)
  Colour colour{};
  double width = 1;  // lines
  bool dashed = false;
};
struct WordChart {
  std::string label{};
  double low = 0, high = 1;
  bool clock = false;  // marks and label of the time axis
  std::vector<WordCurve> curves{};
};
void paint_chart(const Pen& pen, const DomeLook& look, const NextWordPicture& picture,
                 const WordChart& chart, const Instant& now, const Frame& room);

}  // namespace murmur::picture
