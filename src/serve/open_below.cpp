// open_below.cpp: walks down from a folder one name at a time, never through a link.
#include "serve/open_below.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace murmur {
namespace {

int status_of(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return 503;
    case EACCES:
    case EPERM:
    case ELOOP:
      return 403;
    default:
      return 404;
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

std::size_t OpenedFile::read_at(std::uint64_t at, std::span<char> to) const {
  for (;;) {
    const ssize_t count = pread(file->number(), to.data(), to.size(), static_cast<off_t>(at));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return 0;
  }
}

OpenedFile open_below(const std::filesystem::path& root, const std::string& path) {
  Descriptor folder(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::size_t start = 0;
  for (std::size_t end; (end = path.find('/', start)) != std::string::npos; start = end + 1) {
    if (folder.number() < 0) return {.status = status_of(errno)};
    folder = Descriptor(openat(folder.number(), path.substr(start, end - start).c_str(),
                               O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (folder.number() < 0) return {.status = status_of(errno)};
  // Not blocking: a pipe in the folder must not hold a thread.
  Descriptor file(openat(folder.number(), path.c_str() + start,
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0) return {.status = status_of(errno)};
  struct stat about {};
  if (fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) return {.status = 404};
  return {200, std::make_shared<Descriptor>(std::move(file)),
          static_cast<std::uint64_t>(about.st_size)};
}

}  // namespace murmur
