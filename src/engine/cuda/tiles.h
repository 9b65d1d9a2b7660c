// tiles.h: which pairs, rows and columns the kernels sum, and how many at once; used without a GPU
// too.
#pragma once

namespace murmur::cuda {

// Rows of the arrays that kernels read and write come in whole tiles.
inline constexpr int kRowTile = 256;
inline int whole_rows(int n) { return (n + kRowTile - 1) / kRowTile * kRowTile; }

// The rows to be summed: whole tiles, from tile `first` on.
struct RowTiles {
  int first = 0, count = 0;
  int begin() const { return first * kRowTile; }
  int end(int n) const { return (first + count) * kRowTile < n ? (first + count) * kRowTile : n; }
};
inline RowTiles all_tiles(int n) { return {0, whole_rows(n) / kRowTile}; }
// Returns the tiles that have rows begin .. end - 1.
inline RowTiles tiles_of(int begin, int end) {
  return {begin / kRowTile, whole_rows(end) / kRowTile - begin / kRowTile};
}

// Returns the rows and columns of a block of the symmetric kernel: small blocks keep the whole GPU
// busy with few particles, large ones need less memory with many.
inline int symmetric_strip(int n) {
  return n <= 16'384 ? 512 : n <= 65'536 ? 1024 : n <= 1 << 19 ? 2048 : 8192;
}

// Which j row i attends to.
struct PairMask {
  bool causal = false;  // only j <= i
  bool self = true;     // also j = i
  bool empty() const { return !causal && self; }
};

}  // namespace murmur::cuda
