// report.cpp: how the page of a run is put together and written.
#include "report/report.h"

#include "murmur/error.h"
#include "run/file.h"

namespace murmur {

namespace fs = std::filesystem;

RunReport::RunReport(ReportRequest asked)
    : request(std::move(asked)), figures(request.run / "figures"), video(request.run / "video") {
  make_folder_of_run(figures);
}

void RunReport::add_picture(const PageSection& section) {
  page.sections.push_back(section);
  if (!section.picture.empty()) made.push_back(section.picture.string());
}

void RunReport::add_table(const std::string& heading, const std::string& text,
                          const TextTable& table) {
  page.sections.push_back({.heading = heading, .text = text, .table = table});
}

void RunReport::add_figure(const std::vector<fs::path>& drawn, const std::string& heading,
                           const std::string& caption) {
  for (const fs::path& path : drawn) {
    made.push_back(path.string());
    if (path.extension() == ".svg")
      page.sections.push_back({.heading = heading, .picture = path, .caption = caption});
  }
}

void RunReport::write() {
  const fs::path html = run() / "report.html";
  write_page(page, html);
  made.push_back(html.string());
}

}  // namespace murmur
