// measures.cpp: the initial measure that the words init and prefix describe.
#include "experiment/measures.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "experiment/words.h"
#include "run/formats.h"

namespace murmur {

namespace {

// A word of the settings that describes a law on the sphere of R^d.
struct Word {
  const Settings& settings;
  const char* key;
  int d;
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const {
    murmur::refuse(settings, key, reason, remedy);
  }
};

// Beyond d = 3 a place is a pole of the last axis: the angle 0 or pi to it.
std::vector<double> pole_of(const Word& word, const std::string& text) {
  double angle = std::numbers::pi;
  const bool number = text != "pi" && parse_number(text, angle);
  const bool south = std::fabs(angle - std::numbers::pi) < 1e-4;
  if ((text != "pi" && !number) || (angle != 0 && !south))
    word.refuse(fmt::format("{} is no pole", text),
                "beyond d = 3 laws are symmetric about the last axis: write 0 or pi");
  std::vector<double> x(word.d);
  x.back() = south ? -1 : 1;
  return x;
}

// ANGLE, or POLAR/AZIMUTH on the sphere, as a unit vector.
std::vector<double> place_of(const Word& word, const std::string& text) {
  const int d = word.d;
  if (d > 3) return pole_of(word, text);
  const std::vector<std::string> parts = split(text, '/');
  double angle = 0, azimuth = 0;
  const bool fits = static_cast<int>(parts.size()) == d - 1 && parse_number(parts[0], angle) &&
                    (d == 2 || parse_number(parts[1], azimuth));
  if (!fits)
    word.refuse(fmt::format("{} is no place", text),
                d == 2 ? "write an angle in radians" : "write POLAR/AZIMUTH in radians");
  if (d == 2) return {std::cos(angle), std::sin(angle)};
  return {std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth),
          std::cos(angle)};
}

// PLACE*WEIGHT or PLACE, of weight 1.
Measure::Atom atom_of(const Word& word, const std::string& text) {
  const std::vector<std::string> parts = split(text, '*');
  Measure::Atom atom;
  if (parts.size() > 2 || (parts.size() == 2 && !parse_number(parts[1], atom.weight)))
    word.refuse(fmt::format("{} has no weight", text), "write PLACE*WEIGHT");
  atom.place = place_of(word, parts[0]);
  return atom;
}

Measure::Bump bump_of(const Word& word, const std::string& text) {
  const std::size_t at = text.find('@');
  Measure::Bump bump;
  if (at == std::string::npos || !parse_number(text.substr(0, at), bump.kappa))
    word.refuse(fmt::format("{} is no bump", text), "write KAPPA@PLACE*WEIGHT");
  const Measure::Atom atom = atom_of(word, text.substr(at + 1));
  bump.centre = atom.place;
  bump.weight = atom.weight;
  return bump;
}

std::string shape_text(const Array& array) {
  return fmt::format("({})", fmt::join(array.shape, ", "));
}

// mode:3:1e-4 and modes:1-12:1e-6
std::vector<Measure::Wave> waves_of(const Word& word, const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const std::vector<std::string> ends = split(parts.size() > 1 ? parts[1] : "", '-');
  double first = 0, last = 0, eps = 0;
  const bool fits = parts.size() == 3 && ends.size() <= 2 && parse_number(ends.front(), first) &&
                    parse_number(ends.back(), last) && parse_number(parts[2], eps) && first >= 1 &&
                    last >= first && last <= 1e4 && first == std::floor(first) &&
                    last == std::floor(last);
  if (!fits) word.refuse("names no modes", "write mode:3:1e-4 or modes:1-12:1e-6");
  std::vector<Measure::Wave> waves;
  for (int k = static_cast<int>(first); k <= last; ++k) waves.push_back({k, eps});
  return waves;
}

// (n, d) unit vectors of equal masses, or (n, d + 1) with weights behind them.
std::vector<Measure::Atom> atoms_of(const Word& word, const Array& array) {
  const int d = word.d;
  const auto width = static_cast<std::size_t>(d);
  const bool fits = array.shape.size() == 2 && array.shape[0] > 0 &&
                    (array.shape[1] == width || array.shape[1] == width + 1);
  if (!fits)
    word.refuse(
        fmt::format("has shape {}", shape_text(array)),
        fmt::format("give points of shape (n, {}), or (n, {}) with weights last", d, d + 1));
  const std::vector<double> cells = array.doubles();
  std::vector<Measure::Atom> atoms;
  for (std::size_t i = 0; i < array.shape[0]; ++i) {
    const auto row = cells.begin() + static_cast<std::ptrdiff_t>(i * array.shape[1]);
    Measure::Atom atom{{row, row + d}, array.shape[1] > width ? row[d] : 1.0};
    const double length = std::sqrt(
        std::inner_product(atom.place.begin(), atom.place.end(), atom.place.begin(), 0.0));
    if (!(std::fabs(length - 1) <= 1e-6))
      word.refuse(fmt::format("row {} has norm {:.9g}, not 1", i, length),
                  "divide every row by its norm");
    if (!(atom.weight > 0) || !std::isfinite(atom.weight))
      word.refuse(fmt::format("row {} has weight {:g}", i, atom.weight),
                  "give finite weights above 0");
    for (double& x : atom.place) x /= length;
    atoms.push_back(std::move(atom));
  }
  return atoms;
}

void set_density(const Word& word, const Array& array, Measure& measure) {
  const int d = word.d;
  if (d > 3)
    word.refuse("densities on a grid are of the circle or sphere",
                "write modes or vmf bumps at the poles, or use d=2 or d=3");
  if (array.shape.size() != static_cast<std::size_t>(d - 1) || array.size() == 0)
    word.refuse(fmt::format("has shape {}", shape_text(array)),
                d == 2 ? "give densities of shape (cells) around the circle"
                       : "give densities of shape (polar angles, azimuths) over the sphere");
  measure.density = array.doubles();
  if (d == 3) measure.rows = static_cast<int>(array.shape[0]);
}

// What needs no file; nothing where the text names one, or nothing known.
std::optional<Measure> law_of(const Word& word, const std::string& text) {
  Measure measure;
  if (text == "uniform") return measure;
  if (text.rfind("mode:", 0) == 0 || text.rfind("modes:", 0) == 0) {
    measure.waves = waves_of(word, text);
    return measure;
  }
  const bool bumps = text.rfind("vmf:", 0) == 0;
  if (!bumps && text.rfind("atoms:", 0) != 0) return std::nullopt;
  for (const std::string& part : split(text.substr(text.find(':') + 1), ','))
    if (bumps)
      measure.bumps.push_back(bump_of(word, part));
    else
      measure.atoms.push_back(atom_of(word, part));
  return measure;
}

}  // namespace

