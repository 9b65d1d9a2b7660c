// program.cpp: declares all commands and parses a command line. The header of CLI11 takes seconds
// to compile, so only this file includes it.
#include "program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string_view>

#include "embedded.h"
#include "murmur/error.h"
#include "murmur/stop.h"
#include "run_kind.h"

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
  // CLI::Range would accept text that is not a number.
  option_->check([least, greatest](const std::string& word) {
    double value = 0;
    const bool number = CLI::detail::lexical_cast(word, value);
    return number && value >= least && value <= greatest
               ? std::string()
               : fmt::format("{} is not from {:g} to {:g}", word, least, greatest);
  });
  return *this;
}

Option& Option::among(const std::vector<std::string>& choices) {
  option_->check(CLI::IsMember(choices));
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

// CLI11 reads "[a,b]" as a list of two values in options that take many values. An argument that
// begins with this mark is one value.
constexpr std::string_view kOneValue = "\x1d one value: ";

// The arguments of a command line for CLI11: one in square brackets stays one value.
std::vector<std::string> marked_arguments(int argc, const char* const* argv) {
  std::vector<std::string> marked;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const bool flag = argument.starts_with("--") && equals != std::string::npos;
    const std::size_t value = flag ? equals + 1 : 0;
    const std::string_view given = std::string_view(argument).substr(value);
    if (given.starts_with('[') || given.starts_with(kOneValue)) argument.insert(value, kOneValue);
    marked.push_back(std::move(argument));
  }
  return marked;
}

std::string without_mark(const std::string& value) {
  return value.starts_with(kOneValue) ? value.substr(kOneValue.size()) : value;
}

// For messages, which quote values.
std::string without_marks(std::string text) {
  for (std::size_t at = 0; (at = text.find(kOneValue, at)) != std::string::npos;)
    text.erase(at, kOneValue.size());
  return text;
}

const CommandLine* current_line = nullptr;  // the command line that is being parsed

// Sets a variable of a file back to its default, which is its value when it is first declared: an
// earlier command line of this process may have changed it. Members of the CommandLine are new.
template <class T>
T& reset_to_default(T& variable) {
  const void* const address = &variable;
  if (current_line != nullptr &&
      std::less_equal<>()(static_cast<const void*>(current_line), address) &&
      std::less<>()(address, static_cast<const void*>(current_line + 1)))
    return variable;
  static std::map<const void*, T> defaults;
  variable = defaults.emplace(&variable, variable).first->second;
  return variable;
}

}  // namespace

Option Options::add_flag(const std::string& names, bool& set, const std::string& meaning) {
  return Option(app_.add_flag(names, reset_to_default(set), meaning));
}

Option Options::add_option(const std::string& names, std::string& value,
                           const std::string& meaning) {
  return Option(app_.add_option(names, reset_to_default(value), meaning)->transform(without_mark));
}

namespace {

// CLI11 reads 010 as 8 and cuts a number that is too large: a whole number is decimal and fits.
template <class Whole>
CLI::Option* require_whole(CLI::Option* option) {
  const auto read = [](const std::string& word) -> std::optional<Whole> {
    Whole whole{};
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), whole);
    if (fault != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return whole;
  };
  return option
      ->check([read](const std::string& word) {
        return read(word) ? std::string() : fmt::format("{} is not a whole number here", word);
      })
      ->transform([read](const std::string& word) {
        const std::optional<Whole> whole = read(word);
        return whole ? std::to_string(*whole) : word;
      });
}

}  // namespace

Option Options::add_option(const std::string& names, int& value, const std::string& meaning) {
  return Option(require_whole<int>(app_.add_option(names, reset_to_default(value), meaning)));
}

Option Options::add_option(const std::string& names, std::int64_t& value,
                           const std::string& meaning) {
  return Option(
      require_whole<std::int64_t>(app_.add_option(names, reset_to_default(value), meaning)));
}

Option Options::add_option(const std::string& names, double& value, const std::string& meaning) {
  return Option(app_.add_option(names, reset_to_default(value), meaning));
}

Option Options::add_option(const std::string& names, std::vector<std::string>& values,
                           const std::string& meaning) {
  return Option(app_.add_option(names, reset_to_default(values), meaning)->transform(without_mark));
}

void Options::add_footer(std::function<std::string()> text) { app_.footer(std::move(text)); }

Option Options::get_option(const std::string& name) const { return Option(app_.get_option(name)); }

