// run_faults_test.cpp: whatever call fails and whenever the process dies, the run can go on.
#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

#include "murmur/error.h"
#include "run/compare.h"
#include "run/formats.h"
#include "run/npy.h"
#include "run_recorded.h"
#include "temporary.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;
using test::Flow;
using test::promised_bytes;
using test::RunWriter;
using test::TemporaryDirectory;

// How call number k goes wrong.
enum class Trouble {
  fails,        // it alone, as with a disk full for a moment
  falls_short,  // it moves one byte if it is a write, and the next call fails
  dies,         // it and all after it, as when the process is killed
};
constexpr std::initializer_list<Trouble> troubles{Trouble::fails, Trouble::falls_short,
                                                  Trouble::dies};

class Saboteur {
 public:
  Saboteur(Trouble trouble, int k) {
    set_syscall_hook([this, trouble, k](Syscall call, const fs::path&) {
      const int turn = calls_++;
      const bool short_write = trouble == Trouble::falls_short;
      if (short_write && turn == k && call == Syscall::write) return InjectedFailure{0, 1};
      const int bad = k + (short_write ? 1 : 0);
      const bool hit = trouble == Trouble::dies ? turn >= bad : turn == bad;
      struck_ = struck_ || hit;
      return InjectedFailure{hit ? ENOSPC : 0};
    });
  }
  Saboteur(const Saboteur&) = delete;
  Saboteur& operator=(const Saboteur&) = delete;
  ~Saboteur() { set_syscall_hook({}); }
  bool struck() const { return struck_; }

 private:
  int calls_ = 0;
  bool struck_ = false;
};

