// data_set_test.cpp: a folder is a data set whole, or is refused by the name of the file at fault.
#include <gtest/gtest.h>

#include <cstdlib>

#include "image_files.h"
#include "murmur/images.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;
using test::expect_refused;
using test::gzip;
using test::idx;

constexpr const char* train_images = "train-images-idx3-ubyte";
constexpr const char* train_labels = "train-labels-idx1-ubyte";
constexpr const char* test_images = "t10k-images-idx3-ubyte";
constexpr const char* test_labels = "t10k-labels-idx1-ubyte";

std::string blocks(std::uint32_t count, std::uint32_t side = 28) {
  return idx({count, side, side}, std::string(std::size_t{count} * side * side, '\x7f'));
}

void write_small_set(const fs::path& folder) {
  test::write(folder / train_images, blocks(3));
  test::write(folder / train_labels, idx({3}, {5, 6, 5}));
  test::write(folder / test_images, blocks(2));
  test::write(folder / test_labels, idx({2}, {6, 5}));
}

void refused(const fs::path& folder, const std::string& what, const std::string& where) {
  expect_refused([&] { read_data_set(folder); }, what, where);
}

TEST(DataSet, FourIdxFilesAreOne) {
  const test::TemporaryDirectory directory;
  write_small_set(directory / "own");
  const DataSet set = read_data_set(directory / "own");
  EXPECT_EQ(set.name, "own");
  EXPECT_EQ(read_data_set(directory / "own/").name, "own");
  EXPECT_EQ(set.train.labels, (std::vector<int>{5, 6, 5}));
  EXPECT_EQ(set.test.labels, (std::vector<int>{6, 5}));
  EXPECT_EQ(set.test.count(), 2u);
  EXPECT_EQ(set.checksum.size(), 64u);
}

TEST(DataSet, PackedFilesAreTheSameSet) {
  const test::TemporaryDirectory directory;
  write_small_set(directory.path());
  const DataSet plain = read_data_set(directory.path());
  for (const char* name : {train_images, test_labels}) {
    fs::remove(directory / name);
    test::write(directory / (std::string(name) + ".gz"),
                gzip(name == train_images ? blocks(3) : idx({2}, {6, 5})));
  }
  const DataSet packed = read_data_set(directory.path());
  EXPECT_EQ(packed.train.pixels, plain.train.pixels);
  EXPECT_EQ(packed.test.labels, plain.test.labels);
  EXPECT_EQ(packed.checksum, plain.checksum);
}

TEST(DataSet, TheChecksumTellsEveryFile) {
  const test::TemporaryDirectory directory;
  write_small_set(directory.path());
  const std::string before = read_data_set(directory.path()).checksum;
  test::write(directory / test_labels, idx({2}, {5, 6}));
  EXPECT_NE(read_data_set(directory.path()).checksum, before);
}

TEST(DataSet, WhatDoesNotFitTogetherIsNamed) {
  const auto with = [](const char* name, const std::string& text, const std::string& what,
                       const std::string& where) {
    const test::TemporaryDirectory directory;
    write_small_set(directory.path());
    test::write(directory / name, text);
    refused(directory.path(), what, where);
  };
  with(train_labels, idx({2}, {5, 6}), "3 pictures and 2 labels", train_labels);
  with(test_images, blocks(3), "3 pictures and 2 labels", test_images);
  with(train_images, idx({3}, {5, 6, 5}), "labels, but images belong here", train_images);
  with(train_labels, blocks(3), "images, but labels belong here", train_labels);
  with(test_images, blocks(2, 20), "the test pictures are 20 x 20", test_images);
  with(test_labels, idx({2}, {5, 9}), "label 9 of test picture 1 is outside", test_images);
  with(train_images, idx({3, 28, 28}, std::string(3 * 784, '\0')), "every picture is empty",
       train_images);
  with(train_images, blocks(3).substr(0, 1000), "truncated", train_images);
  with(train_images, blocks(3) + "x", "goes on after", train_images);
  with(train_images, "", "ends inside its header", train_images);
}

TEST(DataSet, AMissingFileIsNamed) {
  for (const char* name : {train_images, train_labels, test_images, test_labels}) {
    const test::TemporaryDirectory directory;
    write_small_set(directory.path());
    fs::remove(directory / name);
    refused(directory.path(), "missing", name);
  }
  const test::TemporaryDirectory directory;
  refused(directory.path(), "holds no data set", directory.path().string());
  refused(directory / "none", "no such folder", "none");
}

TEST(DataSet, SwappedTrainingAndTestFilesAreNamed) {
  const test::TemporaryDirectory directory;
  test::write(directory / train_images, blocks(10000));
  test::write(directory / train_labels, idx({10000}, std::string(10000, 1)));
  test::write(directory / test_images, blocks(60000));
  test::write(directory / test_labels, idx({60000}, std::string(60000, 1)));
  refused(directory.path(), "swapped", test_images);
}

