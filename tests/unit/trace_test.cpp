// trace_test.cpp: parts of a pass, varied transformers, effective beta, the lens, patching, and
// texts that go on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "model/model_folder.h"
#include "model/variation.h"
#include "murmur/random.h"
#include "refused.h"
#include "temporary.h"
#include "trace/effective_beta.h"
#include "trace/heads.h"
#include "trace/lens.h"
#include "trace/patching.h"
#include "trace/prompts.h"
#include "trace/trace_file.h"

namespace murmur::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kFamilies = fs::path(__FILE__).parent_path().parent_path() / "fixtures/families";
const std::vector<std::int64_t> kIds{5, 17, 3, 42, 8, 8, 61};

TracedText traced(const Model& model, std::vector<std::int64_t> ids = kIds) {
  return trace_prompt(*model, nullptr, {.ids = std::move(ids)}, {});
}

TEST(Passes, GoOnFromAnyBlock) {
  const Model model = read_model(kFamilies / "llama");
  const Trace whole = model->pass(kIds);
  for (int block = 0; block <= 3; ++block) {
    const Trace rest = model->pass_from(
        block, block == 0 ? whole.before[0] : whole.after[static_cast<std::size_t>(block) - 1]);
    EXPECT_EQ(rest.after.size(), 3u - static_cast<std::size_t>(block));
    EXPECT_EQ(rest.last, whole.last);
    EXPECT_EQ(rest.logits, whole.logits);
  }
  EXPECT_EQ(model->logits_of(whole.after.back()), whole.logits);
}

TEST(Passes, RunThroughTheBlocksAgain) {
  const Model model = read_model(kFamilies / "albert");
  const Trace twice = model->pass(kIds, {.repeat = 2}), once = model->pass(kIds);
  const auto blocks = once.after.size();
  ASSERT_EQ(twice.after.size(), 2 * blocks);
  EXPECT_EQ(twice.after[blocks - 1], once.after.back());
  EXPECT_EQ(twice.last, model->pass_from(0, once.after.back()).last);
}

TEST(Passes, WithoutFeedForwardEndBehindAttention) {
  for (const char* family : {"bert", "gpt2", "gemma2"}) {
    const Model model = read_model(kFamilies / family);
    const Trace trace = model->pass(kIds, {.feed_forward = false});
    EXPECT_EQ(trace.after, trace.between) << family;
    EXPECT_EQ(trace.between[0], model->pass(kIds).between[0]) << family;
    EXPECT_NE(trace.after[0], model->pass(kIds).after[0]) << family;
  }
}

double mean_square(const Linear& f) {
  double sum = 0;
  for (int e = 0; e < f.out * f.in; ++e) sum += static_cast<double>(f.w[e]) * f.w[e];
  return sum / (static_cast<double>(f.out) * f.in);
}

TEST(Variations, DrawWeightsOfTheSameSize) {
  const Model trained = read_model(kFamilies / "qwen2");
  const auto drawn = [](std::uint64_t seed, int threads) {
    return varied(read_model(kFamilies / "qwen2"), {.random_weights = seed}, threads);
  };
  const Model one = drawn(1, 1);
  EXPECT_EQ(one->pass(kIds).logits, drawn(1, 4)->pass(kIds).logits);
  EXPECT_NE(one->pass(kIds).logits, drawn(2, 1)->pass(kIds).logits);
  const Linear &was = trained->weights().blocks[1].query, &is = one->weights().blocks[1].query;
  EXPECT_NEAR(mean_square(is) / mean_square(was), 1, 0.15);
  EXPECT_NE(trained->weights().blocks[1].query.bias, nullptr);
  EXPECT_EQ(is.bias, nullptr);
  EXPECT_EQ(one->weights().final_norm.gain[0], 1);
}

TEST(Variations, SwapBlocks) {
  const auto pass = [](std::vector<std::pair<int, int>> swapped) {
    return varied(read_model(kFamilies / "gemma2"), {.swapped = std::move(swapped)})->pass(kIds);
  };
  const Trace plain = read_model(kFamilies / "gemma2")->pass(kIds);
  EXPECT_NE(pass({{0, 2}}).last, plain.last);
  EXPECT_EQ(pass({{0, 2}}).last, pass({{2, 0}}).last);
  EXPECT_EQ(pass({{0, 2}, {0, 2}}).last, plain.last);
  expect_refused({{"no block 9", [&] { pass({{0, 9}}); }}});
  expect_refused({{"same weights", [] {
                     varied(read_model(kFamilies / "albert"), {.swapped = {{0, 1}}});
                   }}});
}

