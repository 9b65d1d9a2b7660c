// word_axes.cpp: principal axes of words about their mean, and the spelling of tokens for display.
#include "trace/word_axes.h"

#include <algorithm>

#include "core/axes.h"

namespace murmur {

namespace {

double square(double v) { return v * v; }

}  // namespace

bool is_word(const std::string& token) {
  return token.size() <= 2 || !((token.front() == '[' && token.back() == ']') ||
                                (token.front() == '<' && token.back() == '>'));
}

std::string readable(const std::string& token) {
  std::string bare = token;
  for (bool found = true; found;) {
    found = false;
    for (const char* mark : {"\u0120", "\u2581", " "})
      if (bare.rfind(mark, 0) == 0) {
        bare.erase(0, std::string(mark).size());
        found = true;
      }
  }
  if (bare == "\n" || bare == "<0x0A>" || bare == "\u010a") return "\u23ce";
  return bare.empty() ? "\u2423" : bare;
}

HostSwarm words_among(const std::vector<std::string>& tokens, const HostSwarm& x) {
  std::vector<int> kept;
  for (int i = 0; i < x.n(); ++i)
    if (is_word(tokens[static_cast<std::size_t>(i)])) kept.push_back(i);
  if (kept.empty()) return x;
  HostSwarm some({static_cast<int>(kept.size()), x.d()});
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < some.n(); ++i) some.at(i, k) = x.at(kept[static_cast<std::size_t>(i)], k);
  return some;
}

WordAxes::WordAxes(const std::vector<HostSwarm>& states)
    : d_(states.front().d()), mean_(static_cast<std::size_t>(d_), 0.0) {
  double count = 0, total = 0;
  for (const HostSwarm& x : states) {
    count += x.n();
    for (int k = 0; k < d_; ++k)
      for (int i = 0; i < x.n(); ++i) mean_[static_cast<std::size_t>(k)] += x.at(i, k);
  }
  for (double& entry : mean_) entry /= count;
  axes_ = leading_axes(second_moment(states, true), d_, std::min(3, d_));
  for (const HostSwarm& x : states)
    for (int i = 0; i < x.n(); ++i) {
      for (int k = 0; k < d_; ++k) total += square(x.at(i, k) - mean_[k]);
      const std::array<double, 3> at = place(x, i);
      for (std::size_t a = 0; a < 3; ++a) share_[a] += square(at[a]);
    }
  for (double& share : share_) share = total > 0 ? share / total : 0;
}

std::array<double, 3> WordAxes::place(const HostSwarm& x, int i) const {
  std::array<double, 3> at{};
  for (std::size_t a = 0; a < axes_.size() / static_cast<std::size_t>(d_); ++a)
    for (int k = 0; k < d_; ++k)
      at[a] += axes_[a * static_cast<std::size_t>(d_) + k] * (x.at(i, k) - mean_[k]);
  return at;
}

std::vector<double> WordAxes::axes() const {
  std::vector<double> all = axes_;
  all.resize(static_cast<std::size_t>(3) * d_, 0.0);
  return all;
}

std::array<double, 3> WordAxes::centre() const {
  std::array<double, 3> at{};
  for (std::size_t a = 0; a < axes_.size() / static_cast<std::size_t>(d_); ++a)
    for (int k = 0; k < d_; ++k)
      at[a] += axes_[a * static_cast<std::size_t>(d_) + k] * mean_[static_cast<std::size_t>(k)];
  return at;
}

}  // namespace murmur
