// shell.h: words of a command line as a shell reads them, for the commands that messages advise.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace murmur {

// The word itself where no shell changes it, else in quotation marks: '...', or $'...' where it
// holds control characters. It is one line, whatever the word holds.
std::string shell_word(std::string_view word);

// The path of a file as a word for murmur: with ./ before it where the word would be read as a flag
// or as key=value.
std::string shell_path(const std::filesystem::path& path);

}  // namespace murmur
