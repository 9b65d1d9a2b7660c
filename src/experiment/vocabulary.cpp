// vocabulary.cpp: reads files of words: .npy of points, .csv of words and points.
#include <fmt/format.h>

#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/readout.h"
#include "run/file.h"
#include "run/formats.h"

namespace murmur {

namespace {

[[noreturn]] void refuse_line(const std::string& where, std::size_t line, const std::string& what,
                              const std::string& remedy) {
  throw Error(Fault::input, what, fmt::format("{}: line {}", where, line), remedy);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

// Fields between commas; one in double quotes may hold commas, and quotes written twice. Nothing
// where a quote is never closed.
std::optional<std::vector<std::string>> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '"' && quoted && k + 1 < line.size() && line[k + 1] == '"') {
      fields.back() += line[++k];
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  return fields;
}

bool is_number(const std::string& text) {
  double value = 0;
  return parse_number(text, value);
}

}  // namespace

Vocabulary parse_vocabulary(const std::string& csv, const std::string& where) {
  constexpr const char* kRemedy = "write a word and its d coordinates, or the coordinates alone";
  Matrix points;
  std::vector<std::string> words;
  const std::vector<std::string> lines = lines_of(csv);
  bool named = false, first = true;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (lines[l].empty()) continue;
    const auto fields = fields_of(lines[l]);
    if (!fields) refuse_line(where, l + 1, "a quote is never closed", "close it on its line");
    const bool header = first && !is_number(fields->back());
    if (!header) {
      if (points.empty()) {
        named = fields->size() > 1 && !is_number(fields->front());
        points.cols = static_cast<int>(fields->size()) - (named ? 1 : 0);
      }
      if (static_cast<int>(fields->size()) != points.cols + (named ? 1 : 0))
        refuse_line(where, l + 1, fmt::format("there are {} fields", fields->size()), kRemedy);
      if (points.rows == kMostWords)
        refuse_line(where, l + 1, "there are too many words",
                    fmt::format("give {} at most", kMostWords));
      if (named) words.push_back(fields->front());
      for (std::size_t k = named ? 1 : 0; k < fields->size(); ++k)
        if (!parse_number((*fields)[k], points.data.emplace_back()))
          refuse_line(where, l + 1, fmt::format("'{}' is not a number", (*fields)[k]), kRemedy);
      ++points.rows;
    }
    first = false;
  }
  return vocabulary_of(std::move(points), std::move(words), where);
}

Vocabulary read_vocabulary(const std::filesystem::path& file, const std::filesystem::path& words) {
  const std::string ending = file.extension().string();
  if (ending == ".csv") {
    if (!words.empty())
      throw Error(Fault::input, "a .csv has its words itself", "words=" + words.string(),
                  "leave words out, and write them before the coordinates");
    return parse_vocabulary(read_text(file), file.string());
  }
  if (ending != ".npy")
    throw Error(Fault::input, "this is not a file of words", file.string(),
                "give a .npy of shape (V, d) or a .csv of words and coordinates");
  const Array array = read_npy(file);
  if (array.shape.size() != 2 || array.shape[0] < 1 || array.shape[0] > kMostWords ||
      array.shape[1] < 1 || array.shape[1] > 65'536)
    throw Error(Fault::input, "this is not a vocabulary", file.string(),
                fmt::format("save shape (V, d), a row a word, {} at most", kMostWords));
  Matrix points{static_cast<int>(array.shape[0]), static_cast<int>(array.shape[1]),
                array.doubles()};
  return vocabulary_of(std::move(points),
                       words.empty() ? std::vector<std::string>{} : lines_of(read_text(words)),
                       file.string());
}

}  // namespace murmur
