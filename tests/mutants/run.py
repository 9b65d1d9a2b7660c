"""run.py: leaves out one refusal after another and asks the tests whether they notice.

The tests run once with nothing left out: each statement writes down which tests reach it. Then every
statement is left out in turn and the cheapest tests that reach it run, until one of them fails, dies
or does not end. What is learned is kept in build/mutants/state.json after every test, so that
the command can be stopped and called again; tests that are new or changed since are asked again.
"""

import argparse
import ast
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import rewrite

ROOT = rewrite.ROOT
PLACE = ROOT / "build/mutants"
TREE, BUILD, STATE = PLACE / "tree", PLACE / "build", PLACE / "state.json"
KINDS = ("unit", "conformance", "golden", "theorems")
TARGETS = ("murmur_program", *(f"tests_{kind}" for kind in KINDS))
# Falling off the end of a function that owes a value traps; one vector target is enough.
FLAGS = ("-O1 -w -march=native -DHWY_COMPILE_ONLY_STATIC "
         "-fsanitize=return -fsanitize-undefined-trap-on-error")
# Long ones, or for what is not built here; the beginnings of their names.
LEFT_OUT = ("cli.test_device", "cli.test_torch", "cli.test_reproduce.Reproduce.test_swarm_table",
            "cli.test_reproduce.Reproduce.test_more", "cli.test_reproduce.Reproduce.test_flock",
            "cli.test_reproduce.Reproduce.test_table", "cli.test_reproduce.Reproduce.test_inter")
ASKED = 6  # so many tests a statement, the cheapest first
BUDGET = 120.0  # and no more once they took so many seconds with nothing left out
MEMORY = 6 << 30  # bytes of address space of a test: what was to refuse a size may now take it


def digest(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def build(jobs):
    """Compiles the copied tree."""
    if not (BUILD / "build.ninja").is_file():
        launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER")
        subprocess.run(
            ["cmake", "-G", "Ninja", "-S", TREE, "-B", BUILD, "-DCMAKE_BUILD_TYPE=None",
             "-DMURMUR_WERROR=OFF", f"-DCMAKE_CXX_FLAGS={FLAGS}",
             *([f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else [])],
            check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "-j", str(jobs), *TARGETS], check=True)


def compiled_files():
    """The files of the tree that were compiled: refusals of others cannot be judged here."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    return {os.path.relpath(command["file"], TREE) for command in commands}


def gtest_cases(kind):
    """{name: (command, digest of the file that holds it)} of one test program."""
    program = BUILD / f"tests/tests_{kind}"
    files = {path: path.read_text() for path in sorted((TREE / "tests" / kind).glob("*.cpp"))}
    home = {}
    for text in files.values():
        for suite in re.findall(r"TEST(?:_F|_P)?\(\s*(\w+)\s*,", text):
            home[suite] = digest(home.get(suite, ""), text)
    listed = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True,
                            text=True).stdout
    cases, suite = {}, ""
    for line in listed.splitlines():
        if not line.startswith(" "):
            suite = line.split()[0]
            continue
        case = suite + line.split()[0]
        if "DISABLED" in case:
            continue
        # Of a case with many parameters one stands for all: the same refusals guard each.
        plain = suite.rstrip(".").split("/")
        key = plain[1] if len(plain) > 1 and plain[1] in home else plain[0]
        cases[f"{kind}.{case}"] = ([str(program), f"--gtest_filter={case}", "--gtest_brief=1"],
                                   home.get(key, ""))
    return cases


def cli_cases():
    """{name: (command, digest)} of every method of the tests of the command line."""
    shared = "".join(path.read_text() for path in sorted((TREE / "tests/cli").glob("*.py"))
                     if not path.stem.startswith("test_"))
    cases = {}
    for path in sorted((TREE / "tests/cli").glob("test_*.py")):
        text = path.read_text()
        for part in ast.parse(text).body:
            if not isinstance(part, ast.ClassDef):
                continue
            for method in part.body:
                if isinstance(method, ast.FunctionDef) and method.name.startswith("test"):
                    name = f"cli.{path.stem}.{part.name}.{method.name}"
                    if name.startswith(LEFT_OUT):
                        continue
                    cases[name] = (
                        ["/usr/bin/python3", str(path), f"{part.name}.{method.name}"],
                        digest(shared, text))
    return cases


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ask(command, timeout, **extra):
    """(how it ended, seconds): "passed", "failed" or "too long"."""
    environment = {**os.environ, "MURMUR": str(BUILD / "murmur"),
                   "MURMUR_DATA": str(ROOT / "data/mnist"), **extra}
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=TREE, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True, preexec_fn=limit_memory)
    try:
        code = process.wait(timeout=timeout)
        ended = "passed" if code == 0 else "skipped" if code == 77 else "failed"
    except subprocess.TimeoutExpired:
        ended = "too long"
    try:
        os.killpg(process.pid, signal.SIGKILL)  # with all that it started
    except ProcessLookupError:
        pass
    process.wait()
    return ended, time.monotonic() - started


class State:
    """What was learned: tests {name: {digest, ended, seconds, reached}}, mutants {id: verdict}."""

    def __init__(self, source):
        self.lock, self.saved = threading.Lock(), 0.0
        self.tests, self.verdicts, self.source = {}, {}, source
        if STATE.is_file():
            kept = json.loads(STATE.read_text())
            if kept["source"] == source:
                self.tests, self.verdicts = kept["tests"], kept["verdicts"]

    def put(self, table, name, value):
        with self.lock:
            table[name] = value
            if time.monotonic() - self.saved > 2:
                self.save()

    def save(self):
        self.saved = time.monotonic()
        beside = STATE.with_suffix(".new")
        beside.write_text(json.dumps({"source": self.source, "tests": self.tests,
                                      "verdicts": self.verdicts}, indent=0))
        beside.replace(STATE)


def learn(state, name, command, key):
    """Runs one test with nothing left out and keeps which refusals it reached."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "reached"
        ended, seconds = ask(command, 900, MUTANT_LOG=str(log))
        reached = sorted({int(line) for line in log.read_text().split()}) if log.is_file() else []
    state.put(state.tests, name, {"digest": key, "ended": ended, "seconds": round(seconds, 3),
                                  "reached": reached})


def judge(state, mutant, names, cases):
    """Leaves one refusal out and asks tests until one notices."""
    asked, spent = [], 0.0
    for name in names:
        usual = state.tests[name]["seconds"]
        if len(asked) >= ASKED or (asked and spent + usual > BUDGET):
            break
        spent += usual
        asked.append(name)
        ended, _ = ask(cases[name][0], 20 + 10 * usual, MUTANT=str(mutant["id"]))
        if ended != "passed":
            state.put(state.verdicts, str(mutant["id"]), {"by": name, "how": ended})
            return
    known = state.verdicts.get(str(mutant["id"]), {}).get("asked", {})
    known.update((name, cases[name][1]) for name in asked)
    state.put(state.verdicts, str(mutant["id"]), {"asked": known})


def in_turn(jobs, work):
    """Does all the work, `jobs` pieces at a time; a line a minute says how far it is."""
    told = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(*piece) for piece in work]
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            future.result()
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print(f"  {done} of {len(futures)}", flush=True)


