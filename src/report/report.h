// report.h: the page of a run in the making, and one function for each kind of run that fills it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "picture/figure.h"
#include "picture/page.h"
#include "report/next_word.h"
#include "reproduce/reproduce.h"

namespace murmur {

struct ReportRequest {
  std::filesystem::path run{};
  std::string style = "paper";  // of the figures: paper, slides or dark
  bool film = true;             // where the kind has one
  std::string data{};           // folder of the test pictures; empty: where the swarm learned
  // The next-word section of a simulation, where it is asked for.
  std::optional<NextWordRequest> next_word{};
  std::function<bool()> stop{};  // called now and then; true: stop, the page is not written
  // Finds the folder of pictures that `data`, or a trained swarm, names.
  std::function<std::filesystem::path(const std::string& named)> find_data{};
};

struct RunReport {
  ReportRequest request{};
  std::filesystem::path figures{}, video{};  // folders of the run
  Page page{};
  std::vector<std::string> made{};  // files, in the order in which they were made

  explicit RunReport(ReportRequest asked);  // makes figures/
  const std::filesystem::path& run() const { return request.run; }
  FigureStyle style() const { return style_of(request.style); }
  bool stopped() const { return request.stop && request.stop(); }
  // A section with a picture, which counts as made; with a table; with the .svg of a figure, all of
  // whose files count as made.
  void add_picture(const PageSection& section);
  void add_table(const std::string& heading, const std::string& text, const TextTable& table);
  void add_figure(const std::vector<std::filesystem::path>& drawn, const std::string& heading,
                  const std::string& caption);
  void write();  // RUN/report.html
};

// One for each kind of run; each returns early, with an unfinished page, when it is stopped.
void report_simulation(RunReport& report);
void report_training(RunReport& report);
void report_landscape(RunReport& report);
void report_meanfield(RunReport& report);
void report_trace(RunReport& report);

// Writes one page of many reproductions: verdicts and figures, in the order given.
void write_reproductions(const std::vector<Reproduction>& all, const std::filesystem::path& html);

}  // namespace murmur
