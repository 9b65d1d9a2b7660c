// page.cpp: the one template of an HTML page: head, style, facts, sections, recipe.
#include "picture/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "run/base64.h"
#include "run/formats.h"

namespace murmur::picture {

namespace {

constexpr const char* kStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f3f6fb; --ink: #1a2130; --quiet: #566074; --line: #d5dce7;
  --accent: #1b76bd; --stress: #b3430e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0c111c; --card: #161e2f; --ink: #eef2f9; --quiet: #a6b1c6; --line: #2b364d;
    --accent: #56b4f5; --stress: #f2a15f;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  overflow-wrap: break-word;
}
main {
  max-width: 62rem; margin: 0 auto;
  padding: clamp(1.25rem, 5vw, 4rem) clamp(1rem, 4vw, 2rem);
}
h1 {
  margin: 0; font-size: clamp(1.9rem, 6vw, 3rem); line-height: 1.12; letter-spacing: -0.02em;
  text-wrap: balance;
}
h2 {
  margin: 0 0 0.6rem; font-size: clamp(1.3rem, 4vw, 1.65rem); line-height: 1.25;
  letter-spacing: -0.01em; text-wrap: balance;
}
p { margin: 0 0 0.9rem; max-width: 44rem; }
.lead { margin-top: 1rem; font-size: clamp(1.1rem, 3vw, 1.3rem); color: var(--quiet); }
.facts {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr));
  gap: 0.75rem; margin: 2rem 0 0;
}
.facts div {
  display: flex; flex-direction: column-reverse; justify-content: flex-end;
  padding: 1rem 1.1rem; background: var(--card); border-radius: 0.75rem;
}
.facts dd {
  margin: 0; font-size: clamp(1.4rem, 4vw, 1.9rem); font-weight: 700; line-height: 1.15;
  letter-spacing: -0.02em; white-space: nowrap; color: var(--accent); font-variant-numeric: tabular-nums;
}
.facts dt { font-size: 0.9rem; line-height: 1.35; color: var(--quiet); margin-top: 0.25rem; }
.contents { margin-top: clamp(2rem, 6vw, 3rem); }
.contents ol { margin: 0; padding: 0; list-style: none; columns: 21rem auto; column-gap: 2.5rem; }
.contents li {
  display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline;
  gap: 0 1rem; padding: 0.4rem 0; border-bottom: 1px solid var(--line); break-inside: avoid;
}
.contents a { color: var(--accent); text-decoration: none; font-weight: 600; }
.contents a:hover, .contents a:focus { text-decoration: underline; }
.note { font-size: 0.9rem; line-height: 1.4; color: var(--quiet); }
.note.stressed { color: var(--stress); font-weight: 600; }
section { margin-top: clamp(2.5rem, 7vw, 4rem); }
figure { margin: 1.25rem 0 0; }
figure img, figure video {
  display: block; width: 100%; height: auto; border-radius: 0.75rem; border: 1px solid var(--line);
}
figcaption { margin-top: 0.6rem; font-size: 0.92rem; line-height: 1.45; color: var(--quiet); }
.table { margin-top: 1.25rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.95rem; line-height: 1.4; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; text-align: left; vertical-align: top; }
th { font-weight: 600; color: var(--quiet); border-bottom: 2px solid var(--line); }
td { border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
details {
  margin-top: clamp(2.5rem, 7vw, 4rem); padding-top: 1rem; border-top: 1px solid var(--line);
}
summary { cursor: pointer; font-weight: 600; }
pre {
  margin: 1rem 0 0; padding: 1rem; background: var(--card); border-radius: 0.75rem;
  font: 0.85rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere;
}
@media (max-width: 30rem) {
  .facts { grid-template-columns: 1fr 1fr; }
  table { font-size: 0.85rem; }
  th, td { padding-right: 0.5rem; }
  td:first-child { min-width: 8rem; }
}
@media print {
  :root {
    --paper: #ffffff; --card: #f3f6fb; --ink: #000000; --quiet: #444444; --line: #bbbbbb;
    --accent: #14588d; --stress: #8a330a;
  }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  section { margin-top: 1.5rem; }
  h2 { break-after: avoid; }
  .facts dd { font-size: 1.4rem; }
  figure, tr, .facts div { break-inside: avoid; }
  figure img { max-height: 22cm; object-fit: contain; }
}
)css";