void Options::add_style(std::string& style) {
  add_option("--style", style, "look of the figures").among({"paper", "slides", "dark"});
}

void Options::add_resume(Flags& flags, const std::string& meaning) {
  add_option("--resume", flags.resume, meaning).type_name("RUN");
}

void Options::add_checkpoint(Flags& flags) {
  add_option("--checkpoint", flags.checkpoint_seconds, "seconds between checkpoints")
      .range(0.0, 10.0);
}

namespace {

void add_common(Options& sub, Flags& flags, std::vector<std::string>& words) {
  sub.add_option("words", words, "preset or path, and parameters as key=value").type_name("...");
  sub.add_option("-o,--out", flags.out, "run directory, or output file").type_name("PATH");
  sub.add_option("--runs", flags.runs, "folder of runs").type_name("DIR");
  sub.add_flag("--json", flags.json, "report as JSON on stdout");
  sub.add_flag("-q,--quiet", flags.quiet, "suppress messages on stderr");
  sub.add_flag("-v,--verbose", flags.verbose, "print more messages on stderr");
  sub.add_option("--color", flags.color, "colours on stderr").among({"auto", "always", "never"});
  sub.add_option("--progress", flags.progress, "progress on stderr")
      .among({"auto", "plain", "json", "none"});
  sub.add_flag("--force", flags.force, "replace an earlier run or output file");
}

// CLI11 describes the kind of a value as TEXT, or with its check as TEXT:{auto,always,never}.
DeclaredFlag read_back(const CLI::Option& option) {
  DeclaredFlag flag;
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  flag.meaning = option.get_description();
  if (option.get_items_expected_max() == 0) return flag;
  const std::string kind = option.get_type_name();
  flag.value = kind.substr(0, kind.find(':'));
  flag.initial = option.get_default_str();
  const std::size_t opens = kind.find(":{");
  if (opens == std::string::npos || kind.back() != '}') return flag;
  flag.choices = CLI::detail::split(kind.substr(opens + 2, kind.size() - opens - 3), ',');
  return flag;
}

bool is_literal(const std::string& word) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; };
  return word.size() > 1 && std::isalpha(static_cast<unsigned char>(word[0])) &&
         std::all_of(word.begin(), word.end(), plain);
}

// The parameters of the command itself, each with the values that need an explanation.
std::string parameters_text(const Command& command) {
  if (command.parameters == nullptr) return {};
  std::string text = "\n\nParameters, NAME=VALUE:";
  for (const Parameter& p : command.parameters()) {
    text += fmt::format("\n  {}={}", p.name, p.choices.empty() ? p.values : "one of");
    const std::string initial = p.initial;
    const bool has_default = !initial.empty() && initial != "none";
    for (const ParameterValue& value : p.choices)
      text += fmt::format("\n    {:<14} {}", value.name, wrapped(value.meaning, 19));
    text +=
        "\n      " + wrapped(std::string(p.meaning) + (has_default ? " [" + initial + "]" : ""), 6);
  }
  return text;
}

// Declares the flags of a command and those that all commands share; values are stored in `flags`
// and `words`.
void declare(CLI::App& sub, const Command& command, Flags& flags, std::vector<std::string>& words) {
  sub.description(fmt::format("{}\n\nExamples:\n{}{}", command.meaning, command.examples,
                              parameters_text(command)));
  Options options(sub);
  add_common(options, flags, words);
  if (command.declare) command.declare(options, flags);
}

}  // namespace

std::vector<std::string> literal_values(const Parameter& parameter) {
  std::vector<std::string> found;
  std::string text = parameter.values;
  std::replace(text.begin(), text.end(), ';', ',');
  for (const std::string& part : CLI::detail::split(text, ',')) {
    const std::string word = CLI::detail::trim_copy(part);
    if (is_literal(word)) found.push_back(word);
  }
  return found;
}

std::span<const ExitCode> exit_codes() {
  static constexpr ExitCode table[] = {
      {"0", "ok"},
      {"1", "failed at run time: disk, permissions, another writer"},
      {"2", "usage: the command line is off, or the output is taken"},
      {"3", "bad parameter, experiment or data file"},
      {"4", "numerical failure"},
      {"5", "a sweep finished with failed jobs"},
      {"6", "an optional tool is missing (ffmpeg, gnuplot, SUNDIALS, a GPU, MPI, Slurm)"},
      {"7", "two things that must agree do not"},
      {"129, 130, 143", "interrupted by SIGHUP, SIGINT or SIGTERM, after a checkpoint"}};
  return table;
}

