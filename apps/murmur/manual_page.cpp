// manual_page.cpp: manual pages as troff. Every sentence is one that --help or explain tells too.
#include "manual_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "declared.h"
#include "generated/version.h"

namespace murmur::app {

namespace {

// Text for troff: a backslash is its own, a minus that is typed is \-, no line begins with a dot.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// What stands in the head of a page: a sentence without its stop, small at its beginning.
std::string purpose(const std::string& meaning) {
  std::string text = meaning.substr(0, meaning.find('\n'));
  if (!text.empty() && text.back() == '.') text.pop_back();
  if (text.size() > 1 && !std::isupper(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string head(const std::string& name, const std::string& meaning) {
  return fmt::format(".TH {} 1 \"\" \"murmur {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     upper(escaped(name)), MURMUR_VERSION, escaped(name),
                     escaped(purpose(meaning)));
}

std::string flags_text(const std::vector<DeclaredFlag>& flags) {
  std::string text;
  for (const DeclaredFlag& flag : flags) {
    std::vector<std::string> names;
    for (const std::string& name : flag.names)
      names.push_back(fmt::format("\\fB{}\\fR", escaped(name)));
    text += fmt::format(".TP\n{}", fmt::join(names, ", "));
    if (!flag.among.empty())
      text += fmt::format(" {}", escaped(fmt::format("{}", fmt::join(flag.among, "|"))));
    else if (!flag.value.empty())
      text += fmt::format(" \\fI{}\\fR", escaped(flag.value));
    text += "\n" + escaped(flag.meaning);
    if (!flag.initial.empty()) text += fmt::format(" [{}]", escaped(flag.initial));
    text += "\n";
  }
  return text;
}

std::string parameters_text(const std::string& command) {
  const std::vector<Parameter> parameters = declared_parameters(command);
  if (parameters.empty()) return {};
  std::string text = ".SH PARAMETERS\nGiven as NAME=VALUE; in brackets the default.\n";
  for (const Parameter& p : parameters)
    text += fmt::format(".TP\n\\fB{}\\fR=\\fI{}\\fR\n{} [{}]\n", escaped(p.name), escaped(p.values),
                        escaped(p.meaning), escaped(p.initial));
  return text;
}

std::string examples_text(const std::string& examples) {
  return fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", escaped(examples));
}

std::string exit_text() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCode& code : exit_codes())
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(code.codes), escaped(code.meaning));
  return text;
}

std::string page_of(const DeclaredCommand& command) {
  std::string text = head("murmur-" + command.name, command.meaning);
  text += fmt::format(
      ".SH SYNOPSIS\n\\fBmurmur {}\\fR [\\fIOPTIONS\\fR] [\\fIpreset|path\\fR] "
      "[\\fIkey\\fR=\\fIvalue\\fR ...]\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n{}",
      escaped(command.name), escaped(command.meaning), flags_text(command.flags));
  text += parameters_text(command.name) + examples_text(command.examples) + exit_text();
  return text + ".SH SEE ALSO\n\\fBmurmur\\fR(1)\n";
}

std::string page_of_program(const std::vector<DeclaredCommand>& commands) {
  std::string text = head("murmur", kAbout);
  text += fmt::format(
      ".SH SYNOPSIS\n\\fBmurmur\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIpreset|path\\fR] "
      "[\\fIkey\\fR=\\fIvalue\\fR ...]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      escaped(kAbout));
  for (const DeclaredCommand& command : commands)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(command.name), escaped(command.meaning));
  text += examples_text(kAboutExamples) + exit_text() + ".SH SEE ALSO\n";
  for (const DeclaredCommand& command : commands)
    text += fmt::format("{}\\fBmurmur\\-{}\\fR(1)", &command == &commands.front() ? "" : ",\n",
                        escaped(command.name));
  return text + "\n";
}

}  // namespace

std::string manual_page(const std::string& command) {
  const std::vector<DeclaredCommand> commands = declared_commands();
  if (command.empty()) return page_of_program(commands);
  for (const DeclaredCommand& declared : commands)
    if (declared.name == command) return page_of(declared);
  std::vector<std::string> names;
  for (const DeclaredCommand& declared : commands) names.push_back(declared.name);
  usage(fmt::format("there is no command {}", command),
        fmt::format("the commands are {}", fmt::join(names, ", ")));
}

}  // namespace murmur::app
