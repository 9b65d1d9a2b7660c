// file.cpp: files of a run: opening, writing, replacing whole, and lock files that claim units of
// work.
#include "run/file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "murmur/error.h"
#include "run/claims.h"
#include "run/formats.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

SyscallHook& hook() {
  static SyscallHook instance;
  return instance;
}

InjectedFailure consult(Syscall call, const fs::path& path) {
  return hook() ? hook()(call, path) : InjectedFailure{};
}

// Returns whether a test injects a failure into this call; errno then holds the error.
bool forbidden(Syscall call, const fs::path& path) {
  const int error = consult(call, path).error;
  if (error != 0) errno = error;
  return error != 0;
}

std::string remedy_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space on that disk and start again; a run goes on with --resume";
    case EFBIG:
      return "raise the limit on the size of files (ulimit -f) and start again";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a place you may write to and read from, or change the permissions";
    case ENOENT:
      return "check the spelling of the path";
    case EMFILE:
    case ENFILE:
      return "close other programs or raise the limit on open files (ulimit -n)";
    default:
      return "check the disk and the path, then start again; a run goes on with --resume";
  }
}

[[noreturn]] void refuse(const char* action, const fs::path& path, int error) {
  throw Error(Fault::runtime, fmt::format("cannot {}: {}", action, std::strerror(error)),
              path.string(), remedy_for(error));
}

constexpr const char* kGiveAFile = "give the path of a file, not of a directory, pipe or device";

const char* action_of_opening(int flags) {
  if (flags & O_CREAT) return "create the file";
  return (flags & O_ACCMODE) == O_RDONLY ? "read the file" : "open the file for writing";
}

}  // namespace

void set_syscall_hook(SyscallHook new_hook) { hook() = std::move(new_hook); }

File::File(const fs::path& path, int flags) : path_(path) {
  const bool changes = (flags & O_ACCMODE) != O_RDONLY;
  // O_NONBLOCK: a pipe without a writer is refused below instead of waited for.
  if (!(changes && forbidden(Syscall::open, path))) do
      descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666);
    while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) {
    const int error = errno;
    if (!changes && (error == ENOENT || error == ENOTDIR))
      throw Error(Fault::input, "there is no such file", path.string(), remedy_for(ENOENT));
    if (error == ELOOP && (flags & O_NOFOLLOW))
      throw Error(Fault::input, "this is a link, and nothing is written through a link",
                  path.string(), "put the file itself there, or make the run again");
    if (error == ENXIO)  // a pipe without a reader
      throw Error(Fault::input, "this is not a regular file", path.string(), kGiveAFile);
    refuse(action_of_opening(flags), path, error);
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(std::exchange(descriptor_, -1));
    throw Error(Fault::input, "this is not a regular file", path.string(), kGiveAFile);
  }
}

File File::creating(const fs::path& path) { return File(path, O_RDWR | O_CREAT | O_EXCL); }
File File::writing(const fs::path& path) { return File(path, O_RDWR | O_NOFOLLOW); }
File File::reading(const fs::path& path) { return File(path, O_RDONLY); }

File::File(File&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint64_t File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse("learn the size of the file", path_, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void File::read_at(std::uint64_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse("read the file", path_, errno);
    if (got == 0)
      throw Error(Fault::runtime, fmt::format("the file ends {} bytes too early", to.size()),
                  fmt::format("{}: byte {}", path_.string(), at),
                  "something cut the file while it was read; try again once it is still");
    to = to.subspan(static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
}

void File::write_at(std::uint64_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const InjectedFailure mishap = consult(Syscall::write, path_);
    if (mishap.error != 0) refuse("write to the file", path_, mishap.error);
    const std::size_t asked = std::min(bytes.size(), mishap.at_most);
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), asked, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) refuse("write to the file", path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    at += static_cast<std::uint64_t>(put);
  }
}

void File::write_at(std::uint64_t at, std::string_view text) {
  write_at(at, std::as_bytes(std::span(text)));
}

void File::truncate(std::uint64_t size) {
  if (forbidden(Syscall::truncate, path_) ||
      ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
    refuse("cut the file to length", path_, errno);
}

void File::sync() {
  if (forbidden(Syscall::sync, path_) || ::fdatasync(descriptor_) != 0)
    refuse("bring the file to disk", path_, errno);
}

bool File::try_lock() {
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) refuse("lock the file", path_, errno);
  }
  return true;
}

namespace {

struct ListedPath {
  enum State { unused, changing, listed };
  std::atomic<int> state{unused};
  char path[4096];
};
ListedPath listed_paths[16];

}  // namespace

ListedPart::ListedPart(fs::path path) : path_(std::move(path)) {
  const std::string text = path_.string();
  for (int place = 0; place < static_cast<int>(std::size(listed_paths)); ++place) {
    ListedPath& to = listed_paths[place];
    int expected = ListedPath::unused;
    if (text.size() >= sizeof to.path ||
        !to.state.compare_exchange_strong(expected, ListedPath::changing))
      continue;
    std::memcpy(to.path, text.c_str(), text.size() + 1);
    to.state = ListedPath::listed;
    place_ = place;
    return;
  }
}

ListedPart::~ListedPart() {
  if (place_ >= 0) listed_paths[place_].state = ListedPath::unused;
}

