// fuzz_page.cpp: whatever a run is called or says, its report stays one page: text never becomes
// markup, and what is no UTF-8 does not reach it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "picture/labels.h"
#include "picture/page.h"

using namespace murmur;

namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size())
    ++found;
  return found;
}

Page page_saying(const std::string& text) {
  return {.title = text,
          .lead = text.empty() ? "a" : text,
          .facts = {{text, text}},
          .sections = {{.heading = text.empty() ? "a" : text, .table = {{text, "b"}, {"1", text}}}},
          .recipe = text.empty() ? "a" : text};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static const std::string plain = html_of(page_saying("a"));
  const std::string page = html_of(page_saying(text));
  // As many marks as without it: none came in, none went.
  for (const char* mark : {"<", ">", "\"", "'"})
    if (count(page, mark) != count(plain, mark)) std::abort();
  for (std::size_t at = 0; (at = page.find('&', at)) != std::string::npos; ++at) {
    bool known = false;
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&nbsp;"})
      known = known || page.compare(at, std::string_view(entity).size(), entity) == 0;
    if (!known) std::abort();
  }
  for (const char c : page)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
  picture::label_of(text);
  return 0;
}
