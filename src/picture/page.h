// page.h: an HTML page as data, and the one template that writes it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace murmur {

using TextTable = std::vector<std::vector<std::string>>;  // the first row is the head

struct PageSection {
  std::string heading{}, text{};    // text: plain sentences, escaped by the template
  TextTable table{};                // may be empty
  std::filesystem::path picture{};  // .png, .svg or .mp4; may be empty
  std::string caption{};
  // Shown instead where the screen of the reader is dark, narrow as on a phone, or both; .svg,
  // .png; each may be empty.
  std::filesystem::path dark_picture{}, narrow_picture{}, narrow_dark_picture{};
  std::string note{};     // below the heading, and next to it in the contents; may be empty
  bool stressed = false;  // the note is emphasised
};

// A page that needs no other file: pictures and films are inside it.
struct Page {
  std::string title{}, lead{};
  std::vector<std::pair<std::string, std::string>> facts{};  // big numbers: value, what it is
  std::vector<PageSection> sections{};
  bool contents = false;  // a list of the headings, each a link to its section
  std::string recipe{};   // config.toml, shown folded
};

// The text of the page. Error(input) for a picture that is missing or of another kind.
std::string html_of(const Page& page);
void write_page(const Page& page, const std::filesystem::path& html);

}  // namespace murmur
