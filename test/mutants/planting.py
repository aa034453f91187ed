"""Plants mutants (deliberate bugs) into copies of the library's files.

A comment line `// mutant: NAME` in the product marks the statement after it. A table defines what a mutant does to its
statements: {name: [(file, operation), ...]}; several operations of one mutant in a file belong to its markers there in order.
An operation is a function of the statement's text; MUTANT stands for the condition "this mutant is switched on". Operations
look at tokens, so reformatting a marked statement breaks nothing.
"""
import pathlib
import re
import shutil
import sys

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|[A-Za-z_0-9]+(?:\'[0-9]+)*|::|->|<<|>>|[<>=!+*/|&-]=|&&|\|\||\+\+|--|\S')


def either(condition=None):
    """The condition of the statement (if, while, return, or the value of a declaration) also holds with the mutant."""
    return lambda text: with_condition(text, lambda held: f"({held}) || " + ("MUTANT" if condition is None else f"(MUTANT && ({condition}))"))


def unless(condition=None):
    """The condition of the statement does not hold with the mutant."""
    return lambda text: with_condition(text, lambda held: f"({held}) && " + ("!MUTANT" if condition is None else f"!(MUTANT && ({condition}))"))


def skip(condition=None):
    """The statement is not executed with the mutant."""
    return lambda text: ("if (!MUTANT) " if condition is None else f"if (!(MUTANT && ({condition}))) ") + text


def before(code):
    """Code in front of the statement."""
    return lambda text: f"{code}\n{text}"


def after(code):
    """Code behind the statement."""
    return lambda text: f"{text}\n{code}"


def instead(code):
    """Code in place of the statement."""
    return lambda text: f"if (MUTANT) {{ {code} }} else {text}"


def swap(tokens, by):
    """`tokens`, which occur once in the statement, become `by`."""
    def operation(text):
        places = [match.span() for match in TOKEN.finditer(text)]
        found = [text[a:b] for a, b in places]
        sought = TOKEN.findall(tokens)
        hits = [i for i in range(len(found)) if found[i:i + len(sought)] == sought]
        if len(hits) != 1:
            raise ValueError(f"'{tokens}' occurs {len(hits)} times in: {text.strip()}")
        return text[:places[hits[0]][0]] + by + text[places[hits[0] + len(sought) - 1][1]:]
    return operation


def both(first, second):
    """Two operations on one statement."""
    return lambda text: second(first(text))


def include(header):
    """The file also includes `header`. Needs no marker."""
    def operation(text):
        return f'#include "{header}"\n' + text
    operation.whole_file = True
    return operation


def with_condition(text, change):
    head = re.search(r"\b(?:if|while)(?: constexpr)? \(", text)
    if head:
        start, end = head.end(), closing(text, head.end() - 1)
    else:
        head = re.search(r"\breturn\s|=\s", text)
        if not head:
            raise ValueError(f"no condition in: {text.strip()}")
        start, end = head.end(), text.rindex(";")
    return text[:start] + change(text[start:end]) + text[end:]


def closing(text, opening):
    """The place of the parenthesis that closes the one at `opening`."""
    depth = 0
    for match in re.finditer(r'"(?:\\.|[^"\\])*"|[()]', text[opening:]):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return opening + match.start()
    raise ValueError(f"no closing parenthesis in: {text.strip()}")


def statement_end(lines, first):
    """The line behind the statement that begins at line `first`: it ends with ; { or } outside parentheses."""
    depth = 0
    for number in range(first, len(lines)):
        code = re.sub(r'"(?:\\.|[^"\\])*"', '""', lines[number]).split("//")[0].rstrip()
        depth += code.count("(") - code.count(")")
        if depth <= 0 and code.endswith((";", "{", "}")):
            return number + 1
    raise ValueError(f"no end of the statement: {lines[first].strip()}")


def apply(text, name, operations, condition):
    """The file's text with the operations of one mutant applied at its markers."""
    for operation in operations:
        if hasattr(operation, "whole_file"):
            text = operation(text)
    operations = [each for each in operations if not hasattr(each, "whole_file")]
    lines = text.split("\n")
    places = [n for n, line in enumerate(lines)
              if (mark := re.match(r"\s*// mutants?: (.*)$", line)) and name in mark[1].split(", ")]
    if len(places) != len(operations):
        raise ValueError(f"{len(places)} markers, but the table has {len(operations)} operations")
    for place, operation in reversed(list(zip(places, operations))):
        first = place + 1
        while lines[first].lstrip().startswith("//"):
            first += 1
        end = statement_end(lines, first)
        lines[first:end] = operation("\n".join(lines[first:end])).replace("MUTANT", condition).split("\n")
    return "\n".join(lines)


def sources_of(root, *folders):
    """All headers and sources of these folders, by their path below root."""
    return [path.relative_to(root).as_posix() for folder in folders
            for path in sorted((pathlib.Path(root) / folder).glob("*.*")) if path.suffix in (".h", ".cc")]


def rows_of(*programs):
    """The sources of these programs' rows, which instantiate the engines. A few programs are enough to find a mutant."""
    return [f"programs/{name}/program.cc" for name in programs]


def planted(root, files, mutants, condition):
    """{path: text} of the files with all mutants; condition(number) is the C++ condition of the mutant of this number."""
    texts = {path: (pathlib.Path(root) / path).read_text() for path in files}
    for number, (name, entries) in enumerate(mutants.items(), 1):
        for path in dict.fromkeys(path for path, _ in entries):
            try:
                texts[path] = apply(texts[path], name, [op for at, op in entries if at == path], condition(number))
            except (KeyError, ValueError) as error:
                sys.exit(f"{pathlib.Path(sys.argv[0]).name}: mutant '{name}' in {path}: {error}; correct its marker or its table")
    return texts


def write_changed(outputs, stamp):
    """Writes the files whose text changed, and then the stamp, which every object includes."""
    changed = not pathlib.Path(stamp).is_file()
    for path, text in outputs.items():
        if not path.is_file() or path.read_text() != text:
            changed = True
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if changed:
        pathlib.Path(stamp).write_text("#pragma once\n")


def remove_stale(out, files, outputs):
    """Copies of an earlier layout of the sources would be found first."""
    for path in (out / "headers").rglob("*.h"):
        if path not in outputs:
            path.unlink()
    for folder in {path.split("/")[0] for path in files} | {"leeway"}:
        if any((out / folder).rglob("*.h")) and not (out / folder / "stamp.h").exists():
            shutil.rmtree(out / folder)


def plant(root, out, stamp, files, mutants):
    """Copies these files to `out` with the mutants, each switched on by its number at run time."""
    out = pathlib.Path(out)
    texts = planted(root, files, mutants, lambda number: f"(::leeway::active_mutant == {number})")
    touched = {path for entries in mutants.values() for path, _ in entries}
    names = "".join(f'    "{name}",\n' for name in mutants)
    headers = out / "headers"
    outputs = {headers / "leeway/mutant.h":
               "#pragma once\n#include <array>\n#include <string_view>\nnamespace leeway {\n"
               "/// Number of the active mutant in this process, from 1; 0: none.\ninline int active_mutant = 0;\n"
               f"inline constexpr std::array<std::string_view, {len(mutants)}> kMutants = {{\n{names}}};\n"
               "}  // namespace leeway\n"}
    for path, text in texts.items():
        if path in touched:
            text = '#include "leeway/mutant.h"\n' + text
        outputs[headers / path.removeprefix("include/") if path.endswith(".h") else out / path.replace("/", "_")] = text
    remove_stale(out, files, outputs)
    write_changed(outputs, stamp)
