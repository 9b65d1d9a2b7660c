// shell.h: quotes arguments for a shell, for the commands that messages advise.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace murmur {

// Returns the argument itself if no shell changes it, else in quotation marks: '...', or $'...' if
// it holds control characters. The result is always one line.
std::string shell_word(std::string_view word);

// Returns a path as an argument for murmur, with ./ before it if it would be read as a flag or as
// key=value.
std::string shell_path(const std::filesystem::path& path);

}  // namespace murmur
