// printable.h: text from files, names and tools as a terminal may see it.
#pragma once

#include <string>
#include <string_view>

namespace murmur::app {

// Control characters of ASCII and C1 (U+0080 to U+009F, and such bytes outside UTF-8), with which a
// name could steer a terminal, become \u001b and the like, which JSON reads back. Tabs and line
// ends stay, and so does every other byte: a name in another encoding can still be copied.
std::string printable(std::string_view text);

// The same, with line ends as spaces.
std::string printable_line(std::string_view text);

// Words in lines of up to 100 bytes; lines after the first one are indented by so many spaces.
std::string wrapped(const std::string& text, std::size_t indent);

}  // namespace murmur::app
