// run_test.cpp: run directories appear whole, refuse what they must, and read back as written.
#include "murmur/run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "run/formats.h"
#include "run_recorded.h"
#include "temporary.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;
using test::Flow;
using test::promised_bytes;
using test::RunWriter;
using test::TemporaryDirectory;

template <class Action>
void expect_error(Fault fault, const std::string& what, Action&& action) {
  try {
    action();
    ADD_FAILURE() << "no error, though: " << what;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, fault) << error.what();
    EXPECT_NE(error.summary.find(what), std::string::npos) << error.what();
    EXPECT_FALSE(error.where.empty());
    EXPECT_FALSE(error.remedy.empty());
  }
}

nlohmann::json manifest(const fs::path& directory) {
  return nlohmann::json::parse(read_text(directory / "manifest.json"));
}

void edit_manifest(const fs::path& directory, const std::string& key, const nlohmann::json& value) {
  nlohmann::json json = manifest(directory);
  json[key] = value;
  write_file_atomically(directory / "manifest.json", json.dump());
}

std::size_t entries(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), {}));
}

TEST(Run, AppearsComplete) {
  const TemporaryDirectory root;
  const fs::path directory = root / "deep/er/run";
  const RunWriter run = RunWriter::create(directory, Flow().contents(), false);
  for (const char* name : {"manifest.json", "config.toml", "inputs/points.npy", "trajectory.npy",
                           "times.npy", "observables.csv", "events.jsonl", "lock"})
    EXPECT_TRUE(fs::exists(directory / name)) << name;
  EXPECT_EQ(entries(directory.parent_path()), 1u);
  const Array none = read_npy(directory / "trajectory.npy");
  EXPECT_EQ(none.shape, (std::vector<std::size_t>{0, 3, 2}));
  EXPECT_EQ(fs::file_size(directory / "trajectory.npy"), 128u);
  EXPECT_EQ(read_text(directory / "observables.csv"), "t,energy,clusters\n");
  const auto json = manifest(directory);
  EXPECT_EQ(json["schema"], "murmur-run-1");
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["status"], "running");
  EXPECT_EQ(json["argv"], (std::vector<std::string>{"murmur", "simulate"}));
  EXPECT_EQ(json["seed"], 7);
  const RunReader reader(directory);
  EXPECT_EQ(reader.frames(), 0);
  EXPECT_EQ(reader.status(), "running");
  EXPECT_TRUE(reader.column("energy").empty());
}

class RunStored : public testing::TestWithParam<Precision> {};

TEST_P(RunStored, ReadsBackAsWritten) {
  const TemporaryDirectory root;
  Flow recorded;
  recorded.stored = GetParam();
  RunWriter run = RunWriter::create(root / "run", recorded.contents(), false);
  recorded.finish(run);
  const RunReader reader(root / "run");
  ASSERT_EQ(reader.frames(), recorded.frames);
  EXPECT_EQ(reader.shape(), recorded.shape);
  EXPECT_EQ(reader.config(), recorded.contents().config);
  EXPECT_EQ(reader.columns(), recorded.contents().columns);
  EXPECT_EQ(reader.events().size(), 4u);
  EXPECT_EQ(reader.events()[1], "{\"event\":\"merge\",\"frame\":3}");
  for (std::int64_t k = 0; k < recorded.frames; ++k) {
    const auto index = static_cast<std::size_t>(k);
    EXPECT_EQ(reader.times()[index], recorded.time(k));
    EXPECT_EQ(reader.column("clusters")[index], recorded.row(k)[1]);
    const double energy = recorded.row(k)[0], read = reader.column("energy")[index];
    EXPECT_TRUE(read == energy || (std::isnan(read) && std::isnan(energy)));
    const HostSwarm expected = recorded.frame(k), frame = reader.frame(k);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j) {
        const double x = expected.at(i, j);
        EXPECT_EQ(frame.at(i, j), recorded.stored == Precision::f32 ? static_cast<float>(x) : x);
      }
  }
  const Array whole = read_npy(root / "run/trajectory.npy");
  EXPECT_EQ(whole.shape, (std::vector<std::size_t>{12, 3, 2}));
  expect_error(Fault::input, "no frame 12", [&] { reader.frame(12); });
  expect_error(Fault::input, "no observable", [&] { reader.column("enrgy"); });
}

INSTANTIATE_TEST_SUITE_P(Types, RunStored, testing::Values(Precision::f32, Precision::f64));

