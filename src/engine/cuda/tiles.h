// tiles.h: how many rows and columns kernels take at once; for kernels and for who adds up memory.
#pragma once

namespace murmur::cuda {

// Rows of the arrays that kernels read and write come in whole tiles.
inline constexpr int kRowTile = 256;
inline int whole_rows(int n) { return (n + kRowTile - 1) / kRowTile * kRowTile; }

// Which rows sums are wanted of: whole tiles, from tile `first` on.
struct RowTiles {
  int first = 0, count = 0;
  int begin() const { return first * kRowTile; }
  int end(int n) const { return (first + count) * kRowTile < n ? (first + count) * kRowTile : n; }
};
inline RowTiles all_tiles(int n) { return {0, whole_rows(n) / kRowTile}; }
// Tiles that hold rows begin .. end - 1.
inline RowTiles tiles_of(int begin, int end) {
  return {begin / kRowTile, whole_rows(end) / kRowTile - begin / kRowTile};
}

// Rows and columns of a block where each exponential is used twice: small ones keep the whole GPU
// busy with few particles, large ones cost less memory with many.
inline int mutual_strip(int n) {
  return n <= 16'384 ? 512 : n <= 65'536 ? 1024 : n <= 1 << 19 ? 2048 : 8192;
}

}  // namespace murmur::cuda
