// labels.cpp: the words and symbols of the common observables.
#include "picture/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "picture/canvas.h"

namespace murmur::picture {

namespace {

// Enhanced text reads these as markup; a backslash takes that from them.
std::string escape_markup(const std::string& text) {
  std::string safe;
  for (char c : text) {
    if (std::string_view("_^{}@&~\\").find(c) != std::string_view::npos) safe += "\\";
    safe += c;
  }
  return safe;
}

}  // namespace

Label label_of(const std::string& name) {
  static const std::map<std::string, Label> known{
      {"energy", {"energy E", "energy  {/:Italic E}_{β}"}},
      {"energy_scaled", {"scaled energy", "scaled energy  {/:Italic E}_{β} / {/:Italic E}_{max}"}},
      {"clusters", {"clusters", "clusters"}},
      {"order", {"order |Σ mᵢxᵢ|", "order  |Σ {/:Italic m_i x_i}|"}},
      {"mean_cos", {"mean ⟨xᵢ, xⱼ⟩", "mean cosine  ⟨{/:Italic x_i}, {/:Italic x_j}⟩"}},
      {"min_cos", {"min ⟨xᵢ, xⱼ⟩", "smallest cosine  ⟨{/:Italic x_i}, {/:Italic x_j}⟩"}},
      {"max_cos", {"max ⟨xᵢ, xⱼ⟩", "largest cosine  ⟨{/:Italic x_i}, {/:Italic x_j}⟩"}},
      {"attention_entropy", {"attention entropy", "attention entropy (nats)"}},
      {"effective_rank", {"effective rank", "effective rank"}},
      {"close_pairs", {"close pairs", "close pairs (fraction)"}},
      {"largest_cluster", {"heaviest cluster", "mass of the heaviest cluster"}},
      {"norm_drift", {"norm drift", "drift of the norm  max |1 − |{/:Italic x_i}||"}},
      {"train_accuracy", {"training accuracy", "accuracy in training"}},
      {"validation_accuracy", {"validation accuracy", "accuracy in validation"}},
      {"rate", {"learning rate", "learning rate"}},
  };
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  std::string plain = clean_text(name);
  return {plain, escape_markup(plain)};
}

std::string superscript(int number) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (char c : std::to_string(std::abs(number))) text += digits[c - '0'];
  return text;
}

std::string time_number(double t) {
  if (t == 0 || !std::isfinite(t)) return t == 0 ? "0" : "–";
  const int power = static_cast<int>(std::floor(std::log10(std::abs(t)) + 1e-9));
  if (power > 4 || power < -3)
    return fmt::format("{:.2f}·10{}", t / std::pow(10.0, power), superscript(power));
  return fmt::format("{:.{}f}", t, std::clamp(2 - power, 0, 5));
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "–";
  if (value == std::floor(value) && std::abs(value) < 1e6) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace murmur::picture
