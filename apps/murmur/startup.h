// startup.h: what is put right before the first line of the program: streams and signals.
#pragma once

namespace murmur::app {

// Descriptors 0, 1 and 2 that the caller closed are opened on /dev/null, so that no file of a run
// takes their place. A reader of stdout that leaves (SIGPIPE) and a limit on the size of files
// (SIGXFSZ) show as failing writes. A mapped file that is cut (SIGBUS) ends the program by an
// error.
void prepare_process();

// Whether standard output is a pipe or socket whose reader has taken what it wanted and gone, as
// `head` does. What is printed then goes nowhere, which is no failure.
bool reader_has_left();

// What SIGINT and SIGTERM do: they end the program with 128 + their number, as from
// prepare_process() on; or the first is noted in caught_signal, and the next ends the program.
void end_at_signals();
void note_signals();

}  // namespace murmur::app
