// options.cpp: options handed to CLI11. Its header takes seconds to compile, so few files see it.
#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string_view>

#include "embedding.h"

namespace murmur::app {

Option& Option::type_name(const char* name) {
  option_->type_name(name);
  return *this;
}

Option& Option::range(int least, int greatest) {
  option_->check(CLI::Range(least, greatest));
  return *this;
}

Option& Option::range(double least, double greatest) {
  // Not CLI::Range, which lets through what is no number.
  option_->check([least, greatest](const std::string& word) {
    double value = 0;
    const bool number = CLI::detail::lexical_cast(word, value);
    return number && value >= least && value <= greatest
               ? std::string()
               : fmt::format("{} is not from {:g} to {:g}", word, least, greatest);
  });
  return *this;
}

Option& Option::among(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::delimiter(char between) {
  option_->delimiter(between);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

bool Option::given() const { return option_ != nullptr && option_->count() > 0; }

namespace {

// CLI11 takes "[a,b]" for a list of two values in options that take many. A value that begins with
// this mark is one value.
constexpr std::string_view kOneValue = "\x1d one value: ";

const char* line_begins = nullptr;
std::size_t line_bytes = 0;

// A variable of a file keeps what a line before has set, unless it is told again.
template <class T>
T& renewed(T& variable) {
  const auto* address = reinterpret_cast<const char*>(&variable);
  if (std::less_equal<>()(line_begins, address) && std::less<>()(address, line_begins + line_bytes))
    return variable;
  static std::map<const void*, T> first;
  variable = first.emplace(&variable, variable).first->second;
  return variable;
}

}  // namespace

std::vector<std::string> marked_arguments(int argc, const char* const* argv) {
  std::vector<std::string> marked;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const bool flag = argument.starts_with("--") && equals != std::string::npos;
    const std::size_t value = flag ? equals + 1 : 0;
    if (argument.compare(value, 1, "[") == 0) argument.insert(value, kOneValue);
    marked.push_back(std::move(argument));
  }
  return marked;
}

std::string without_marks(std::string text) {
  for (std::size_t at = 0; (at = text.find(kOneValue, at)) != std::string::npos;)
    text.erase(at, kOneValue.size());
  return text;
}

void begin_line(const void* line, std::size_t bytes) {
  line_begins = static_cast<const char*>(line);
  line_bytes = bytes;
}

Option Options::add_flag(const std::string& names, bool& set, const std::string& meaning) {
  return Option(app_.add_flag(names, renewed(set), meaning));
}

Option Options::add_option(const std::string& names, std::string& value,
                           const std::string& meaning) {
  return Option(app_.add_option(names, renewed(value), meaning)->transform(without_marks));
}

Option Options::add_option(const std::string& names, int& value, const std::string& meaning) {
  return Option(app_.add_option(names, renewed(value), meaning));
}

Option Options::add_option(const std::string& names, std::int64_t& value,
                           const std::string& meaning) {
  return Option(app_.add_option(names, renewed(value), meaning));
}

Option Options::add_option(const std::string& names, double& value, const std::string& meaning) {
  return Option(app_.add_option(names, renewed(value), meaning));
}

Option Options::add_option(const std::string& names, std::vector<std::string>& values,
                           const std::string& meaning) {
  return Option(app_.add_option(names, renewed(values), meaning)->transform(without_marks));
}

void Options::add_footer(std::function<std::string()> text) { app_.footer(std::move(text)); }

Option Options::get_option(const std::string& name) const { return Option(app_.get_option(name)); }

}  // namespace murmur::app