std::vector<DeclaredCommand> declared_commands() {
  // Commands keep pointers to the options that they declared last, so these are never destroyed.
  static std::deque<CLI::App> kept;
  static Flags flags;
  static std::vector<std::string> words;
  std::vector<DeclaredCommand> found;
  for (const Command& command : all_commands()) {
    CLI::App& sub = kept.emplace_back();
    declare(sub, command, flags, words);
    DeclaredCommand declared{command.name, command.meaning, command.examples};
    for (const CLI::Option* option : sub.get_options())
      if (!option->get_positional()) declared.flags.push_back(read_back(*option));
    found.push_back(std::move(declared));
  }
  return found;
}

std::vector<Parameter> declared_parameters(const std::string& command) {
  std::vector<Parameter> found;
  const auto add = [&](const auto& table) {
    found.insert(found.end(), table.begin(), table.end());
  };
  for (const Command& declared : all_commands()) {
    if (declared.name != command) continue;
    if (declared.parameters != nullptr) add(declared.parameters());
    if (declared.more_parameters != nullptr) add(declared.more_parameters());
  }
  const RunKind* kind = find_kind(command);
  const bool has_own = found.empty() && command != "trace";  // a trace takes texts
  if (kind != nullptr && has_own) add(kind->parameters());
  return found;
}

std::vector<std::string> program_argv;

// A new command is a function, its line here and its place in a group below.
Command simulate_command();
Command train_command();
Command sweep_command();
Command velocity_command();
Command measure_command();
Command render_command();
Command runs_command();
Command export_command();
Command classify_command();
Command report_command();
Command presets_command();
Command explain_command();
Command doctor_command();
Command completion_command();
Command bench_command();
Command reproduce_command();
Command studio_command();
Command meanfield_command();
Command landscape_command();
Command open_command();
Command tokenize_command();
Command trace_command();
Command import_command();
Command model_command();
Command submit_command();

std::vector<CommandGroup> command_groups() {
  return {{"Simulate and train",
           {{simulate_command(), "simulate"},
            {train_command(), "digits"},
            {sweep_command(), "sweep"},
            {meanfield_command(), "meanfield"},
            {landscape_command(), "landscape"},
            {velocity_command(), "engines"}}},
          {"Look and measure",
           {{measure_command(), "observables"},
            {render_command(), "pictures"},
            {report_command(), "pictures"},
            {classify_command(), "digits"},
            {export_command(), "formats"},
            {open_command(), "pictures"},
            {studio_command(), "studio"}}},
          {"Published figures and tables", {{reproduce_command(), "reproduce"}}},
          {"Trained transformers",
           {{trace_command(), "trace"},
            {import_command(), "trace"},
            {model_command(), "trace"},
            {tokenize_command(), "tokenize"}}},
          {"Runs and machines",
           {{runs_command(), "runs"},
            {submit_command(), "cluster"},
            {doctor_command(), "install"},
            {bench_command(), "engines"}}},
          {"Help",
           {{presets_command(), "simulate"},
            {explain_command(), "simulate"},
            {completion_command(), "install"}}}};
}

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (CommandGroup group : command_groups())
    for (CommandGroup::Member& member : group.members)
      commands.push_back(std::move(member.command));
  return commands;
}

namespace {

// Shows one line per command in the list of commands.
class Help : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* sub) const override {
    const std::string about = sub->get_description();
    return fmt::format("  {:<12} {}\n", sub->get_name(), about.substr(0, about.find('\n')));
  }
};

