"""The rules of the project. Each takes a SourceTree and gives a list of complaints, "file:line: what"."""
import os
import re
from fnmatch import fnmatch

# Allowed includes between folders; a folder may always include itself.
FLOORS = {
    "base": set(),
    "protocol": {"base"},
    "transport": {"base"},
    "datasets": {"base"},
    "snapshot": {"base"},
    "dsm": {"protocol", "transport", "base"},
    "runtime": {"dsm", "protocol", "snapshot", "transport", "datasets", "base"},
    "programs": {"runtime", "snapshot", "datasets", "base"},
    "benchmarks": {"app", "programs", "runtime", "snapshot", "dsm", "protocol", "transport", "datasets", "base"},
    "app": {"programs", "runtime", "snapshot", "dsm", "protocol", "transport", "datasets", "base"},
    "cli": {"app", "programs", "runtime", "snapshot", "dsm", "protocol", "transport", "datasets", "base"},
    "python": {"cli", "app", "programs", "runtime", "snapshot", "dsm", "protocol", "transport", "datasets", "base"},
}

# The same within runtime/, with the public headers that belong to it.
ENGINE_FLOORS = {"cluster": set(), "graph": {"cluster"}, "vertex": {"cluster", "graph"}, "pie": {"cluster", "graph"},
                 "tick": {"cluster", "graph"}, "piece": {"cluster", "graph"}}

# Folders below all engines: no public header is part of them, so they include none.
BELOW_THE_INTERFACE = {"base", "protocol", "transport", "datasets", "snapshot", "dsm"}

# The only include between folders of one level: `leeway replay` runs the replays in the benchmarks folder.
SIDEWAYS = {"cli": "benchmarks/replay/"}

# The only place of each third-party header: header pattern -> files that may include it. In the library one file
# includes it, so replacing a third-party library touches one file.
HOMES = {
    "mpi.h": "transport/mpi*.cc",
    "rdma/*": "transport/ofi*.cc",
    "openssl/*": "transport/secret.cc",
    "boost/context/*": "transport/fiber*.cc",
    "metis.h": "datasets/partition_metis.cc",
    "zstd.h": "datasets/byte_stream.cc",
    "lzma.h": "datasets/byte_stream.cc",
    "zlib.h": "datasets/byte_stream.cc",
    "pugixml.hpp": "datasets/*graphml*.cc",
    "fast_float/*": "datasets/parse.cc",
    "xxhash.h": "*/*.cc",
    "spdlog/*": "base/log.cc",
    "fmt/*": "base/format.h",
    "tl/expected.hpp": "base/result.h",
    "tbb/*": "runtime/cluster/task_pool.cc",
    "oneapi/*": "runtime/cluster/task_pool.cc",
    "nlohmann/*": "cli/compare.cc",
    "CLI/*": "cli/*",
    "pybind11/*": "python/core/bindings.h",
    "toml++/*": "cli/*",
    "absl/*": "benchmarks/hit_bench.cc",
    "benchmark/*": "benchmarks/*",
    "catch2/*": "test/*",
    "rapidcheck*": "test/*",
    "GraphBLAS.h": "benchmarks/peers/graphblas*",
    "igraph.h": "benchmarks/peers/igraph*",
}
MANY_MAY = {"benchmark/*", "catch2/*", "rapidcheck*"}
# Hand-written competitors for benchmarks.
RIVALS = {"benchmarks/transport_bench.cc"}

