// reproduce_lists.h: what murmur reproduce prints about reproductions without computing one.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "reproduce/reproduce.h"

namespace murmur::app {

// True for text in the form of an arXiv number, 2312.10794.
bool is_paper(const std::string& word);
// The rows of a paper. Error(usage) with the known papers where there is none.
std::vector<const ReproductionRow*> rows_of_paper(const std::string& paper);

// A line per row: name, description, source, durations; or JSON, or only names.
void list_rows(const Flags& flags, const std::vector<const ReproductionRow*>& rows,
               bool names_only);
// Every parameter of these rows as a table in Markdown, or as JSON.
void list_parameters(const Flags& flags, const std::vector<const ReproductionRow*>& rows);
// The setting of the authors of every figure and what differs here, as a table or as JSON.
void list_settings(const Flags& flags);
// The end of `murmur reproduce NAME --help`: the parameters of the figure that argv names.
std::string help_of_figure(const std::vector<std::string>& argv);

}  // namespace murmur::app
