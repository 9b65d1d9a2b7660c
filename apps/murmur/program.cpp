// program.cpp: the commands, and how a line of words becomes one of them.
#include "program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <new>

#include "declared.h"
#include "embedding.h"
#include "generated/version.h"
#include "murmur/error.h"
#include "murmur/stop.h"
#include "variables.h"

namespace murmur::app {

std::vector<std::string> program_argv;
std::atomic<int> caught_signal{0};
int undrawn = 0;
Embedding* embedding = nullptr;

// Each in its own file: a new command is a file, its line here and its place in a group below.
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

// In the list of commands each takes one line; its own --help shows the examples too.
class Help : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* sub) const override {
    const std::string about = sub->get_description();
    return fmt::format("  {:<12} {}\n", sub->get_name(), about.substr(0, about.find('\n')));
  }
};

// What people call a thing that has another name here.
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

// A word or a value that is empty comes of a variable of the shell that was not set: were it taken,
// --resume "" would begin a new run.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty() && option->get_items_expected_max() > 0)
        usage(option->get_positional() ? "a word is empty" : option->get_name() + " is empty",
              "give it a value, or leave it out");
}

}  // namespace

CommandLine::CommandLine() = default;
CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(int argc, const char* const* argv) {
  program_ = std::make_unique<CLI::App>(fmt::format("{}\n\nExamples:\n{}", kAbout, kAboutExamples));
  CLI::App& program = *program_;
  program.set_version_flag("-V,--version",
                           fmt::format("murmur {} ({})", MURMUR_VERSION, MURMUR_COMMIT));
  program.name("murmur");
  program.require_subcommand(1);
  program.formatter(std::make_shared<Help>());
  begin_line(this, sizeof *this);
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
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the last one first
    program.parse(std::move(arguments));
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    const bool unknown = argc > 1 && argv[1][0] != '-' && program.get_subcommands().empty();
    if (unknown)
      throw Error(Fault::usage, fmt::format("there is no command {}", argv[1]), "command line",
                  remedy_for(argv[1]));
    throw Error(Fault::usage, without_marks(error.what()), "command line",
                "murmur --help, or murmur COMMAND --help, tells what is taken");
  }
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (subs[i]->parsed()) {
      command_ = std::move(commands[i]);
      named_ = subs[i];
      return std::nullopt;
    }
  return 2;
}

// Its exit code; nothing where a signal came and what it computed was lost.
std::optional<int> CommandLine::run_unless_stopped() {
  int code = 0;
  if (finishes([&] { code = command_.run(flags_, words_); })) return code;
  say(flags_, "stopped");
  return std::nullopt;
}

int CommandLine::run() {
  refuse_empty_values(*named_);
  warn_of_unknown_variables(flags_);
  std::optional<DataFile> file;
  if (command_.prints) file.emplace(flags_);
  const std::optional<int> code = run_unless_stopped();
  if (code && file) file->write();
  if (code.value_or(0) == 0 && caught_signal != 0) return 128 + caught_signal;
  return code.value_or(0) == 0 ? undrawn : *code;
}

}  // namespace murmur::app
