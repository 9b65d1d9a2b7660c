#!/usr/bin/env python3
"""closed_vocabularies.py: a new force, method, layer norm or clock must stop the build wherever it has to be known.

Headers and sources are copied, one value is added to one vocabulary, and the files in which that can be an error
(a switch over the values, a visit of the variant) are compiled again. Every file of MUST must fail, with the compiler naming the missing case; no other file may fail, and no
file may pick forces out of the variant without naming the others (std::get_if, std::holds_alternative)."""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ADDED = {  # vocabulary -> header, text, its replacement, a pattern of the files in which a missing value can be an error
    "force": (
        "dynamics.h",
        "using Force = std::variant<Attention, Perceptron, ManyHeads>;",
        "struct Drag { double rate = 1; };\nusing Force = std::variant<Attention, Perceptron, ManyHeads, Drag>;",
        r"(?s)(?=.*[Ff]orce).*std::visit\(",
    ),
    "method": ("flow.h", "strang, bdf,", "strang, bdf, heun,", r"case (Method|Stepping)::"),
    "normalisation": ("dynamics.h", "  sqrt,  // s =", "  rms,\n  sqrt,  // s =", r"case LayerNorm::"),
    "clock": ("dynamics.h", "  u4,\n};", "  u4,\n  u5,\n};", r"case Clock::"),
}
MUST = {  # what has to know a new value; engines are all here
    "force": {
        "src/core/dynamics.cpp",  # shapes, meaning, whether it is a head, who knows it beside the engines
        "src/core/force_adjoint.cpp",  # its adjoint
        "src/engine/reference/reference_engine.cpp",
        "src/engine/simd/simd_engine.cpp",
        "src/engine/moments/moments_engine.cpp",
        "src/experiment/equation.cpp",  # its formula
        "src/experiment/forces.cpp",  # its words and its reversal
        "src/gradient/recorded_flow.cpp",  # its numbers, by name
        "src/observe/token_move.cpp",  # its part of a token's move
    },
    "method": {"src/flow/methods.cpp"},
    "normalisation": {
        "src/core/dynamics.cpp",  # its row
        "src/core/host_field.cpp",  # what it does
        "src/core/host_adjoint.cpp",  # its adjoint
        "src/experiment/equation.cpp",  # its formula
        "src/experiment/known.cpp",  # what is proved of it
        "src/theory/equiangular.cpp",  # its reduction
    },
    "clock": {"src/core/dynamics.cpp"},  # its kernel, its word
}
MISSING = re.compile(r"-Werror=switch|no matching function|no type named|static assertion|cannot convert|invalid conversion|no match for call")


def commands():
    """(path below src or apps, its compiler command as words) for every file that is compiled."""
    for entry in json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(ROOT / "src") or path.is_relative_to(ROOT / "apps"):
            yield path.relative_to(ROOT), shlex.split(entry["command"])


def checking(words, copy, path):
    """The command that only checks the copy of a file."""
    kept, skip = [], 0
    for word in words:
        if skip:
            skip -= 1
            continue
        if word in ("-o", "-c", "-include", "-MF", "-MT", "-MQ"):
            skip = 1
        elif word.endswith("ccache") or word.startswith("-O") or "cmake_pch" in word:
            continue
        else:
            kept.append(word.replace(f"-I{ROOT}/", f"-I{copy}/"))
    return kept + ["-fsyntax-only", "-Werror=switch", str(copy / path)]


def silent_choices():
    found = []
    for path in sorted((ROOT / "src").rglob("*.cpp")) + sorted((ROOT / "apps").rglob("*.cpp")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"(get_if|holds_alternative)<(Attention|Perceptron|ManyHeads)>", line):
                found.append(f"{path.relative_to(ROOT)}:{number}: chooses a force and drops the others")
    return found


def main():
    wrong = silent_choices()
    files = list(commands())
    for vocabulary, (header, old, new, speaks) in ADDED.items():
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for part in ("include", "src", "apps"):
                shutil.copytree(ROOT / part, copy / part)
            target = copy / "include/murmur" / header
            text = target.read_text()
            if text.count(old) != 1:
                wrong.append(f"{vocabulary}: '{old}' is not once in {header}")
                continue
            target.write_text(text.replace(old, new))
            asked = [(path, words) for path, words in files if str(path) in MUST[vocabulary] or re.search(speaks, (ROOT / path).read_text())]
            running = []
            failed = set()
            for path, words in asked:
                running.append((path, subprocess.Popen(checking(words, copy, path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)))
                if len(running) == 2 or path == asked[-1][0]:
                    for done, process in running:
                        output = process.communicate()[0]
                        if process.returncode != 0:
                            failed.add(str(done))
                            if not MISSING.search(output):
                                wrong.append(f"{vocabulary}: {done} fails for another reason:\n{output[:800]}")
                    running = []
            for path in sorted(MUST[vocabulary] - failed):
                wrong.append(f"{vocabulary}: {path} does not notice a new one")
            for path in sorted(failed - MUST[vocabulary]):
                wrong.append(f"{vocabulary}: {path} has to know of a new one: say so in {pathlib.Path(__file__).name}, or let it ask another file")
            print(f"a new {vocabulary} stops {len(failed)} of {len(asked)} files that choose by {vocabulary}: {', '.join(sorted(failed))}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
