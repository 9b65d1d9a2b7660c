// report_page.h: the page of a run while it is being made, and who makes which.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "murmur/curves.h"
#include "murmur/digit_pictures.h"

namespace murmur::app {

// What a report is made of, while it is being made.
struct Page {
  std::filesystem::path run{}, figures{}, video{};
  Report report{};
  std::vector<std::string> made{};
  std::string style = "paper";
  bool film = true;

  explicit Page(const std::filesystem::path& directory)
      : run(directory), figures(directory / "figures"), video(directory / "video") {
    std::filesystem::create_directories(figures);
  }
  void add(const std::string& heading, const std::string& text,
           const std::filesystem::path& picture, const std::string& caption) {
    report.parts.push_back({heading, text, {}, picture, caption});
    if (!picture.empty()) made.push_back(picture.string());
  }
  void write() {
    write_report(report, run / "report.html");
    made.push_back((run / "report.html").string());
  }
};

// What a run keeps as JSON; Error(input) where it is missing or cut off.
nlohmann::json kept_json(const std::filesystem::path& file);

// Each leaves early, its page unfinished, when a signal was caught.
void report_training(Page& page, const std::string& data);
void report_landscape(Page& page);
void report_meanfield(Page& page);

}  // namespace murmur::app
