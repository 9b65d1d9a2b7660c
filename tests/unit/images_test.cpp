// images_test.cpp: idx files come in whole or not at all, and their ink becomes tokens.
#include "murmur/images.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "image_files.h"
#include "temporary.h"

namespace murmur {
namespace {

using test::expect_refused;
using test::gzip;
using test::idx;

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

Images parse_images(const std::string& text) { return parse_idx_images(bytes(text), "file"); }
std::vector<int> parse_labels(const std::string& text) {
  return parse_idx_labels(bytes(text), "file");
}

std::string noise(std::size_t length) {
  std::string text(length, '\0');
  std::uint32_t state = 7;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

TEST(Idx, ImagesAndLabelsComeBack) {
  const Images images = parse_images(idx({2, 2, 3}, "abcdefABCDEF"));
  EXPECT_EQ(images.count(), 2u);
  EXPECT_EQ(images.height, 2);
  EXPECT_EQ(images.width, 3);
  EXPECT_EQ(images.picture(1)[3], 'D');
  EXPECT_EQ(images.where, "file");
  EXPECT_TRUE(images.labels.empty());
  EXPECT_EQ(parse_labels(idx({3}, {5, 0, '\xff'})), (std::vector<int>{5, 0, 255}));
}

TEST(Idx, PackedEqualsPlain) {
  for (std::uint32_t count : {1u, 40u, 400u})
    for (const std::string& values : {noise(count * 28 * 28), std::string(count * 28 * 28, 'x')})
      for (int level : {0, 1, 9}) {
        const std::string plain = idx({count, 28, 28}, values);
        EXPECT_EQ(parse_images(gzip(plain, level)).pixels, parse_images(plain).pixels);
      }
  EXPECT_EQ(parse_labels(gzip(idx({3}, "abc"))), parse_labels(idx({3}, "abc")));
}

TEST(Idx, EveryPrefixIsRefused) {
  const std::string plain = idx({2, 2, 3}, "abcdefABCDEF"), packed = gzip(plain);
  for (std::size_t length = 0; length < plain.size(); ++length)
    EXPECT_THROW(parse_images(plain.substr(0, length)), Error) << length;
  for (std::size_t length = 0; length < packed.size(); ++length)
    EXPECT_THROW(parse_images(packed.substr(0, length)), Error) << length;
  const auto refused = [](const std::string& text, const std::string& what) {
    expect_refused([&] { parse_images(text); }, what, "file: byte ");
  };
  refused("", "ends inside its header");
  refused(plain.substr(0, plain.size() - 1), "truncated: 1 bytes are missing of 12");
  refused(gzip(plain.substr(0, plain.size() - 2)), "truncated: 2 bytes are missing of 12");
  refused(packed.substr(0, packed.size() - 9), "the gzip file is truncated");
}

TEST(Idx, WhatIsTooLongIsRefused) {
  const std::string plain = idx({1, 2, 2}, "abcd");
  for (const std::string& text : {plain + "e", gzip(plain + "e"), gzip(plain + noise(100000))})
    expect_refused([&] { parse_images(text); }, "goes on after the 4 bytes", "file: byte 20");
  expect_refused([&] { parse_images(gzip(plain) + "e"); }, "1 bytes after its gzip data", "file");
}

TEST(Idx, ADamagedPackedFileIsRefused) {
  std::string packed = gzip(idx({1, 28, 28}, noise(784)), 0);
  packed[packed.size() / 2] ^= 1;  // stored as it is: only the checksum can tell
  expect_refused([&] { parse_images(packed); }, "damaged", "file");
}

TEST(Idx, ClaimsBeyondTheFileAreRefusedWithoutMemory) {
  expect_refused([] { parse_images(idx({0xffffffff, 4096, 4096}, "abcd")); }, "truncated", "file");
  expect_refused([] { parse_images(gzip(idx({0xffffffff, 28, 28}, "abcd"))); }, "1 GiB", "file");
  expect_refused([] { parse_images(gzip(idx({1000000, 28, 28}, "abcd"))); }, "truncated", "file");
  expect_refused([] { parse_labels(idx({0xffffffff}, "abcd")); }, "truncated", "file");
}

TEST(Idx, TheWrongKindIsNamed) {
  const auto images = [](const std::string& text, const std::string& what) {
    expect_refused([&] { parse_images(text); }, what, "file");
  };
  images(idx({4}, "abcd"), "labels, but images belong here");
  images(gzip(idx({4}, "abcd")), "labels, but images belong here");
  expect_refused(
      [] {
        parse_labels(idx({1, 2, 2}, "abcd"));
      },
      "images, but labels belong here", "file");
  images(idx({2, 2}, "abcd"), "2 axes");
  images(std::string("\0\0\x0d\x03", 4), "32-bit floats");
  images("\x89PNG\r\n", "PNG picture");
  images("\x93NUMPY", "npy file");
  images("PK\x03\x04", "zip archive");
  images("<!DOCTYPE html>", "web page");
  images("hello", "not an idx file");
  images(idx({0, 28, 28}, ""), "no images");
  images(idx({4, 1, 1}, "abcd"), "1 x 1 pixels");
  images(idx({1, 0, 28}, ""), "0 x 28 pixels");
  images(idx({1, 2, 5000}, ""), "2 x 5000 pixels");
  expect_refused([] { parse_labels(idx({0}, "")); }, "no labels", "file");
}

TEST(Idx, FilesAreReadAndMissed) {
  const test::TemporaryDirectory directory;
  const std::string plain = idx({1, 2, 2}, "abcd");
  test::write(directory / "plain", plain);
  test::write(directory / "packed.gz", gzip(plain));
  EXPECT_EQ(read_idx_images(directory / "plain").pixels, parse_images(plain).pixels);
  EXPECT_EQ(read_idx_images(directory / "packed.gz").pixels, parse_images(plain).pixels);
  EXPECT_EQ(read_idx_images(directory / "plain").where, (directory / "plain").string());
  expect_refused([&] { read_idx_labels(directory / "none"); }, "no such file", "none");
  expect_refused([&] { read_idx_images(directory.path()); }, "not a regular file", "murmur-test");
}

Images images_of(int height, int width, std::vector<std::uint8_t> pixels) {
  return {.height = height, .width = width, .pixels = std::move(pixels), .where = "here"};
}

TEST(Samples, XRunsRightAndYRunsUp) {
  // The corners of 3 rows and 5 columns, then a point a quarter to the right in the middle row.
  const Images images = images_of(3, 5, {255, 0, 0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255});
  const SampleSet samples = samples_of(images, {}, {});
  EXPECT_EQ(samples.x, (std::vector<float>{-10, 10, -5, -10, 10}));
  EXPECT_EQ(samples.y, (std::vector<float>{10, 10, 0, -10, -10}));
  EXPECT_EQ(samples.label, std::vector<int>{-1});
}

TEST(Samples, OnlyWhatIsAboveTheThresholdFlies) {
  const Images images = images_of(2, 2, {127, 128, 255, 0});
  EXPECT_EQ(samples_of(images, {}, {}).x.size(), 2u);
  EXPECT_EQ(samples_of(images, {}, {.threshold = 0}).x.size(), 3u);
  EXPECT_EQ(samples_of(images, {}, {.threshold = 0.99}).x.size(), 1u);
  EXPECT_EQ(samples_of(images, {}, {.threshold = 128. / 255}).x.size(), 1u);  // above, not at
}

TEST(Samples, AFinerGridHoldsTheCoarseOneAndSquaresTheNumber) {
  // A filled 14 x 14 square in 28 x 28.
  Images images = images_of(28, 28, std::vector<std::uint8_t>(784));
  for (int row = 7; row < 21; ++row)
    for (int col = 7; col < 21; ++col) images.pixels[row * 28 + col] = 255;
  const SampleSet coarse = samples_of(images, {}, {});
  for (int finer : {2, 3, 5}) {
    const SampleSet fine = samples_of(images, {}, {.finer = finer});
    const double ratio = static_cast<double>(fine.x.size()) / coarse.x.size();
    EXPECT_NEAR(ratio, finer * finer, 0.12 * finer * finer);
    for (std::size_t k = 0; k < coarse.x.size(); ++k) {
      bool found = false;
      for (std::size_t m = 0; m < fine.x.size(); ++m)
        found = found || (std::abs(fine.x[m] - coarse.x[k]) < 1e-5 &&
                          std::abs(fine.y[m] - coarse.y[k]) < 1e-5);
      ASSERT_TRUE(found) << k;
    }
    const auto [min, most] = std::minmax_element(fine.x.begin(), fine.x.end());
    EXPECT_NEAR(*min, -*most, 1e-5);  // a symmetric picture stays symmetric
  }
}

TEST(Samples, ClassesAreTheirPlaceInTheList) {
  Images images = images_of(2, 2, {255, 0, 0, 0, 255, 255, 0, 0, 255, 255, 255, 0, 0, 0, 0, 255});
  images.labels = {5, 3, 6, 5};
  std::vector<std::size_t> source{99};
  const SampleSet samples = samples_of(images, {6, 5}, {}, &source);
  EXPECT_EQ(samples.samples(), 3u);
  EXPECT_EQ(source, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(samples.label, (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(samples.first, (std::vector<std::size_t>{0, 1, 4, 5}));
  EXPECT_EQ(samples.size_of(1), 3);
  EXPECT_EQ(samples_of(images, {}, {}).samples(), 4u);
}

TEST(Samples, WhatCannotFlyIsRefused) {
  Images images = images_of(2, 2, {255, 0, 0, 0, 0, 0, 0, 0, 90, 0, 0, 0});
  const auto refused = [&](const std::vector<int>& classes, const Tokenisation& how,
                           const std::string& what, const std::string& where) {
    expect_refused([&] { samples_of(images, classes, how); }, what, where);
  };
  refused({}, {}, "no ink above the threshold 0.5", "here: picture 1");
  refused({1}, {}, "3 pictures have 0 labels", "here");
  images.labels = {0, 1, 2};
  refused({0, 1}, {}, "no ink", "here: picture 1");
  refused({0, 2}, {}, "no ink", "here: picture 2");
  refused({0, 7}, {}, "no picture is labelled 7", "here");
  refused({0, 0}, {}, "asked for twice", "classes");
  refused({0}, {.threshold = 1}, "the threshold 1", "threshold");
  refused({0}, {.threshold = -0.1}, "threshold", "threshold");
  refused({0}, {.threshold = std::numeric_limits<double>::quiet_NaN()}, "threshold", "threshold");
  refused({0}, {.finer = 0}, "0 times", "finer");
  refused({0}, {.finer = 1000}, "1000 times", "finer");
  EXPECT_EQ(samples_of(images, {2}, {.threshold = 0.3}).samples(), 1u);
}

TEST(Mnist, IsWhatItIsKnownToBe) {
  if (!std::filesystem::exists(test::mnist_folder()))
    GTEST_SKIP() << "MNIST is not in data/mnist: ./demo fetches it";
  const DataSet mnist = read_data_set(test::mnist_folder());
  EXPECT_EQ(mnist.name, "mnist");
  // cd data/mnist && sha256sum t10k* train* | sha256sum
  EXPECT_EQ(mnist.checksum, "474311efcf1fd213e64768801dc6195673bffb8385179d6c55cd8748b9e2e8ca");
  ASSERT_EQ(mnist.train.count(), 60000u);
  ASSERT_EQ(mnist.test.count(), 10000u);
  const auto& pixels = mnist.train.pixels;
  const double sum = std::accumulate(pixels.begin(), pixels.end(), 0.0);
  EXPECT_NEAR(sum / 255 / static_cast<double>(pixels.size()), 0.13066, 5e-6);
  std::vector<int> counts(10);
  for (int label : mnist.train.labels) ++counts.at(label);
  EXPECT_EQ(counts, (std::vector<int>{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}));
  const SampleSet samples = samples_of(mnist.train, {5, 6}, {});
  EXPECT_EQ(samples.samples(), 11339u);
  EXPECT_NEAR(static_cast<double>(samples.x.size()) / 11339, 105.78, 0.01);
  EXPECT_EQ(samples_of(mnist.test, {5, 6}, {}).samples(), 1850u);
  EXPECT_EQ(samples_of(mnist.train, {}, {}).samples(), 60000u);  // every digit has ink
}

// The first training digit is a 5: its lower half lies left of its upper right bar.
TEST(Mnist, StandsUpright) {
  if (!std::filesystem::exists(test::mnist_folder()))
    GTEST_SKIP() << "MNIST is not in data/mnist: ./demo fetches it";
  SampleSet five;
  const Images images = read_idx_images(test::mnist_folder() / "train-images-idx3-ubyte");
  add_sample(images, 0, 5, {}, five);
  const auto top = std::max_element(five.y.begin(), five.y.end()) - five.y.begin();
  const auto bottom = std::min_element(five.y.begin(), five.y.end()) - five.y.begin();
  EXPECT_GT(five.x[top], 0);
  EXPECT_LT(five.x[bottom], 0);
  EXPECT_EQ(five.label, std::vector<int>{5});
}

}  // namespace
}  // namespace murmur
