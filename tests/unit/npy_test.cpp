// npy_test.cpp: npy files go out and come back, and malformed ones are refused in plain words.
#include "run/npy.h"

#include <gtest/gtest.h>

#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur {
namespace {

std::string npy(std::string_view dictionary, std::string_view data, int version = 1) {
  std::string text = "\x93NUMPY";
  text += {static_cast<char>(version), 0};
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k)
    text += static_cast<char>(dictionary.size() >> 8 * k & 255);
  return text.append(dictionary).append(data);
}

template <class T>
std::string bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

Array parse(const std::string& text) {
  return parse_npy(std::as_bytes(std::span(text)), "file.npy");
}

void expect_refused(const std::string& text, const std::string& what) {
  try {
    parse(text);
    ADD_FAILURE() << "accepted, though: " << what;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::input);
    EXPECT_NE(error.summary.find(what), std::string::npos) << error.summary;
    EXPECT_EQ(error.where.rfind("file.npy: byte ", 0), 0u) << error.where;
    EXPECT_FALSE(error.remedy.empty());
  }
}

TEST(Npy, WritesWhatNumpyWrites) {
  const test::TemporaryDirectory directory;
  write_npy(directory / "x.npy", {{2, 3}, std::vector<double>{0, 1, 2, 3, 4, 5}});
  std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  dictionary.resize(117, ' ');
  EXPECT_EQ(read_text(directory / "x.npy"),
            npy(dictionary + "\n", bytes<double>({0, 1, 2, 3, 4, 5})));
}

TEST(Npy, ReadsAnArrayInMemoryWhileItExists) {
  Array array;
  array.shape = {2, 1};
  array.values = std::vector<double>{0.1, -3};
  std::string path;
  {
    const ArrayInMemory held("points", array), other("points", array);
    path = held.path();
    EXPECT_NE(path, other.path());
    EXPECT_TRUE(path.ends_with("/points.npy"));
    EXPECT_EQ(read_npy(path).shape, array.shape);
    EXPECT_EQ(read_npy(path).doubles(), array.doubles());
  }
  EXPECT_THROW(read_npy(path), Error);
}

TEST(Npy, EveryTypeAndShapeComesBack) {
  const test::TemporaryDirectory directory;
  const std::vector<Array> arrays{
      array_of(2.5),
      array_of(std::vector<double>{}),
      {{3}, std::vector<float>{1, -2, 3}},
      {{2, 0, 5}, std::vector<std::int32_t>{}},
      {{1, 2, 1}, std::vector<std::int64_t>{INT64_MIN, INT64_MAX}},
      {{4}, std::vector<std::uint8_t>{0, 1, 254, 255}},
  };
  for (const Array& array : arrays) {
    write_npy(directory / "x.npy", array);
    const Array back = read_npy(directory / "x.npy");
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(back.values, array.values);
  }
}

TEST(Npy, AcceptsEveryVersionAndSpelling) {
  const std::string data = bytes<double>({1, 2});
  for (int version : {1, 2, 3})
    EXPECT_EQ(
        parse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }  \n", data, version))
            .doubles(),
        (std::vector<double>{1, 2}));
  EXPECT_EQ(parse(npy("{\"shape\":( 2 , ),'fortran_order':False,'descr':'=f8'}", data)).size(), 2u);
  const Array flags =
      parse(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", {"\1\0", 2}));
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(flags.values), (std::vector<std::uint8_t>{1, 0}));
}

TEST(Npy, FortranOrderIsTurnedIntoC) {
  const Array plane = parse(npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3)}",
                                bytes<std::int32_t>({0, 3, 1, 4, 2, 5})));
  EXPECT_EQ(plane.doubles(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  // Element (i, j, k) of shape (2, 3, 4) lies at i + 2 j + 6 k.
  const std::size_t a = 2, b = 3, c = 4;
  std::vector<double> fortran(a * b * c), expected(a * b * c);
  for (std::size_t i = 0; i < a; ++i)
    for (std::size_t j = 0; j < b; ++j)
      for (std::size_t k = 0; k < c; ++k) {
        const double value = static_cast<double>(100 * i + 10 * j + k);
        fortran[i + a * j + a * b * k] = value;
        expected[(i * b + j) * c + k] = value;
      }
  const Array cube =
      parse(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3, 4)}", bytes(fortran)));
  EXPECT_EQ(cube.doubles(), expected);
}

