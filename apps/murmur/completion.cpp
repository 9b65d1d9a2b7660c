// completion.cpp: murmur completion: shell completion for commands, presets, parameters and runs.
#include <fmt/format.h>

#include <algorithm>

#include "command.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

std::string words_of(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

int run(const Flags&, const std::vector<std::string>& words) {
  if (words.size() > 1)
    usage(fmt::format("completion takes one shell, and no {}", words[1]), "use bash, zsh or fish");
  std::vector<std::string> commands, names, keys;
  for (const Command& c : all_commands()) commands.emplace_back(c.name);
  for (const Preset& p : presets()) names.emplace_back(p.name);
  for (const RunKind& kind : run_kinds())
    for (const Parameter& p : kind.parameters()) keys.push_back(std::string(p.name) + "=");
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const std::string shell = words.empty() ? "bash" : words[0];
  if (shell == "bash" || shell == "zsh") {
    data(shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "");
    data(fmt::format(
        "_murmur() {{\n"
        "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\"\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); "
        "return; fi\n"
        "  COMPREPLY=($(compgen -W \"{} {} --out --runs --resume --json --quiet --verbose --color "
        "--progress --dry-run --force --help\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
        "  [[ \"${{COMPREPLY[0]}}\" == *= ]] && compopt -o nospace 2>/dev/null\n"
        "}}\n"
        "complete -F _murmur murmur\n",
        words_of(commands), words_of(names), words_of(keys)));
    return 0;
  }
  if (shell == "fish") {
    data(
        fmt::format("complete -c murmur -n __fish_use_subcommand -f -a '{}'\n"
                    "complete -c murmur -n 'not __fish_use_subcommand' -a '{} {}'\n",
                    words_of(commands), words_of(names), words_of(keys)));
    return 0;
  }
  usage(fmt::format("there is no completion for {}", shell), "use bash, zsh or fish");
}

}  // namespace

Command completion_command() {
  return {"completion", "Shell completion.",
          "  source <(murmur completion bash)\n"
          "  murmur completion fish > ~/.config/fish/completions/murmur.fish",
          nullptr, run};
}

}  // namespace murmur::app
