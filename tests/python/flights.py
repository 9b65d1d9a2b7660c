#!/usr/bin/env python3
"""flights.py N: so many flights one after another, for a sanitizer to look at; prints how memory grew."""
import os
import sys
import tempfile

import support

folder = tempfile.TemporaryDirectory(prefix="murmur-flights-")
os.chdir(folder.name)
support.fly(100)
before = support.resident()
support.fly(int(sys.argv[1]))
print(f"{sys.argv[1]} flights: {(support.resident() - before) / 1e6:.1f} MB more than before")
