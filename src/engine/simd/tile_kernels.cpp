// tile_kernels.cpp: the kernels of any dimension, compiled for every target and chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/tile_kernels.cpp"
#include <hwy/foreach_target.h>

#include "engine/simd/tile_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

void TileFloat(const PairSums<float>& p, int block) { TileSums(p, block); }
void TileDouble(const PairSums<double>& p, int block) { TileSums(p, block); }

void TileBounds(const PairSums<double>& p, int block, double* bound) {
  Tile<double> tile(p);
  for (int i = block * kBlock; i < (block + 1) * kBlock; i += kWidth<double>) {
    tile.aim(i);
    tile.largest(bound);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(TileFloat);
HWY_EXPORT(TileDouble);
HWY_EXPORT(TileBounds);

void tile_sums(const PairSums<float>& p, int block) { HWY_DYNAMIC_DISPATCH(TileFloat)(p, block); }
void tile_sums(const PairSums<double>& p, int block) { HWY_DYNAMIC_DISPATCH(TileDouble)(p, block); }
void tile_bounds(const PairSums<double>& p, int block, double* bound) {
  HWY_DYNAMIC_DISPATCH(TileBounds)(p, block, bound);
}

}  // namespace murmur::simd
#endif
