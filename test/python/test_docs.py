"""Runs the Python code blocks of the documents in order."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"
EXAMPLES = DOCS.parent / "examples"


@pytest.mark.parametrize("page, least", [("python.md", 8), ("tutorial-mpi.md", 1), ("tutorial-networkx.md", 3)])
def test_the_page_s_code_runs(page, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) >= least
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_the_notebook_s_cells_run_and_have_output():
    notebook = json.loads((DOCS / "notebook.ipynb").read_text(encoding="utf-8"))
    names = {}
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        *lines, last = "".join(cell["source"]).splitlines()
        exec("\n".join(lines), names)
        shown.append(eval(last, names))
    assert len(shown) == 5 and all(value is not None for value in shown)
    assert "<svg" in shown[1]._repr_html_()


@pytest.mark.parametrize("launcher, name, words", [
    ([], "memory.py", "degrees on average"), ([], "programs.py", "strict consistency takes longer: True"),
    (["mpiexec.mpich", "-n", "2"], "memory.py", "degrees on average"),
], ids=str)
def test_examples_run_as_they_are(launcher, name, words):
    done = subprocess.run([*launcher, sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.count(words) == 1, done.stdout + done.stderr
