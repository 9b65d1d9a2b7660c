// digit_words.cpp: places the words of a sentence beside their tokens.
#include <algorithm>
#include <cmath>

#include "picture/digit_stage.h"

namespace murmur::picture {

namespace {

struct Middle {
  double x = 0, y = 0;
};

std::vector<PlacedWord> words_of(Canvas& canvas, const DigitStage& stage, const Shot& shot,
                                 const std::vector<Mark>& marks) {
  const DigitTrajectory& trajectory = *stage.trajectory;
  const Theme& look = stage.look();
  const double size = std::clamp(17 * shot.unit, 0.9 * stage.layout.small_size, 40.0);
  std::vector<PlacedWord> words;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!std::isfinite(marks[i].x)) continue;
    PlacedWord word{.text = clean_text(trajectory.words[i]), .token = marks[i]};
    word.asked = static_cast<int>(i) == trajectory.asked;
    word.style = {.size = word.asked ? 1.3 * size : size,
                  .colour = word.asked ? look.ink : mix(look.quiet, look.ink, 0.35),
                  .bold = word.asked,
                  .align = Align::centre};
    word.width = canvas.text_width(word.text, word.style.size, word.asked);
    words.push_back(std::move(word));
  }
  return words;
}

// Outwards of its token, seen from the middle of all; the asked word above its own.
void start_beside_tokens(std::vector<PlacedWord>& words, const Middle& middle, double unit) {
  for (PlacedWord& word : words) {
    const double dx = word.token.x - middle.x, dy = word.token.y - middle.y;
    const double far = std::max(1.0, std::hypot(dx, dy)), size = word.style.size;
    word.x = word.token.x + (word.asked ? 0 : dx / far * (1.2 * size + 0.5 * word.width));
    word.y = word.token.y + (word.asked ? -2.2 * std::max(4.5, 12 * unit) : 1.5 * size * dy / far);
  }
}

// Words that cover a token move away from the middle; the asked word only a little, up or down.
void leave_tokens(std::vector<PlacedWord>& words, const Middle& middle, double dot) {
  for (PlacedWord& word : words)
    for (const PlacedWord& other : words) {
      if (word.asked && std::abs(word.y - word.token.y) > 2.6 * word.style.size) break;
      if (std::abs(word.x - other.token.x) > word.width / 2 + dot ||
          std::abs(word.y - other.token.y) > 0.6 * word.style.size + dot)
        continue;
      const double far = std::max(1.0, std::hypot(word.x - middle.x, word.y - middle.y));
      if (!word.asked) word.x += 0.12 * word.style.size * (word.x - middle.x) / far;
      word.y += 0.12 * word.style.size * (word.y < middle.y ? -1 : 1);
    }
}

// Two that cover each other move along the axis on which they cover each other less; the asked word
// stays.
void part(PlacedWord& a, PlacedWord& b) {
  const double wide = (a.width + b.width) / 2 + 0.4 * a.style.size;
  const double tall = 0.62 * (a.style.size + b.style.size);
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double over_x = wide - std::abs(dx), over_y = tall - std::abs(dy);
  if (over_x <= 0 || over_y <= 0) return;
  const double share = a.asked ? 0 : b.asked ? 1 : 0.5;
  if (over_y / tall <= over_x / wide) {
    const double way = 0.5 * over_y * (dy < 0 ? -1 : 1);
    a.y -= share * way, b.y += (1 - share) * way;
  } else {
    const double way = 0.5 * over_x * (dx < 0 ? -1 : 1);
    a.x -= share * way, b.x += (1 - share) * way;
  }
}

void keep_inside(std::vector<PlacedWord>& words, const Frame& w) {
  for (PlacedWord& word : words) {
    const double half = std::min(word.width, w.width) / 2,
                 size = std::min(word.style.size, w.height);
    word.x = std::clamp(word.x, w.x + half, w.x + w.width - half);
    word.y = std::clamp(word.y, w.y + size / 2, w.y + w.height - size / 2);
  }
}

}  // namespace

void push_apart(std::vector<PlacedWord>& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    for (std::size_t j = i + 1; j < words.size(); ++j) part(words[i], words[j]);
}

std::vector<PlacedWord> place_words(Canvas& canvas, const DigitStage& stage, const Shot& shot,
                                    const std::vector<Mark>& marks, double dot) {
  constexpr int kRounds = 160;
  std::vector<PlacedWord> words = words_of(canvas, stage, shot, marks);
  if (words.empty()) return words;
  Middle middle;  // of all but the asked word, which may be at the rim
  double count = 0;
  for (const PlacedWord& word : words) {
    if (word.asked && words.size() > 1) continue;
    middle.x += word.token.x, middle.y += word.token.y;
    ++count;
  }
  middle.x /= count, middle.y /= count;
  start_beside_tokens(words, middle, shot.unit);
  for (int round = 0; round < kRounds; ++round) {
    leave_tokens(words, middle, dot);
    push_apart(words);
  }
  keep_inside(words, shot.window);
  return words;
}

}  // namespace murmur::picture
