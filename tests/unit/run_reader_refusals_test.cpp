// run_reader_refusals_test.cpp: files that cannot be those of a run are refused where they are
// read, and what a run cannot keep is refused where it is written.
#include <gtest/gtest.h>

#include <limits>

#include "murmur/run.h"
#include "refused.h"
#include "run/formats.h"
#include "run/manifest.h"
#include "run_recorded.h"
#include "temporary.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;
using test::Flow;
using test::RunWriter;
using test::TemporaryDirectory;

void expect_refused(Fault fault, const std::string& what, const std::function<void()>& act) {
  std::string told;
  EXPECT_EQ(fault_of(act, &told), fault);
  EXPECT_NE(told.find(what), std::string::npos) << told;
}

class ReaderRefusals : public testing::Test {
 protected:
  void SetUp() override {
    RunWriter run = RunWriter::create(at_, recorded_.contents(), false);
    recorded_.finish(run);
  }
  void expect_unreadable(const Array& trajectory) {
    write_npy(at_ / "trajectory.npy", trajectory);
    expect_refused(Fault::input, "not of 3 axes of real numbers", [&] { RunReader{at_}; });
  }

  TemporaryDirectory root_;
  fs::path at_ = root_ / "run";
  Flow recorded_;
};

TEST_F(ReaderRefusals, FramesThatAreNotThere) {
  const RunReader reader(at_);
  for (const std::int64_t index : {std::int64_t{-1}, recorded_.frames, std::int64_t{1} << 40})
    expect_refused(Fault::input, "there is no frame", [&] { reader.frame(index); });
  EXPECT_EQ(reader.frame(recorded_.frames - 1).at(1, 1), recorded_.frame(11).at(1, 1));
}

TEST_F(ReaderRefusals, ArraysOfAnotherKind) {
  expect_unreadable({{12, 6}, std::vector<double>(72)});
  expect_unreadable({{2, 3, 2}, std::vector<std::int64_t>(12)});
  expect_unreadable({{}, std::vector<double>(1)});
  write_npy(at_ / "trajectory.npy", {{12, 3, 2}, std::vector<float>(72, 0.5F)});
  EXPECT_EQ(RunReader(at_).frame(3).at(0, 0), 0.5);  // singles are real numbers too
}

TEST_F(ReaderRefusals, ManifestsByTheirText) {
  const std::string good = read_text(at_ / "manifest.json");
  EXPECT_EQ(to_json(parse_manifest(good, "here")), good);
  expect_refused(Fault::input, "is not JSON", [&] { parse_manifest(good + "}", "here"); });
  expect_refused(Fault::input, "not written by murmur", [&] { parse_manifest("[]", "here"); });
  expect_refused(Fault::input, "not written by murmur",
                 [&] { parse_manifest("{\"schema\":1}", "here"); });
  expect_refused(Fault::input, "this murmur knows",
                 [&] { parse_manifest("{\"schema\":\"murmur-run-1\"}", "here"); });
  expect_refused(Fault::input, "is damaged", [&] {
    parse_manifest("{\"schema\":\"murmur-run-1\",\"schema_version\":1}", "here");
  });
}

TEST(RunRefusals, PositionsBeyondSinglePrecision) {
  const TemporaryDirectory root;
  const Flow recorded{.stored = Precision::f32};
  RunWriter run = RunWriter::create(root / "run", recorded.contents(), false);
  HostSwarm far = recorded.frame(0);
  recorded.append(run, 0);
  for (const double value : {1e39, -1e39, std::numeric_limits<double>::quiet_NaN()}) {
    far.at(2, 1) = value;
    expect_refused(Fault::numerical, "too large for single precision",
                   [&] { run.append(0.1, far, recorded.row(1)); });
  }
  EXPECT_EQ(RunReader(root / "run").frames(), 1);  // no half of a frame is kept
}

TEST(Observables, RowsUpToTheFirstThatIsTorn) {
  const ObservableRows read = parse_observables("t,a,b\n0,1,2\n1,,-3e2\n2,x,1\n3,1,1\n", 100);
  EXPECT_EQ(read.columns, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_TRUE(std::isnan(read.rows[1][0]));
  EXPECT_EQ(read.rows[1][1], -300);
  EXPECT_EQ(parse_observables("t,a\n0,1\n1,2\n2,3", 100).rows.size(), 2u);
  EXPECT_EQ(parse_observables("t,a\n0,1\n1,2\n", 1).rows.size(), 1u);
  EXPECT_TRUE(parse_observables("t,a\n0,1,2\n", 100).rows.empty());
  EXPECT_TRUE(parse_observables("t,a", 100).columns.empty());
}

}  // namespace
}  // namespace murmur
