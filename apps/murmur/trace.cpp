// trace.cpp: murmur trace: a transformer reads texts, and its layers become the frames of a run.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "command.h"
#include "known_models.h"
#include "model/golden.h"
#include "model/open_model.h"
#include "model/variation.h"
#include "murmur/error.h"
#include "progress.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "trace/effective_beta.h"
#include "trace/heads.h"
#include "trace/lens.h"
#include "trace/parts.h"
#include "trace/patching.h"
#include "trace/prompts.h"
#include "trace/traced.h"
#include "tracing.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct TraceOptions {
  std::string file{}, ids{}, tokenizer{}, swapped{}, verify{}, patch{}, answers{}, engine = "blas";
  bool whole = false, no_ffn = false, no_attention = false, no_norm = false, parts = false;
  bool no_activations = false;
  int repeat = 1, go_on = 0, threads = 0;
  std::int64_t random_weights = 0, seed = 0;
  double temperature = 0, tolerance = 1e-5;
  Option random_asked{};
} options;

// "a,b" or "a:b" as two whole numbers.
std::pair<int, int> two_numbers(const std::string& text, char between, const char* option,
                                const char* example) {
  const std::size_t at = text.find(between);
  char *first_end = nullptr, *second_end = nullptr;
  const long first = std::strtol(text.c_str(), &first_end, 10);
  const long second =
      at == std::string::npos ? 0 : std::strtol(text.c_str() + at + 1, &second_end, 10);
  const bool good = at != std::string::npos && at > 0 && first_end == text.c_str() + at &&
                    *second_end == '\0' && at + 1 < text.size() && std::abs(first) < (1 << 30) &&
                    std::abs(second) < (1 << 30);
  if (!good)
    usage(fmt::format("{} {} is not two numbers", option, text), fmt::format("write {}", example));
  return {static_cast<int>(first), static_cast<int>(second)};
}

