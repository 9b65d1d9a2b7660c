// sha256_test.cpp: known answers of FIPS 180-4 and NIST, in one piece and in many.
#include "run/sha256.h"

#include <gtest/gtest.h>

#include <random>

#include "run/formats.h"
#include "temporary.h"

namespace murmur {
namespace {

std::string digest(std::string_view text, std::size_t piece = SIZE_MAX) {
  Sha256 sha;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    sha.update(std::as_bytes(std::span(text.substr(0, piece))));
  return sha.hex();
}

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesDoNotMatter) {
  for (std::size_t length = 0; length <= 200; ++length) {
    const std::string text(length, 'm');
    for (std::size_t piece : {1, 3, 63, 64, 65}) EXPECT_EQ(digest(text, piece), digest(text));
  }
}

// What the processor's own instructions give is what the formulas give.
TEST(Sha256, InstructionsAgreeWithTheFormulas) {
  const Sha256Blocks fast = sha256_instructions();
  if (fast == nullptr) GTEST_SKIP() << "this processor has no instructions for SHA-256";
  std::mt19937 random(7);
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<std::byte> blocks(64 * count);
    for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
    std::array<std::uint32_t, 8> one{}, other{};
    for (int k = 0; k < 8; ++k) one[k] = other[k] = static_cast<std::uint32_t>(random());
    sha256_blocks(one, blocks.data(), count);
    fast(other, blocks.data(), count);
    EXPECT_EQ(one, other) << count << " blocks";
  }
}

TEST(Sha256, FilesAreReadInParts) {
  const test::TemporaryDirectory directory;
  const std::string text(3'000'001, 'x');
  write_file_atomically(directory / "x", text);
  EXPECT_EQ(sha256_of_file(directory / "x"), digest(text));
  write_file_atomically(directory / "x", "");
  EXPECT_EQ(sha256_of_file(directory / "x"), digest(""));
}

}  // namespace
}  // namespace murmur
