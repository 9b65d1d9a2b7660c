// serial.cpp: replaces parallel.cpp in builds without threads: runs blocks one after another.
#include "core/parallel.h"
#include "murmur/stop.h"

namespace murmur {

void for_blocks(int blocks, int, const std::function<void(int)>& work) {
  for (int block = 0; block < blocks; ++block) {
    stop_point();
    work(block);
  }
}

void run_in_thread(const std::function<void()>& work) { work(); }

}  // namespace murmur
