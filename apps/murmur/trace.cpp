// trace.cpp: murmur trace and murmur import: the layers of a transformer become the frames of a
// run.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "model/golden.h"
#include "model/model_folder.h"
#include "model/variation.h"
#include "murmur/error.h"
#include "murmur/stop.h"
#include "output.h"
#include "recipe.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run_kind.h"
#include "trace/effective_beta.h"
#include "trace/heads.h"
#include "trace/imported.h"
#include "trace/lens.h"
#include "trace/parts.h"
#include "trace/patching.h"
#include "trace/prompts.h"
#include "trace/trace_run.h"
#include "trace/traced.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct TraceRunOptions {
  std::uint64_t seed = 0;
  bool activations = true;
  std::string engine = "float32";  // in the manifest, before the family
};

// Writes the run, whose experiment is the ideal flow from the same tokens. Activations are moved
// out of the texts. A signal during this is stored in caught_signal, and the run is complete.
RunReader write_run(const Flags& flags, const TraceFile& file, std::vector<TracedText>& texts,
                    const TraceRunOptions& keeping) {
  std::vector<TraceFrame> frames;
  for (int k = 0; k < texts.front().frames(); ++k) frames.push_back(frame_of(texts, k));
  const Experiment e = ideal_flow({.start = frames.front().x,
                                   .beta = flow_beta(file.beta),
                                   .causal = file.causal,
                                   .frames = static_cast<int>(frames.size())});
  RunContents contents;
  contents.config = e.config;
  contents.inputs = e.inputs;
  contents.columns = trace_columns(e);
  contents.shape = e.swarm.shape();
  contents.command = "trace";
  contents.argv = program_argv;
  contents.engine = keeping.engine + " " + file.family;
  contents.seed = keeping.seed;
  contents.outputs = trace_outputs();
  const SignalWatch watch;
  const HoldStop whole;  // writing takes little time, so it is not stopped
  Run run = create_run(flags, e.name, contents);
  keep_trace(run, e, file, frames, keeping.activations ? take_activations(texts) : Record{});
  return RunReader(run.directory());
}

// The arguments of the current command line with absolute paths: they create the same run in any
// folder.
std::vector<std::string> absolute_arguments() {
  std::vector<std::string> words = picture_arguments(program_argv);
  std::error_code ignored;
  for (std::string& word : words)
    if (fs::exists(word, ignored)) word = fs::absolute(word).lexically_normal().string();
  return words;
}

void print_summary(const Flags& flags, const TraceFile& file, const RunReader& run) {
  const std::vector<double> cosine = run.column("mean_cos"), rank = run.column("effective_rank");
  print_message(
      flags,
      fmt::format("{}, {} tokens in {} coordinates, {} layers{}", file.family, run.shape().n,
                  file.d, run.frames() - 1,
                  file.by_head.empty()
                      ? ""
                      : fmt::format("; beta {:.3g} fits its heads best{}", file.beta,
                                    file.beta < 0 ? ": they attend to dissimilar tokens" : "")));
  if (run.shape().n > 1)
    print_message(flags,
                  fmt::format("mean cosine {:.3f} at first, {:.3f} at last; effective rank {:.3g}, "
                              "then {:.3g}",
                              cosine.front(), cosine.back(), rank.front(), rank.back()));
  for (const TraceFile::Text& text : file.texts)
    if (!text.lens.empty())
      print_message(flags, fmt::format("says '{}' next, with probability {:.3f}",
                                       text.lens.back().top.front().token,
                                       text.lens.back().top.front().probability));
  if (file.patching)
    for (std::size_t k = 0; k < file.patching->places.size(); ++k)
      if (file.patching->places.size() == 1)
        print_message(flags,
                      fmt::format("logit difference {:.3f}, without the patch {:.3f}, of the first "
                                  "text {:.3f}: {:.1f} % recovered",
                                  file.patching->patched[k], file.patching->second,
                                  file.patching->first, 100 * file.patching->recovered(k)));
}

// Prints the run, the generated texts and the summary.
void print_trace(const Flags& flags, const TraceFile& file, const RunReader& run,
                 const std::vector<std::string>& written) {
  if (flags.json) {
    nlohmann::ordered_json object = json_of(file);
    object["run"] = run.directory().string();
    object["mean_cos"] = run.column("mean_cos");
    if (!written.empty()) object["written"] = written;
    print_text(json_text(object, 2) + "\n");
  } else {
    print_text(run.directory().string() + "\n");
    for (const std::string& text : written) print_text(text + "\n");
  }
  print_summary(flags, file, run);
}

}  // namespace

RunKind trace_kind() {
  return {.command = "trace",
          .noun = "trace",
          .parameters = parameters,
          .explains_parameters = false,
          .no_resume = {"a trace is computed in one step", "trace the text again"},
          .report = report_trace};
}

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
std::pair<int, int> two_numbers(const std::string& text, char separator, const char* option,
                                const char* example) {
  constexpr int kMost = (1 << 30) - 1;
  const std::vector<std::string> parts = split_list(text, separator);
  const auto first = parse_whole(parts.front(), -kMost, kMost);
  const auto second = parse_whole(parts.back(), -kMost, kMost);
  if (parts.size() != 2 || !first || !second)
    throw_usage_error(fmt::format("{} {} is not two numbers", option, text),
                      fmt::format("write {}", example));
  return {static_cast<int>(*first), static_cast<int>(*second)};
}

