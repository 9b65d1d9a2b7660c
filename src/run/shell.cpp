// shell.cpp: quotes words for a shell.
#include "run/shell.h"

#include <fmt/format.h>

#include <algorithm>

namespace murmur {
namespace {

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

bool is_plain(unsigned char byte) {
  constexpr std::string_view marks = "_@%+=:,./-";
  const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  return letter || (byte >= '0' && byte <= '9') || byte >= 0x80 ||
         marks.find(static_cast<char>(byte)) != std::string_view::npos;
}

// C1 controls: steered by UTF-8 text as well as by single bytes.
bool holds_controls(std::string_view word) {
  for (std::size_t k = 0; k < word.size(); ++k) {
    const auto byte = static_cast<unsigned char>(word[k]);
    const bool follows = k > 0 && static_cast<unsigned char>(word[k - 1]) > 0xc2;
    if (is_control(byte) || (byte >= 0x80 && byte < 0xa0 && !follows)) return true;
  }
  return false;
}

// Every byte that is no ASCII letter is written by its number.
std::string in_ansi_quotes(std::string_view word) {
  std::string quoted = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      quoted += "\\n";
    else if (is_control(byte) || byte >= 0x80 || c == '\'' || c == '\\')
      quoted += fmt::format("\\{:03o}", byte);  // three digits: what follows cannot join them
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (holds_controls(word)) return in_ansi_quotes(word);
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_path(const std::filesystem::path& path) {
  const std::string word = path.string();
  const bool misread = word.starts_with('-') || (!word.starts_with('/') && !word.starts_with('.') &&
                                                 word.find('=') != std::string::npos);
  return shell_word(misread ? "./" + word : word);
}

}  // namespace murmur