// Text for HTML, attributes included; lines stay lines.
std::string escaped(const std::string& text) {
  std::string safe;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    for (char c : clean_text(text.substr(from, end - from))) {
      switch (c) {
        case '&':
          safe += "&amp;";
          break;
        case '<':
          safe += "&lt;";
          break;
        case '>':
          safe += "&gt;";
          break;
        case '"':
          safe += "&quot;";
          break;
        case '\'':
          safe += "&#39;";
          break;
        default:
          safe += c;
      }
    }
    if (end < text.size()) safe += '\n';
    from = end + 1;
  }
  return safe;
}

// A fact_value number; a short one stays on its line.
std::string fact_value(const std::string& value) {
  std::string text = escaped(value);
  if (value.size() > 14) return text;
  for (std::size_t at = 0; (at = text.find(' ', at)) != std::string::npos;)
    text.replace(at, 1, "&nbsp;");
  return text;
}

// Blank lines separate paragraphs.
std::string paragraphs(const std::string& text) {
  std::string html;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find("\n\n", from), text.size());
    const std::string part = text.substr(from, end - from);
    if (part.find_first_not_of(" \n\t") != std::string::npos)
      html += fmt::format("<p>{}</p>\n", escaped(part));
    from = end + 2;
  }
  return html;
}

// 98.49 %, −3, 1 850, 2.1 s, 96.43 ± 0.4: a digit first, and hardly a letter after it.
bool is_number(const std::string& cell) {
  std::size_t at = 0, letters = 0;
  if (cell.rfind("−", 0) == 0)
    at = std::string_view("−").size();
  else if (!cell.empty() && (cell[0] == '-' || cell[0] == '+'))
    at = 1;
  if (at >= cell.size() || cell[at] < '0' || cell[at] > '9') return false;
  for (char c : cell)
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) ++letters;
  return letters <= 4;
}

// A column whose cells are all numbers, or empty, is aligned to the right.
std::string table_of(const std::vector<std::vector<std::string>>& rows) {
  std::size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  std::vector<bool> number(columns, rows.size() > 1);
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      number[c] = number[c] && (rows[r][c].empty() || is_number(rows[r][c]));
  std::string html = "<div class=\"table\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    html += r == 0 ? "<thead><tr>" : "<tr>";
    for (std::size_t c = 0; c < columns; ++c) {
      const char* const kind = number[c] ? " class=\"number\"" : "";
      const std::string text = c < rows[r].size() ? escaped(rows[r][c]) : "";
      html += r == 0 ? fmt::format("<th scope=\"col\"{}>{}</th>", kind, text)
                     : fmt::format("<td{}>{}</td>", kind, text);
    }
    html += r == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

// Width and height, so that the page does not jump while pictures load; empty where unknown.
std::string png_size(const std::string& bytes) {
  if (bytes.size() < 24 || bytes.compare(1, 3, "PNG") != 0) return "";
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k)
      value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
    return value;
  };
  return fmt::format(" width=\"{}\" height=\"{}\"", number(16), number(20));
}

// A picture or film of the page: its bytes, and what kind they are.
struct Embedded {
  std::string ending, kind, bytes;
  std::string source() const {
    return fmt::format("data:{};base64,{}", kind, base64(std::as_bytes(std::span(bytes))));
  }
};

Embedded embedded(const std::filesystem::path& picture) {
  static constexpr std::array<std::array<const char*, 2>, 3> kKinds{
      {{".png", "image/png"}, {".svg", "image/svg+xml"}, {".mp4", "video/mp4"}}};
  const std::string ending = picture.extension().string();
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const auto& known) { return ending == known[0]; });
  if (kind == kKinds.end())
    throw Error(Fault::input, "a picture in a report ends in .png, .svg or .mp4", picture.string(),
                "give the report one of these");
  std::ifstream file(picture, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || bytes.empty())
    throw Error(Fault::input, "a picture of the report is missing or empty", picture.string(),
                "draw it first, or leave it out of the report");
  return {ending, (*kind)[1], bytes};
}

// A drawing without a size is not enlarged: its letters stay as large as those of the page.
std::string svg_size(const std::string& bytes) {
  const std::size_t at = bytes.find("viewBox=\"0 0 ");
  if (at == std::string::npos || bytes.find(" width=\"") < at) return "";
  double width = 0;
  std::from_chars(bytes.data() + at + 13, bytes.data() + bytes.size(), width);
  return width > 0 ? fmt::format(" style=\"max-width:{:.0f}px\"", 1.5 * width) : "";
}