// Names that users try, and the commands that they mean.
const std::map<std::string, const char*> kOtherNames = {{"run", "simulate"},
                                                        {"fly", "simulate"},
                                                        {"start", "simulate"},
                                                        {"plot", "render"},
                                                        {"draw", "render"},
                                                        {"film", "render"},
                                                        {"video", "render"},
                                                        {"picture", "render"},
                                                        {"movie", "render"},
                                                        {"list", "runs"},
                                                        {"ls", "runs"},
                                                        {"show", "runs show"},
                                                        {"resume", "runs resume"},
                                                        {"continue", "runs resume"},
                                                        {"branch", "runs branch"},
                                                        {"diff", "runs diff"},
                                                        {"compare", "runs diff"},
                                                        {"delete", "runs delete"},
                                                        {"rm", "runs delete"},
                                                        {"verify", "runs verify"},
                                                        {"learn", "train"},
                                                        {"fit", "train"},
                                                        {"predict", "classify"},
                                                        {"infer", "classify"},
                                                        {"observe", "measure"},
                                                        {"energy", "measure"},
                                                        {"clusters", "measure"},
                                                        {"distance", "measure"},
                                                        {"convert", "export"},
                                                        {"save", "export"},
                                                        {"recipe", "open"},
                                                        {"metadata", "open"},
                                                        {"figure", "reproduce"},
                                                        {"paper", "reproduce"},
                                                        {"serve", "studio"},
                                                        {"web", "studio"},
                                                        {"page", "studio"},
                                                        {"grid", "sweep"},
                                                        {"scan", "sweep"},
                                                        {"equations", "explain"},
                                                        {"parameters", "explain --parameters"},
                                                        {"help", "--help"},
                                                        {"version", "--version"},
                                                        {"gallery", "presets"},
                                                        {"benchmark", "bench"},
                                                        {"check", "doctor"},
                                                        {"tokenise", "tokenize"},
                                                        {"encode", "tokenize"},
                                                        {"models", "model list"},
                                                        {"fetch", "model fetch"},
                                                        {"download", "model fetch"},
                                                        {"decode", "tokenize --decode"},
                                                        {"sbatch", "submit"},
                                                        {"slurm", "submit"},
                                                        {"queue", "runs"}};

std::string remedy_for(const std::string& word) {
  if (const auto other = kOtherNames.find(word); other != kOtherNames.end())
    return fmt::format("did you mean murmur {}?", other->second);
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.emplace_back(command.name);
  const std::string near = did_you_mean(word, names);
  if (!near.empty()) return fmt::format("did you mean murmur {}?", near);
  return fmt::format("the commands are {}", fmt::join(names, ", "));
}

// Refuses empty arguments, which come from unset variables of the shell: --resume "" must not begin
// a new run.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty() && option->get_items_expected_max() > 0)
        throw_usage_error(
            option->get_positional() ? "an argument is empty" : option->get_name() + " is empty",
            "give it a value, or leave it out");
}

}  // namespace

CommandLine::CommandLine() = default;
CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(int argc, const char* const* argv) {
  program_ = std::make_unique<CLI::App>(fmt::format("{}\n\nExamples:\n{}", kAbout, kAboutExamples));
  CLI::App& program = *program_;
  program.set_version_flag("-V,--version", program_version());
  program.name("murmur");
  program.require_subcommand(1);
  program.formatter(std::make_shared<Help>());
  current_line = this;
  std::vector<Command> commands;
  std::vector<CLI::App*> subs;
  for (const CommandGroup& group : command_groups())
    for (const CommandGroup::Member& member : group.members) {
      CLI::App* sub = program.add_subcommand(member.command.name, member.command.meaning);
      sub->group(group.title);
      declare(*sub, member.command, flags_, words_);
      subs.push_back(sub);
      commands.push_back(member.command);
    }
  program.footer(
      "murmur COMMAND --help lists the options of a command. murmur explain NAME explains a\n"
      "parameter, an observable, a method, an engine, a preset or a figure.");
  try {
    std::vector<std::string> arguments = marked_arguments(argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 reads the last one first
    program.parse(std::move(arguments));
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    const bool unknown = argc > 1 && argv[1][0] != '-' && program.get_subcommands().empty();
    if (unknown)
      throw Error(Fault::usage, fmt::format("there is no command {}", argv[1]), "command line",
                  remedy_for(argv[1]));
    throw Error(Fault::usage, without_marks(error.what()), "command line",
                "see murmur --help, or murmur COMMAND --help");
  }
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (subs[i]->parsed()) {
      command_ = std::move(commands[i]);
      parsed_ = subs[i];
      return std::nullopt;
    }
  return 2;
}

// Returns the exit code of the command; nothing if a signal came and its result was lost.
std::optional<int> CommandLine::run_unless_stopped() {
  int code = 0;
  if (finishes([&] { code = command_.run(flags_, words_); })) return code;
  print_message(flags_, "stopped");
  return std::nullopt;
}

int CommandLine::run() {
  refuse_empty_values(*parsed_);
  warn_about_unknown_variables(flags_);
  std::optional<OutputFile> file;
  if (command_.prints) file.emplace(flags_);
  const std::optional<int> code = run_unless_stopped();
  if (code && file) file->write();
  if (code.value_or(0) != 0) return *code;
  return caught_signal != 0 ? signal_exit_code() : picture_exit_code;
}

}  // namespace murmur::app
