// no_files.cpp: replaces file.cpp in builds without a disk: every file is refused by name.
#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path) {
  throw Error(Fault::input, "there are no files here", path.string(),
              "give the numbers themselves, or run this with the program murmur");
}

}  // namespace

File File::creating(const fs::path& path) { refuse(path); }
File File::writing(const fs::path& path) { refuse(path); }
File File::reading(const fs::path& path) { refuse(path); }
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;
File::~File() = default;
std::uint64_t File::size() const { refuse(path_); }
void File::read_at(std::uint64_t, std::span<std::byte>) const { refuse(path_); }
void File::write_at(std::uint64_t, std::span<const std::byte>) { refuse(path_); }
void File::write_at(std::uint64_t, std::string_view) { refuse(path_); }
void File::truncate(std::uint64_t) { refuse(path_); }

ListedPart::ListedPart(fs::path path) : path_(std::move(path)) {}
ListedPart::~ListedPart() = default;

// The constructor throws, so the rest is never called.
Replacement::Replacement(const fs::path& target) : part_(target) { refuse(target); }
Replacement::~Replacement() = default;
void Replacement::write(std::span<const std::byte> bytes) { length_ += bytes.size(); }
void Replacement::write(std::string_view text) { length_ += text.size(); }
void Replacement::commit() { committed_ = true; }

void write_file_atomically(const fs::path& path, std::string_view) { refuse(path); }

}  // namespace murmur
