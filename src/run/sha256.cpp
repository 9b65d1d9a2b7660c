// sha256.cpp: SHA-256 (FIPS 180-4) of bytes in memory and of files.
#include "run/sha256.h"

#include <fmt/format.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <vector>

#include "run/file.h"
#include "run/formats.h"

namespace murmur {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* at) {
  std::uint32_t word = 0;
  for (int k = 0; k < 4; ++k) word = word << 8 | std::to_integer<std::uint32_t>(at[k]);
  return word;
}

void absorb(std::array<std::uint32_t, 8>& hash, const std::byte* block) {
  using std::rotr;
  std::array<std::uint32_t, 64> w;
  for (int t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (int t = 0; t < 64; ++t) {
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    const std::uint32_t sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
    const std::uint32_t first = h + sum1 + choice + round_constants[t] + w[t];
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + sum0 + majority;
  }
  const std::array<std::uint32_t, 8> turned{a, b, c, d, e, f, g, h};
  for (int k = 0; k < 8; ++k) hash[k] += turned[k];
}

#if defined(__x86_64__)

// The same by the SHA extensions of x86-64: four rounds at a time, w in quadruples. The
// instructions keep the eight words as (a, b, e, f) and (c, d, g, h), the first in the highest
// lane.
__attribute__((target("sha,sse4.1"))) void absorb_by_instructions(
    std::array<std::uint32_t, 8>& hash, const std::byte* blocks, std::size_t count) {
  const __m128i big_endian_words = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* words = reinterpret_cast<__m128i*>(hash.data());
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count > 0; --count, blocks += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[16];
    for (int q = 0; q < 16; ++q) {
      if (q < 4)
        w[q] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks + 16 * q)),
                                big_endian_words);
      else
        w[q] = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w[q - 4], w[q - 3]),
                                                  _mm_alignr_epi8(w[q - 1], w[q - 2], 4)),
                                    w[q - 1]);
      const __m128i constants =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(&round_constants[4 * q]));
      const __m128i sums = _mm_add_epi32(w[q], constants);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

bool has_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSE4_1) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

#endif

}  // namespace

void sha256_blocks(std::array<std::uint32_t, 8>& hash, const std::byte* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += 64) absorb(hash, blocks);
}

Sha256Blocks sha256_instructions() {
#if defined(__x86_64__)
  static const bool there = has_instructions();
  return there ? absorb_by_instructions : nullptr;
#else
  return nullptr;
#endif
}

void Sha256::update(std::span<const std::byte> bytes) {
  const Sha256Blocks fast = sha256_instructions(), absorb = fast ? fast : sha256_blocks;
  const std::size_t held = length_ % 64;
  length_ += bytes.size();
  if (held + bytes.size() < 64) {
    std::copy(bytes.begin(), bytes.end(), pending_.begin() + held);
    return;
  }
  if (held > 0) {
    const auto filling = bytes.first(64 - held);
    std::copy(filling.begin(), filling.end(), pending_.begin() + held);
    absorb(hash_, pending_.data(), 1);
    bytes = bytes.subspan(filling.size());
  }
  absorb(hash_, bytes.data(), bytes.size() / 64);
  bytes = bytes.last(bytes.size() % 64);
  std::copy(bytes.begin(), bytes.end(), pending_.begin());
}

std::string Sha256::hex() {
  const std::uint64_t bits = length_ * 8;
  const std::size_t zeros = (119 - length_ % 64) % 64;
  std::vector<std::byte> padding(1 + zeros + 8);  // 1, zeros, length in bits, to a whole block
  padding[0] = std::byte{0x80};
  for (int k = 0; k < 8; ++k) padding[1 + zeros + k] = std::byte(bits >> (56 - 8 * k));
  update(padding);
  std::string text;
  for (std::uint32_t word : hash_) text += fmt::format("{:08x}", word);
  return text;
}

void digest_range(const File& file, std::pair<std::uint64_t, std::uint64_t> range, Sha256& digest) {
  auto [at, end] = range;
  if (at >= end) return;
  std::vector<std::byte> buffer(std::min<std::uint64_t>(end - at, 1 << 20));
  while (at < end) {
    const std::span part(buffer.data(), std::min<std::uint64_t>(buffer.size(), end - at));
    file.read_at(at, part);
    digest.update(part);
    at += part.size();
  }
}

std::string sha256_of_file(const std::filesystem::path& path) {
  const File file = File::reading(path);
  Sha256 digest;
  digest_range(file, {0, file.size()}, digest);
  return digest.hex();
}

}  // namespace murmur