STANDARD = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
climits clocale cmath compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef
cstdint cstdio cstdlib cstring ctime cwchar deque exception filesystem format forward_list fstream
functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale
map memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex
scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token
streambuf string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo
unordered_map unordered_set utility valarray variant vector version""".split())
SYSTEM = ["sys/*", "arpa/*", "netinet/*", "linux/*", "unistd.h", "fcntl.h", "signal.h", "poll.h", "pthread.h",
          "sched.h", "dlfcn.h", "ifaddrs.h", "net/*", "time.h", "errno.h", "netdb.h", "dirent.h", "termios.h", "immintrin.h",
          "cxxabi.h", "execinfo.h", "pwd.h", "malloc.h", "stdio.h", "stdlib.h", "string.h", "spawn.h", "glob.h",
          "sanitizer/*", "link.h", "ucontext.h", "cpuid.h", "emmintrin.h", "x86intrin.h"]

# The protocol is sans-IO: time and identity are inputs, so it must include none of these, even indirectly.
IMPURE_STANDARD = {
    "chrono", "ctime", "random", "thread", "mutex", "shared_mutex", "atomic", "condition_variable", "future",
    "stop_token", "semaphore", "latch", "barrier", "iostream", "fstream", "filesystem", "syncstream",
    "csignal", "time.h", "pthread.h", "unistd.h", "signal.h", "poll.h", "sched.h"}
IMPURE_OURS = {f"base/{name}.h" for name in ("clock", "log", "random", "parallel")}

PROMISES = re.compile(r"\b(TODO|FIXME|XXX|HACK|TBD|[Uu]nimplemented|[Nn]ot (?:yet )?implemented|[Ss]tub(?:s|bed)?|"
                      r"[Cc]oming soon)\b")
# Words that readers of this code did not understand, and what to write instead.
UNCLEAR = {
    "nobody|somebody|everybody|anybody": "name the actor",
    "tell|tells|told": "send, report or notify", "said": "given or stated", "heed|heeds|heeded": "apply or use",
    "foretell|foretells|foretold": "predict", "lend|lends|lent": "borrowed", "mend|mends|mended": "fix",
    "dealt": "distributed or assigned", "beside": "next to, or compared with", "anew": "again", "afar": "remote",
    "dearer|dearest": "more expensive", "lest|naught|whence": "use a common word"}
UNCLEAR_WORD = re.compile(r"\b(?:" + "|".join(f"({words})" for words in UNCLEAR) + r")\b", re.IGNORECASE)
PROSE = (".cc", ".h", ".py", ".md", ".sh", ".js", ".build")
MAX_FILE_LINES = 900
MAX_FUNCTION_LINES = 70


def floors(tree):
    """Includes follow the table, and name the header from the top of the checkout."""
    for file in tree.library_files:
        here = tree.folder_of(file.path)
        if here not in FLOORS:
            yield f"{file.path}:1: folder '{here}' is not in FLOORS (test/tidy/rules.py)"
            continue
        for line, name, quoted in file.includes:
            there = tree.folder_of(tree.path_of(name)) if quoted else None
            if quoted and there not in FLOORS:
                yield f"{file.path}:{line}: includes \"{name}\"; name it as \"folder/file.h\", a public header as \"leeway/file.h\""
            elif here in SIDEWAYS and name.startswith(SIDEWAYS[here]):
                continue
            elif there and there != here and there not in FLOORS[here]:
                yield f"{file.path}:{line}: {here} may not include {there} (\"{name}\")"


def engines_stand_side_by_side(tree):
    """Within runtime/, engines include what is below them and not each other. Lower folders include no public header."""
    for file in tree.library_files:
        here = tree.engine_of(file.path)
        if here and here not in ENGINE_FLOORS:
            yield f"{file.path}:1: folder 'runtime/{here}' is not in ENGINE_FLOORS (test/tidy/rules.py)"
            continue
        for line, name, quoted in file.includes:
            there = tree.engine_of(tree.path_of(name)) if quoted else None
            if here and there and there != here and there not in ENGINE_FLOORS[here]:
                yield f"{file.path}:{line}: runtime/{here} may not include runtime/{there} (\"{name}\")"
            elif file.path.split("/")[0] in BELOW_THE_INTERFACE and name.startswith("leeway/"):
                yield f"{file.path}:{line}: includes the public header \"{name}\"; include the header of the folder that it names"


def homes(tree):
    """A third-party header is included in its designated file only."""
    residents = {}
    for file in tree.code_files:
        for line, name, quoted in file.includes:
            if quoted or name in STANDARD or any(fnmatch(name, pattern) for pattern in SYSTEM):
                continue
            pattern = next((p for p in HOMES if fnmatch(name, p)), None)
            if pattern is None:
                yield f"{file.path}:{line}: <{name}> has no home; give it one in test/tidy/rules.py"
                continue
            in_library = tree.in_library(file.path) and file.path not in RIVALS
            # Tests may include third-party headers directly, except those that start jobs.
            if in_library and not fnmatch(file.path, HOMES[pattern]):
                yield f"{file.path}:{line}: <{name}> belongs in {HOMES[pattern]} only"
            elif in_library and pattern not in MANY_MAY:
                residents.setdefault(pattern, {}).setdefault(file.path, line)
    for pattern, files in residents.items():
        for path, line in sorted(files.items())[1:]:
            yield f"{path}:{line}: <{pattern}> already lives in {min(files)}"


def protocol_is_pure(tree):
    """protocol/ uses no clock, log, random number or thread, not even indirectly."""
    for file in tree.library_files:
        if tree.folder_of(file.path) != "protocol":
            continue
        for path, via in {file.path: None, **tree.closure(file.path)}.items():
            through = f" through {path}" if via else ""
            if path in IMPURE_OURS:
                yield f"{file.path}:1: the protocol may not reach \"{path}\" (included by {via})"
            else:
                for line, name, quoted in tree.files[path].includes:
                    if not quoted and name in IMPURE_STANDARD:
                        yield f"{file.path}:{line if not via else 1}: the protocol may not use <{name}>{through}"


# Names that an oracle in programs/reference may use from a scene: types, but no behaviour.
SCENE_TYPES = {"Fish", "FishModel", "Heading", "Forager", "Food", "FoodModel", "Pond", "Body", "NBodyModel", "Trap", "Plate"}


def oracles_share_no_law(tree):
    """The oracles in programs/reference call nothing of programs/scene, whose functions the engines run."""
    for file in tree.library_files:
        if not fnmatch(file.path, "programs/reference/*"):
            continue
        for number, line in enumerate(file.text.splitlines(), 1):
            for name in re.findall(r"\bscene::(\w+)", line):
                if name not in SCENE_TYPES:
                    yield f"{file.path}:{number}: an oracle may not share scene::{name} with what it judges"


def every_file_is_used(tree):
    """A source is built, a header is included by a file other than its own source, a tool is called."""
    includers = {}
    for file in tree.code_files:
        for _, name, _ in file.includes:
            sibling = f"{os.path.dirname(file.path)}/{name}"  # an example includes headers of its folder by name
            includers.setdefault(sibling if sibling in tree.files else tree.path_of(name), set()).add(file.path)
    for file in tree.code_files:
        if file.is_source:
            folder, name = os.path.split(file.path)
            # A user's project in the examples has a separate build description.
            own = [tree.files[f"{folder}/{b}"].text for b in ("Makefile", "CMakeLists.txt")
                   if f"{folder}/{b}" in tree.files]
            if not any(name in text for text in own) and not any(names_source(text, os.path.relpath(file.path, os.path.dirname(build) or "."))
                       for build, text in tree.meson_text.items()
                       if (folder + "/").startswith(os.path.dirname(build))):
                yield f"{file.path}:1: no meson.build builds it"
        else:
            users = includers.get(file.path, set()) - {file.path[:-2] + ".cc"}
            # A precompiled header is listed where a library is described, by a relative path.
            precompiled = any(f"{file.path}'" in text or names_source(text, os.path.relpath(file.path, os.path.dirname(build)))
                              for build, text in tree.meson_text.items())
            if not users and not precompiled:
                yield f"{file.path}:1: no other file includes it"
    everything = {path: f.text for path, f in tree.files.items()}
    for path in tree.files:
        if path.startswith("tools/"):
            name = os.path.basename(path)
            called = (name, f"import {os.path.splitext(name)[0]}")
            if not any(word in text for other, text in everything.items() if other != path for word in called):
                yield f"{path}:1: nothing calls it"


def names_source(meson, path):
    """Whether a meson.build names the file, or its stem in a table that appends the suffix."""
    stem = os.path.splitext(path)[0]
    return f"'{path}'" in meson or (re.search(r"\+ '(_test)?\.(cc|h)'", meson) is not None and
                                    (f"'{stem}'" in meson or f"'{stem.removesuffix('_test')}'" in meson))


MAX_PUBLIC_HEADERS = 16


def public_headers_are_what_users_see(tree):
    """include/leeway has few headers, and documents and users' programs include no others."""
    public = [path for path in tree.files if path.startswith("include/")]
    if len(public) > MAX_PUBLIC_HEADERS:
        yield f"include/leeway:1: {len(public)} public headers; at most {MAX_PUBLIC_HEADERS}"
    for path in public:
        if tree.folder_of(path) not in FLOORS:
            yield f"{path}:1: a public header needs its folder in PUBLIC_FOLDERS (test/tidy/source_tree.py)"
    for file in tree.files.values():
        if not any(fnmatch(file.path, pattern) for pattern in ("docs/*.md", "examples/*", "test/consumers/*")):
            continue
        for name in re.findall(r'#include "([^"]*/[^"]+)"', file.text):
            if tree.path_of(name) not in public:
                yield f"{file.path}:1: includes {name}, which is not a public header"