// Tokens of the sphere, and heads that attend as the ideal flow does at the given betas.
TracedText ideal_text(const std::vector<double>& betas, bool causal, int n) {
  const int d = 5;
  TracedText text;
  text.trace = {.n = n, .d = d, .heads = static_cast<int>(betas.size())};
  std::vector<float> x;
  for (int e = 0; e < n * d; ++e) {
    const Draw draw{.seed = 7, .particle = static_cast<std::uint32_t>(e)};
    x.push_back(static_cast<float>(draw.normal(0)));
  }
  text.trace.before = {x};
  text.trace.after = {x};
  const HostSwarm sphere = project_to_sphere(text, 0);
  std::vector<float> weights;
  for (const double beta : betas)
    for (int i = 0; i < n; ++i) {
      std::vector<double> row(static_cast<std::size_t>(n));
      double total = 0;
      for (int j = 0; j < (causal ? i + 1 : n); ++j) {
        double cosine = 0;
        for (int k = 0; k < d; ++k) cosine += sphere.at(i, k) * sphere.at(j, k);
        total += row[static_cast<std::size_t>(j)] = std::exp(beta * cosine);
      }
      for (const double w : row) weights.push_back(static_cast<float>(w / total));
    }
  text.trace.attention = {weights};
  return text;
}

TEST(EffectiveBeta, IsFoundWhereAttentionIsIdeal) {
  const std::vector<double> betas{0, 0.3, 4, 25, -2};
  for (const bool causal : {false, true})
    for (const int n : {12, 600}) {
      const Description of{.heads = 5, .causal = causal, .blocks = {{}}};
      const TracedText text = ideal_text(betas, causal, n);
      const auto found = effective_betas(text, of, 2);
      for (std::size_t h = 0; h < betas.size(); ++h) {
        EXPECT_NEAR(found[0][h].beta, betas[h], 1e-4 * std::max(1.0, std::abs(betas[h])));
        EXPECT_LT(found[0][h].misfit, 1e-6);
        EXPECT_GE(found[0][h].uniform, found[0][h].misfit);
      }
    }
}

// Sharper and blunter heads alike: one beta lies between them, and is that of each where they are
// the same.
TEST(EffectiveBeta, OfAllHeadsLiesBetweenThem) {
  const Description of{.heads = 2, .blocks = {{}}};
  const std::vector<TracedText> same{ideal_text({3, 3}, false, 40)};
  EXPECT_NEAR(common_beta(same, of).all, 3, 1e-4);
  const std::vector<TracedText> mixed{ideal_text({1, 6}, false, 40)};
  EXPECT_GT(common_beta(mixed, of).all, 1);
  EXPECT_LT(common_beta(mixed, of).all, 6);
  const std::vector<TracedText> single{ideal_text({2, 2}, false, 1)};
  EXPECT_EQ(common_beta(single, of).all, 1);
}

// Q = K = V = I of the theory has all three numbers 1.
TEST(Maps, AreToldApart) {
  const std::vector<double> one{1, 0, 0, 1}, minus{-1, 0, 0, -1}, turn{0, -1, 1, 0};
  const MapReading identity = map_reading(one, one, 2, 2),
                   repulsive = map_reading(minus, one, 2, 2),
                   antisymmetric = map_reading(turn, one, 2, 2);
  EXPECT_NEAR(identity.symmetry, 1, 1e-12);
  EXPECT_NEAR(identity.positivity, 1, 1e-12);
  EXPECT_NEAR(identity.radius, 1, 1e-12);
  EXPECT_NEAR(repulsive.symmetry, 1, 1e-12);
  EXPECT_NEAR(repulsive.positivity, -1, 1e-12);
  EXPECT_NEAR(antisymmetric.symmetry, -1, 1e-12);
  EXPECT_NEAR(antisymmetric.positivity, 0, 1e-12);
  EXPECT_TRUE(std::isnan(map_reading({0, 0}, {1, 0}, 1, 2).symmetry));
}