TEST(Run, MassesComeFromTheInputs) {
  const TemporaryDirectory root;
  const Flow recorded;
  RunContents contents = recorded.contents();
  contents.inputs["masses"] = array_of(std::vector<double>{0.5, 0.25, 0.25});
  RunWriter run = RunWriter::create(root / "run", contents, false);
  recorded.append(run, 0);
  EXPECT_EQ(RunReader(root / "run").frame(0).mass, (std::vector<double>{0.5, 0.25, 0.25}));
}

TEST(Run, ClosingSaysHowItEnded) {
  const TemporaryDirectory root;
  const Flow recorded;
  RunWriter run = RunWriter::create(root / "run", recorded.contents(), false);
  recorded.finish(run);
  const auto json = manifest(root / "run");
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["sentence"], "Flew.");
  EXPECT_EQ(json["numbers"]["steps"], 12.0);
  EXPECT_EQ(json["resumed"], 0);
  EXPECT_FALSE(json["finished"].is_null());
  for (const char* name : {"trajectory.npy", "times.npy", "observables.csv"})
    EXPECT_EQ(json["sha256"][name], sha256_of_file(root.path() / "run" / name));
  EXPECT_EQ(RunReader(root / "run").status(), "done");
}

TEST(Run, NeverOverwritesSilently) {
  const TemporaryDirectory root;
  const RunContents contents = Flow().contents();
  fs::create_directory(root / "empty");
  EXPECT_NO_THROW(RunWriter::create(root / "empty", contents, false));
  expect_error(Fault::usage, "taken", [&] { RunWriter::create(root / "empty", contents, false); });
  expect_error(Fault::usage, "taken", [&] { RunWriter::create(root / "empty/", contents, false); });
  fs::create_directory(root / "other");
  write_file_atomically(root / "other/thesis.tex", "years of work");
  expect_error(Fault::usage, "not a run of murmur",
               [&] { RunWriter::create(root / "other", contents, true); });
  write_file_atomically(root / "other/manifest.json", "{\"name\":\"a web app\"}");
  expect_error(Fault::usage, "not a run of murmur",
               [&] { RunWriter::create(root / "other", contents, true); });
  expect_error(Fault::usage, "taken",
               [&] { RunWriter::create(root / "other/thesis.tex", contents, false); });
  EXPECT_EQ(read_text(root / "other/thesis.tex"), "years of work");
  EXPECT_EQ(entries(root.path()), 2u);
}

TEST(Run, ReplacesARunWhenAsked) {
  const TemporaryDirectory root;
  const Flow recorded;
  {
    RunWriter run = RunWriter::create(root / "run", recorded.contents(), false);
    recorded.finish(run);
    expect_error(Fault::runtime, "written by another process",
                 [&] { RunWriter::create(root / "run", recorded.contents(), true); });
    EXPECT_EQ(RunReader(root / "run").frames(), recorded.frames);
  }
  const RunWriter run = RunWriter::create(root / "run", recorded.contents(), true);
  EXPECT_EQ(RunReader(root / "run").frames(), 0);
  EXPECT_EQ(entries(root.path()), 1u);
}

TEST(Run, HasOneWriter) {
  const TemporaryDirectory root;
  {
    const RunWriter run = RunWriter::create(root / "run", Flow().contents(), false);
    expect_error(Fault::runtime, "written by another process",
                 [&] { RunWriter::reopen(root / "run", {}); });
  }
  EXPECT_NO_THROW(RunWriter::reopen(root / "run", {}));
}

TEST(Run, ResumesFromTheLastCheckpoint) {
  const TemporaryDirectory root;
  const Flow recorded;
  {
    RunWriter whole = RunWriter::create(root / "whole", recorded.contents(), false);
    recorded.finish(whole);
  }
  for (std::int64_t stop = 0; stop <= recorded.frames; ++stop) {
    const fs::path directory = root / ("run" + std::to_string(stop));
    {
      RunWriter run = RunWriter::create(directory, recorded.contents(), false);
      for (std::int64_t k = 0; k < stop; ++k) {
        recorded.append(run, k);
        if ((k + 1) % 4 == 0) recorded.checkpoint(run, k + 1);
      }
    }
    RunWriter run = RunWriter::reopen(directory, {"murmur", "--resume"});
    EXPECT_EQ(run.last_checkpoint().has_value(), stop >= 4);
    EXPECT_EQ(RunReader(directory).frames(), stop / 4 * 4);
    EXPECT_EQ(read_npy(directory / "trajectory.npy").shape.front(), stop / 4 * 4);
    if (run.last_checkpoint()) {
      EXPECT_EQ(run.last_checkpoint()->size(), 1u);
    }
    recorded.finish(run);
    EXPECT_EQ(promised_bytes(directory), promised_bytes(root / "whole")) << stop;
    EXPECT_EQ(manifest(directory)["resumed"], 1);
    EXPECT_EQ(manifest(directory)["resumes"][0]["argv"][1], "--resume");
  }
}