# Type names that an interface prescribes for members of several types, such as a program's Value.
MEMBER_TYPES = {"Value", "Partial", "Result", "Selection", "Iterator", "Scratch"}
TYPE = re.compile(r"^ *(?:template\s*<[^;{]*?>\s*)?(?:class|struct|enum class|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)\s*(?:final)?\s*"
                  r"(?::(?!:)[^;{=]*)?\{", re.M)


def a_type_name_occurs_once(tree):
    """No two types have one name, whatever their namespaces."""
    first = {}
    for file in tree.library_files:
        for match in TYPE.finditer(file.code):
            name, place = match[1], f"{file.path}:{file.code.count(chr(10), 0, match.start(1)) + 1}"
            if name in first and name not in MEMBER_TYPES:
                yield f"{place}: the type name {name} is used at {first[name]}"
            first.setdefault(name, place)


def marked_mutants_exist(tree):
    """A marker `// mutant: NAME` names a mutant of a table in test/."""
    tables = "".join(file.text for file in tree.files.values() if re.fullmatch(r"test/\w+/\w*mutants\.py", file.path))
    for file in tree.library_files:
        for number, line in enumerate(file.text.splitlines(), 1):
            mark = re.match(r"\s*// mutants?: (.*)$", line)
            for name in mark[1].split(", ") if mark else []:
                if f'"{name}"' not in tables:
                    yield f"{file.path}:{number}: no table in test/ has the mutant {name}"