std::vector<std::string> parts_of(const std::string& text, char between) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(between, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

Variation variation_of() {
  Variation v;
  if (options.random_asked.given())
    v.random_weights = static_cast<std::uint64_t>(options.random_weights);
  if (!options.swapped.empty())
    for (const std::string& two : parts_of(options.swapped, '/'))
      v.swapped.push_back(two_numbers(two, ',', "--swap-layer", "--swap-layer 1,3"));
  return v;
}

PassEngine engine_of() {
  if (options.engine == "blas") return PassEngine::blas;
  if (options.engine == "reference") return PassEngine::reference;
  usage(fmt::format("--engine {} is not known here", options.engine),
        "write --engine blas or --engine reference");
}

// The pass that the model was trained for.
PassOptions trained_pass() { return {.engine = engine_of(), .threads = options.threads}; }

PassOptions pass_of() {
  PassOptions pass = trained_pass();
  pass.repeat = options.repeat;
  pass.feed_forward = !options.no_ffn;
  pass.attention = !options.no_attention;
  pass.norms = !options.no_norm;
  return pass;
}

std::string all_of_stdin() {
  std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  if (std::cin.bad())
    throw Error(Fault::runtime, "standard input could not be read", "stdin",
                "check the file or the program that writes it");
  return text;
}

// Words that make the same run anywhere, with what came by standard input behind them.
std::vector<std::string> remaking_words(const std::vector<std::string>& words,
                                        const std::vector<Prompt>& prompts) {
  std::vector<std::string> made = whole_words();
  if (words.size() == 1 && options.file.empty() && options.ids.empty())
    for (const Prompt& prompt : prompts) made.push_back(prompt.name);
  return made;
}

std::vector<Prompt> prompts_of(const OpenedModel& opened, const std::vector<std::string>& words) {
  const Description& of = opened.model->description();
  const Tokenizer* const tokenizer = opened.tokenizer ? &*opened.tokenizer : nullptr;
  std::vector<Prompt> prompts;
  if (!reads_tokens(of)) {
    for (std::size_t k = 1; k < words.size(); ++k)
      prompts.push_back(prompt_of_picture(words[k], of, model_path(words[0])));
    if (prompts.empty() || !options.file.empty() || !options.ids.empty())
      usage(of.patch > 0 ? "the model reads pictures" : "the model reads spectra",
            of.patch > 0 ? "give the paths of .png or .npy files behind the model"
                         : "give the paths of .npy files behind the model");
    return prompts;
  }
  std::vector<std::string> texts(words.begin() + 1, words.end());
  if (!options.ids.empty())
    for (const std::string& row : parts_of(options.ids, '/'))
      prompts.push_back(prompt_of_ids(tokenizer, row));
  if (!options.file.empty() || (texts.empty() && prompts.empty())) {
    const std::string all = options.file.empty() ? all_of_stdin() : read_text(options.file);
    for (std::string& text : texts_in(all, options.whole)) texts.push_back(std::move(text));
    if (texts.empty())
      throw Error(Fault::input, "there is no text to read",
                  options.file.empty() ? "standard input" : options.file,
                  "give a text behind the model, or a file with one a line");
  }
  for (const std::string& text : texts) prompts.push_back(prompt_of_text(tokenizer, text));
  return prompts;
}

// The token that ends a text, where the vocabulary has one by a usual name.
std::optional<std::int64_t> end_of_text(const OpenedModel& opened) {
  if (opened.tokenizer)
    for (const char* name : {"<|endoftext|>", "</s>", "<|end_story|>", "<|eot_id|>", "<eos>"})
      if (const auto id = opened.tokenizer->id(name)) return *id;
  return std::nullopt;
}

std::vector<TracedText> traced(const OpenedModel& opened, std::vector<Prompt> prompts) {
  const PassOptions pass = pass_of();
  const Tokenizer* const tokenizer = opened.tokenizer ? &*opened.tokenizer : nullptr;
  std::vector<TracedText> texts;
  for (Prompt& prompt : prompts) {
    const std::size_t given = prompt.ids.size();
    if (options.go_on > 0) {
      opened.model->pass(prompt.ids, trained_pass());  // refuses what is off in it
      prompt.ids = continued(*opened.model, std::move(prompt.ids),
                             {.tokens = options.go_on,
                              .temperature = options.temperature,
                              .seed = static_cast<std::uint64_t>(options.seed),
                              .end = end_of_text(opened)},
                             pass);
    }
    texts.push_back(trace_prompt(*opened.model, tokenizer, std::move(prompt), pass));
    if (given > 0) texts.back().given = given;
  }
  return texts;
}

// The first two texts; with one place the second as it becomes is a text of its own.
std::optional<Patching> patched(const OpenedModel& opened, std::vector<TracedText>& texts) {
  if (options.patch.empty()) {
    if (!options.answers.empty()) usage("--answers is for --patch", "add --patch all");
    return std::nullopt;
  }
  if (texts.size() != 2)
    usage(fmt::format("--patch takes two texts, and there are {}", texts.size()),
          "give the text whose states are taken, then the one that they are put into");
  std::optional<PatchPlace> place;
  std::optional<PatchAnswers> answers;
  if (options.patch != "all") {
    const auto [frame, at] =
        two_numbers(options.patch, ':', "--patch", "--patch 3:5, layer and token, or --patch all");
    place = PatchPlace{frame, at};
  }
  if (!options.answers.empty()) {
    const auto [a, b] = two_numbers(options.answers, ',', "--answers", "--answers 17,42");
    answers = PatchAnswers{a, b};
  }
  const PassOptions pass = pass_of();
  Patching made = patch(*opened.model, texts[0], texts[1], place, answers, pass);
  if (!place) return made;
  TracedText third = texts[1];
  third.prompt.name += fmt::format(" [layer {}, token {} of the first text]", made.places[0].frame,
                                   made.places[0].place);
  third.trace = patched_trace(*opened.model, texts[0], texts[1], made.places[0], pass);
  texts.push_back(std::move(third));
  return made;
}

TraceFile file_of(const OpenedModel& opened, const std::string& path, const Variation& variation,
                  const std::vector<TracedText>& texts) {
  const Description& of = opened.model->description();
  const Tokenizer* const tokenizer = opened.tokenizer ? &*opened.tokenizer : nullptr;
  const CommonBeta common = common_beta(texts, of);
  TraceFile file{.model = path,
                 .family = of.family,
                 .blocks = of.layers,
                 .heads = of.heads,
                 .d = of.d,
                 .vocabulary = of.vocabulary,
                 .causal = of.causal,
                 .beta = common.all,
                 .block_beta = common.by_block,
                 .repeat = options.repeat,
                 .feed_forward = !options.no_ffn,
                 .random_weights = variation.random_weights,
                 .swapped = variation.swapped,
                 .by_head = head_readings(&*opened.model, texts, of, options.threads),
                 .attention = !options.no_attention,
                 .norms = !options.no_norm};
  for (const fs::path& weights : opened.files)
    file.sha256[weights.filename().string()] = sha256_of_file(weights);
  file.candidates = candidates_of(*opened.model, texts.front(),
                                  {.place = answer_place(of, texts.front().n()),
                                   .tokenizer = tokenizer,
                                   .pass = trained_pass()});
  for (const TracedText& text : texts)
    file.texts.push_back({text.prompt.name, text.given, text.prompt.ids, text.tokens,
                          logit_lens(*opened.model, text,
                                     {.place = answer_place(of, text.n()),
                                      .tokenizer = tokenizer,
                                      .pass = trained_pass()})});
  return file;
}

std::string written(const OpenedModel& opened, const TracedText& text) {
  std::vector<TokenId> ids(text.prompt.ids.begin(), text.prompt.ids.end());
  return opened.tokenizer ? opened.tokenizer->decode(ids) : fmt::format("{}", fmt::join(ids, ","));
}

int verify(const Flags& flags, const Transformer& model) {
  const std::vector<GoldenCheck> checks =
      held_against(model, read_safetensors(options.verify).tensors, options.verify, trained_pass());
  const GoldenCheck* worst = &checks.front();
  for (const GoldenCheck& check : checks)
    if (!(check.error <= worst->error)) worst = &check;
  const bool agrees = worst->error <= options.tolerance;
  if (flags.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const GoldenCheck& check : checks)
      rows.push_back({{"tensor", check.name},
                      {"error", std::isfinite(check.error) ? nlohmann::ordered_json(check.error)
                                                           : nlohmann::ordered_json(nullptr)}});
    data(json_text(nlohmann::ordered_json{{"agrees", agrees},
                                          {"tolerance", options.tolerance},
                                          {"worst", worst->name},
                                          {"tensors", std::move(rows)}},
                   2) +
         "\n");
  }
  if (!agrees)
    throw Error(Fault::verification,
                fmt::format("{} differs by {:.3g} of its largest entry, and {:g} is allowed",
                            worst->name, worst->error, options.tolerance),
                options.verify, "compare the weights, or allow more by --tolerance");
  if (!flags.json)
    data(fmt::format("{} tensors agree within {:g}; the worst is {}: {:.2g}\n", checks.size(),
                     options.tolerance, worst->name, worst->error));
  return 0;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.empty())
    usage("there is no model to trace", "murmur trace FOLDER \"a text\"; murmur trace --help");
  const auto began = std::chrono::steady_clock::now();
  const Variation variation = variation_of();
  OpenedModel opened = open_model(model_path(words[0]), options.tokenizer);
  if (variation.any()) opened.model = varied(std::move(opened.model), variation, options.threads);
  if (!options.verify.empty()) {
    if (words.size() > 1) usage("--verify reads the prompts of its file", "leave the text out");
    return verify(flags, *opened.model);
  }
  std::vector<Prompt> prompts = prompts_of(opened, words);
  const std::vector<std::string> remaking = remaking_words(words, prompts);
  std::vector<TracedText> texts = traced(opened, std::move(prompts));
  std::optional<Patching> patching = patched(opened, texts);
  TraceFile file = file_of(opened, words[0], variation, texts);
  file.patching = std::move(patching);
  if (options.parts) file.parts = without_parts(*opened.model, texts, pass_of());
  file.made_by = remaking;
  const RunReader reader =
      keep_texts(flags, file, texts,
                 {static_cast<std::uint64_t>(options.seed), !options.no_activations,
                  engine_of() == PassEngine::reference ? "reference" : "float32"});
  if (flags.json) {
    nlohmann::ordered_json told = json_of(file);
    told["run"] = reader.directory().string();
    told["mean_cos"] = reader.column("mean_cos");
    if (options.go_on > 0)
      for (const TracedText& text : texts) told["written"].push_back(written(opened, text));
    data(json_text(told, 2) + "\n");
  } else {
    data(reader.directory().string() + "\n");
    if (options.go_on > 0)
      for (const TracedText& text : texts) data(written(opened, text) + "\n");
  }
  tell_trace(flags, file, reader);
  if (flags.verbose)
    say(flags,
        duration_text(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()));
  return caught_signal == 0 ? 0 : 128 + caught_signal;
}

}  // namespace