// The same picture for other screens; a browser takes the first that fits.
std::string sources_for_screens(const PageSection& section) {
  static constexpr const char* kNarrow = "(max-width: 40rem)";
  static constexpr const char* kDark = "(prefers-color-scheme: dark)";
  std::string html;
  const auto add = [&](const std::filesystem::path& picture, const std::string& media) {
    if (picture.empty()) return;
    html += fmt::format("<source media=\"{}\" srcset=\"{}\">\n", media, embedded(picture).source());
  };
  add(section.narrow_dark_picture, fmt::format("{} and {}", kNarrow, kDark));
  add(section.narrow_picture, kNarrow);
  add(section.dark_picture, kDark);
  return html;
}

std::string figure_of(const PageSection& section) {
  const Embedded picture = embedded(section.picture);
  const std::string about = escaped(section.caption.empty() ? section.heading : section.caption);
  std::string html = "<figure>\n";
  if (picture.ending == ".mp4")
    html += fmt::format(
        "<video controls loop muted playsinline preload=\"auto\" aria-label=\"{}\" "
        "src=\"{}\"></video>\n",
        about, picture.source());
  else
    html +=
        fmt::format("<img alt=\"{}\"{} src=\"{}\">\n", about,
                    picture.ending == ".png" ? png_size(picture.bytes) : svg_size(picture.bytes),
                    picture.source());
  if (const std::string sources = sources_for_screens(section); !sources.empty()) {
    html.insert(html.find("<img"), "<picture>\n" + sources);
    html += "</picture>\n";
  }
  if (!section.caption.empty()) html += fmt::format("<figcaption>{}</figcaption>\n", about);
  return html + "</figure>\n";
}

// The id of a heading: small letters, digits and hyphens.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      anchor += c;
    else if (c >= 'A' && c <= 'Z')
      anchor += static_cast<char>(c - 'A' + 'a');
    else if (!anchor.empty() && anchor.back() != '-')
      anchor += '-';
  }
  return anchor;
}

std::string note_of(const PageSection& section, const char* element) {
  if (section.note.empty()) return "";
  return fmt::format("<{0} class=\"note{1}\">{2}</{0}>\n", element,
                     section.stressed ? " stressed" : "", escaped(section.note));
}

std::string contents_of(const std::vector<PageSection>& sections) {
  std::string html = "<nav class=\"contents\" aria-label=\"Contents\">\n<h2>Contents</h2>\n<ol>\n";
  for (const PageSection& section : sections)
    if (!section.heading.empty())
      html += fmt::format("<li><a href=\"#{}\">{}</a>{}</li>\n", anchor_of(section.heading),
                          escaped(section.heading), note_of(section, "span"));
  return html + "</ol>\n</nav>\n";
}

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

std::string html_of(const Page& content) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{}</h1>\n",
      escaped(content.title), kStyle, escaped(content.title));
  if (!content.lead.empty())
    page += fmt::format("<p class=\"lead\">{}</p>\n", escaped(content.lead));
  if (!content.facts.empty()) {
    page += "<dl class=\"facts\">\n";
    for (const auto& [value, what] : content.facts)
      page += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(what), fact_value(value));
    page += "</dl>\n";
  }
  page += "</header>\n";
  if (content.contents) page += contents_of(content.sections);
  for (const PageSection& section : content.sections) {
    page += content.contents && !section.heading.empty()
                ? fmt::format("<section id=\"{}\">\n", anchor_of(section.heading))
                : "<section>\n";
    if (!section.heading.empty()) page += fmt::format("<h2>{}</h2>\n", escaped(section.heading));
    page += note_of(section, "p");
    page += paragraphs(section.text);
    if (!section.table.empty()) page += table_of(section.table);
    if (!section.picture.empty()) page += figure_of(section);
    page += "</section>\n";
  }
  if (!content.recipe.empty())
    page += fmt::format(
        "<details>\n<summary>The recipe: config.toml</summary>\n<pre><code>{}</code></pre>\n"
        "</details>\n",
        escaped(content.recipe));
  page += "</main>\n</body>\n</html>\n";
  return page;
}

void write_page(const Page& content, const std::filesystem::path& html) {
  const std::string page = html_of(content);
  if (!html.parent_path().empty()) std::filesystem::create_directories(html.parent_path());
  write_file_atomically(html, page);
}

}  // namespace murmur
