#!/usr/bin/env python3
"""clock_assertions.py: no test asserts on the clock: on a busy machine it would fail.

A test asserts on processor time (murmur.processor_seconds, std::clock, process.cpuUsage) or on counts, and waits for an
event. The server is excepted: its rules are seconds, and the limits of its tests are ten times what a free machine needs."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCEPTED = {"tests/cli/test_studio.py"}
CLOCK = r"(time\.time|monotonic|perf_counter|steady_clock|system_clock|high_resolution_clock|performance\.now|Date\.now)"
ASSERTION = re.compile(rf"(self\.assert\w+|\bassert\b|EXPECT_\w+|ASSERT_\w+|\bexpect)[ (][^;\n]*{CLOCK}")
ENDINGS = {".py", ".cpp", ".h", ".ts", ".mjs"}


def main():
    files = [path for folder in ("tests", "studio/tests", "studio/visits")
             for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS]
    found = [f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
             for path in files if str(path.relative_to(ROOT)) not in EXCEPTED and path != pathlib.Path(__file__).resolve()
             for number, line in enumerate(path.read_text().splitlines(), start=1) if ASSERTION.search(line)]
    print("\n".join(found))
    return 1 if found or len(files) < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