// Runs `action` with each call of it in turn going wrong, on a fresh stage; `check` sees the wreck.
void sabotage_each_call(const std::function<void(const fs::path&)>& prepare,
                        const std::function<void(const fs::path&)>& action,
                        const std::function<void(const fs::path&, Trouble)>& check) {
  for (Trouble trouble : troubles) {
    int k = 0;
    for (bool struck = true; struck; ++k) {
      SCOPED_TRACE("call " + std::to_string(k) + ", trouble " +
                   std::to_string(static_cast<int>(trouble)));
      const TemporaryDirectory root;
      prepare(root.path());
      {
        const Saboteur saboteur(trouble, k);
        try {
          action(root.path());
        } catch (const Error& error) {
          EXPECT_EQ(error.fault, Fault::runtime) << error.what();
          EXPECT_NE(error.remedy.find("space"), std::string::npos) << error.remedy;
        }
        struck = saboteur.struck();
      }
      check(root.path(), trouble);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(k, 10);
  }
}

// What numpy.load(mmap_mode='r') asks for: the file holds at least the rows its header counts.
void expect_openable(const fs::path& path) {
  const File file = File::reading(path);
  const NpyHeader header = read_npy_header(source_of(file));
  EXPECT_LE(header.data_offset + *bytes_of(header.element, header.shape), file.size()) << path;
}

Flow short_run() {
  Flow trajectory;
  trajectory.frames = 5;
  trajectory.checkpoint_every = 2;
  return trajectory;
}

std::map<std::string, std::string> bytes_of_a_calm_run(const Flow& trajectory) {
  const TemporaryDirectory root;
  RunWriter run = RunWriter::create(root / "run", trajectory.contents(), false);
  trajectory.finish(run);
  return promised_bytes(root / "run");
}

TEST(RunFaults, AnyFailedCallOfAFlightLeavesARunThatGoesOn) {
  const Flow trajectory = short_run();
  const auto calm = bytes_of_a_calm_run(trajectory);
  sabotage_each_call(
      [&](const fs::path& root) {
        RunWriter run = RunWriter::create(root / "run", trajectory.contents(), false);
        trajectory.append(run, 0);
        trajectory.append(run, 1);
        trajectory.checkpoint(run, 2);
        trajectory.append(run, 2);  // for the resumption to cut away
      },
      [&](const fs::path& root) {
        RunWriter run = RunWriter::reopen(root / "run", {});
        trajectory.finish(run);
      },
      [&](const fs::path& root, Trouble) {
        expect_openable(root / "run/trajectory.npy");
        expect_openable(root / "run/times.npy");
        const RunReader reader(root / "run");
        for (double clusters : reader.column("clusters")) EXPECT_FALSE(std::isnan(clusters));
        RunWriter run = RunWriter::reopen(root / "run", {});
        trajectory.finish(run);
        EXPECT_EQ(promised_bytes(root / "run"), calm);
        EXPECT_EQ(RunReader(root / "run").status(), "done");
        for (const auto& entry : fs::directory_iterator(root / "run"))
          EXPECT_FALSE(is_replacement_in_waiting(entry.path())) << entry.path();
      });
}

// New settings take the place of old ones in several writes: between any two of them the run knows
// the config.toml that is there.
TEST(RunFaults, AnyFailedCallOfAnExtensionLeavesARunThatGoesOn) {
  const Flow trajectory = short_run();
  const auto calm = bytes_of_a_calm_run(trajectory);
  const RunContents contents = trajectory.contents();
  RunContents longer = contents;
  longer.config += "frames = 5\n";
  sabotage_each_call(
      [&](const fs::path& root) {
        RunWriter run = RunWriter::create(root / "run", contents, false);
        trajectory.append(run, 0);
        trajectory.append(run, 1);
        trajectory.checkpoint(run, 2);
        run.close("interrupted", {}, "");
      },
      [&](const fs::path& root) {
        RunWriter run = RunWriter::reopen(root / "run", {}, &longer, true);
        trajectory.finish(run);
      },
      [&](const fs::path& root, Trouble) {
        const std::string config = read_text(root / "run/config.toml");
        EXPECT_TRUE(config == contents.config || config == longer.config) << config;
        for (int turn = 0; turn < 2; ++turn) {  // also where nothing but the reopening was done
          RunWriter run = RunWriter::reopen(root / "run", {}, &longer, false);
        }
        RunWriter run = RunWriter::reopen(root / "run", {}, &longer, true);
        EXPECT_EQ(read_text(root / "run/config.toml"), longer.config);
        trajectory.finish(run);
        EXPECT_EQ(promised_bytes(root / "run"), calm);
        EXPECT_TRUE(compare_run(root / "run").notes.empty() == false);  // its lock is held
      });
}

// A caller may also try the same call again on the same run.
TEST(RunFaults, AFailedCallCanBeMadeAgain) {
  const Flow trajectory = short_run();
  const auto calm = bytes_of_a_calm_run(trajectory);
  const auto insist = [](const std::function<void()>& action) {
    try {
      action();
    } catch (const Error&) {
      action();
    }
  };
  int k = 0;
  for (bool struck = true; struck; ++k) {
    const TemporaryDirectory root;
    RunWriter run = RunWriter::create(root / "run", trajectory.contents(), false);
    const Saboteur saboteur(Trouble::falls_short, k);
    for (std::int64_t frame = 0; frame < trajectory.frames; ++frame) {
      insist([&] {
        run.append(trajectory.time(frame), trajectory.frame(frame), trajectory.row(frame));
      });
      if (frame % 3 == 0)
        insist([&] { run.event("{\"event\":\"merge\",\"frame\":" + std::to_string(frame) + "}"); });
      if (frame % 2 == 1) insist([&] { trajectory.checkpoint(run, frame + 1); });
    }
    insist([&] { run.close("done", {}, ""); });
    struck = saboteur.struck();
    ASSERT_EQ(promised_bytes(root / "run"), calm) << k;
  }
  EXPECT_GT(k, 10);
}

// Closing after a failed append leaves only what was whole.
TEST(RunFaults, AFailedRunIsClosedClean) {
  const Flow trajectory = short_run();
  int k = 0;
  for (bool struck = true; struck; ++k) {
    const TemporaryDirectory root;
    RunWriter run = RunWriter::create(root / "run", trajectory.contents(), false);
    trajectory.append(run, 0);
    {
      const Saboteur saboteur(Trouble::falls_short, k);
      try {
        run.append(trajectory.time(1), trajectory.frame(1), trajectory.row(1));
      } catch (const Error&) {
      }
      struck = saboteur.struck();
    }
    run.close("failed", {}, "The disk was full.");
    const std::size_t frames = struck ? 1 : 2;
    EXPECT_EQ(read_npy(root / "run/trajectory.npy").shape.front(), frames);
    EXPECT_EQ(read_npy(root / "run/times.npy").shape.front(), frames);
    const std::string table = read_text(root / "run/observables.csv");
    EXPECT_EQ(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')), frames + 1);
  }
  EXPECT_GE(k, 5);
}

TEST(RunFaults, ACheckpointIsOldOrNew) {
  const Flow trajectory = short_run();
  sabotage_each_call(
      [&](const fs::path& root) {
        RunWriter run = RunWriter::create(root / "run", trajectory.contents(), false);
        trajectory.append(run, 0);
        trajectory.checkpoint(run, 1);
      },
      [&](const fs::path& root) {
        RunWriter run = RunWriter::reopen(root / "run", {});
        trajectory.append(run, 1);
        trajectory.checkpoint(run, 2);
      },
      [&](const fs::path& root, Trouble) {
        const RunWriter run = RunWriter::reopen(root / "run", {});
        ASSERT_TRUE(run.last_checkpoint());
        const double next = run.last_checkpoint()->at("next").doubles().front();
        EXPECT_TRUE(next == 1 || next == 2) << next;
        EXPECT_EQ(RunReader(root / "run").frames(), next);
      });
}

TEST(RunFaults, CreationIsAllOrNothing) {
  const Flow trajectory = short_run();
  sabotage_each_call(
      [](const fs::path&) {},
      [&](const fs::path& root) { RunWriter::create(root / "run", trajectory.contents(), false); },
      [&](const fs::path& root, Trouble trouble) {
        if (!fs::exists(root / "run")) {
          if (trouble != Trouble::dies) {
            EXPECT_TRUE(fs::is_empty(root));
          }
          RunWriter::create(root / "run", trajectory.contents(), false);
        }
        RunWriter run = RunWriter::reopen(root / "run", {});
        trajectory.finish(run);
        EXPECT_EQ(RunReader(root / "run").frames(), trajectory.frames);
      });
}

TEST(RunFaults, AReplacedRunIsOldOrNewOrBeside) {
  const Flow trajectory = short_run();
  sabotage_each_call(
      [&](const fs::path& root) {
        RunWriter run = RunWriter::create(root / "run", trajectory.contents(), false);
        trajectory.finish(run);
      },
      [&](const fs::path& root) { RunWriter::create(root / "run", trajectory.contents(), true); },
      [&](const fs::path& root, Trouble trouble) {
        if (trouble != Trouble::dies) {
          EXPECT_TRUE(is_run_directory(root / "run"));
        }
        int runs = 0;
        for (const auto& entry : fs::directory_iterator(root))
          runs += is_run_directory(entry.path());
        EXPECT_GE(runs, 1);
      });
}

// The data must be on disk before the checkpoint that counts it takes its place.
TEST(RunFaults, DataIsSyncedBeforeTheCheckpointThatCountsIt) {
  const TemporaryDirectory root;
  const Flow trajectory;
  RunWriter run = RunWriter::create(root / "run", trajectory.contents(), false);
  trajectory.append(run, 0);
  std::vector<std::pair<Syscall, fs::path>> calls;
  set_syscall_hook([&](Syscall call, const fs::path& path) {
    calls.emplace_back(call, path);
    return InjectedFailure{};
  });
  trajectory.checkpoint(run, 1);
  set_syscall_hook({});
  const auto position = [&](Syscall call, const fs::path& path) {
    return std::find(calls.begin(), calls.end(), std::pair{call, path}) - calls.begin();
  };
  const auto renamed = position(Syscall::rename, root / "run/checkpoint.safetensors");
  for (const char* name : {"trajectory.npy", "times.npy", "observables.csv", "events.jsonl"})
    EXPECT_LT(position(Syscall::sync, root / "run" / name), renamed) << name;
  ASSERT_EQ(calls.size(), static_cast<std::size_t>(renamed) + 2);
  EXPECT_EQ(calls[renamed - 1].first, Syscall::sync);
  EXPECT_EQ(calls.back(), (std::pair{Syscall::sync, root / "run"}));
}

// Starts the flight or goes on with it, in a process of its own.
pid_t simulate_in_a_child(const fs::path& directory, const Flow& trajectory) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      RunWriter run = is_run_directory(directory)
                          ? RunWriter::reopen(directory, {})
                          : RunWriter::create(directory, trajectory.contents(), false);
      trajectory.finish(run);
      code = 0;
    } catch (const std::exception&) {
    }
    ::_exit(code);
  }
  return child;
}

