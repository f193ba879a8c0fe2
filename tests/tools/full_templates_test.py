#!/usr/bin/env python3
"""Every real chat template and 20,000 generated programs: puna renders what jinja2 renders, or both refuse. Long."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "puna/test-templates"


def build_driver(folder):
    """The driver, linked with the libraries that lie beside the program."""
    build = pathlib.Path(os.environ["PUNA"]).parent
    driver = os.path.join(folder, "render_templates")
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++23", "-O1", "-DFMT_HEADER_ONLY", f"-I{ROOT / 'src'}",
                    ROOT / "tests/text/driver/render_templates.cpp", build / "libpuna_text.a", build / "libpuna_base.a", "-lutf8proc",
                    "-lpcre2-8", "-lboost_json", "-lboost_container", "-lpthread", "-o", driver], check=True)
    return driver


def main():
    if importlib.util.find_spec("transformers") is None or importlib.util.find_spec("jinja2") is None:
        print("skipped: needs transformers and jinja2")
        return SKIPPED
    fetched = subprocess.run([sys.executable, ROOT / "tools/fetch_templates.py", CACHE])
    if fetched.returncode != 0:
        print("skipped: the templates could not be fetched")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        driver = build_driver(folder)
        return subprocess.run([sys.executable, "-W", "ignore", ROOT / "tools/check_templates.py", driver, "--templates", CACHE, "--programs",
                               "20000", "--seed", "7"]).returncode


if __name__ == "__main__":
    sys.exit(main())