Command trace_command() {
  return {
      "trace", "Let a transformer read a text; its tokens are particles, its layers frames.",
      "  murmur trace models/minilm \"the cat sat on the mat\"\n"
      "  murmur trace models/gpt2 \"the cat sat\" --continue 4\n"
      "  murmur trace models/gpt2 --file texts.txt --no-ffn -o runs/without\n"
      "  murmur trace models/vit cat.png\n"
      "  murmur trace models/gpt2 \"a is to b\" \"c is to d\" --patch all\n"
      "  murmur trace models/bert --verify golden.safetensors\n"
      "Words behind the model are texts; without any, standard input has one a line.",
      [](Options& sub, Flags&) {
        sub.add_option("--file", options.file, "texts, one a line").type_name("FILE");
        sub.add_flag("--whole", options.whole, "the file, or standard input, is one text");
        sub.add_option("--ids", options.ids, "token ids instead: 5,17,3; several: 5,17/3,4")
            .type_name("IDS");
        sub.add_option("--tokenizer", options.tokenizer, "where it is not beside the weights")
            .type_name("FILE");
        sub.add_option("--continue", options.go_on, "write on with so many tokens, and trace all")
            .range(0, 1 << 20);
        sub.add_option("--temperature", options.temperature,
                       "of --continue; 0: the likeliest token")
            .range(0.0, 1e6);
        sub.add_option("--seed", options.seed, "of --temperature");
        sub.add_option("--repeat", options.repeat, "run through the blocks so often")
            .range(1, 4096);
        sub.add_flag("--no-ffn", options.no_ffn, "without feed-forward: attention alone");
        sub.add_flag("--no-attention", options.no_attention, "without attention: nobody hears");
        sub.add_flag("--no-norm", options.no_norm, "without the norms of the blocks");
        sub.add_flag("--parts", options.parts,
                     "leave each part out in turn, and keep how tokens gather without it");
        options.random_asked = sub.add_option("--random-weights", options.random_weights,
                                              "weights drawn anew with this seed");
        sub.add_option("--swap-layer", options.swapped, "blocks that change places: 1,3")
            .type_name("I,J");
        sub.add_option("--patch", options.patch,
                       "states of the first text put into the second: LAYER:TOKEN, or all")
            .type_name("L:T");
        sub.add_option("--answers", options.answers, "the tokens that --patch tells apart")
            .type_name("A,B");
        sub.add_option("--verify", options.verify,
                       "hold the model against another program's states")
            .type_name("FILE");
        sub.add_option("--tolerance", options.tolerance, "of --verify").range(0.0, 1.0);
        sub.add_flag("--no-activations", options.no_activations, "keep no activations.safetensors");
        sub.add_option("--engine", options.engine,
                       "blas, or reference: plain loops, the same bits on every machine")
            .type_name("NAME");
        sub.add_option("--threads", options.threads, "0: all cores").range(0, 4096);
      },
      run};
}

}  // namespace murmur::app
