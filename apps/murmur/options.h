// options.h: how a command declares its options; CLI11 stands behind it, in options.cpp and
// main.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace murmur::app {

// One declared option; each word about it returns it again.
class Option {
 public:
  explicit Option(CLI::Option* option = nullptr) : option_(option) {}
  Option& type_name(const char* name);                   // in --help, for the kind of value
  Option& range(int least, int greatest);                // refused outside, at the command line
  Option& range(double least, double greatest);          // the same
  Option& among(const std::vector<std::string>& words);  // refused when none of these
  Option& delimiter(char between);                       // several values in one word
  Option& show_default();  // --help tells the value it has without a word
  bool given() const;      // on this command line

 private:
  CLI::Option* option_;
};

// The options of one command. Names are "-o,--out"; what is read lands in the variable.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}
  Option add_flag(const std::string& names, bool& set, const std::string& meaning);
  Option add_option(const std::string& names, std::string& value, const std::string& meaning);
  Option add_option(const std::string& names, int& value, const std::string& meaning);
  Option add_option(const std::string& names, std::int64_t& value, const std::string& meaning);
  Option add_option(const std::string& names, double& value, const std::string& meaning);
  Option add_option(const std::string& names, std::vector<std::string>& values,
                    const std::string& meaning);
  Option get_option(const std::string& name) const;    // one declared before
  void add_footer(std::function<std::string()> text);  // the last lines of --help

 private:
  CLI::App& app_;
};

// The arguments of a command line as CLI11 is given them: one in square brackets stays one value.
std::vector<std::string> marked_arguments(int argc, const char* const* argv);
std::string without_marks(std::string text);

}  // namespace murmur::app