// M = left^T right of low rank, against the definitions on M itself.
TEST(Maps, OfLowRankAreThoseOfTheProduct) {
  const std::vector<double> a{1, 2, 0, 0.5, -1, 3}, b{0.3, 1, -2, 1, 1, 0.2};  // (2, 3)
  double m[3][3] = {}, square = 0, both = 0, trace = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int r = 0; r < 2; ++r) m[i][j] += a[3 * r + i] * b[3 * r + j];
  for (int i = 0; i < 3; ++i) {
    trace += m[i][i];
    for (int j = 0; j < 3; ++j) square += m[i][j] * m[i][j], both += m[i][j] * m[j][i];
  }
  const MapReading read = map_reading(a, b, 2, 3);
  EXPECT_NEAR(read.symmetry, both / square, 1e-12);
  EXPECT_LE(std::abs(read.positivity), 1 + 1e-12);
  EXPECT_GE(read.positivity * trace, 0);
}

TEST(Heads, TellSinksAndEntropies) {
  TracedText text = ideal_text({0}, false, 6);
  const Description of{.heads = 1, .blocks = {{}}};
  const std::vector<TracedText> even{text};
  const HeadReading uniform = head_readings(nullptr, even, of, 1)[0];
  EXPECT_NEAR(uniform.entropy, std::log(6), 1e-6);
  EXPECT_NEAR(uniform.entropy_share, 1, 1e-6);
  EXPECT_NEAR(uniform.sink, 1.0 / 6, 1e-6);
  for (std::size_t e = 0; e < 36; ++e) text.trace.attention[0][e] = e % 6 == 2 ? 1 : 0;
  const std::vector<TracedText> sunk{text};
  const HeadReading sink = head_readings(nullptr, sunk, of, 1)[0];
  EXPECT_EQ(sink.entropy, 0);
  EXPECT_EQ(sink.sink, 1);
  EXPECT_EQ(sink.sink_at, 2);
  EXPECT_EQ(sink.first, 0);
  EXPECT_TRUE(std::isnan(sink.qk.symmetry));
}

TEST(LogitLens, EndsWithWhatTheModelSays) {
  const Model model = read_model(kFamilies / "gpt2");
  const TracedText text = traced(model);
  const std::vector<LensRow> lens = logit_lens(*model, text, {.place = text.n() - 1, .top = 3});
  ASSERT_EQ(lens.size(), static_cast<std::size_t>(text.frames()));
  const std::ptrdiff_t v = model->description().vocabulary;
  const std::vector<float> last(text.trace.logits.end() - v, text.trace.logits.end());
  double total = 0;
  for (const float l : last) total += std::exp(static_cast<double>(l));
  const auto best = std::max_element(last.begin(), last.end());
  EXPECT_EQ(lens.back().top[0].id, best - last.begin());
  EXPECT_NEAR(lens.back().top[0].probability, std::exp(*best) / total, 1e-6);
  EXPECT_EQ(lens.back().rank, 1);
  EXPECT_GE(lens.back().top[0].probability, lens.back().top[1].probability);
  for (const LensRow& row : lens) EXPECT_LE(row.entropy, std::log(v) + 1e-9);
  EXPECT_TRUE(
      logit_lens(*read_model(kFamilies / "bert"), traced(read_model(kFamilies / "bert")), {})
          .empty());
}

// Two texts that differ in one token: its embedding brings all of the answer, and behind the last
// block the last token alone does.
TEST(Patching, RecoversTheAnswerWhereItIsKnownTo) {
  const Model model = read_model(kFamilies / "llama");
  std::vector<std::int64_t> other = kIds;
  other[3] = 11;
  const TracedText first = traced(model), second = traced(model, other);
  const Patching all = patch(*model, first, second, {}, PatchAnswers{1, 2}, {});
  const int n = first.n(), frames = first.frames();
  ASSERT_EQ(all.places.size(), static_cast<std::size_t>(n * frames));
  for (std::size_t k = 0; k < all.places.size(); ++k) {
    const auto [frame, place] = all.places[k];
    if (place < 3) {
      EXPECT_EQ(all.recovered(k), 0) << frame << " " << place;
    } else if (frame == 0) {
      EXPECT_EQ(all.recovered(k), place == 3 ? 1 : 0) << place;
    } else if (frame == frames - 1) {
      EXPECT_EQ(all.recovered(k), place == n - 1 ? 1 : 0) << place;
    }
  }
  const Patching one = patch(*model, first, second, PatchPlace{1, -2}, PatchAnswers{1, 2}, {});
  EXPECT_EQ(one.patched[0], all.patched[static_cast<std::size_t>(n + n - 2)]);
  const Trace trace = patched_trace(*model, first, second, {1, n - 2}, {});
  EXPECT_EQ(trace.after.size(), second.trace.after.size());
  const auto v = static_cast<std::ptrdiff_t>(model->description().vocabulary);
  EXPECT_NEAR(*(trace.logits.end() - v + 1) - *(trace.logits.end() - v + 2), one.patched[0], 1e-5);
  EXPECT_EQ(trace.after[0][static_cast<std::size_t>((n - 2) * trace.d)],
            first.trace.after[0][static_cast<std::size_t>((n - 2) * trace.d)]);
}