def reaching(state, cases):
    """{mutant: names of passing tests that reach it, the cheapest first}."""
    found = collections.defaultdict(list)
    for name in sorted(cases, key=lambda name: state.tests[name]["seconds"]):
        if state.tests[name]["ended"] == "passed":
            for mutant in state.tests[name]["reached"]:
                found[mutant].append(name)
    return found


def report(state, mutants, reached):
    """Prints the score and what is missing, and keeps it as build/mutants/report.json."""
    rows = {"noticed": [], "survived": [], "not reached": []}
    for mutant in mutants:
        verdict = state.verdicts.get(str(mutant["id"]), {})
        kind = ("noticed" if "by" in verdict else
                "survived" if mutant["id"] in reached else "not reached")
        rows[kind].append({**mutant, **verdict})
    folders = collections.Counter(), collections.Counter()
    for kind, found in rows.items():
        for mutant in found:
            folder = "/".join(mutant["file"].split("/")[:2])
            folders[0][folder] += 1
            folders[1][folder] += kind == "noticed"
    for kind in ("survived", "not reached"):
        print(f"\n{kind}:")
        for mutant in rows[kind]:
            print(f"  {mutant['id']:4} {mutant['file']}:{mutant['line']}: {mutant['text'][:90]}")
    print("\nfolder                 refusals  noticed")
    for folder in sorted(folders[0]):
        print(f"{folder:22} {folders[0][folder]:8}  {folders[1][folder]:7}")
    noticed, survived = len(rows["noticed"]), len(rows["survived"])
    print(f"\n{noticed} noticed of {noticed + survived} reached of {len(mutants)} refusals")
    (PLACE / "report.json").write_text(json.dumps(rows, indent=1))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="tests whose name matches this expression")
    parser.add_argument("--files", default="", help="refusals of files that match this expression")
    parser.add_argument("--most", type=int, help="at most so many refusals not noticed, or exit 1")
    options = parser.parse_args()

    mutants = rewrite.copy_tree(TREE)
    build(options.jobs)
    compiled = compiled_files()
    mutants = [m for m in mutants if (m["file"].endswith(".h") or m["file"] in compiled)
               and re.search(options.files, m["file"])]
    source = digest(*(path.read_text() for folder in rewrite.MUTATED
                      for path in sorted((TREE / folder).rglob("*.*"))
                      if path.suffix in (".h", ".cpp")))
    state = State(source)

    cases = {}
    for kind in KINDS:
        cases.update(gtest_cases(kind))
    cases.update(cli_cases())
    cases = {name: case for name, case in cases.items() if re.search(options.only, name)}
    new = [name for name, (_, key) in cases.items()
           if state.tests.get(name, {}).get("digest") != key]
    print(f"{len(mutants)} refusals, {len(cases)} tests, {len(new)} of them to be asked first",
          flush=True)
    in_turn(options.jobs, [(learn, state, name, *cases[name]) for name in new])
    state.save()
    broken = [name for name in cases if state.tests[name]["ended"] in ("failed", "too long")]
    for name in broken:
        print(f"  fails with nothing left out, so it is not asked: {name}")

    reached = reaching(state, cases)
    work = []
    for mutant in mutants:
        verdict = state.verdicts.get(str(mutant["id"]), {})
        fresh = [name for name in reached[mutant["id"]]
                 if verdict.get("asked", {}).get(name) != cases[name][1]] if (
                     "by" not in verdict) else []
        # Those that were asked before did not notice; of the others the cheapest.
        if fresh and len(verdict.get("asked", {})) < ASKED or any(
                name in new for name in fresh):
            work.append((judge, state, mutant, fresh, cases))
    print(f"{len(work)} refusals to leave out", flush=True)
    in_turn(options.jobs, work)
    state.save()
    rows = report(state, mutants, {key for key, names in reached.items() if names})
    missing = len(rows["survived"]) + len(rows["not reached"])
    if options.most is not None and missing > options.most:
        sys.exit(f"{missing} refusals are not noticed, at most {options.most} are allowed")


if __name__ == "__main__":
    main()