def sizes(tree):
    """Limits for the length of files and functions."""
    for file in tree.code_files:
        lines = file.text.count("\n")
        if lines > MAX_FILE_LINES:
            yield f"{file.path}:{lines}: {lines} lines; split it above {MAX_FILE_LINES}"
        for line, length in functions(file.code):
            if length > MAX_FUNCTION_LINES:
                yield f"{file.path}:{line}: a function of {length} lines; at most {MAX_FUNCTION_LINES}"


def functions(code):
    """[(first line, number of lines)] of the outermost function bodies, found by their braces."""
    found, stack, head = [], [], 0
    code = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m[0].count("\n"), code, flags=re.M)
    for match in re.finditer(r"[{};]", code):
        if match[0] == "{":
            before = code[head:match.start()]
            scope = re.search(r"\b(namespace|class|struct|enum|union|extern)\b", before.split("(")[0])
            inside = any(kind == "function" for kind, _ in stack)
            is_function = not inside and not scope and ")" in before
            stack.append(("function" if is_function else "scope", match.start()))
        elif match[0] == "}" and stack:
            kind, start = stack.pop()
            if kind == "function":
                first = code.count("\n", 0, start) + 1
                found.append((first, code.count("\n", start, match.start()) + 1))
        head = match.end()
    return found


