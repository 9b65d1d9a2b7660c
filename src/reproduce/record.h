// record.h: a finished reproduction kept whole, so that a later call reads it back.
#pragma once

#include "reproduce/reproduce.h"

namespace murmur {

// record.json, or record-quick.json, in the folder of the result: its checks, tables and figures,
// with the version of the program and the settings they were made with.
void write_record(const Reproduction& done, const ReproductionControl& control);
// Nothing where there is none, or one of another version or other settings.
std::optional<Reproduction> read_record(const std::string& name,
                                        const ReproductionControl& control);

}  // namespace murmur
