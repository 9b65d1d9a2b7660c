"""build_backend.py: builds the wheel and the source distribution (PEP 517) with CMake only.

    pip install .                             builds into build/wheel
    CMAKE_ARGS=-DMURMUR_PCH=OFF pip install . with further options for CMake
    MURMUR_BUILD=build/release pip wheel .    uses the module of an existing build
    python3 bindings/python/build_backend.py --sdist FOLDER

Debian 12 has no backend for CMake, and a wheel is only a zip of files and three texts.
"""

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "murmuration"
# The sources of the module; the source distribution has no tests, page and manual.
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff",
           "pyproject.toml", "apps", "bindings", "bench/peers/table.py", "cmake", "docs/libraries.md",
           "experiments", "include", "packaging", "scripts/contents.py", "src")
LEFT_OUT = ("__pycache__", ".pyc")
THEN = (1980, 1, 1, 0, 0, 0)  # a fixed time, so that equal contents give equal bytes


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(murmuration VERSION ([0-9.]+)", text).group(1)


def metadata():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {version()}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    lines += ["Description-Content-Type: text/markdown", ""]
    return "\n".join(lines) + "\n" + (ROOT / "README.md").read_text()


def run(*command):
    print("+", *command, flush=True)
    done = subprocess.run([str(word) for word in command])
    if done.returncode != 0:
        raise SystemExit(f"murmur: the module could not be built\n  where: {command[0]} {command[1]}\n"
                         "  do:    see its messages above; docs/install.md names the packages it needs")


def built(stage):
    """The folder `murmur` of the package, installed below `stage`."""
    given = os.environ.get("MURMUR_BUILD")
    build = pathlib.Path(given).resolve() if given else ROOT / "build/wheel"
    if not given:
        run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            "-DMURMUR_TESTS=OFF", "-DMURMUR_MPI=OFF", "-DMURMUR_PYTHON=ON",
            f"-DPython_EXECUTABLE={sys.executable}", *shlex.split(os.environ.get("CMAKE_ARGS", "")))
        run("cmake", "--build", build, "--target", "murmur_python")
    run("cmake", "--install", build, "--component", "python", "--prefix", stage, "--strip")
    found = sorted(pathlib.Path(stage).rglob("murmur/__init__.py"))
    if not found or not list(found[0].parent.glob("_core*.so")):
        raise SystemExit(f"murmur: this build has no Python module\n  where: {build}\n"
                         "  do:    install python3-dev, python3-numpy and pybind11-dev, and build again")
    return found[0].parent


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def tag_of_wheel():
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def text_of_wheel():
    return (f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\n"
            f"Tag: {tag_of_wheel()}\n")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """pip calls this first; without it, pip would build a whole wheel to get the metadata."""
    place = f"{NAME}-{version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / place
    folder.mkdir()
    (folder / "METADATA").write_text(metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(text_of_wheel())
    return place


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"{NAME}-{version()}.dist-info"
    with tempfile.TemporaryDirectory() as stage:
        package = built(stage)
        files = {f"murmur/{path.relative_to(package).as_posix()}": path.read_bytes()
                 for path in sorted(package.rglob("*")) if path.is_file()}
    contents = subprocess.run([sys.executable, ROOT / "scripts/contents.py"], capture_output=True,
                              check=True).stdout
    files |= {f"{info}/METADATA": metadata().encode(), f"{info}/WHEEL": text_of_wheel().encode(),
              f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes(),
              f"{info}/contents.cdx.json": contents}
    rows = [f"{name},{digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join(rows + [f"{info}/RECORD,,", ""]).encode()
    place = f"{NAME}-{version()}-{tag_of_wheel()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / place, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, THEN)
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(entry, data)
    return place


def source_files():
    for name in SOURCES:
        path = ROOT / name
        paths = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        yield from (p for p in paths if not any(part in str(p) for part in LEFT_OUT))


def build_sdist(sdist_directory, config_settings=None):
    top = f"{NAME}-{version()}"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as made:
        def add(name, data, mode=0o644):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode = len(data), mode
            made.addfile(entry, io.BytesIO(data))
        for path in source_files():
            add(path.relative_to(ROOT).as_posix(), path.read_bytes(), path.stat().st_mode & 0o777)
        add("PKG-INFO", metadata().encode())
    place = pathlib.Path(sdist_directory) / f"{top}.tar.gz"
    place.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return place.name


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--sdist":
        raise SystemExit("murmur: this builds packages for pip\n  where: command line\n"
                         "  do:    pip install ., or build_backend.py --sdist FOLDER")
    print(build_sdist(sys.argv[2]))