TEST(Run, AFinishedRunCanGoFurther) {
  const TemporaryDirectory root;
  Flow recorded, longer;
  longer.frames = 20;
  {
    RunWriter run = RunWriter::create(root / "long", longer.contents(), false);
    longer.finish(run);
  }
  {
    RunWriter run = RunWriter::create(root / "run", recorded.contents(), false);
    recorded.finish(run);
  }
  RunWriter run = RunWriter::reopen(root / "run", {});
  EXPECT_EQ(RunReader(root / "run").status(), "running");
  longer.finish(run);
  EXPECT_EQ(promised_bytes(root / "run"), promised_bytes(root / "long"));
}

TEST(Run, RefusesDamagedDirectories) {
  const TemporaryDirectory root;
  const Flow recorded;
  const auto fresh = [&](const std::string& name) {
    RunWriter run = RunWriter::create(root / name, recorded.contents(), false);
    recorded.finish(run);
    return root / name;
  };
  const auto reopen = [](const fs::path& directory) { RunWriter::reopen(directory, {}); };

  expect_error(Fault::input, "not a run directory", [&] { reopen(root / "nowhere"); });
  expect_error(Fault::input, "not a run directory", [&] { RunReader(root / "nowhere"); });
  fs::path at = fresh("future");
  edit_manifest(at, "schema", "murmur-run-2");
  expect_error(Fault::input, "murmur-run-2", [&] { reopen(at); });
  EXPECT_TRUE(is_run_directory(at));
  at = fresh("torn");
  fs::resize_file(at / "manifest.json", 40);
  expect_error(Fault::input, "damaged", [&] { reopen(at); });
  EXPECT_FALSE(is_run_directory(at));
  at = fresh("foreign");
  edit_manifest(at, "schema", "other-1");
  expect_error(Fault::input, "not written by murmur", [&] { RunReader{at}; });
  at = fresh("field");
  edit_manifest(at, "seed", "seven");
  expect_error(Fault::input, "damaged", [&] { reopen(at); });
  at = fresh("short");
  fs::resize_file(at / "trajectory.npy", 200);
  expect_error(Fault::input, "fewer than the last checkpoint", [&] { reopen(at); });
  at = fresh("csv");
  fs::resize_file(at / "observables.csv", 30);
  expect_error(Fault::input, "shorter than the last checkpoint", [&] { reopen(at); });
}

TEST(Run, WhatIsThereIsComparedWithWhatWillBeWritten) {
  const TemporaryDirectory root;
  const Flow recorded;
  {
    RunWriter run = RunWriter::create(root / "run", recorded.contents(), false);
    recorded.finish(run);
  }
  const auto before = promised_bytes(root / "run");
  const std::string told = read_text(root / "run/manifest.json");
  const auto refused = [&](const std::string& what, const auto& change) {
    RunContents contents = recorded.contents();
    change(contents);
    expect_error(Fault::input, what, [&] { RunWriter::reopen(root / "run", {}, &contents); });
    EXPECT_EQ(promised_bytes(root / "run"), before);
    EXPECT_EQ(read_text(root / "run/manifest.json"), told);
  };
  refused("n = 3, d = 2", [](RunContents& c) { c.shape = {4, 2}; });
  refused("n = 3, d = 2", [](RunContents& c) { c.shape = {3, 3}; });
  refused("in f64", [](RunContents& c) { c.stored = Precision::f32; });
  refused("the columns t,energy", [](RunContents& c) { c.columns = {"energy", "order"}; });
  refused("a run of murmur simulate", [](RunContents& c) { c.command = "train"; });
  const RunContents same = recorded.contents();
  EXPECT_NO_THROW(RunWriter::reopen(root / "run", {}, &same));
}

