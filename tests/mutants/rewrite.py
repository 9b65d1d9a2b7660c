"""rewrite.py: copies the tree and makes every refusal a statement that can be left out at run time.

A refusal is a `throw`, a call of a [[noreturn]] function, or a check: a call of a function whose first
line is `if (!good) throw ...` for its first argument. The first two become
{ if (!murmur_mutant(17)) ...; } and a check swallows what it throws, so that it counts as reached only
when it refuses. All stay in their lines, which keep their numbers.
"""

import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTATED = ("src", "apps", "include", "bindings")  # the folders whose refusals are left out
COPIED = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "cmake", "docs",
          "experiments", "scripts", "studio", "tests", *MUTATED)
DECLARATION = "bool murmur_mutant(int) noexcept; "

# Comments, texts (raw ones too), characters, numbers, names, then any other mark alone.
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)\"|\"(?:\\.|[^\"\\\n])*\""
    r"|'(?:\\.|[^'\\\n])+'|\d[\w.']*|\w+|->|::|\[\[|\]\]|\s+|.",
    re.S,
)
OPEN, CLOSE = {"(": ")", "{": "}", "[": "]", "[[": "]]"}, {")", "}", "]", "]]"}
NORETURN = re.compile(r"\[\[noreturn\]\]\s+(?:static |inline )*void\s+(\w+)\s*\(")
CHECK = re.compile(r"void\s+(\w+)\(bool (\w+),[^{;]*\{\s*if \(!\2\) throw\b")
CHECK_OF_HEADER = re.compile(r"void\s+(\w+)\(bool \w+, const [^;{]* what,[^;{]*\);")


def tokens_of(text):
    """(token, its place) for all that is neither space nor comment."""
    found = []
    for match in TOKEN.finditer(text):
        word = match.group()
        if word.isspace() or word.startswith("//") or word.startswith("/*"):
            continue
        found.append((word, match.start()))
    return found


def end_of_statement(tokens, first):
    """The index of the semicolon that ends the statement that begins at `first`, or None."""
    depth = 0
    for index in range(first, len(tokens)):
        word = tokens[index][0]
        if word in OPEN:
            depth += 1
        elif word in CLOSE:
            depth -= 1
            if depth < 0:
                return None
        elif word == ";" and depth == 0:
            return index
    return None


def begins_statement(tokens, index):
    """Whether a statement begins here, judged by the token before."""
    if index == 0:
        return False
    before = tokens[index - 1][0]
    if before == ":":  # a case, not the end of a choice
        return any(word in ("case", "default") for word, _ in tokens[max(0, index - 8):index])
    return before in (";", "{", "}", ")", "else", "do")


def first_of_call(tokens, index):
    """Where the expression a.b->NAME or A::NAME that ends in the name at `index` begins."""
    while index >= 2 and tokens[index - 1][0] in (".", "->", "::"):
        index -= 2
    return index


def statements_of(text, names):
    """(begin, end, kind) of every refusal of a file, as places in its text; names: {name: kind}."""
    tokens = tokens_of(text)
    found = []
    for index, (word, place) in enumerate(tokens):
        kind, first = None, index
        if word == "throw":
            kind = "throw"
        elif word in names and index + 1 < len(tokens) and tokens[index + 1][0] == "(":
            first = first_of_call(tokens, index)
            kind = names[word]
        if kind is None or not begins_statement(tokens, first):
            continue
        last = end_of_statement(tokens, first)
        if last is None:
            continue
        found.append((tokens[first][1], tokens[last][1] + 1, kind))
    return found


def refusing_names(texts):
    """{path: {name: kind}} of the functions that refuse; those of headers are known to every file."""
    shared, own = {}, {}
    for path, text in texts.items():
        own[path] = {name: "check" for name, _ in CHECK.findall(text)}
        own[path].update((name, "call") for name in NORETURN.findall(text))
    for path, names in own.items():
        if path.suffix == ".h":
            shared.update(names)
            shared.update((name, "check") for name in CHECK_OF_HEADER.findall(texts[path]))
    return {path: {**shared, **names} for path, names in own.items()}


def rewrite(texts):
    """({path: new text}, [mutant]) for {path: text}; mutants are numbered from one."""
    names = refusing_names(texts)
    changed, mutants = {}, []
    for path in sorted(texts):
        text = texts[path]
        pieces, at = [], 0
        for begin, end, kind in statements_of(text, names[path]):
            if begin < at:
                continue  # within a lambda of a refusal that is left out whole
            mutants.append({
                "id": len(mutants) + 1,
                "file": str(path),
                "line": text.count("\n", 0, begin) + 1,
                "kind": kind,
                "text": " ".join(text[begin:end].split())[:120],
            })
            guard = "if (!murmur_mutant(%d)) " % len(mutants)
            pieces += [text[at:begin], "{ try { " if kind == "check" else "{ " + guard,
                       text[begin:end],
                       " } catch (...) { " + guard + "throw; } }" if kind == "check" else " }"]
            at = end
        if pieces:
            text = DECLARATION + "".join(pieces) + text[at:]
        # Whoever is not thrown out of such a function comes back to the caller.
        changed[path] = text.replace("[[noreturn]] ", "")
    return changed, mutants


def copied_files():
    """The files of the tree that the copy needs, below ROOT."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z", "--", *COPIED],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    return sorted({pathlib.Path(name) for name in listed.split("\0") if name})


def write_changed(path, data):
    """Writes a file unless it holds these bytes already, so that ninja rebuilds what changed."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def copy_tree(target):
    """Copies the tree to `target` with its refusals guarded; returns the mutants."""
    files = [path for path in copied_files() if (ROOT / path).is_file()]
    mutated = {path: (ROOT / path).read_text() for path in files
               if path.parts[0] in MUTATED and path.suffix in (".h", ".cpp")}
    changed, mutants = rewrite(mutated)
    wanted = set(files) | {pathlib.Path("src/core/mutant.cpp")}
    for path in files:
        data = changed[path].encode() if path in changed else (ROOT / path).read_bytes()
        write_changed(target / path, data)
        shutil.copymode(ROOT / path, target / path)
    write_changed(target / "src/core/mutant.cpp",
                  (pathlib.Path(__file__).parent / "mutant.cpp").read_bytes())
    for path in target.rglob("*"):
        if path.is_file() and path.relative_to(target) not in wanted:
            path.unlink()
    return mutants
