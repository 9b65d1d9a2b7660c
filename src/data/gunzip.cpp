// gunzip.cpp: zlib's inflate over a source, one small window of packed bytes at a time.
#include "data/gunzip.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

namespace murmur {
namespace {

constexpr const char* fetch_again = "fetch or copy the file again; gzip -t FILE tests it";

}  // namespace

bool is_gzip(const Source& source) { return source.size >= 2 && source.text(0, 2) == "\x1f\x8b"; }

Gunzip::Gunzip(const Source& source) : source_(source) {
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&stream_); }

void Gunzip::refill() {
  const std::size_t taken = std::min<std::uint64_t>(packed_.size(), source_.size - at_);
  if (taken == 0)
    throw source_.wrong(source_.size, "the gzip file is truncated: it ends in mid-stream",
                        fetch_again);
  source_.read(at_, std::span(packed_).first(taken));
  at_ += taken;
  stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_.avail_in = static_cast<uInt>(taken);
}

std::size_t Gunzip::read(std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size() && !ended_) {
    if (stream_.avail_in == 0) refill();
    const std::size_t asked =
        std::min<std::size_t>(to.size() - done, std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data() + done);
    stream_.avail_out = static_cast<uInt>(asked);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    done += asked - stream_.avail_out;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    const std::uint64_t reached = at_ - stream_.avail_in;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      throw source_.wrong(reached,
                          fmt::format("the gzip data is damaged: {}",
                                      stream_.msg != nullptr ? stream_.msg : "unknown reason"),
                          fetch_again);
    ended_ = status == Z_STREAM_END;
    if (ended_ && reached < source_.size)
      throw source_.wrong(
          reached,
          fmt::format("the file goes on for {} bytes after its gzip data", source_.size - reached),
          fetch_again);
  }
  return done;
}

}  // namespace murmur
