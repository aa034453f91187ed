"""The files of a checkout for the rules: their includes, and their code without comments."""
import os
import re
from functools import cached_property

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.M)
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)
# The folder that each public header of include/leeway belongs to.
PUBLIC_FOLDERS = {"result.h": "base", "graph.h": "datasets", "dsm.h": "dsm", "cluster.h": "runtime", "options.h": "runtime",
                  "vertex.h": "runtime", "job.h": "runtime", "pie.h": "runtime", "pie_program.h": "runtime",
                  "pie_models.h": "runtime",
                  "tick.h": "runtime", "tick_program.h": "runtime", "piece.h": "runtime", "leeway.h": "runtime",
                  "programs.h": "programs", "settings.h": "app"}
# The folder within runtime/ of those that belong to one of its engines, or to what is below all of them.
PUBLIC_ENGINES = {"cluster.h": "cluster", "options.h": "cluster", "vertex.h": "vertex", "job.h": "vertex", "pie.h": "pie",
                  "pie_program.h": "pie", "pie_models.h": "pie", "tick.h": "tick", "tick_program.h": "tick", "piece.h": "piece"}
NOT_LIBRARY = ("examples", "test", "tools", "docs")  # top-level folders that are not part of the library


def blank(match):
    """Newlines only: line numbers and braces stay right."""
    return "\n" * match[0].count("\n") + " "


class SourceFile:
    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.is_header = path.endswith(".h")
        self.is_source = path.endswith(".cc")

    @cached_property
    def code(self):
        """The text with comments and literals blanked."""
        return NOT_CODE.sub(blank, self.text)

    @cached_property
    def includes(self):
        """[(line number, name, is_quoted)]"""
        # The name of an include is a literal, so only comments may be blanked here.
        text = re.sub(r"/\*.*?\*/|//[^\n]*", blank, self.text, flags=re.S)
        return [(text.count("\n", 0, m.start(1) if m[1] else m.start(2)) + 1, m[1] or m[2], bool(m[1]))
                for m in INCLUDE.finditer(text)]


class SourceTree:
    def __init__(self, root):
        self.root = root
        self.files = {}
        top = [name for name in os.listdir(root) if not name.startswith((".", "build"))]
        paths = [name for name in top if os.path.isfile(os.path.join(root, name))]
        for folder in set(top) - set(paths):
            for parent, folders, names in os.walk(os.path.join(root, folder)):
                folders[:] = [name for name in folders if name not in ("corpus", "__pycache__")]
                paths += [os.path.relpath(os.path.join(parent, name), root) for name in names]
        for path in sorted(paths):
            with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                self.files[path] = SourceFile(path, file.read())

    @cached_property
    def code_files(self):
        return [f for f in self.files.values() if f.is_header or f.is_source]

    @cached_property
    def library_files(self):
        return [f for f in self.code_files if self.in_library(f.path)]

    @cached_property
    def meson_text(self):
        return {path: f.text for path, f in self.files.items()
                if os.path.basename(path) == "meson.build"}

    def folder_of(self, path):
        """base/log.h -> base; include/leeway/dsm.h -> dsm"""
        if path.startswith("include/"):
            return PUBLIC_FOLDERS.get(os.path.basename(path), "include")
        return path.split("/")[0]

    def engine_of(self, path):
        """runtime/pie/engine.h, include/leeway/pie.h -> pie; None: not part of an engine"""
        if path.startswith("include/"):
            return PUBLIC_ENGINES.get(os.path.basename(path))
        parts = path.split("/")
        return parts[1] if parts[0] == "runtime" and len(parts) > 2 else None

    def in_library(self, path):
        """Whether the file is in a library folder, not in a test, a tool or a document."""
        return "/" in path and self.folder_of(path) not in NOT_LIBRARY

    def path_of(self, name):
        """The path of the header that an include names: base/log.h -> base/log.h, leeway/dsm.h -> include/leeway/dsm.h"""
        return f"include/{name}" if name.startswith("leeway/") else name

    def closure(self, path):
        """Every file of the project that `path` includes, however indirectly: path -> the includer."""
        reached, todo = {}, [path]
        while todo:
            current = todo.pop()
            for _, include, _ in self.files[current].includes:
                name = self.path_of(include)
                if name in self.files and name not in reached and name != path:
                    reached[name] = current
                    todo.append(name)
        return reached