TEST(Npy, RefusesWhatIsOff) {
  const std::string eight(8, '\0');
  const auto with_shape = [&](const std::string& shape) {
    return npy("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}", eight);
  };
  const auto with_descr = [&](const std::string& descr) {
    return npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,)}", eight);
  };
  expect_refused("", "not an npy file");
  expect_refused("PK\3\4 not numpy at all", "not an npy file");
  expect_refused(npy("{}", "", 4), "version 4");
  expect_refused(npy("{}", ""), "lacks descr");
  expect_refused(npy("", ""), "lacks a '{'");
  expect_refused(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14), "4294967295");
  expect_refused(std::string("\x93NUMPY\1\0\x76\0{", 11), "ends inside its header");
  expect_refused(npy(std::string(10'001, ' '), ""), "10000");
  expect_refused(with_descr("'|O'"), "pickled");
  expect_refused(with_descr("'>f8'"), "little-endian");
  expect_refused(with_descr("'<f2'"), "other than");
  expect_refused(with_descr("[('x', '<f8')]"), "named fields");
  expect_refused(with_descr("'<f8"), "other than");
  expect_refused(with_shape("(1)"), "lacks its comma");
  expect_refused(with_shape("(-1,)"), "not a number");
  expect_refused(with_shape("(1 1)"), "comma");
  expect_refused(with_shape("(1.0,)"), "comma");
  expect_refused(with_shape("(99999999999999999999,)"), "too large");
  expect_refused(with_shape("(4294967296, 4294967296)"), "larger than any file");
  expect_refused(with_shape("(4294967296,)"), "bytes are missing");
  expect_refused(with_shape("(2,)"), "8 bytes are missing of 16");
  expect_refused(with_shape("()") + "x", "goes on for 1 bytes");
  std::string many_axes;
  for (int k = 0; k < 33; ++k) many_axes += "1,";
  expect_refused(with_shape("(" + many_axes + ")"), "more than 32 axes");
  expect_refused(npy("{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}", eight), "neither True");
  expect_refused(npy("{'descr': '<f8', 'descr': '<f8'}", eight), "repeated");
  expect_refused(npy("{'descr': '<f8' 'shape': (1,)}", eight), "comma or brace");
  expect_refused(npy("{descr: '<f8'}", eight), "quoted word");
  expect_refused(npy("{'descr", eight), "does not end");
  expect_refused(npy("{'descr' '<f8'}", eight), "lacks a ':'");
  expect_refused(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", eight),
                 "goes on");
}

TEST(Npy, TruncationAtEveryByteIsRefused) {
  std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
  const std::string whole = npy(dictionary, bytes<double>({1, 2, 3}));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(parse(whole.substr(0, length)), Error) << length;
  EXPECT_NO_THROW(parse(whole));
}

TEST(Npy, MissingFilesAndDirectoriesAreRefused) {
  const test::TemporaryDirectory directory;
  EXPECT_THROW(read_npy(directory / "none.npy"), Error);
  EXPECT_THROW(read_npy(directory.path()), Error);
  EXPECT_THROW(write_npy(directory / "none/x.npy", array_of(1.0)), Error);
}

TEST(AtomicFile, ReplacesWholeAndLeavesNothingBehind) {
  const test::TemporaryDirectory directory;
  write_file_atomically(directory / "a", "old");
  write_file_atomically(directory / "a", "new");
  EXPECT_EQ(read_text(directory / "a"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
  EXPECT_THROW(write_file_atomically(directory.path(), "x"), Error);
}

// Each system call in turn fails, or moves a few bytes and then fails.
TEST(AtomicFile, FailureOfAnyCallLeavesOldOrNew) {
  for (std::size_t at_most : {std::size_t{0}, std::size_t{1}}) {
    bool finished = false;
    for (int k = 0; !finished; ++k) {
      const test::TemporaryDirectory directory;
      write_file_atomically(directory / "a", "old");
      int calls = 0;
      set_syscall_hook([&](Syscall call, const std::filesystem::path&) {
        const int turn = calls++;
        if (at_most > 0 && turn == k && call == Syscall::write) return InjectedFailure{0, at_most};
        return turn == k + (at_most > 0) ? InjectedFailure{ENOSPC} : InjectedFailure{};
      });
      try {
        write_file_atomically(directory / "a", "new!");
        finished = calls <= k;
      } catch (const Error& error) {
        EXPECT_EQ(error.fault, Fault::runtime);
        EXPECT_NE(error.remedy.find("space"), std::string::npos);
      }
      set_syscall_hook({});
      const std::string now = read_text(directory / "a");
      EXPECT_TRUE(now == "old" || now == "new!") << now;
      EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
    }
  }
}

}  // namespace
}  // namespace murmur