TEST(Patching, IsRefusedWithTheReason) {
  const Model model = read_model(kFamilies / "llama"), bert = read_model(kFamilies / "bert");
  const TracedText first = traced(model), second = traced(model, {1, 2, 3});
  expect_refused(
      {{"7 and 3 tokens", [&] { patch(*model, first, second, {}, {}, {}); }},
       {"the two answers must differ", [&] { patch(*model, first, first, {}, {}, {}); }},
       {"vocabulary",
        [&] {
          patch(*model, first, first, {}, PatchAnswers{1, 1'000'000}, {});
        }},
       {"no layer 9",
        [&] {
          patch(*model, first, first, PatchPlace{9, 0}, {}, {});
        }},
       {"no unembedding", [&] { patch(*bert, traced(bert), traced(bert), {}, {}, {}); }}});
}

TEST(Continuations, FollowTheLikeliestTokenOrADraw) {
  const Model model = read_model(kFamilies / "gpt2");
  const auto written = [&](const Continuation& how) { return continued(*model, kIds, how, {}); };
  std::vector<std::int64_t> greedy = kIds;
  for (int k = 0; k < 5; ++k) {
    const std::vector<float> logits = model->pass(greedy).logits;
    const auto last = logits.end() - model->description().vocabulary;
    greedy.push_back(std::max_element(last, logits.end()) - last);
  }
  EXPECT_EQ(written({.tokens = 5}), greedy);
  EXPECT_EQ(written({.tokens = 5, .temperature = 1e-6}), greedy);
  EXPECT_EQ(written({.tokens = 9, .temperature = 3, .seed = 1}),
            written({.tokens = 9, .temperature = 3, .seed = 1}));
  EXPECT_NE(written({.tokens = 9, .temperature = 3, .seed = 1}),
            written({.tokens = 9, .temperature = 3, .seed = 2}));
  EXPECT_EQ(written({.tokens = 5, .end = greedy[8]}).size(), 9u);
  expect_refused({{"exceed the model's context", [&] { written({.tokens = 60}); }},
                  {"does not continue texts",
                   [&] { continued(*read_model(kFamilies / "bert"), kIds, {.tokens = 1}, {}); }}});
}

TEST(Spheres, KeepDirectionsAndNorms) {
  const Model model = read_model(kFamilies / "bert");
  const std::vector<TracedText> texts{traced(model), traced(model, {1, 2})};
  std::vector<double> norms;
  const HostSwarm x = project_to_sphere(texts, 2, &norms);
  ASSERT_EQ(x.n(), 9);
  ASSERT_EQ(norms.size(), 9u);
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < x.d(); ++k) {
      const TracedText& text = texts[i < 7 ? 0 : 1];
      const int row = i < 7 ? i : i - 7;
      EXPECT_NEAR(x.at(i, k) * norms[static_cast<std::size_t>(i)],
                  text.trace.after[1][static_cast<std::size_t>(row * x.d() + k)], 1e-6);
    }
  TracedText dead = traced(model);
  std::fill(dead.trace.before[0].begin(), dead.trace.before[0].end(), 0.0f);
  EXPECT_THROW(project_to_sphere(dead, 0), Error);
}

