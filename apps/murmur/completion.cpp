// completion.cpp: shell completion and manual pages, written from the declarations of the commands.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "command.h"
#include "generated/version.h"
#include "program.h"
#include "reproduce/reproduce.h"

namespace murmur::app {

namespace {

// Text for troff: a backslash becomes \e, a minus \-, and no line begins with a dot.
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

// The text in the head of a page: a sentence without its full stop, beginning with a small letter.
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
    if (!flag.choices.empty())
      text += fmt::format(" {}", escaped(fmt::format("{}", fmt::join(flag.choices, "|"))));
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
  throw_usage_error(fmt::format("there is no command {}", command),
                    fmt::format("the commands are {}", fmt::join(names, ", ")));
}

namespace {

// The completions after one command.
struct Choices {
  DeclaredCommand command{};
  std::vector<std::string> presets{};
  std::vector<Parameter> parameters{};
  bool takes_runs = false;  // names of runs below ./runs
};

bool among(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Adds figures, and the parameters of all figures; those of trainings are there already.
void add_figures(Choices& c) {
  c.presets.insert(c.presets.end(), {"list", "rules", "null-models", "parameters", "settings"});
  const auto add = [&](const char* name, const char* meaning) {
    c.parameters.push_back({Parameter::word, name, "", "", meaning});
  };
  std::set<std::string> known;
  for (const Parameter& p : c.parameters) known.insert(p.name);
  for (const char* name : {"threads", "seeds", "data", "models"})
    if (known.insert(name).second) add(name, "of every reproduction");
  for (const ReproductionRow& row : reproductions()) {
    c.presets.emplace_back(row.name);
    for (const FigureParameter& p : parameters_of(row.name))
      if (known.insert(p.name).second) add(p.name.c_str(), p.meaning.c_str());
  }
}

std::vector<Choices> choices() {
  std::vector<Choices> found;
  for (DeclaredCommand& command : declared_commands()) {
    Choices c{.command = std::move(command)};
    const std::string& name = c.command.name;
    c.parameters = declared_parameters(name);
    for (const Preset& preset : presets()) {
      const std::vector<std::string> of = commands_of(preset);
      if (among(name, {"explain", "presets", "velocity", "sweep", "submit"}) ||
          std::find(of.begin(), of.end(), name) != of.end())
        c.presets.emplace_back(preset.name);
    }
    if (name == "reproduce") add_figures(c);
    c.takes_runs = among(name, {"runs", "render", "measure", "export", "report", "classify"});
    found.push_back(std::move(c));
  }
  return found;
}

std::string spaced(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// In single quotes, for the shells; `escaped` replaces a quote in the text.
std::string quoted(const std::string& text, const char* escaped = "'\\''") {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string(escaped) : std::string(1, c);
  return out + "'";
}

std::vector<std::string> flag_names(const Choices& c) {
  std::vector<std::string> names;
  for (const DeclaredFlag& flag : c.command.flags) names.push_back(flag.names.back());
  return names;
}

std::vector<std::string> keys_of(const Choices& c) {
  std::vector<std::string> keys;
  for (const Parameter& p : c.parameters) keys.push_back(std::string(p.name) + "=");
  return keys;
}

// `case` branches COMMAND:KEY) values="..." for flags and parameters with a list of values.
std::string value_cases(const std::vector<Choices>& all) {
  std::string text;
  for (const Choices& c : all) {
    const auto add = [&](const std::string& key, const std::vector<std::string>& words) {
      if (!words.empty())
        text += fmt::format("    {}:{}) values=\"{}\" ;;\n", c.command.name, key, spaced(words));
    };
    for (const DeclaredFlag& flag : c.command.flags)
      for (const std::string& name : flag.names) add(name, flag.choices);
    for (const Parameter& p : c.parameters) add(p.name, literal_values(p));
  }
  return text;
}

std::string word_cases(const std::vector<Choices>& all) {
  std::string text;
  for (const Choices& c : all)
    text += fmt::format("    {}) choices=\"{} {} {}\"{} ;;\n", c.command.name,
                        spaced(flag_names(c)), spaced(c.presets), spaced(keys_of(c)),
                        c.takes_runs ? " runs=$(ls runs 2>/dev/null)" : "");
  return text;
}

std::string command_names(const std::vector<Choices>& all) {
  std::vector<std::string> names;
  for (const Choices& c : all) names.push_back(c.command.name);
  return spaced(names);
}

// In bash KEY=PART is three words, because COMP_WORDBREAKS holds '='.
std::string bash_script(const std::vector<Choices>& all) {
  return fmt::format(
      "# bash completion of murmur, written by murmur completion bash\n"
      "_murmur() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  local command=\"${{COMP_WORDS[1]}}\" key= values= choices= runs=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\")); return\n"
      "  fi\n"
      "  if [ \"$word\" = = ]; then key=$before word=\n"
      "  elif [ \"$before\" = = ]; then key=${{COMP_WORDS[COMP_CWORD-2]}}\n"
      "  elif [[ \"$before\" == -* ]]; then key=$before; fi\n"
      "  case \"$command:$key\" in\n{}  esac\n"
      "  if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\")); fi\n"
      "  if [[ -n \"$key\" && \"$key\" != -* ]]; then COMPREPLY+=($(compgen -f -- \"$word\")); fi\n"
      "  if [[ -n \"$values\" || ( -n \"$key\" && \"$key\" != -* ) ]]; then return; fi\n"
      "  case \"$command\" in\n{}  esac\n"
      "  [ \"$key\" = --resume ] && choices= runs=$(ls runs 2>/dev/null)\n"
      // compgen -W expands its words like a command line: names of runs may not pass through it.
      "  COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n"
      "  if [ -n \"$runs\" ]; then\n"
      "    local run\n"
      "    for run in runs/*; do\n"
      "      run=${{run#runs/}}\n"
      "      [[ -e \"runs/$run\" && \"$run\" == \"$word\"* ]] && COMPREPLY+=(\"$run\")\n"
      "    done\n"
      "  fi\n"
      "  COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      "  [[ \"${{COMPREPLY[0]}}\" == *= ]] && compopt -o nospace 2>/dev/null\n"
      "}}\n"
      "complete -F _murmur murmur\n",
      command_names(all), value_cases(all), word_cases(all));
}

std::string zsh_script(const std::vector<Choices>& all) {
  std::string names, flags;
  for (const Choices& c : all) {
    names += fmt::format("    {}\n", quoted(c.command.name + ":" + c.command.meaning));
    flags += fmt::format("    {}) flags=(", c.command.name);
    for (const DeclaredFlag& flag : c.command.flags)
      flags += " " + quoted(flag.names.back() + ":" + flag.meaning);
    flags += " ) ;;\n";
  }
  return fmt::format(
      "#compdef murmur\n"
      "# zsh completion of murmur, written by murmur completion zsh\n"
      "_murmur() {{\n"
      "  local -a names flags\n"
      "  local command=$words[2] before=$words[CURRENT-1] key= values= choices= runs=\n"
      "  names=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then _describe -t commands command names; return; fi\n"
      "  if [[ $PREFIX == *=* ]]; then key=${{PREFIX%%=*}}; compset -P '*='\n"
      "  elif [[ $before == -* ]]; then key=$before; fi\n"
      "  case \"$command:$key\" in\n{}  esac\n"
      "  if [[ -n $values ]]; then compadd -- ${{=values}}; return; fi\n"
      "  if [[ -n $key && $key != -* ]]; then _files; return; fi\n"
      "  case $command in\n{}  esac\n"
      "  case $command in\n{}  esac\n"
      "  if [[ $PREFIX == -* ]]; then _describe -o -t flags flag flags; return; fi\n"
      "  [[ $key == --resume ]] && choices= runs=$(ls runs 2>/dev/null)\n"
      "  choices=${{choices//--[a-z0-9-]##/}}\n"
      "  compadd -- ${{${{(M)${{=choices}}:#*[^=]}}:-}} ${{=runs}}\n"
      "  compadd -S '' -- ${{(M)${{=choices}}:#*=}}\n"
      "  _files\n"
      "}}\n"
      "if [[ $funcstack[1] == _murmur ]]; then _murmur \"$@\"; else compdef _murmur murmur; fi\n",
      names, value_cases(all), word_cases(all), flags);
}

// One line for each completion in fish; `condition` says when it is offered.
std::string fish_line(const std::string& condition, const std::string& rest) {
  return fmt::format("complete -c murmur -n '{}' {}\n", condition, rest);
}

std::string fish_script(const std::vector<Choices>& all) {
  std::string text = "# fish completion of murmur, written by murmur completion fish\n";
  for (const Choices& c : all) {
    text += fish_line("__fish_use_subcommand", fmt::format("-f -a {} -d {}", c.command.name,
                                                           quoted(c.command.meaning, "\\'")));
    const std::string seen = "__fish_seen_subcommand_from " + c.command.name;
    for (const DeclaredFlag& flag : c.command.flags) {
      std::string line;
      for (const std::string& name : flag.names)
        line += name[1] == '-' ? "-l " + name.substr(2) + " " : "-s " + name.substr(1) + " ";
      if (!flag.choices.empty())
        line += fmt::format("-x -a '{}' ", spaced(flag.choices));
      else if (flag.names.back() == "--resume")
        line += "-x -a '(ls runs 2>/dev/null)' ";
      else if (!flag.value.empty())
        line += "-r ";
      text += fish_line(seen, line + "-d " + quoted(flag.meaning, "\\'"));
    }
    for (const Parameter& p : c.parameters) {
      std::string words = std::string(p.name) + "=";
      for (const std::string& word : literal_values(p))
        words += fmt::format(" {}={}", p.name, word);
      text += fish_line(seen, fmt::format("-a '{}' -d {}", words, quoted(p.meaning, "\\'")));
    }
    if (!c.presets.empty())
      text += fish_line(seen, fmt::format("-a '{}' -d preset", spaced(c.presets)));
    if (c.takes_runs) text += fish_line(seen, "-a '(ls runs 2>/dev/null)' -d run");
  }
  return text;
}

int run(const Flags&, const std::vector<std::string>& words) {
  if (words.size() > 1)
    throw_usage_error(fmt::format("completion takes one shell, and no {}", words[1]),
                      "use bash, zsh or fish");
  const std::string shell = words.empty() ? "bash" : words[0];
  if (shell != "bash" && shell != "zsh" && shell != "fish")
    throw_usage_error(fmt::format("there is no completion for {}", shell), "use bash, zsh or fish");
  const std::vector<Choices> all = choices();
  print_text(shell == "bash"  ? bash_script(all)
             : shell == "zsh" ? zsh_script(all)
                              : fish_script(all));
  return 0;
}

}  // namespace

Command completion_command() {
  return {"completion",
          "Shell completion.",
          "  source <(murmur completion bash)\n"
          "  murmur completion fish > ~/.config/fish/completions/murmur.fish",
          nullptr,
          run,
          true};
}

}  // namespace murmur::app