Variation variation_of() {
  Variation v;
  if (options.random_weights < 0)
    throw_usage_error("the seed of --random-weights is below 0", "write a number from 0");
  if (options.random_asked.given())
    v.random_weights = static_cast<std::uint64_t>(options.random_weights);
  if (!options.swapped.empty())
    for (const std::string& two : split_list(options.swapped, '/'))
      v.swapped.push_back(two_numbers(two, ',', "--swap-layer", "--swap-layer 1,3"));
  return v;
}

PassEngine engine_of() {
  if (options.engine == "blas") return PassEngine::blas;
  if (options.engine == "reference") return PassEngine::reference;
  throw_usage_error(fmt::format("there is no engine {} for --engine", options.engine),
                    "write --engine blas or --engine reference");
}

// The unmodified forward pass of the model.
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

// The arguments that create the same run in any folder, with the texts of standard input appended.
std::vector<std::string> recipe_arguments(const std::vector<std::string>& words,
                                          const std::vector<Prompt>& prompts) {
  std::vector<std::string> made = absolute_arguments();
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
      throw_usage_error(of.patch > 0 ? "the model reads pictures" : "the model reads spectra",
                        of.patch > 0 ? "give the paths of .png or .npy files after the model"
                                     : "give the paths of .npy files after the model");
    return prompts;
  }
  std::vector<std::string> texts(words.begin() + 1, words.end());
  if (!options.ids.empty())
    for (const std::string& row : split_list(options.ids, '/'))
      prompts.push_back(prompt_of_ids(tokenizer, row));
  if (!options.file.empty() || (texts.empty() && prompts.empty())) {
    const std::string all = options.file.empty() ? all_of_stdin() : read_text(options.file);
    for (std::string& text : texts_in(all, options.whole)) texts.push_back(std::move(text));
    if (texts.empty())
      throw Error(Fault::input, "there is no text to read",
                  options.file.empty() ? "standard input" : options.file,
                  "give a text after the model, or a file with one text per line");
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
      opened.model->pass(prompt.ids, trained_pass());  // refuses wrong ids
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

// Patches states of the first text into the second; with one place the patched text is appended as
// a third text.
std::optional<Patching> patched(const OpenedModel& opened, std::vector<TracedText>& texts) {
  if (options.patch.empty()) {
    if (!options.answers.empty()) throw_usage_error("--answers is for --patch", "add --patch all");
    return std::nullopt;
  }
  if (texts.size() != 2)
    throw_usage_error(fmt::format("--patch takes two texts, and there are {}", texts.size()),
                      "give the text whose states are taken, then the text that they are put into");
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

std::string decoded(const OpenedModel& opened, const TracedText& text) {
  std::vector<TokenId> ids(text.prompt.ids.begin(), text.prompt.ids.end());
  return opened.tokenizer ? opened.tokenizer->decode(ids) : fmt::format("{}", fmt::join(ids, ","));
}

int verify(const Flags& flags, const Transformer& model) {
  const std::vector<GoldenCheck> checks = compare_with_golden(
      model, read_safetensors(options.verify).tensors, options.verify, trained_pass());
  const GoldenCheck* worst = &checks.front();
  for (const GoldenCheck& check : checks)
    if (!(check.error <= worst->error)) worst = &check;
  const bool agrees = worst->error <= options.tolerance;
  if (flags.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const GoldenCheck& check : checks)
      rows.push_back({{"tensor", check.name}, {"error", finite_or_null(check.error)}});
    print_text(json_text(nlohmann::ordered_json{{"agrees", agrees},
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
    print_text(fmt::format("{} tensors agree within {:g}; the worst is {}: {:.2g}\n", checks.size(),
                           options.tolerance, worst->name, worst->error));
  return 0;
}

int trace(const Flags& flags, const std::vector<std::string>& words) {
  if (words.empty())
    throw_usage_error("there is no model to trace",
                      "murmur trace FOLDER \"a text\"; murmur trace --help");
  const Pace pace;
  const Variation variation = variation_of();
  OpenedModel opened = open_model(model_path(words[0]), options.tokenizer);
  if (variation.any()) opened.model = varied(std::move(opened.model), variation, options.threads);
  if (!options.verify.empty()) {
    if (words.size() > 1)
      throw_usage_error("--verify reads the prompts of its file", "leave the text out");
    return verify(flags, *opened.model);
  }
  std::vector<Prompt> prompts = prompts_of(opened, words);
  std::vector<std::string> made_by = recipe_arguments(words, prompts);
  std::vector<TracedText> texts = traced(opened, std::move(prompts));
  std::optional<Patching> patching = patched(opened, texts);
  TraceFile file = file_of(opened, words[0], variation, texts);
  file.patching = std::move(patching);
  if (options.parts) file.parts = without_parts(*opened.model, texts, pass_of());
  file.made_by = std::move(made_by);
  const RunReader reader =
      write_run(flags, file, texts,
                {static_cast<std::uint64_t>(options.seed), !options.no_activations,
                 engine_of() == PassEngine::reference ? "reference" : "float32"});
  std::vector<std::string> written;
  if (options.go_on > 0)
    for (const TracedText& text : texts) written.push_back(decoded(opened, text));
  print_trace(flags, file, reader, written);
  if (flags.verbose) print_message(flags, duration_text(pace.seconds()));
  return signal_exit_code();
}

struct ImportOptions {
  std::string tensor = "hidden_states", tokens{};
  bool causal = false;
} import_options;

int import_run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.size() != 1)
    throw_usage_error("import takes one file of states",
                      "murmur import states.npy, or states.safetensors");
  Import request{
      .file = words[0], .tensor = import_options.tensor, .causal = import_options.causal};
  if (!import_options.tokens.empty())
    request.tokens = texts_in(read_text(import_options.tokens), false);
  const Imported made = import_states(request);
  std::vector<TracedText> texts{made.text};
  const CommonBeta common = common_beta(texts, made.of);
  TraceFile file{.made_by = absolute_arguments(),
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
  const RunReader kept = write_run(flags, file, texts, {.activations = made.of.heads > 0});
  print_trace(flags, file, kept, {});
  return signal_exit_code();
}

}  // namespace

Command trace_command() {
  return {
      "trace", "Run a transformer on a text; its tokens become particles, its layers frames.",
      "  murmur trace models/minilm \"the cat sat on the mat\"\n"
      "  murmur trace models/gpt2 \"the cat sat\" --continue 4\n"
      "  murmur trace models/gpt2 --file texts.txt --no-ffn -o runs/without\n"
      "  murmur trace models/vit cat.png\n"
      "  murmur trace models/gpt2 \"a is to b\" \"c is to d\" --patch all\n"
      "  murmur trace models/bert --verify golden.safetensors\n"
      "Arguments after the model are texts; without any, each line of standard input is one.",
      [](Options& sub, Flags&) {
        sub.add_option("--file", options.file, "texts, one per line").type_name("FILE");
        sub.add_flag("--whole", options.whole, "the file, or standard input, is one text");
        sub.add_option("--ids", options.ids, "token ids instead: 5,17,3; several: 5,17/3,4")
            .type_name("IDS");
        sub.add_option("--tokenizer", options.tokenizer,
                       "the tokeniser, if it is not next to the weights")
            .type_name("FILE");
        sub.add_option("--continue", options.go_on,
                       "generate this many further tokens, and trace all")
            .range(0, 1 << 20);
        sub.add_option("--temperature", options.temperature,
                       "temperature of --continue; 0: the most probable token")
            .range(0.0, 1e6);
        sub.add_option("--seed", options.seed, "seed of --temperature");
        sub.add_option("--repeat", options.repeat, "apply the blocks this many times")
            .range(1, 4096);
        sub.add_flag("--no-ffn", options.no_ffn, "without feed-forward, only attention");
        sub.add_flag("--no-attention", options.no_attention,
                     "without attention: tokens do not interact");
        sub.add_flag("--no-norm", options.no_norm, "without the norms of the blocks");
        sub.add_flag("--parts", options.parts,
                     "leave out each part in turn, and record how tokens cluster without it");
        options.random_asked = sub.add_option("--random-weights", options.random_weights,
                                              "random weights, drawn with this seed");
        sub.add_option("--swap-layer", options.swapped, "two blocks that are exchanged: 1,3")
            .type_name("I,J");
        sub.add_option("--patch", options.patch,
                       "states of the first text put into the second: LAYER:TOKEN, or all")
            .type_name("L:T");
        sub.add_option("--answers", options.answers, "the two answer tokens that --patch compares")
            .type_name("A,B");
        sub.add_option("--verify", options.verify,
                       "compare the model with the states of another program")
            .type_name("FILE");
        sub.add_option("--tolerance", options.tolerance, "tolerance of --verify").range(0.0, 1.0);
        sub.add_flag("--no-activations", options.no_activations,
                     "do not write activations.safetensors");
        sub.add_option("--engine", options.engine,
                       "blas, or reference: plain loops, the same bits on every machine")
            .type_name("NAME");
        sub.add_option("--threads", options.threads, "number of threads; 0: all cores")
            .range(0, 4096);
      },
      trace};
}

Command import_command() {
  return {"import", "Create a run from hidden states that another program computed.",
          "  murmur import states.npy\n"
          "  murmur import states.safetensors --causal --tokens tokens.txt\n"
          "The states have shape (layers, tokens, d), the embedded tokens first; safetensors may\n"
          "also hold attentions (layers - 1, heads, tokens, tokens).",
          [](Options& sub, Flags&) {
            sub.add_option("--tensor", import_options.tensor, "of safetensors: the states")
                .type_name("NAME")
                .show_default();
            sub.add_option("--tokens", import_options.tokens,
                           "the texts of the tokens, one per line")
                .type_name("FILE");
            sub.add_flag("--causal", import_options.causal, "tokens attend only to earlier ones");
          },
          import_run};
}

}  // namespace murmur::app