int exit_status(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(RunFaults, KillAtRandomInstantsThenResumeGivesTheSameBytes) {
  Flow trajectory;
  trajectory.frames = 400;
  trajectory.checkpoint_every = 9;
  trajectory.shape = {50, 3};
  const TemporaryDirectory root;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(exit_status(simulate_in_a_child(root / "calm", trajectory)), 0);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto calm = promised_bytes(root / "calm");

  std::mt19937 random(11);
  double reach = seconds / 3;  // instants of death lie within; less when flights escape
  int recording_number = 0;
  for (int killed = 0; killed < 20;) {
    const fs::path directory = root / ("run" + std::to_string(recording_number));
    const pid_t child = simulate_in_a_child(directory, trajectory);
    ::usleep(static_cast<useconds_t>(1e6 * std::uniform_real_distribution<>(0, reach)(random)));
    ::kill(child, SIGKILL);
    const int status = exit_status(child);
    if (is_run_directory(directory)) {
      expect_openable(directory / "trajectory.npy");
      const RunReader reader(directory);
      const std::int64_t last = reader.frames() - 1;
      if (last >= 0) {
        EXPECT_EQ(reader.frame(last).at(1, 1), trajectory.frame(last).at(1, 1));
      }
    }
    if (WIFSIGNALED(status)) {
      ++killed;
    } else {
      ASSERT_EQ(status, 0);
      EXPECT_EQ(promised_bytes(directory), calm);
      ++recording_number;
      reach *= 0.7;
    }
  }
  const fs::path directory = root / ("run" + std::to_string(recording_number));
  ASSERT_EQ(exit_status(simulate_in_a_child(directory, trajectory)), 0);
  EXPECT_EQ(promised_bytes(directory), calm);
}

}  // namespace
}  // namespace murmur
