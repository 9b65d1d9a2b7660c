// colour.h: the colours of every picture: one theme for dark, one for light, one set of classes.
#pragma once

namespace murmur::picture {

struct Colour {
  double red = 0, green = 0, blue = 0;  // 0 to 1
};

constexpr Colour rgb(unsigned hex) {
  return {((hex >> 16) & 255) / 255.0, ((hex >> 8) & 255) / 255.0, (hex & 255) / 255.0};
}

// a at share 0, b at share 1.
constexpr Colour mix(Colour a, Colour b, double share) {
  return {a.red + share * (b.red - a.red), a.green + share * (b.green - a.green),
          a.blue + share * (b.blue - a.blue)};
}

struct Theme {
  bool dark;
  Colour centre, edge;           // backdrop, from the middle outwards
  Colour ink, quiet;             // text: first and second voice
  Colour line;                   // graticules, grids, axes
  Colour lit, body, limb;        // the sphere: towards the light, middle, outline
  Colour shade;                  // below and around things: shadow, or glow where it is dark
  double line_front, line_back;  // opacity of graticules before and behind
  double veil;                   // opacity of the sphere's front surface
};

const Theme& theme(bool dark);

// Colour of a class: eight hues told apart by readers with any colour vision, in the lightness that
// suits the theme; later classes repeat them lighter, then darker, on a light ground darker, then
// darkest. Negative: grey.
Colour class_colour(int label, bool dark);

}  // namespace murmur::picture
