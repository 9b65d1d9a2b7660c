// toml_depth.cpp: counts brackets and dots of a TOML text outside its strings and comments.
#include "experiment/toml_depth.h"

#include <fmt/format.h>

#include <vector>

#include "murmur/error.h"

namespace murmur {
namespace {

class DepthScan {
 public:
  DepthScan(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'')
        skip_string(c);
      else if (c == '#')
        skip_comment();
      else
        count(c);
    }
  }

 private:
  void advance(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_)
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
  }

  bool is_at(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  // To after the closing quotes; a string of one line that does not close ends with its line.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool many = is_at(three);
    advance(many ? 3 : 1);
    while (at_ < text_.size()) {
      if (quote == '"' && text_[at_] == '\\') {
        advance(2);
      } else if (many ? is_at(three) : text_[at_] == quote) {
        advance(many ? 3 : 1);
        // Up to two quotes may precede the closing three: """x""""" is the string x"".
        for (int more = 0; many && more < 2 && is_at({&quote, 1}); ++more) advance(1);
        return;
      } else if (!many && text_[at_] == '\n') {
        return;
      } else {
        advance(1);
      }
    }
  }

  void count(char c) {
    if (c == '[' || c == '{') {
      open_.push_back(dots_);
      carried_ += dots_ + 1;
      dots_ = 0;
    } else if ((c == ']' || c == '}') && !open_.empty()) {
      carried_ -= open_.back() + 1;
      open_.pop_back();
      dots_ = 0;
    } else if (c == '.') {
      ++dots_;
    } else if (c == ',' || (c == '\n' && open_.empty())) {
      dots_ = 0;
    }
    if (carried_ + dots_ > kDeepestToml)
      throw Error(Fault::input,
                  fmt::format("TOML is nested more than {} levels deep", kDeepestToml),
                  fmt::format("{}:{}:{}", where_, line_, at_ - line_start_ + 1),
                  "an experiment file holds lines such as beta = 4, and tables of them");
    advance(1);
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  int dots_ = 0, carried_ = 0;  // of the key at hand; levels above it
  std::vector<int> open_{};     // dots before each open bracket
};

}  // namespace

void require_shallow_toml(std::string_view text, const std::string& where) {
  DepthScan(text, where).run();
}

}  // namespace murmur