void remove_listed_parts() {
  for (const ListedPath& part : listed_paths)
    if (part.state == ListedPath::listed) unlink(part.path);
}

Replacement::Replacement(const fs::path& target)
    : target_(target), part_(hidden_sibling(target, "part")), file_(File::creating(part_.path())) {}

Replacement::~Replacement() {
  if (!committed_) remove_quietly(file_.path());
}

void Replacement::write(std::span<const std::byte> bytes) {
  file_.write_at(length_, bytes);
  length_ += bytes.size();
}

void Replacement::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void Replacement::commit() {
  std::error_code ignored;
  const fs::file_status there = fs::status(target_, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there))
    throw Error(Fault::runtime, "something that is not a regular file is in the way",
                target_.string(), "choose another name for the output");
  file_.sync();
  rename_path(file_.path(), target_);
  committed_ = true;
  sync_directory(parent_of(target_));
}

bool is_replacement_in_waiting(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(".") && name.find(".part-") != std::string::npos;
}

std::optional<LeftOver> left_over_of(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::size_t second = name.rfind('-');
  const std::size_t first =
      second == std::string::npos || second == 0 ? std::string::npos : name.rfind('-', second - 1);
  const std::size_t dot = first == std::string::npos ? first : name.rfind('.', first);
  if (dot == std::string::npos || dot == 0 || name[0] != '.') return std::nullopt;
  const std::string process = name.substr(first + 1, second - first - 1);
  const std::string number = name.substr(second + 1);
  for (const std::string& digits : {process, number})
    if (digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
  const std::string word = name.substr(dot + 1, first - dot - 1);
  return LeftOver{name.substr(1, dot - 1), word, std::atoi(process.c_str())};
}

bool is_alive(int process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

bool belongs_to_another_process(const fs::path& path) {
  const auto left = left_over_of(path);
  return left && left->process != ::getpid() && is_alive(left->process);
}

fs::path hidden_sibling(const fs::path& path, std::string_view word) {
  static std::atomic<unsigned> counter{0};
  fs::path sibling;
  std::error_code ignored;
  do {
    sibling = parent_of(path) /
              fmt::format(".{}.{}-{}-{}", path.filename().string(), word, ::getpid(), counter++);
  } while (fs::exists(fs::symlink_status(sibling, ignored)));
  return sibling;
}

void make_directory(const fs::path& path) {
  std::error_code code;
  if (forbidden(Syscall::make_directory, path)) refuse("create the directory", path, errno);
  fs::create_directories(path, code);
  if (code) refuse("create the directory", path, code.value());
}

void make_folder_of_run(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_symlink(fs::symlink_status(path, ignored)))
    throw Error(Fault::input, "this folder of a run is a link, and nothing is written through one",
                path.string(), "remove the link; the folder is made where it is needed");
  make_directory(path);
}

void rename_path(const fs::path& from, const fs::path& to) {
  if (forbidden(Syscall::rename, to) || ::rename(from.c_str(), to.c_str()) != 0)
    refuse("put the file in its place", to, errno);
}

void sync_directory(const fs::path& path) {
  if (forbidden(Syscall::sync, path)) refuse("bring the directory to disk", path, errno);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) refuse("open the directory", path, errno);
  const int failed = ::fsync(descriptor) != 0 ? errno : 0;
  ::close(descriptor);
  // Some file systems cannot sync a directory and return EINVAL; this is not an error.
  if (failed != 0 && failed != EINVAL) refuse("bring the directory to disk", path, failed);
}

void remove_quietly(const fs::path& path) {
  std::error_code ignored;
  if (!forbidden(Syscall::remove, path)) fs::remove_all(path, ignored);
}

std::string read_text(const fs::path& path, std::uint64_t most) {
  const File file = File::reading(path);
  if (file.size() > most)
    throw Error(Fault::input, fmt::format("the file is longer than {} MB", most >> 20),
                path.string(), "name the file that murmur wrote");
  std::string text(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  Replacement replacement(path);
  replacement.write(bytes);
  replacement.commit();
}

// --- Units of work as lock files (claims.h).

namespace fs = std::filesystem;

namespace {
constexpr int kMostTries = 5;  // attempts to claim in a folder that others clear
}

Claims::Claims(const fs::path& folder) : folder_(folder) { make_folder_of_run(folder); }

std::optional<File> Claims::take(const std::string& unit) const {
  const fs::path path = folder_ / (unit + ".lock");
  // A process that finds everything done may clear the folder at any moment; then it is created
  // again.
  for (int tries = 0;; ++tries) try {
      make_folder_of_run(folder_);
      std::error_code ignored;
      if (!fs::exists(path, ignored)) try {
          File::creating(path);
        } catch (const Error&) {  // another process was faster; other errors appear below
        }
      File file = File::writing(path);
      if (!file.try_lock()) return std::nullopt;
      return file;
    } catch (const Error&) {
      if (tries == kMostTries) throw;
    }
}

void Claims::leave_message(const std::string& unit, const std::string& text) const {
  make_folder_of_run(folder_);
  write_file_atomically(folder_ / (unit + ".word"), text);
}

std::optional<std::string> Claims::message_about(const std::string& unit) const {
  const fs::path path = folder_ / (unit + ".word");
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  return read_text(path);
}

void Claims::clear(const fs::path& folder) { remove_quietly(folder); }

}  // namespace murmur
