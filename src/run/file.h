// file.h: files written at explicit offsets, so that a failed write can be repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace murmur {

// The system calls that change a disk.
enum class Syscall { open, make_directory, write, truncate, sync, rename, remove };

// A failure that a test injects into one call: it fails with `error`, or a write moves only
// `at_most` bytes.
struct InjectedFailure {
  int error = 0;
  std::size_t at_most = SIZE_MAX;
};

// Only for tests: called before each such system call of this process. An empty hook injects
// nothing.
using SyscallHook = std::function<InjectedFailure(Syscall, const std::filesystem::path&)>;
void set_syscall_hook(SyscallHook hook);

// A regular file held open. Every failure is an Error naming the path, the reason and a remedy.
class File {
 public:
  static File creating(const std::filesystem::path& path);  // must not be there yet
  static File writing(const std::filesystem::path& path);   // must be there, and be no link
  static File reading(const std::filesystem::path& path);

  File() = default;
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const;
  void read_at(std::uint64_t at, std::span<std::byte> to) const;  // all bytes, or an Error
  void write_at(std::uint64_t at, std::span<const std::byte> bytes);
  void write_at(std::uint64_t at, std::string_view text);
  void truncate(std::uint64_t size);
  void sync();      // data and the metadata needed to read it are on the disk
  bool try_lock();  // excludes other holders until this file is closed

 private:
  File(const std::filesystem::path& path, int flags);
  std::filesystem::path path_{};
  int descriptor_ = -1;
};

// A file that replaces `target` as a whole when committed, and is removed otherwise.
// The path of a part, which remove_listed_parts() removes while this object lives.
class ListedPart {
 public:
  explicit ListedPart(std::filesystem::path path);
  ~ListedPart();
  ListedPart(const ListedPart&) = delete;
  ListedPart& operator=(const ListedPart&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int place_ = -1;  // in the list; -1: the list was full
};
// Removes the parts that are being written. A signal handler may call it before it ends the
// program.
void remove_listed_parts();

class Replacement {
 public:
  explicit Replacement(const std::filesystem::path& target);
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement();

  void write(std::span<const std::byte> bytes);  // appends
  void write(std::string_view text);
  void commit();

 private:
  std::filesystem::path target_;
  ListedPart part_;
  File file_;
  std::uint64_t length_ = 0;
  bool committed_ = false;
};

bool is_replacement_in_waiting(const std::filesystem::path& path);  // left by a killed process

// The parts of `.NAME.WORD-PROCESS-NUMBER`. `left_over_of` returns nothing for a path of another
// form.
struct LeftOver {
  std::string name{}, word{};
  int process = 0;
};
std::optional<LeftOver> left_over_of(const std::filesystem::path& path);
bool is_alive(int process);
// Returns whether `.NAME.WORD-PROCESS-NUMBER` names another process that is alive.
bool belongs_to_another_process(const std::filesystem::path& path);

// Returns `.NAME.WORD-PROCESS-NUMBER` next to `path`, not used before by this process.
std::filesystem::path hidden_sibling(const std::filesystem::path& path, std::string_view word);

void make_directory(const std::filesystem::path& path);  // with its parents
// Makes a folder inside a run; Error(input) if a link is in its place.
void make_folder_of_run(const std::filesystem::path& path);
void rename_path(const std::filesystem::path& from, const std::filesystem::path& to);
void sync_directory(const std::filesystem::path& path);
void remove_quietly(const std::filesystem::path& path);  // file or whole directory

constexpr std::uint64_t kLongestTextFile = std::uint64_t{512} << 20;
constexpr std::uint64_t kLongestManifest = std::uint64_t{16}
                                           << 20;  // and other files of few values
// Error(input) if the file is longer than `most` bytes.
std::string read_text(const std::filesystem::path& path, std::uint64_t most = kLongestTextFile);

// Returns the directory that holds `path`; "." for a bare name.
std::filesystem::path parent_of(const std::filesystem::path& path);

}  // namespace murmur
