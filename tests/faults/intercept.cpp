// intercept.cpp: stands between a program and the files below one directory (LD_PRELOAD): counts
// its calls, makes one of them fail, or keeps a trace of everything that changes a disk.
//
// What it is told by the environment is in watch.h. Functions carry the names of the C library by
// asm labels, so that no header's declaration is in the way, and reach the system by syscall().
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "watch.h"

namespace {

using faults::Call;
using faults::kDescriptors;
using faults::Kind;
using faults::through;
using faults::Watch;
using faults::watch;
using faults::words;

int open_at(int folder, const char* path, int flags, unsigned mode) {
  Watch& w = watch();
  const std::lock_guard guard(w.lock);
  const std::string place = w.watched(folder, path);
  const auto deed = [&] { return syscall(SYS_openat, folder, path, flags, mode); };
  if (place.empty()) {
    const int opened = static_cast<int>(deed());
    if (opened >= 0 && opened < kDescriptors) w.paths[opened].clear();
    return opened;
  }
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  const char* name = (flags & O_DIRECTORY) != 0 ? "opendir" : writes ? "open" : "look";
  Call call({name, (flags & O_CREAT) != 0}, words(place, flags));
  const int opened = static_cast<int>(through(call, deed));
  if (opened >= 0 && opened < kDescriptors) w.paths[opened] = place;
  return opened;
}

// Calls on a descriptor: not watched, they go straight through.
template <class Deed>
long on_descriptor(const Kind& kind, int descriptor, const Deed& deed) {
  Watch& w = watch();
  const std::lock_guard guard(w.lock);
  if (w.watched(descriptor).empty()) return deed();
  Call call(kind, words(descriptor));
  return through(call, deed);
}

long put(int descriptor, const void* bytes, std::size_t length, long at) {
  Watch& w = watch();
  std::unique_lock guard(w.lock);
  const auto deed = [&](std::size_t so_many) {
    return at < 0 ? syscall(SYS_write, descriptor, bytes, so_many)
                  : syscall(SYS_pwrite64, descriptor, bytes, so_many, at);
  };
  if (w.watched(descriptor).empty()) {
    guard.unlock();
    return deed(length);
  }
  const long place = at < 0 ? syscall(SYS_lseek, descriptor, 0, SEEK_CUR) : at;
  Call call({"write", true, true}, words(descriptor, place));
  const long moved = call.fails() ? -1 : deed(call.length(length));
  const int error = errno;
  call.take(bytes, moved);
  return call.ended(moved, error);
}

long get(int descriptor, void* bytes, std::size_t length, long at) {
  Watch& w = watch();
  std::unique_lock guard(w.lock);
  const auto deed = [&](std::size_t so_many) {
    return at < 0 ? syscall(SYS_read, descriptor, bytes, so_many)
                  : syscall(SYS_pread64, descriptor, bytes, so_many, at);
  };
  if (w.watched(descriptor).empty()) {
    guard.unlock();
    return deed(length);
  }
  Call call({"read", false, true}, words(descriptor));
  return through(call, [&] { return deed(call.length(length)); });
}

// Several pieces are written as one, as far as they go.
long put_pieces(int descriptor, const iovec* pieces, int count, long at) {
  std::string bytes;
  for (int k = 0; k < count; ++k)
    bytes.append(static_cast<const char*>(pieces[k].iov_base), pieces[k].iov_len);
  return put(descriptor, bytes.data(), bytes.size(), at);
}

template <class Deed>
long on_path(const Kind& kind, int folder, const char* path, const Deed& deed) {
  Watch& w = watch();
  const std::lock_guard guard(w.lock);
  const std::string place = w.watched(folder, path);
  if (place.empty()) return deed();
  Call call(kind, words(place));
  return through(call, deed);
}

template <class Deed>
long on_two_paths(const Kind& kind, const std::string& from, const std::string& to,
                  const Deed& deed) {
  Watch& w = watch();
  const std::lock_guard guard(w.lock);
  if (from.empty() && to.empty()) return deed();
  Call call(kind, words(from.empty() ? "." : from) + " " + words(to.empty() ? "." : to));
  return through(call, deed);
}

long rename_at(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  Watch& w = watch();
  const Kind kind{flags == 0 ? "rename" : "exchange", true};
  return on_two_paths(kind, w.watched(from_folder, from), w.watched(to_folder, to), [&] {
    return syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  });
}

// A stream writes within the C library: its bytes are told, as one write, when it is closed.
void tell_stream(int descriptor, const std::string& place) {
  const long reading =
      syscall(SYS_openat, AT_FDCWD, (watch().below + "/" + place).c_str(), O_RDONLY | O_CLOEXEC);
  std::string bytes;
  char buffer[4096];
  for (long got; (got = syscall(SYS_read, reading, buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, static_cast<std::size_t>(got));
  syscall(SYS_close, reading);
  Call call({"stream", true}, words(descriptor, 0));
  call.take(bytes.data(), static_cast<long>(bytes.size()));
  call.ended(static_cast<long>(bytes.size()), 0);
}

template <class Function>
Function of_libc(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

FILE* open_stream(const char* path, const char* mode, const char* name) {
  Watch& w = watch();
  const std::lock_guard guard(w.lock);
  const std::string place = std::strpbrk(mode, "wa") != nullptr ? w.watched(AT_FDCWD, path) : "";
  const auto real = of_libc<FILE* (*)(const char*, const char*)>(name);
  if (place.empty()) return real(path, mode);
  Call call({"open", true}, words(place, O_CREAT | O_TRUNC));
  FILE* stream = call.fails() ? nullptr : real(path, mode);
  const int error = errno, opened = stream == nullptr ? -1 : fileno(stream);
  call.ended(opened, error);
  if (opened >= 0 && opened < kDescriptors) w.paths[opened] = place;
  return stream;
}

unsigned mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
}

}  // namespace

// NOLINTBEGIN: the names and types are those of the C library.
#define LIBC(result, name, ...)                     \
  extern "C" __attribute__((visibility("default"))) \
  result faults_##name(__VA_ARGS__) __asm__(#name); \
  extern "C" result faults_##name(__VA_ARGS__)

#define OPENS(name)                                   \
  LIBC(int, name, const char* path, int flags, ...) { \
    va_list more;                                     \
    va_start(more, flags);                            \
    const unsigned mode = mode_of(flags, more);       \
    va_end(more);                                     \
    return open_at(AT_FDCWD, path, flags, mode);      \
  }
#define OPENS_AT(name)                                            \
  LIBC(int, name, int folder, const char* path, int flags, ...) { \
    va_list more;                                                 \
    va_start(more, flags);                                        \
    const unsigned mode = mode_of(flags, more);                   \
    va_end(more);                                                 \
    return open_at(folder, path, flags, mode);                    \
  }
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

LIBC(int, creat, const char* path, unsigned mode) {
  return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
LIBC(int, creat64, const char* path, unsigned mode) {
  return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

LIBC(int, close, int descriptor) {
  Watch& w = watch();
  const std::lock_guard guard(w.lock);
  const auto deed = [&] { return syscall(SYS_close, descriptor); };
  if (w.watched(descriptor).empty()) return static_cast<int>(deed());
  Call call({"close"}, words(descriptor));
  const long result = deed();  // a close that fails has closed all the same
  const int error = errno;
  w.paths[descriptor].clear();
  return static_cast<int>(call.ended(result, error));
}

LIBC(FILE*, fopen, const char* path, const char* mode) { return open_stream(path, mode, "fopen"); }
LIBC(FILE*, fopen64, const char* path, const char* mode) {
  return open_stream(path, mode, "fopen64");
}
LIBC(int, fclose, FILE* stream) {
  Watch& w = watch();
  const std::lock_guard guard(w.lock);
  static const auto real = of_libc<int (*)(FILE*)>("fclose");
  const int descriptor = fileno(stream);
  const std::string place = w.watched(descriptor);
  if (place.empty()) return real(stream);
  Call call({"close"}, words(descriptor));
  const int result = real(stream);
  const int error = errno;
  w.paths[descriptor].clear();
  tell_stream(descriptor, place);
  return static_cast<int>(call.ended(result, error));
}

// It closes its descriptor within the C library: here that is only noted.
LIBC(int, closedir, DIR* folder) {
  static const auto real = of_libc<int (*)(DIR*)>("closedir");
  const int descriptor = dirfd(folder);
  if (descriptor >= 0 && descriptor < kDescriptors) {
    const std::lock_guard guard(watch().lock);
    watch().paths[descriptor].clear();
  }
  return real(folder);
}

LIBC(ssize_t, write, int descriptor, const void* bytes, std::size_t length) {
  return put(descriptor, bytes, length, -1);
}
LIBC(ssize_t, pwrite, int descriptor, const void* bytes, std::size_t length, off_t at) {
  return put(descriptor, bytes, length, at);
}
LIBC(ssize_t, pwrite64, int descriptor, const void* bytes, std::size_t length, off_t at) {
  return put(descriptor, bytes, length, at);
}
LIBC(ssize_t, writev, int descriptor, const iovec* pieces, int count) {
  return put_pieces(descriptor, pieces, count, -1);
}
LIBC(ssize_t, pwritev, int descriptor, const iovec* pieces, int count, off_t at) {
  return put_pieces(descriptor, pieces, count, at);
}
LIBC(ssize_t, pwritev64, int descriptor, const iovec* pieces, int count, off_t at) {
  return put_pieces(descriptor, pieces, count, at);
}

LIBC(ssize_t, read, int descriptor, void* bytes, std::size_t length) {
  return get(descriptor, bytes, length, -1);
}
LIBC(ssize_t, pread, int descriptor, void* bytes, std::size_t length, off_t at) {
  return get(descriptor, bytes, length, at);
}
LIBC(ssize_t, pread64, int descriptor, void* bytes, std::size_t length, off_t at) {
  return get(descriptor, bytes, length, at);
}

#define CUTS(name)                                                              \
  LIBC(int, name, int descriptor, off_t size) {                                 \
    Watch& w = watch();                                                         \
    const std::lock_guard guard(w.lock);                                        \
    const auto deed = [&] { return syscall(SYS_ftruncate, descriptor, size); }; \
    if (w.watched(descriptor).empty()) return static_cast<int>(deed());         \
    Call call({"cut", true}, words(descriptor, size));                          \
    return static_cast<int>(through(call, deed));                               \
  }
CUTS(ftruncate)
CUTS(ftruncate64)

LIBC(int, fsync, int descriptor) {
  return static_cast<int>(
      on_descriptor({"sync", true}, descriptor, [&] { return syscall(SYS_fsync, descriptor); }));
}
LIBC(int, fdatasync, int descriptor) {
  return static_cast<int>(on_descriptor({"sync", true}, descriptor,
                                        [&] { return syscall(SYS_fdatasync, descriptor); }));
}
LIBC(int, flock, int descriptor, int operation) {
  return static_cast<int>(on_descriptor({"lock"}, descriptor,
                                        [&] { return syscall(SYS_flock, descriptor, operation); }));
}

#define MAPS(name)                                                                        \
  LIBC(void*, name, void* near, std::size_t length, int guard, int flags, int descriptor, \
       off_t at) {                                                                        \
    return reinterpret_cast<void*>(on_descriptor({"map"}, descriptor, [&] {               \
      return syscall(SYS_mmap, near, length, guard, flags, descriptor, at);               \
    }));                                                                                  \
  }
MAPS(mmap)
MAPS(mmap64)

LIBC(int, rename, const char* from, const char* to) {
  return static_cast<int>(rename_at(AT_FDCWD, from, AT_FDCWD, to, 0));
}
LIBC(int, renameat, int from_folder, const char* from, int to_folder, const char* to) {
  return static_cast<int>(rename_at(from_folder, from, to_folder, to, 0));
}
LIBC(int, renameat2, int from_folder, const char* from, int to_folder, const char* to,
     unsigned flags) {
  return static_cast<int>(rename_at(from_folder, from, to_folder, to, flags));
}
LIBC(int, link, const char* from, const char* to) {
  Watch& w = watch();
  return static_cast<int>(
      on_two_paths({"link", true}, w.watched(AT_FDCWD, from), w.watched(AT_FDCWD, to),
                   [&] { return syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0); }));
}

LIBC(int, mkdir, const char* path, mode_t mode) {
  return static_cast<int>(on_path({"mkdir", true}, AT_FDCWD, path,
                                  [&] { return syscall(SYS_mkdirat, AT_FDCWD, path, mode); }));
}
LIBC(int, mkdirat, int folder, const char* path, mode_t mode) {
  return static_cast<int>(on_path({"mkdir", true}, folder, path,
                                  [&] { return syscall(SYS_mkdirat, folder, path, mode); }));
}
LIBC(int, unlink, const char* path) {
  return static_cast<int>(on_path({"unlink"}, AT_FDCWD, path,
                                  [&] { return syscall(SYS_unlinkat, AT_FDCWD, path, 0); }));
}
LIBC(int, rmdir, const char* path) {
  return static_cast<int>(on_path({"rmdir"}, AT_FDCWD, path, [&] {
    return syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
  }));
}
LIBC(int, unlinkat, int folder, const char* path, int flags) {
  const Kind kind{(flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink"};
  return static_cast<int>(
      on_path(kind, folder, path, [&] { return syscall(SYS_unlinkat, folder, path, flags); }));
}
LIBC(int, remove, const char* path) {
  return static_cast<int>(on_path({"unlink"}, AT_FDCWD, path, [&] {
    const long done = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    return done == 0 || errno != EISDIR ? done
                                        : syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
  }));
}
// NOLINTEND
