// kept.h: reads back what a run keeps as JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace murmur {

// Error(input) where the file is missing or cut off.
nlohmann::json kept_json(const std::filesystem::path& file);

}  // namespace murmur