TEST(TraceFiles, ReadBackAsTheyWereWritten) {
  const test::TemporaryDirectory folder;
  TraceFile file{.made_by = {"trace", "m", "a b"},
                 .model = "m",
                 .sha256 = {{"w", "abc"}},
                 .family = "gpt2",
                 .blocks = 3,
                 .heads = 2,
                 .d = 8,
                 .beta = -1.5,
                 .repeat = 2,
                 .feed_forward = false,
                 .random_weights = 7,
                 .swapped = {{0, 1}}};
  file.block_beta = {1, -2};
  for (int k = 0; k < 12; ++k)
    file.by_head.push_back(
        {.block = k / 2, .head = k % 2, .beta = -2, .misfit = 0.5, .sink_at = 3});
  file.texts.push_back({"a", 1, {4, 5}, {"x", "y"}, {{.frame = 1, .top = {{4, 0.5, "x"}}}}});
  file.patching = Patching{{1, 2}, 3, -1, {{0, 1}}, {1}};
  file.attention = false;
  file.by_head[0].leading = {.re = -3, .im = 0, .next = 0.5, .heard = 0.25};
  file.parts.push_back({"norm", {0.5, NAN}, {2, NAN}, {1.5, NAN}});
  write_trace_file(folder.path(), file);
  EXPECT_EQ(json_of(read_trace_file(folder.path())), json_of(file));
}

// A score and a text each; the first three are special, then all bytes.
std::string tokenizer_bytes(const std::vector<std::pair<std::string, float>>& more) {
  std::vector<std::pair<std::string, float>> tokens{{"<unk>", 0}, {"\n<s>\n", 0}, {"\n</s>\n", 0}};
  for (int b = 0; b < 256; ++b) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", b);
    tokens.emplace_back(text, 0.0f);
  }
  tokens.insert(tokens.end(), more.begin(), more.end());
  std::string bytes("\x08\0\0\0", 4);
  for (const auto& [text, score] : tokens) {
    char head[8];
    const auto length = static_cast<std::int32_t>(text.size());
    std::memcpy(head, &score, 4);
    std::memcpy(head + 4, &length, 4);
    bytes.append(head, 8).append(text);
  }
  return bytes;
}

TEST(Llama2cTokenizers, MergeByScore) {
  const std::string bytes = tokenizer_bytes(
      {{" ", -9}, {"a", -9}, {"b", -9}, {"ab", -2}, {"ba", -1}, {" a", -3}, {"aba", -4}});
  const Tokenizer t = parse_llama2c_tokenizer(bytes, "test");
  const auto ids = t.encode("aba!");
  // "ba" has the better score, then nothing joins " ", "a" and "ba" but " a" and "aba": " a" first.
  EXPECT_EQ(ids, (std::vector<TokenId>{1, 264, 263, 3 + '!'}));
  EXPECT_EQ(t.decode(ids), "aba!");
  const auto refused = [](std::string text) {
    return [text] { parse_llama2c_tokenizer(text, "test"); };
  };
  expect_refused({{"does not begin", refused(std::string(8, '\xff'))},
                  {"middle of a token", refused(bytes.substr(0, 10))},
                  {"is not valid", refused(bytes.substr(0, bytes.size() - 1))},
                  {"fewer tokens", refused(bytes.substr(0, 4))}});
}

// The greedy text that this reader gave first; a change of it would be a change of the pass.
TEST(Llama2cTokenizers, TellTheKnownStory) {
  const char* given = std::getenv("MURMUR_MODELS");
  if (given == nullptr) GTEST_SKIP() << "no folder of trained models is given by MURMUR_MODELS";
  const OpenedModel opened = open_model(fs::path(given) / "stories260K/stories260K.bin");
  const Prompt prompt = prompt_of_text(&*opened.tokenizer, "Once upon a time");
  EXPECT_EQ(prompt.ids, (std::vector<std::int64_t>{1, 403, 407, 261, 378}));
  const auto ids = continued(*opened.model, prompt.ids, {.tokens = 60}, {.threads = 2});
  EXPECT_EQ(opened.tokenizer->decode(std::vector<TokenId>(ids.begin(), ids.end())).substr(0, 120),
            std::string("Once upon a time, there was a little girl named Lily. She loved to play "
                        "outside in the park. One day, she saw a big, red ball.")
                .substr(0, 120));
}

TEST(Prompts, ComeFromLinesAndIds) {
  EXPECT_EQ(texts_in("a\r\n\nb", false), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(texts_in("a\n\nb\n", true), (std::vector<std::string>{"a\n\nb"}));
  EXPECT_EQ(prompt_of_ids(nullptr, "5,17,3").ids, (std::vector<std::int64_t>{5, 17, 3}));
  for (const char* wrong : {"", "5,", "a", "5;6", "-1", "99999999999999999999"})
    expect_refused({{"not a list of token ids", [=] { prompt_of_ids(nullptr, wrong); }}});
  expect_refused({{"no tokeniser", [] { prompt_of_text(nullptr, "a"); }}});
}

}  // namespace
}  // namespace murmur::testing
