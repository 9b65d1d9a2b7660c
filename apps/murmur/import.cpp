// import.cpp: murmur import: hidden states that another program has computed become a run.
#include <fmt/format.h>

#include <algorithm>

#include "command.h"
#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "trace/effective_beta.h"
#include "trace/imported.h"
#include "trace/prompts.h"
#include "tracing.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct ImportOptions {
  std::string tensor = "hidden_states", tokens{};
  bool causal = false;
} options;

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.size() != 1)
    usage("import takes one file of states", "murmur import states.npy, or states.safetensors");
  Import request{.file = words[0], .tensor = options.tensor, .causal = options.causal};
  if (!options.tokens.empty()) request.tokens = texts_in(read_text(options.tokens), false);
  const Imported made = import_states(request);
  std::vector<TracedText> texts{made.text};
  const CommonBeta common = common_beta(texts, made.of);
  TraceFile file{.made_by = whole_words(),
                 .model = words[0],
                 .sha256 = {{fs::path(words[0]).filename().string(), sha256_of_file(words[0])}},
                 .family = made.of.family,
                 .blocks = made.of.layers,
                 .heads = made.of.heads,
                 .d = made.of.d,
                 .causal = made.of.causal,
                 .beta = common.all,
                 .block_beta = common.by_block,
                 .by_head = head_readings(nullptr, texts, made.of, 0)};
  file.texts.push_back({made.text.prompt.name, made.text.given, {}, made.text.tokens, {}});
  const RunReader kept = keep_texts(flags, file, texts, {.activations = made.of.heads > 0});
  if (flags.json) {
    nlohmann::ordered_json told = json_of(file);
    told["run"] = kept.directory().string();
    told["mean_cos"] = kept.column("mean_cos");
    data(json_text(told, 2) + "\n");
  } else {
    data(kept.directory().string() + "\n");
  }
  tell_trace(flags, file, kept);
  return caught_signal == 0 ? 0 : 128 + caught_signal;
}

}  // namespace

Command import_command() {
  return {"import", "Make a run of hidden states that another program has computed.",
          "  murmur import states.npy\n"
          "  murmur import states.safetensors --causal --tokens tokens.txt\n"
          "The states have shape (layers, tokens, d), the embedded tokens first; safetensors may\n"
          "hold attentions (layers - 1, heads, tokens, tokens) beside them.",
          [](Options& sub, Flags&) {
            sub.add_option("--tensor", options.tensor, "of safetensors: the states")
                .type_name("NAME")
                .show_default();
            sub.add_option("--tokens", options.tokens, "what the tokens are, one a line")
                .type_name("FILE");
            sub.add_flag("--causal", options.causal, "tokens see the past alone");
          },
          run};
}

}  // namespace murmur::app
