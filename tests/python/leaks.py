#!/usr/bin/env python3
"""leaks.py FLIGHTS FOLDER: reads LeakSanitizer's reports of flights.py, and finds fault with what was lost again and again.

The interpreter and the modules it loads leave a number of things behind at their end, once each. What flights leak is lost
in every one of them, or in every tenth."""
import pathlib
import re
import sys

flights, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
reports = sorted(folder.glob("leaks*"))
if not reports:
    sys.exit(f"no report of LeakSanitizer in {folder}: it did not look")
found, others = [], 0
for text in (path.read_text(errors="replace") for path in reports):
    if "LeakSanitizer" not in text:
        sys.exit(text)
    for block in re.split(r"\n\s*\n", text):
        head = re.search(r"leak of (\d+) byte\(s\) in (\d+) object\(s\)", block)
        if head and int(head[2]) >= flights / 20:
            found.append(block)
        others += bool(head)
print(f"{others} things are left once by the interpreter and its modules, {len(found)} by the flights")
if found:
    sys.exit("\n\n".join(found))
