// dome.h: draws the move of one token: query, keys and values on a sphere around it, its field of
// vision, weights, messages, feed-forward and where they take it; as a figure, and as a film that
// steps through the parts.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "murmur/matrix.h"
#include "picture/figure.h"

namespace murmur {

using Arrow3 = std::array<double, 3>;

// One head, which has its own sphere.
struct DomeHead {
  std::string name{};             // "head 0"; empty: not shown
  Arrow3 query{};                 // unit, or 0: it has no direction
  std::vector<Arrow3> keys{};     // (n) likewise
  std::vector<double> weights{};  // (n) in [0, 1]
  std::vector<double> lengths{};  // (n) |k_j|; empty: all are the same
  std::vector<int> groups{};      // (n) of keys that overlap (token_move.h); empty: each its own
  std::vector<Arrow3> values{};   // (n) unit, or 0; empty: none are drawn
  std::vector<double> parts{};    // (n) a_ij |v_j| over their sum: each value's part of the message
  std::vector<int> value_groups{};
  double concentration = 0;   // of the field of vision (token_move.h)
  double mean_length = 0;     // of the keys that the token sees
  double attended = 0;        // to how many tokens
  Arrow3 message{};           // arrow
  double message_length = 0;  // in R^d
};

// All that one picture shows. Arrows are in the units of the tokens, along three axes.
//   move = messages + feed_forward + correction
struct DomePicture {
  std::string title{}, subtitle{};
  std::string caption{};  // what is exact and what is projected
  int token = 0;
  std::vector<DomeHead> heads{};  // those that are drawn
  int all_heads = 1;              // those that there are
  Arrow3 messages{}, feed_forward{}, correction{}, move{};
  // Their lengths in R^d, which the key gives.
  double messages_length = 0, feed_forward_length = 0, correction_length = 0, move_length = 0;
  bool has_feed_forward = true;
  std::string move_name = "move";              // or velocity
  std::string correction_name = "layer norm";  // what the correction is
};

struct DomeStyle {
  FigureStyle style = FigureStyle::paper;
  int width = 1280, height = 720;  // pixels of a .png and of a film; an .svg or .pdf has this shape
};

// As SVG, PNG or PDF by the path's ending. Error(input) where the parts do not fit each other.
void draw_dome(const DomePicture& picture, const DomeStyle& style,
               const std::filesystem::path& path);

struct DomeFilm {
  DomeStyle style{};
  int fps = 30;
  double seconds = 0;  // 0: three for each picture
  int threads = 0;
  std::function<bool()> stop{};
};
// One picture after another, each in six parts: query, keys, weights, messages, feed-forward, move.
// False when stopped. Error(tool) where ffmpeg is missing.
bool film_domes(const std::vector<DomePicture>& pictures, const DomeFilm& film,
                const std::filesystem::path& mp4);

}  // namespace murmur