Measure measure_of(const Settings& settings, int d, Record& inputs) {
  const Setting& init = setting(settings, "init");
  const std::string& text = init.text;
  const Word word{settings, "init", d};
  if (const auto law = law_of(word, text)) return *law;
  if (!ends_with(text, ".npy"))
    word.refuse(
        "is no measure",
        "write mode:3:1e-4, modes:1-12:1e-6, vmf:20@0*0.5,20@2*0.5, atoms:0,2, uniform, FILE.npy "
        "or points:FILE.npy");
  Measure measure;
  const bool points = text.rfind("points:", 0) == 0;
  const Array array = read_npy(init.folder / (points ? text.substr(7) : text));
  if (points)
    measure.atoms = atoms_of(word, array);
  else
    set_density(word, array, measure);
  inputs[points ? "points" : "density"] = array;
  return measure;
}

std::vector<Measure::Earlier> prefix_of(const Settings& settings, int d) {
  const std::string& text = setting(settings, "prefix").text;
  if (text == "none") return {};
  const Word word{settings, "prefix", d};
  const std::size_t colon = text.find(':');
  double share = 0;
  if (colon == std::string::npos || !parse_number(text.substr(0, colon), share) ||
      !(share > 0 && share < 1))
    word.refuse("names no share of the prompt", "write SHARE:LAW, as 0.1:vmf:20@0");
  const auto law = law_of(word, text.substr(colon + 1));
  if (!law)
    word.refuse("names no law", "write mode:3:1e-4, vmf:20@0, atoms:0 or uniform after the share");
  return {{share, *law}};
}

}  // namespace murmur
