// run_files_refusals_test.cpp: every call on a file that fails is told, and so is every checkpoint,
// array or table that belongs to another run; nothing is changed then.
#include <errno.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "experiment/flow_record.h"
#include "experiment/training_loop.h"
#include "murmur/error.h"
#include "run/checkpoint.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/npy.h"
#include "run_recorded.h"
#include "temporary.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;
using test::Flow;
using test::TemporaryDirectory;

// The fault and the first line of what is thrown; "" where nothing is.
std::string told(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return (error.fault == Fault::runtime ? "runtime: " : "input: ") + error.summary;
  }
  return "";
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

// While it lives, one kind of call fails.
class Broken {
 public:
  explicit Broken(Syscall kind) {
    set_syscall_hook(
        [kind](Syscall call, const fs::path&) { return InjectedFailure{call == kind ? EIO : 0}; });
  }
  Broken(const Broken&) = delete;
  Broken& operator=(const Broken&) = delete;
  ~Broken() { set_syscall_hook({}); }
};

TEST(FileRefusals, EveryCallThatFailsIsTold) {
  const TemporaryDirectory folder;
  File file = File::creating(folder / "file");
  file.write_at(0, "abc");
  const auto broken = [&](Syscall call, const std::function<void()>& act) {
    const Broken disk(call);
    return told(act);
  };
  EXPECT_TRUE(has(broken(Syscall::truncate, [&] { file.truncate(1); }), "runtime: cannot cut"));
  EXPECT_TRUE(has(broken(Syscall::sync, [&] { file.sync(); }), "bring the file to disk"));
  EXPECT_TRUE(has(broken(Syscall::write, [&] { file.write_at(0, "x"); }), "runtime: cannot write"));
  EXPECT_TRUE(has(broken(Syscall::make_directory, [&] { make_directory(folder / "a"); }),
                  "create the directory"));
  EXPECT_TRUE(has(broken(Syscall::sync, [&] { sync_directory(folder.path()); }),
                  "bring the directory to disk"));
  EXPECT_TRUE(has(broken(Syscall::rename, [&] { rename_path(folder / "file", folder / "b"); }),
                  "put the file in its place"));
  EXPECT_TRUE(has(broken(Syscall::open, [&] { File::creating(folder / "c"); }), "runtime: "));
  EXPECT_EQ(read_text(folder / "file"), "abc");
  EXPECT_FALSE(fs::exists(folder / "a") || fs::exists(folder / "b") || fs::exists(folder / "c"));
}

TEST(FileRefusals, WhatIsNoFileOrEndsEarly) {
  const TemporaryDirectory folder;
  std::ofstream(folder / "file") << "abc";
  std::byte more[8];
  EXPECT_TRUE(has(told([&] { File::reading(folder / "file").read_at(0, more); }),
                  "ends 5 bytes too early"));
  EXPECT_TRUE(
      has(told([&] { make_directory(folder / "file" / "below"); }), "create the directory"));
  EXPECT_TRUE(has(told([&] { sync_directory(folder / "nothing"); }), "open the directory"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(has(told([&] { File::reading(folder / "pipe"); }), "input: this is not a regular"));
  fs::create_directory(folder / "place");
  Replacement draft(folder / "place");
  draft.write("text");
  EXPECT_TRUE(has(told([&] { draft.commit(); }), "not a regular file is in the way"));
}

TEST(FileRefusals, ArraysThatNoRunWrote) {
  const TemporaryDirectory folder;
  EXPECT_TRUE(has(told([&] { GrowingNpy::create(folder / "i.npy", Element::i64, {2}); }),
                  "not an array that a run can grow"));
  write_npy(folder / "plain.npy", array_of(std::vector<double>{1, 2}));
  const std::string bytes = read_text(folder / "plain.npy");
  std::ofstream(folder / "cut.npy") << bytes.substr(0, 8);
  EXPECT_TRUE(has(told([&] { read_npy(folder / "cut.npy"); }), "not an npy file"));
  std::ofstream(folder / "two.npy") << std::string("\x93NUMPY\x02\x00\x10\x00", 10);
  EXPECT_TRUE(has(told([&] { read_npy(folder / "two.npy"); }), "ends inside its header"));
  std::string shifted = bytes;  // a header of another length than a run's
  shifted.insert(80, std::string(64, ' '));
  shifted[8] = static_cast<char>(static_cast<unsigned char>(bytes[8]) + 64);
  std::ofstream(folder / "shifted.npy") << shifted;
  EXPECT_TRUE(has(told([&] { GrowingNpy::open(folder / "shifted.npy"); }), "not written by a run"));
}

// A run of four frames with a checkpoint, which `change` changes with right digests.
std::string told_of_checkpoint(const std::function<void(Checkpoint&)>& change) {
  const TemporaryDirectory folder;
  const Flow flow{.frames = 4};
  {
    Run run = Run::create(folder / "run", flow.contents(), false);
    for (std::int64_t k = 0; k < 4; ++k) flow.append(run, k);
    flow.checkpoint(run, 4);
  }
  Checkpoint checkpoint = *read_checkpoint(folder / "run");
  change(checkpoint);
  write_checkpoint(folder / "run", checkpoint);
  const auto before = test::promised_bytes(folder / "run");
  const std::string answer = told([&] { Run::reopen(folder / "run", {"murmur"}); });
  EXPECT_EQ(test::promised_bytes(folder / "run"), before) << answer;
  return answer;
}

TEST(CheckpointRefusals, OfAnotherRun) {
  EXPECT_EQ(told_of_checkpoint([](Checkpoint&) {}), "");
  EXPECT_TRUE(has(told_of_checkpoint([](Checkpoint& c) { c.facts->schema = "murmur-run-99"; }),
                  "it is laid out as murmur-run-99"));
  EXPECT_TRUE(has(told_of_checkpoint([](Checkpoint& c) { c.facts->inputs["points.npy"] = "00"; }),
                  "its inputs are not those"));
  EXPECT_TRUE(has(told_of_checkpoint([](Checkpoint& c) { c.facts->settings_sha256 = "00"; }),
                  "its settings are not those"));
  EXPECT_TRUE(has(told_of_checkpoint([](Checkpoint& c) { c.mark.frames = -1; }),
                  "the number run/frames is not there"));
}

TEST(CheckpointRefusals, OfAnotherSwarm) {
  HostSwarm x({3, 2});
  const Record good = record_of(start(x), 1);
  EXPECT_EQ(told([&] { state_of(good, {3, 2}); }), "");
  EXPECT_TRUE(has(told([&] { state_of(good, {4, 2}); }), "to another swarm"));
  EXPECT_TRUE(has(told([&] { state_of(good, {3, 3}); }), "to another swarm"));
  for (const auto& [name, array] : good) {
    Record bad = good;
    bad.erase(name);
    if (name == "T") continue;  // says which frames are kept, and is read by those who ask
    EXPECT_NE(told([&] { state_of(bad, {3, 2}); }), "") << name;
  }
}

}  // namespace
}  // namespace murmur