READER = re.compile(r"\bByteReader&?\s+(\w+)")
OWN_READER = re.compile(r"\bByteReader (\w+)\(out\.span\(\)\)")  # reads bytes that the function has written
CHECK = re.compile(r"\bLEEWAY_CHECK\(")
CHECKED_FOLDERS = ("dsm/", "protocol/", "runtime/", "transport/")


def a_peer_s_value_is_judged(tree):
    """No LEEWAY_CHECK on what was read from bytes of a peer: a wrong value is the peer's fault, not a bug of this process."""
    for file in tree.library_files:
        if not file.path.startswith(CHECKED_FOLDERS):
            continue
        lines = file.code.splitlines()
        for first, length in functions(file.code):
            # The parameters are in the lines before the brace, up to the end of the statement before.
            start = first - 1
            while start > 0 and not re.search(r"[;}{]\s*$", lines[start - 1]):
                start -= 1
            body = "\n".join(lines[start:first - 1 + length])
            readers = set(READER.findall(body)) - set(OWN_READER.findall(body))
            if not readers:
                continue
            read = re.compile(r"\b(?:%s)(?:\.\w+\(|\b\s*[,)])" % "|".join(sorted(readers)))
            from_wire = set(readers)
            for statement in re.split(r"[;{}]", body):
                given = re.search(r"(\w+)\s*=(?!=)(.*)", statement, re.S) or re.match(r"\s*[\w:<> ]+&? (\w+)\((.*)", statement, re.S)
                if given and read.search(given[2]):
                    from_wire.add(given[1])
            for check in CHECK.finditer(body):
                depth, end = 1, check.end()
                while depth and end < len(body):
                    depth += {"(": 1, ")": -1}.get(body[end], 0)
                    end += 1
                words = set(re.findall(r"\w+", body[check.end():end]))
                if words & from_wire:
                    line = start + body.count("\n", 0, check.start()) + 1
                    yield f"{file.path}:{line}: LEEWAY_CHECK on a value from a peer ({', '.join(sorted(words & from_wire))}); refuse the peer"


def scratch_is_its_users(tree):
    """Programs and examples use no thread_local variables, because virtual nodes share a thread."""
    for file in tree.code_files:
        if not file.path.startswith(("programs/", "examples/", "test/consumers/")):
            continue
        for number, line in enumerate(file.code.splitlines(), 1):
            if re.search(r"\bthread_local\b", line):
                yield (f"{file.path}:{number}: thread_local: nodes of the virtual cluster share a thread, and one that waits "
                       "for a read gives it to another; take a Scratch (base/array.h)")


def no_promises(tree):
    """No file promises future work or contains a path of one machine."""
    for file in tree.files.values():
        if file.path.startswith("test/tidy/") or file.path == "LICENSE":
            continue
        for number, line in enumerate(file.text.splitlines(), 1):
            if match := PROMISES.search(line):
                yield f"{file.path}:{number}: promises work ('{match[0]}'); do it or leave it out"
            if re.search(r"(?<![\w.])/(work|tmp/lw|home/\w+)/", line):
                yield f"{file.path}:{number}: names a path of one machine"


def words_are_clear(tree):
    """Comments, messages, names and documents do without the words of UNCLEAR."""
    for file in tree.files.values():
        if file.path.startswith("test/tidy/") or not file.path.endswith(PROSE):
            continue
        for number, line in enumerate(file.text.splitlines(), 1):
            if match := UNCLEAR_WORD.search(line):
                instead = list(UNCLEAR.values())[match.lastindex - 1]
                yield f"{file.path}:{number}: '{match[0]}' is unclear: {instead}"


LOCAL_BEGINS = re.compile(r"namespace \{$")
LOCAL_ENDS = re.compile(r"\}  // namespace$")
LOCAL_NAME = re.compile(r"(?:template <[^>]*>\s*)?(?:struct|class|enum class|enum) (\w+)|using (\w+) =|"
                        r"(?:inline |static )*(?:constexpr|const|constinit)\b[^(]*?\b(k[A-Z]\w*)(?: =|\{|;|\[)")