TEST(Run, OtherSettingsAndInputsAreRefused) {
  const TemporaryDirectory root;
  const Flow recorded;
  {
    RunWriter run = RunWriter::create(root / "run", recorded.contents(), false);
    recorded.finish(run);
  }
  const fs::path config = root / "run/config.toml", points = root / "run/inputs/points.npy";
  const auto reopen = [&](std::vector<std::string> free = {}) {
    RunContents contents = recorded.contents();
    contents.free = std::move(free);
    RunWriter::reopen(root / "run", {}, &contents);
  };
  write_file_atomically(config, "n = 3\nd = 4\n");
  expect_error(Fault::input, "d = 2 was made, d = 4 is there now", [&] { reopen(); });
  EXPECT_NO_THROW(reopen({"d"}));
  write_file_atomically(config, "# a note\n\nn = 3\n d = 4\n");  // 4 was let pass, and is kept
  EXPECT_NO_THROW(reopen());
  write_file_atomically(config, "n = 3\n");
  expect_error(Fault::input, "d = 4 was made, and is gone now", [&] { reopen(); });
  write_file_atomically(config, "n = 3\nd = 4\n");
  write_npy(points, {{3, 2}, std::vector<double>(6, 0.25)});
  expect_error(Fault::input, "is not the input", [&] { reopen(); });
  write_npy(points, {{3, 2}, std::vector<double>(6, 0.5)});
  write_npy(root / "run/inputs/masses.npy", {{3}, std::vector<double>(3, 1.0)});
  expect_error(Fault::input, "was not there", [&] { reopen(); });
}

TEST(Run, ADamagedCheckpointIsNeverBelieved) {
  const TemporaryDirectory root;
  const Flow recorded;
  {
    RunWriter run = RunWriter::create(root / "run", recorded.contents(), false);
    recorded.finish(run);
  }
  const fs::path path = root / "run/checkpoint.safetensors";
  const std::string good = read_text(path);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    if (bad[at] == ' ' || good[at] == ' ') continue;
    write_file_atomically(path, bad);
    EXPECT_THROW(RunWriter::reopen(root / "run", {}), Error) << at;
    fs::resize_file(path, at);
    expect_error(Fault::input, "checkpoint is damaged",
                 [&] { RunWriter::reopen(root / "run", {}); });
  }
  fs::remove(path);
  RunWriter run = RunWriter::reopen(root / "run", {});
  EXPECT_EQ(RunReader(root / "run").frames(), 0);
}

// Truncation at every byte of the last record leaves every record before it.
TEST(RunReader, WholeFramesCount) {
  const TemporaryDirectory root;
  const Flow recorded;
  {
    RunWriter run = RunWriter::create(root / "run", recorded.contents(), false);
    recorded.finish(run);
  }
  const fs::path trajectory = root / "run/trajectory.npy", times = root / "run/times.npy",
                 table = root / "run/observables.csv";
  const std::string frames = read_text(trajectory), moments = read_text(times),
                    rows = read_text(table);
  for (std::size_t cut = 1; cut <= 48; ++cut) {
    fs::resize_file(trajectory, frames.size() - cut);
    const RunReader reader(root / "run");
    ASSERT_EQ(reader.frames(), recorded.frames - 1) << cut;
    EXPECT_EQ(reader.frame(10).at(2, 1), recorded.frame(10).at(2, 1));
    EXPECT_EQ(reader.column("clusters").back(), 100);
    write_file_atomically(trajectory, frames);
  }
  for (std::size_t cut = 1; cut <= 8; ++cut) {
    fs::resize_file(times, moments.size() - cut);
    EXPECT_EQ(RunReader(root / "run").frames(), recorded.frames - 1) << cut;
    write_file_atomically(times, moments);
  }
  const std::size_t last = rows.rfind('\n', rows.size() - 2) + 1;
  for (std::size_t length = last; length < rows.size(); ++length) {
    fs::resize_file(table, length);
    const RunReader reader(root / "run");
    ASSERT_EQ(reader.frames(), recorded.frames);
    EXPECT_EQ(reader.column("clusters")[10], 100);
    EXPECT_TRUE(std::isnan(reader.column("clusters")[11]));
    write_file_atomically(table, rows);
  }
  fs::resize_file(trajectory, 128);
  EXPECT_EQ(RunReader(root / "run").frames(), 0);
}

TEST(RunDirectory, TakesTheLowestFreeNumber) {
  const TemporaryDirectory root;
  const auto next = [&] { return free_run_directory(root.path(), "flock", 3).filename(); };
  EXPECT_EQ(next(), "flock-3-1");
  fs::create_directory(root / "flock-3-1");
  fs::create_directory(root / "flock-3-3");
  EXPECT_EQ(next(), "flock-3-2");
}

}  // namespace
}  // namespace murmur