TEST(DataSet, AForgedMnistIsRefused) {
  const test::TemporaryDirectory directory;
  write_small_set(directory.path());
  test::write(directory / test_images, blocks(10000));
  test::write(directory / test_labels, idx({10000}, std::string(10000, 5)));
  refused(directory.path(), "checksum", test_images);
}

TEST(DataSet, OneFlippedBitOfMnistIsSeen) {
  if (!fs::exists(test::mnist_folder()))
    GTEST_SKIP() << "MNIST is not in data/mnist: ./demo fetches it";
  const test::TemporaryDirectory directory;
  for (const char* name : {train_images, train_labels, test_images})
    fs::create_symlink(fs::canonical(test::mnist_folder() / name), directory / name);
  fs::copy_file(test::mnist_folder() / test_labels, directory / test_labels);
  EXPECT_EQ(read_data_set(directory.path()).name, "mnist");
  std::fstream file(directory / test_labels, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(5000);
  file.put(file.peek() == 3 ? 4 : 3);
  file.close();
  refused(directory.path(), "checksum", test_labels);
}

TEST(DataSet, FashionMnistIsKnownAndNotMixedWithDigits) {
  const fs::path folder = "/usr/share/datasets/fashion-mnist";
  if (!fs::exists(folder))
    GTEST_SKIP() << "Fashion-MNIST is not here: apt-get install dataset-fashion-mnist";
  EXPECT_EQ(find_data({.asked = "fashion-mnist"}), folder);
  const DataSet fashion = read_data_set(folder);
  EXPECT_EQ(fashion.name, "fashion-mnist");
  EXPECT_EQ(fashion.train.count(), 60000u);
  EXPECT_EQ(std::count(fashion.train.labels.begin(), fashion.train.labels.end(), 9), 6000);
  if (!fs::exists(test::mnist_folder())) return;
  const test::TemporaryDirectory directory;
  for (const char* name : {train_images, train_labels, test_images})
    fs::create_symlink(fs::canonical(test::mnist_folder() / name), directory / name);
  fs::create_symlink(folder / (std::string(test_labels) + ".gz"),
                     directory / (std::string(test_labels) + ".gz"));
  refused(directory.path(), "one file is of mnist, the other of fashion-mnist", test_labels);
}

void write_small_npy(const fs::path& folder) {
  fs::create_directories(folder);
  const std::vector<std::uint8_t> grey(24, 200);
  write_npy(folder / "train_images.npy", {{3, 2, 4}, grey});
  write_npy(folder / "train_labels.npy", {{3}, std::vector<std::int64_t>{1, 0, 1}});
  write_npy(folder / "test_images.npy", {{3, 2, 4}, grey});
  write_npy(folder / "test_labels.npy", {{3}, std::vector<std::uint8_t>{1, 1, 0}});
}

TEST(DataSet, NpyFilesAreOne) {
  const test::TemporaryDirectory directory;
  write_small_npy(directory / "mine");
  const DataSet set = read_data_set(directory / "mine");
  EXPECT_EQ(set.name, "mine");
  EXPECT_EQ(set.train.height, 2);
  EXPECT_EQ(set.train.width, 4);
  EXPECT_EQ(set.train.labels, (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(set.test.labels, (std::vector<int>{1, 1, 0}));
}

TEST(DataSet, NpyFilesThatDoNotFitAreNamed) {
  const auto with = [](const char* name, const Array& array, const std::string& what) {
    const test::TemporaryDirectory directory;
    write_small_npy(directory.path());
    write_npy(directory / name, array);
    refused(directory.path(), what, name);
  };
  with("train_images.npy", {{3, 2, 4}, std::vector<double>(24)}, "not of unsigned bytes");
  with("train_images.npy", {{3, 8}, std::vector<std::uint8_t>(24)}, "2 axes");
  with("train_images.npy", {{0, 2, 4}, std::vector<std::uint8_t>{}}, "no images");
  with("train_images.npy", {{3, 1, 8}, std::vector<std::uint8_t>(24)}, "1 x 8 pixels");
  with("train_images.npy", {{3, 2, 4}, std::vector<std::uint8_t>(24)}, "every picture is empty");
  with("test_images.npy", {{3, 4, 2}, std::vector<std::uint8_t>(24, 1)}, "4 x 2");
  with("train_labels.npy", {{3}, std::vector<double>{0, 1, 1}}, "not whole numbers");
  with("train_labels.npy", {{3}, std::vector<std::int64_t>{0, -1, 1}}, "label -1 of picture 1");
  with("train_labels.npy", {{3}, std::vector<std::int64_t>{0, 1, INT64_MAX}}, "of picture 2");
  with("train_labels.npy", {{2}, std::vector<std::int64_t>{0, 1}}, "3 pictures and 2 labels");
  with("train_labels.npy", {{3, 1}, std::vector<std::int32_t>{0, 1, 1}}, "2 axes");
  const test::TemporaryDirectory directory;
  write_small_npy(directory.path());
  fs::remove(directory / "test_labels.npy");
  refused(directory.path(), "no such file", "test_labels.npy");
}

// Light ink on dark paper: a bar of the given width.
std::string bar_png(int side, int width) {
  std::vector<std::uint8_t> pixels(side * side);
  for (int row = side / 4; row < 3 * side / 4; ++row)
    for (int col = 2; col < 2 + width; ++col) pixels[row * side + col] = 255;
  return test::grey_png(side, side, pixels);
}

void write_small_pngs(const fs::path& folder, const std::string& one, const std::string& two) {
  test::write(folder / "train" / one / "b.png", bar_png(28, 3));
  test::write(folder / "train" / one / "a.PNG", bar_png(100, 9));
  test::write(folder / "train" / one / "notes.txt", "mine");
  test::write(folder / "train" / two / "c.png", bar_png(28, 9));
  test::write(folder / "test" / two / "d.png", bar_png(50, 9));
}

TEST(DataSet, FoldersOfPngAreOne) {
  const test::TemporaryDirectory directory;
  write_small_pngs(directory / "numbers", "10", "7");
  const DataSet numbers = read_data_set(directory / "numbers");
  EXPECT_EQ(numbers.train.labels, (std::vector<int>{10, 10, 7}));
  EXPECT_EQ(numbers.test.labels, std::vector<int>{7});
  EXPECT_EQ(numbers.train.height, 28);
  EXPECT_EQ(numbers.train.count(), 3u);
  EXPECT_EQ(numbers.train.picture(1)[14 * 28 + 2], 255);  // b.png is 28 x 28 and stays as it was
  EXPECT_EQ(numbers.train.picture(0)[14 * 28 + 2], 0);    // a.PNG was put into the middle
  EXPECT_EQ(numbers.train.picture(0)[14 * 28 + 14], 255);
  write_small_pngs(directory / "words", "wren", "owl");
  const DataSet words = read_data_set(directory / "words");
  EXPECT_EQ(words.train.labels, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(words.test.labels, std::vector<int>{0});
  EXPECT_NE(words.checksum, numbers.checksum);  // the same pictures under other names
}

TEST(DataSet, FoldersOfPngThatDoNotFitAreNamed) {
  const auto with = [](const std::string& name, const std::string& text, const std::string& what,
                       const std::string& where) {
    const test::TemporaryDirectory directory;
    write_small_pngs(directory.path(), "5", "6");
    test::write(directory / name, text);
    refused(directory.path(), what, where);
  };
  with("train/5/bad.png", "hello", "cannot be read", "train/5/bad.png");
  with("train/5/blank.png", test::grey_png(30, 30, std::vector<std::uint8_t>(900, 255)), "no ink",
       "train/5/blank.png");
  with("train/seven/a.png", bar_png(28, 2), "some classes are numbers", "train");
  with("train/05/a.png", bar_png(28, 2), "05 and 5 are one number", "train");
  with("train/8/a.txt", "", "the class has no picture", "train/8");
  with("test/9/a.png", bar_png(28, 2), "class 9 does not occur in training", "test/9");
  const test::TemporaryDirectory directory;
  fs::create_directories(directory / "train");
  refused(directory.path(), "no folder of test pictures", "test");
  fs::create_directories(directory / "test");
  refused(directory.path(), "no folder of a class", "train");
}

TEST(FindData, WhatIsNamedComesFirstAndMustBeThere) {
  const test::TemporaryDirectory directory;
  for (const char* name : {"asked", "environment", "xdg/murmur/mnist", "xdg/murmur/fashion-mnist"})
    fs::create_directories(directory / name);
  const std::string asked = directory / "asked", environment = directory / "environment";
  const std::string xdg = directory / "xdg", none = directory / "none";
  EXPECT_EQ(find_data({asked, environment, xdg}), asked);
  EXPECT_EQ(find_data({"", environment, xdg}), environment);
  EXPECT_EQ(find_data({"mnist", environment, xdg}), environment);
  EXPECT_EQ(find_data({"fashion-mnist", environment, xdg}), xdg + "/murmur/fashion-mnist");
  expect_refused([&] { find_data({none, environment, xdg}); }, "no such folder", "data=" + none);
  expect_refused([&] { find_data({"", none, xdg}); }, "no such folder", "MURMUR_DATA=" + none);
  test::write(directory / "file", "");
  expect_refused([&] { find_data({directory / "file", "", ""}); }, "a file, not", "file");
}

TEST(FindData, TheWorkingFolderComesBeforeTheUsers) {
  const test::TemporaryDirectory directory;
  fs::create_directories(directory / "xdg/murmur/mnist");
  const fs::path before = fs::current_path();
  fs::current_path(directory.path());
  const std::string xdg = directory / "xdg";
  EXPECT_EQ(find_data({.xdg = xdg}), xdg + "/murmur/mnist");
  fs::create_directories("data/mnist");
  EXPECT_EQ(find_data({.xdg = xdg}), "data/mnist");
  fs::remove_all("data");
  expect_refused([] { find_data({}); }, "no MNIST on this machine", "data/mnist");
  fs::current_path(before);
}

}  // namespace
}  // namespace murmur
