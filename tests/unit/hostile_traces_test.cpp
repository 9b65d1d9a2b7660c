// hostile_traces_test.cpp: states and traces of another hand whose numbers do not fit together.
#include <gtest/gtest.h>

#include "refused.h"
#include "run/formats.h"
#include "temporary.h"
#include "trace/imported.h"
#include "trace/kept_heads.h"
#include "trace/trace_file.h"

namespace murmur::testing {
namespace {

Array floats(std::vector<std::size_t> shape) {
  Array array{.shape = std::move(shape)};
  array.values = std::vector<float>(array.size(), 0.5f);
  return array;
}

// A trace.json may claim more heads than the tensor beside it has.
TEST(HostileTraces, HeadsThatTheAttentionLacks) {
  const Array pattern = floats({2, 3, 3});
  EXPECT_EQ(head_weights(pattern, 1).data[0], 0.5);
  EXPECT_EQ(head_weights(pattern, std::nullopt).data[8], 0.5);
  expect_refused({{"no head 2", [&] { head_weights(pattern, 2); }},
                  {"no head 0",
                   [&] {
                     head_weights(floats({0, 3, 3}), 0);
                   }},
                  {"no head 0", [&] {
                     head_weights(floats({2, 0, 0}), 0);
                   }}});
}

TEST(HostileTraces, BlocksTimesRepetitionsOverflow) {
  const test::TemporaryDirectory run;
  TraceFile trace{.model = "m", .family = "bert", .blocks = 65'536, .heads = 1, .d = 2};
  trace.repeat = 65'536;
  write_trace_file(run.path(), trace);
  expect_refused({{"repeat", [&] { read_trace_file(run.path()); }}});
  trace.repeat = 2;
  write_trace_file(run.path(), trace);
  EXPECT_EQ(read_trace_file(run.path()).blocks, 65'536);
}

TEST(HostileTraces, ReadingsOfHeadsThatTheModelLacks) {
  const test::TemporaryDirectory run;
  TraceFile trace{.model = "m", .family = "bert", .blocks = 2, .heads = 1, .d = 2};
  trace.by_head = {{.block = 0, .head = 0}, {.block = 1, .head = 0}};
  write_trace_file(run.path(), trace);
  EXPECT_EQ(read_trace_file(run.path()).by_head.size(), 2u);
  const auto refuse = [&](const char* what, const auto& change) {
    TraceFile other = trace;
    change(other);
    write_trace_file(run.path(), other);
    expect_refused({{what, [&] { read_trace_file(run.path()); }}});
  };
  refuse("one reading for each head", [](TraceFile& t) { t.heads = 0; });
  refuse("one reading for each head", [](TraceFile& t) { t.heads = 2'147'483'647; });
  refuse("one reading for each head", [](TraceFile& t) { t.blocks = 4; });
  refuse("names a head", [](TraceFile& t) { t.by_head[0].block = 100'000'000; });
  refuse("names a head", [](TraceFile& t) { t.by_head[1].head = 1; });
}

TEST(HostileTraces, TextsAndPatchesThatLackWhatIsRead) {
  const test::TemporaryDirectory run;
  const auto refuse = [&](const char* what, const TraceFile& trace) {
    write_trace_file(run.path(), trace);
    expect_refused({{what, [&] { read_trace_file(run.path()); }}});
  };
  TraceFile trace{.model = "m", .family = "bert", .blocks = 2, .heads = 1, .d = 2};
  trace.texts = {{.text = "a", .given = 2, .tokens = {"a"}}};
  refuse("more given tokens", trace);
  trace.texts[0].given = 1;
  trace.texts[0].lens = {{.frame = 0, .top = {}}};
  refuse("predicts nothing", trace);
  trace.texts[0].lens = {};
  trace.patching = Patching{};
  refuse("no place", trace);
  for (const PatchPlace at : {PatchPlace{3, 0}, PatchPlace{0, 1}}) {
    trace.patching = Patching{.places = {at}, .patched = {0.5}};
    refuse("names a place", trace);
  }
}

// Finite in double precision and infinite in single precision.
TEST(HostileTraces, StatesBeyondSinglePrecision) {
  const test::TemporaryDirectory folder;
  Array states = floats({2, 3, 4});
  states.values = std::vector<double>(24, 1e300);
  write_npy(folder / "states.npy", states);
  expect_refused({{"not finite", [&] { import_states({.file = folder / "states.npy"}); }}});
}

}  // namespace
}  // namespace murmur::testing
