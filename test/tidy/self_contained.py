"""Each header compiles alone.

The build proves it of a header that stands first in its own source. The others are compiled here, and what
passed is remembered by content, so a second run costs nothing.
"""
import hashlib
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor


def key(tree, compiler, path):
    digest = hashlib.sha256(" ".join(compiler).encode())
    for name in sorted({path, *tree.closure(path)}):
        digest.update(name.encode() + b"\0" + tree.files[name].text.encode())
    return digest.hexdigest()


def python_flags():
    """Flags for headers of the Python binding: Python's include path, and hidden visibility as in the product."""
    python = subprocess.run(["/usr/bin/python3", "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                          capture_output=True, text=True)
    return ["-I", python.stdout.strip(), "-fvisibility=hidden"] if python.returncode == 0 else []


def compile_alone(root, compiler, cache, path):
    bound = python_flags() if path.startswith("python/") else []
    source = os.path.join(cache, path.replace("/", "-") + ".cc")
    with open(source, "w", encoding="utf-8") as file:
        # Included twice, so that a missing guard is an error.
        file.write(f'#include "{path}"\n#include "{path}"\n')
    # Compiled to an object file, because ccache caches that for every checkout.
    command = [*compiler, *bound, "-std=c++20", "-O0", "-g0", "-Wall", "-Wextra", "-Werror", "-Wno-pragma-once-outside-header",
               "-Iinclude", "-I.", "-c", os.path.relpath(source, root), "-o", os.path.relpath(source[:-3] + ".o", root)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=root)
    if done.returncode == 0:
        os.remove(source[:-3] + ".o")
        return None
    first = next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr.strip())
    return f"{path}:1: does not compile alone: {first}"


def proven_by_the_build(tree, path):
    """Whether the header has a guard and is the first include of its source file."""
    source = tree.files.get(path[:-2] + ".cc")
    first = source.includes[0] if source and source.includes else None
    return bool(first) and tree.path_of(first[1]) == path and "#pragma once" in tree.files[path].text


def self_contained(tree, compiler, cache):
    """Complaints about headers that need an earlier include."""
    os.makedirs(cache, exist_ok=True)
    headers = [f.path for f in tree.code_files if f.is_header and not proven_by_the_build(tree, f.path)]
    marks = {path: os.path.join(cache, key(tree, compiler, path)) for path in headers}
    fresh = [path for path in headers if not os.path.exists(marks[path])]
    with ThreadPoolExecutor(max_workers=max(os.cpu_count() or 1, 1)) as pool:
        for path, complaint in zip(fresh, pool.map(lambda p: compile_alone(tree.root, compiler, cache, p), fresh)):
            if complaint:
                yield complaint
            else:
                open(marks[path], "w").close()
