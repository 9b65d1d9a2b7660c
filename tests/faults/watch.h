// watch.h: what the calls of a process on the files below one directory come to: counted, told, and
// one of them made to fail.
//
// It is preloaded (LD_PRELOAD) and told by the environment:
//   FAULTS_BELOW   the directory whose files are watched, absolute and without links
//   FAULTS_TRACE   a file outside it that takes one line a call, in order:
//                    N NAME DESCRIPTOR ARGUMENTS... RESULT [LENGTH]
//                  and, for what writes, LENGTH bytes and a newline after it
//   FAULTS_BYTES   1: those bytes are kept; else LENGTH is 0
//   FAULTS_AT      the call that fails, counted from 1; without it none does
//   FAULTS_WAY     how: ENOSPC, EIO, EINTR, EMFILE, ENOMEM, ENOLCK; `short` moves half the bytes;
//                  `full` gives ENOSPC from there on to all that takes space; `gone` gives EIO from
//                  there on to everything
// Paths in a trace are relative to FAULTS_BELOW, percent-encoded.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace faults {

inline constexpr int kDescriptors = 1024;

enum class Way { none, error, shorter, full, gone };

inline const char* setting(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

inline int error_named(const std::string& name) {
  const struct {
    const char* name;
    int error;
  } known[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},
               {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM}, {"ENOLCK", ENOLCK}};
  for (const auto& each : known)
    if (name == each.name) return each.error;
  return EIO;
}

// Everything that is known of the process; never destroyed, because calls come until the very end.
struct Watch {
  std::recursive_mutex lock{};
  std::string below = setting("FAULTS_BELOW"), here{};
  bool bytes = setting("FAULTS_BYTES")[0] == '1';
  long at = std::atol(setting("FAULTS_AT")), calls = 0;
  Way way = Way::none;
  int error = 0, trace = -1;
  std::string paths[kDescriptors]{};  // of descriptors open below the directory; else empty

  Watch() {
    const std::string word = setting("FAULTS_WAY");
    if (at > 0)
      way = word == "short"  ? Way::shorter
            : word == "full" ? Way::full
            : word == "gone" ? Way::gone
                             : Way::error;
    error = error_named(word);
    char buffer[4096];
    if (syscall(SYS_getcwd, buffer, sizeof buffer) > 0) here = buffer;
    if (const char* path = setting("FAULTS_TRACE"); path[0] != '\0') {
      const long opened = syscall(SYS_openat, AT_FDCWD, path,
                                  O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
      trace = static_cast<int>(syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, kDescriptors));
      syscall(SYS_close, opened);
    }
  }

  // The path itself, without "." and "..", or "" where it is not below the directory.
  std::string watched(int folder, const char* path) const {
    if (path == nullptr || below.empty()) return {};
    std::string whole = path;
    if (whole.empty() || whole[0] != '/') {
      if (folder == AT_FDCWD)
        whole = here + "/" + whole;
      else if (folder >= 0 && folder < kDescriptors && !paths[folder].empty())
        whole = below + "/" + paths[folder] + "/" + whole;
      else
        return {};
    }
    std::string plain;
    for (std::size_t start = 0; start < whole.size();) {
      std::size_t end = whole.find('/', start);
      if (end == std::string::npos) end = whole.size();
      const std::string part = whole.substr(start, end - start);
      if (part == "..")
        plain.erase(std::min(plain.size(), plain.rfind('/')));
      else if (!part.empty() && part != ".")
        plain += "/" + part;
      start = end + 1;
    }
    if (plain == below) return ".";
    if (plain.rfind(below + "/", 0) != 0) return {};
    return plain.substr(below.size() + 1);
  }

  std::string watched(int descriptor) const {
    return descriptor >= 0 && descriptor < kDescriptors ? paths[descriptor] : std::string();
  }
};

inline Watch& watch() {
  static Watch& instance = *new Watch;
  return instance;
}

inline std::string encoded(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c > ' ' && c != '%' && c < 127) {
      text += c;
    } else {
      char buffer[4];
      std::snprintf(buffer, sizeof buffer, "%%%02X", static_cast<unsigned char>(c));
      text += buffer;
    }
  }
  return text;
}

inline void write_all(int to, const void* from, std::size_t length) {
  const char* bytes = static_cast<const char*>(from);
  while (length > 0) {
    const long put = syscall(SYS_write, to, bytes, length);
    if (put <= 0) return;
    bytes += put;
    length -= static_cast<std::size_t>(put);
  }
}

// What may become of one call.
struct Kind {
  const char* name;
  bool takes_space = false, moves_bytes = false;
};

// One watched call: it is counted and perhaps fails when made, and told when `ended`.
class Call {
 public:
  Call(const Kind& kind, std::string text) : text_(std::move(text)) {
    Watch& w = watch();
    w.lock.lock();
    saved_ = errno;
    number_ = ++w.calls;
    name_ = kind.name;
    const bool now = w.at == number_, since = w.at > 0 && number_ >= w.at;
    if (w.way == Way::error && now) error_ = w.error;
    if (w.way == Way::full && since && kind.takes_space) error_ = ENOSPC;
    if (w.way == Way::gone && since) error_ = EIO;
    halved_ = w.way == Way::shorter && now && kind.moves_bytes;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { watch().lock.unlock(); }

  bool fails() const { return error_ != 0; }
  std::size_t length(std::size_t asked) const { return halved_ && asked > 1 ? asked / 2 : asked; }
  void take(const void* bytes, long length) {
    if (watch().bytes && length > 0) bytes_.append(static_cast<const char*>(bytes), length);
  }

  // Tells the call and gives the C library's result: -1 with errno, or the system's.
  long ended(long result, int error_of_system) {
    const int error = error_ != 0 ? error_ : result < 0 ? error_of_system : 0;
    if (error_ != 0) result = -1;
    const int trace = watch().trace;
    if (trace >= 0) {
      const std::string line = std::to_string(number_) + " " + name_ + " " + text_ + " " +
                               std::to_string(result < 0 ? -error : result) + " " +
                               std::to_string(bytes_.size()) + "\n" +
                               (bytes_.empty() ? "" : bytes_ + "\n");
      write_all(trace, line.data(), line.size());
    }
    errno = error != 0 ? error : saved_;
    return result;
  }

 private:
  long number_ = 0;
  const char* name_ = "";
  std::string text_, bytes_{};
  int error_ = 0, saved_ = 0;
  bool halved_ = false;
};

// Makes the call unless it is to fail.
template <class Deed>
long through(Call& call, const Deed& deed) {
  const long result = call.fails() ? -1 : deed();
  return call.ended(result, errno);
}

inline std::string words(long a) { return std::to_string(a); }
inline std::string words(long a, long b) { return words(a) + " " + words(b); }
inline std::string words(const std::string& path) { return encoded(path); }
inline std::string words(const std::string& path, long a) { return encoded(path) + " " + words(a); }

}  // namespace faults