def local_names_differ(tree):
    """Types and constants in the unnamed namespaces of one folder have different names: ./dev demo compiles several
    source files as one."""
    first = {}
    for file in tree.library_files:
        if not file.path.endswith(".cc") or "int main(" in file.code:
            continue
        top = file.path.split("/")[0]
        folder = top if top in ("runtime", "programs") else file.path.rsplit("/", 1)[0]
        local = False
        for number, line in enumerate(file.code.splitlines(), 1):
            if LOCAL_BEGINS.match(line) or LOCAL_ENDS.match(line):
                local = bool(LOCAL_BEGINS.match(line))
            elif local and (match := LOCAL_NAME.match(line)):
                name = next(filter(None, match.groups()))
                at = first.setdefault((folder, name), file.path)
                if at != file.path:
                    yield f"{file.path}:{number}: the unnamed namespace of {at} has a {name} too"


# Names of programs that are also other words, and the files in which they are: a flag, an order of work, a round of votes, a
# compiler.
ALSO_WORDS = {("app/settings.cc", "fish"), ("app/engine_reports.cc", "hits"), ("app/settings.cc", "degree"), ("runtime/vertex/vertex_job.cc", "degree"),
              ("protocol/collective.cc", "wave"), ("python/leeway/vertex_program.py", "cc")}


def programs_are_named_in_their_folders(tree):
    """No program's name is a string outside programs/ and the studies: what depends on the program is a fact of its row."""
    names = {match[1] for file in tree.library_files if re.fullmatch(r"programs/\w+/program\.cc", file.path)
             for match in re.finditer(r'\.name = "([^"]+)"', file.text)}
    for file in tree.files.values():
        top = file.path.split("/")[0]
        product = (file.path.endswith((".cc", ".h")) and tree.in_library(file.path)) or (top == "python" and file.path.endswith(".py"))
        if not product or top in ("programs", "benchmarks") or file.path.startswith("python/test"):
            continue
        for number, line in enumerate(file.text.splitlines(), 1):
            for literal in re.findall(r'"([^"\\]+)"', line.split("//")[0]):
                if literal in names and (file.path, literal) not in ALSO_WORDS:
                    yield f'{file.path}:{number}: names the program "{literal}"; state the fact in its row (programs/catalog/program.h)'


# Words of type names that have one meaning (docs/glossary.md), and the files in which types have them.
ONE_MEANING = {
    "Part": ["datasets/*", "snapshot/*", "runtime/graph/*", "runtime/tick/vertex_state.h", "app/parts_run.cc", "cli/peak_plan.cc",
             "programs/pagerank/tick.h"],
    "Piece": ["include/leeway/*", "runtime/piece/*", "runtime/vertex/piece*", "programs/*"],
    "Worker": ["runtime/pie/*", "runtime/piece/*", "runtime/cluster/schedule.h", "include/leeway/*"],
    "Level": ["runtime/tick/*", "include/leeway/tick_program.h", "base/log.*"],
    "Stretch": [],
}


def words_have_one_meaning(tree):
    """A word of ONE_MEANING occurs in the names of types of its own subject only."""
    for file in tree.library_files:
        for match in TYPE.finditer(file.code):
            for word, places in ONE_MEANING.items():
                if not re.search(word + r"s?(?![a-z])", match[1]) or any(fnmatch(file.path, place) for place in places):
                    continue
                line = file.code.count("\n", 0, match.start(1)) + 1
                yield f"{file.path}:{line}: {match[1]}: '{word.lower()}' has another meaning (docs/glossary.md); take another word"


RULES = [floors, engines_stand_side_by_side, a_peer_s_value_is_judged, homes, protocol_is_pure, oracles_share_no_law, every_file_is_used,
         public_headers_are_what_users_see, a_type_name_occurs_once, marked_mutants_exist, sizes, scratch_is_its_users, no_promises,
         words_are_clear, words_have_one_meaning, local_names_differ, programs_are_named_in_their_folders]
