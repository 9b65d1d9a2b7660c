// colour.cpp: the two themes and the eight hues.
#include "picture/colour.h"

#include <array>

namespace murmur::picture {

namespace {

constexpr Theme kDark{.dark = true,
                      .centre = rgb(0x1b2438),
                      .edge = rgb(0x0a0e18),
                      .ink = rgb(0xf1f4fa),
                      .quiet = rgb(0x9fabc2),
                      .line = rgb(0xa3b7de),
                      .lit = rgb(0x42547a),
                      .body = rgb(0x202c47),
                      .limb = rgb(0x161f35),
                      .shade = rgb(0x5d7fc4),
                      .line_front = 0.22,
                      .line_back = 0.09,
                      .veil = 0.30};

// White to the edge, so that a printed figure has no frame.
constexpr Theme kLight{.dark = false,
                       .centre = rgb(0xffffff),
                       .edge = rgb(0xffffff),
                       .ink = rgb(0x1a2130),
                       .quiet = rgb(0x5d6779),
                       .line = rgb(0x43536f),
                       .lit = rgb(0xfdfdff),
                       .body = rgb(0xebeff6),
                       .limb = rgb(0xcfd7e5),
                       .shade = rgb(0x2a3550),
                       .line_front = 0.24,
                       .line_back = 0.11,
                       .veil = 0.42};

// blue, orange, green, pink, vermilion, violet, yellow, slate: hues after Okabe and Ito.
constexpr std::array<Colour, 8> kOnDark{rgb(0x56b4f5), rgb(0xf9a83a), rgb(0x35cfa0), rgb(0xee8fc8),
                                        rgb(0xf56a48), rgb(0x9a93ff), rgb(0xf3e36b), rgb(0xc3ccda)};
constexpr std::array<Colour, 8> kOnLight{rgb(0x1b76bd), rgb(0xea8c00), rgb(0x00936c),
                                         rgb(0xc9579f), rgb(0xc93f14), rgb(0x5f55c9),
                                         rgb(0xcfae00), rgb(0x56606f)};

}  // namespace

const Theme& theme(bool dark) { return dark ? kDark : kLight; }

Colour class_colour(int label, bool dark) {
  if (label < 0) return dark ? rgb(0x7d879a) : rgb(0x9aa2ae);
  const auto& hues = dark ? kOnDark : kOnLight;
  const int count = static_cast<int>(hues.size());
  const Colour hue = hues[static_cast<std::size_t>(label % count)];
  switch (label / count % 3) {  // away from the ground
    case 1:
      return dark ? mix(hue, rgb(0xffffff), 0.42) : mix(hue, rgb(0x000000), 0.36);
    case 2:
      return mix(hue, rgb(0x000000), dark ? 0.36 : 0.62);
    default:
      return hue;
  }
}

}  // namespace murmur::picture
