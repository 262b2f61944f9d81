"""Write docs/source-index.md: where in the sources each name, setting, error, kernel and file is.

python docs/source_index.py

All of it is read from the text of the sources; nothing is imported.
"""

import ast
import re
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY, KERNELS = ROOT / "dask_tapestry", ROOT / "kernels" / "dask_tapestry_kernels"
PAGE = ROOT / "docs" / "source-index.md"
HEAD = """\
# Index of the sources

`python docs/source_index.py` writes this page. Paths are those within the library,
`dask_tapestry/`, and within its kernels, `kernels/dask_tapestry_kernels/`. Look up

- a function, method or class that users call: [public names](#public-names),
  [methods of Array](#methods-and-attributes-of-array), [of other
  classes](#methods-of-other-classes);
- a [setting](#settings), a [variable of the environment](#variables-of-the-environment), a
  [number that decides](#numbers-that-decide);
- an [error](#errors), a [warning](#warnings), a [package that need not be
  there](#other-packages);
- a [kernel](#kernels), and the operator that names it; a [rule](#rules), as traces and
  [their page](rules.md) name it;
- a file: all of them follow, [those of the library](#files-of-the-library), [those of the
  kernels](#files-of-the-kernels) and [those beside them](#files-beside-them), each with the first
  sentence of its docstring. Its test has the same place in `tests/`.

[Where is what](layers.md) has the folders, and the way of a call through them.
"""
MOST_FILES = 8  # that a row lists; of more it tells the layers
LEAST_METHODS = 3  # of a class that is listed
MOST_BUILDERS = 24  # files of `arrays/` that import an operator; one of more tells nothing


@cache
def text(path):
    return path.read_text("utf-8")


@cache
def sources(root):
    """The Python files of a folder by their paths within it."""
    return {str(path.relative_to(root)): path for path in sorted(root.rglob("*.py"))}


def both():
    """The files of the library and of the kernels by their paths."""
    return sources(LIBRARY) | sources(KERNELS)


def sentence(path):
    """The first sentence of a module's docstring."""
    found = re.match(r'(?:#!.*\n)?r?"""(.*?)(?:\n\n|""")', text(path), re.DOTALL)
    return " ".join(found[1].split()) if found else ""


def cell(words):
    return words.replace("|", "\\|")


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join(lines + [f"| {' | '.join(map(cell, row))} |" for row in rows])


def code(names):
    return ", ".join(f"`{name}`" for name in names)


def places(files):
    """Files as a row lists them: or the layers that have them, where they are many."""
    if len(files) <= MOST_FILES:
        return code(sorted(files))
    layers = {name.partition("/")[0] + "/" for name in files if "/" in name}
    return f"many of {code(sorted(layers))}"


def found_in(pattern, files):
    """The files in which a pattern is, by its first group that matched."""
    found = defaultdict(set)
    for name, path in files.items():
        for match in re.finditer(pattern, text(path), re.MULTILINE):
            found[next(group for group in match.groups() if group)].add(name)
    return found


@cache
def public_names():
    """The files of `arrays/` by the public names that their ``__all__`` lists."""
    found = {}
    for name, path in sources(LIBRARY / "arrays").items():
        listed = re.search(
            r"^__all__(?:: .*)? = (\[.*?^\]|\[.*?\]$)", text(path), re.MULTILINE | re.DOTALL
        )
        if listed is None or path.name == "__init__.py":
            continue
        found[f"arrays/{name}"] = re.findall(r'"(\w+)"', listed[1])
    return found


@cache
def built_on():
    """The operators that files of `arrays/` import, but those that most of them do."""
    pattern = r"^ *from dask_tapestry\.operators\.([\w.]+) import"
    users = found_in(pattern, sources(LIBRARY / "arrays"))
    built = defaultdict(list)
    for operator, files in sorted(users.items()):
        for name in files if len(files) <= MOST_BUILDERS else ():
            built[f"arrays/{name}"].append(f"{operator.replace('.', '/')}.py")
    return built


def public_rows():
    for name, names in sorted(public_names().items()):
        if names:
            yield code(names), f"`{name}`", code(built_on()[name])


def home_of(name, chapter):
    """The file of a chapter that has a public name."""
    for file, names in public_names().items():
        if name in names and file.startswith(f"arrays/{chapter}"):
            return file
    raise LookupError(f"no file of arrays/{chapter} lists {name}")


def method_rows():
    """Methods and attributes of Array by file, of its class and of the tables that attach them."""
    homes = defaultdict(list)
    for file in ("core/array.py", "methods.py", "late_methods.py"):
        for node in ast.parse(text(LIBRARY / "arrays" / file)).body:
            named = isinstance(node, ast.Assign | ast.AnnAssign) and ast.unparse(
                node.targets[0] if isinstance(node, ast.Assign) else node.target
            )
            if isinstance(node, ast.ClassDef) and node.name == "Array":
                own = [one.name for one in node.body if isinstance(one, ast.FunctionDef)]
                homes[f"arrays/{file}"] += [n for n in own if n.endswith("__") or n[0] != "_"]
                homes[f"arrays/{file}"] += [n for n in own if n in ("_repr_html_",)]
            elif named in ("OTHERS", "PROPERTIES", "ARITHMETIC", "COMPARISON", "UNARY"):
                keys = [key.value for key in node.value.keys]
                written = named in ("OTHERS", "PROPERTIES")
                homes[f"arrays/{file}"] += keys if written else [f"__{key}__" for key in keys]
            elif named == "SAME_NAME":
                for chapter, names in ast.literal_eval(node.value).items():
                    for name in names.split():
                        homes[home_of(name, chapter)].append(name)
            elif named == "ELSEWHERE":
                for name, home in ast.literal_eval(node.value).items():
                    module, _, function = home.rpartition(".")
                    path = f"arrays/{module.replace('.', '/')}.py"
                    homes[path if path in both() else home_of(function, module)].append(name)
    for file, names in sorted(homes.items()):
        yield code(dict.fromkeys(names)), f"`{file}`"


def class_rows():
    """The other classes of `arrays/` with methods, as those of plans, random and masked arrays."""
    for name, path in sources(LIBRARY / "arrays").items():
        for node in ast.parse(text(path)).body if "\nclass " in text(path) else ():
            if isinstance(node, ast.ClassDef) and node.name.strip("_") == node.name != "Array":
                functions = [one.name for one in node.body if isinstance(one, ast.FunctionDef)]
                methods = dict.fromkeys(n for n in functions if not n.startswith("_"))
                if len(methods) >= LEAST_METHODS:
                    yield f"`{node.name}`", code(methods), f"`arrays/{name}`"


def setting_rows():
    asked = found_in(r'\b(?:setting|checked_by)\(\s*"([\w-]+)"', both())
    listed = re.findall(
        r'^    "([\w-]+)": (.*?),  # (.*)$', text(LIBRARY / "settings.py"), re.MULTILINE
    )
    for key, default, said in listed:
        files = asked[key] - {"settings.py"} or {"settings.py"}
        yield f"`{key}`", f"`{default}`", said, code(sorted(files))


def environment_rows():
    files = both()
    readers = found_in(r"environ(?:\.get\(|\[)(\"?\w+)", files)
    found = defaultdict(set)
    for name, names in readers.items():
        for file in names:
            given = re.search(rf'^{name}: Final = "(\w+)"', text(files[file]), re.MULTILINE)
            found[name.strip('"') if given is None else given[1]].add(file)
    for name, names in sorted(found.items()):
        if name.isupper():
            yield f"`{name}`", code(sorted(names))


def number_rows():
    """The constants of each layer's ``tuning.py``, by the file that their heading names."""
    for name, path in sorted(sources(LIBRARY).items()):
        if path.name != "tuning.py":
            continue
        numbers = defaultdict(list)
        for heading, constant in re.findall(
            r"^# ([\w/]+)$|^([A-Z]\w*): ", text(path), re.MULTILINE
        ):
            if heading:
                file = f"{name.removesuffix('tuning.py')}{heading}.py"
            else:
                numbers[file].append(constant)
        for file, constants in numbers.items():
            yield code(constants), f"`{file}`", f"`{name}`"


def error_rows():
    files = both()
    homes, words, bases = {}, {}, {}
    for name, path in files.items():
        for kind, said in re.findall(
            r'^class (\w+(?:Error|Warning|Exception)\([^\n]*\)):\n    """(.*?)(?:\n\n|""")',
            text(path),
            re.MULTILINE | re.DOTALL,
        ):
            kind, _, is_a = kind.partition("(")
            homes[kind], words[kind] = name, " ".join(said.split())
            bases[kind] = code(is_a.rstrip(")").split(", "))
    raisers = found_in(rf"(?<!class )\b({'|'.join(homes)})\(", files)
    for kind, home in sorted(homes.items()):
        yield f"`{kind}`", bases[kind], words[kind], f"`{home}`", places(raisers[kind] - {home})


def said_by(call, tree):
    """The text of a warning as far as the source has it: of names that it formats the names."""
    said = call.args[0]
    if isinstance(said, ast.Name):  # the last text that the name is given
        given = [
            one.value
            for one in ast.walk(tree)
            if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == said.id
        ]
        said = given[-1] if given else said
    parts = said.values if isinstance(said, ast.JoinedStr) else [said]
    words = (
        part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part)}}}"
        for part in (one.value if isinstance(one, ast.FormattedValue) else one for one in parts)
    )
    return " ".join("".join(map(str, words)).split())


def warning_rows():
    """What is warned of, with its category: each text once a file."""
    found = {}
    for name, path in both().items():
        tree = ast.parse(text(path)) if "warn(" in text(path) else None
        for call in ast.walk(tree) if tree else ():
            if isinstance(call, ast.Call) and call.args and ast.unparse(call.func).endswith("warn"):
                kinds = re.findall(r"\w+Warning", ast.unparse(call)) or ["UserWarning"]
                found[said_by(call, tree), kinds[0], name] = None
    for said, kind, name in sorted(found, key=lambda row: row[::-1]):
        yield said, f"`{kind}`", f"`{name}`"


def package_rows():
    """Packages that are imported when they are needed, or by some files alone."""
    ours = {"dask_tapestry", "dask_tapestry_kernels", "numpy", "dask", "conftest", "tests"}
    pattern = r"(?:lazy_import|import_module)\(\"(\w+)|^ *(?:from (\w+)[\w.]* import|import (\w+))"
    for name, files in sorted(found_in(pattern, both()).items()):
        if name not in ours and name not in sys.stdlib_module_names:
            yield f"`{name}`", places(files)


def kernel_homes(device):
    """The modules that have kernels of a device, by the kernels' names."""
    tree = ast.walk(ast.parse(text(KERNELS / device / "__init__.py")))
    calls = [node for node in tree if isinstance(node, ast.Call)]
    (listed,) = [call.args[1] for call in calls if ast.unparse(call.func) == "KernelTable"]
    for module, names in ast.literal_eval(listed).items():
        for name in names.split():
            yield name, f"`{device}/{module.replace('.', '/')}.py`"


def kernel_rows():
    """Kernels with the operators that name them: as their `kernel`, or else anywhere."""
    files = {f"operators/{name}": path for name, path in sources(LIBRARY / "operators").items()}
    own = found_in(r'^    kernel\b[^=\n]* = "(\w+)"', files)
    named = found_in(r'"(\w+)"', files)
    cpu, cuda = dict(kernel_homes("cpu")), dict(kernel_homes("cuda"))
    for name in sorted({*cpu, *cuda}):
        yield f"`{name}`", places(own[name] or named[name]), cpu.get(name, ""), cuda.get(name, "")


def rule_rows():
    """The rules that rewrite nodes, by file; what each does is on their own page."""
    for name, path in sources(LIBRARY / "rules").items():
        rules = re.findall(r"^@on\(.*?\)\ndef (\w+)", text(path), re.MULTILINE | re.DOTALL)
        if rules:
            yield code(rules), f"`rules/{name}`"


def file_tables(root, skipped=()):
    """A heading and a table for each folder."""
    folders = defaultdict(list)
    for name, path in sources(root).items():
        folder, _, file = name.rpartition("/")
        if file not in ("__init__.py", "tuning.py") and not name.startswith(skipped):
            folders[folder].append((f"`{file}`", sentence(path)))
    for folder, rows in sorted(folders.items()):
        package = root / folder / "__init__.py"
        says = sentence(package) if package.exists() else ""
        yield f"### `{folder or root.name}/`\n\n{says}\n\n{table(('file', 'what it is'), rows)}"


def beside_rows():
    """Scripts, what tests share, and tests that mirror no file of the sources."""
    mirrored = {
        str(Path("tests", name).with_name(f"test_{path.name}"))
        for root, folder in ((LIBRARY, ""), (KERNELS, "kernels/"))
        for name, path in ((folder + name, path) for name, path in sources(root).items())
    }
    for folder in ("benchmarks", "docs", "examples", "tests"):
        for name, path in sources(ROOT / folder).items():
            is_listed = f"{folder}/{name}" not in mirrored
            if is_listed and not path.name.startswith(("__init__", "conftest")) and sentence(path):
                yield f"`{folder}/{name}`", sentence(path)


def page_rows():
    """The pages, with what their sections are about."""
    for path in sorted((ROOT / "docs").glob("*.md")):
        prose = re.sub(r"^```.*?^```", "", text(path), flags=re.MULTILINE | re.DOTALL)
        title, *sections = re.findall(r"^##? (.+)$", prose, re.MULTILINE) or [""]
        if path != PAGE and title:
            yield f"[{title}]({path.name})", ", ".join(sections)


SECTIONS = (
    ("Public names", ("names", "file", "made of, in `operators/`"), public_rows),
    ("Methods and attributes of Array", ("names", "file"), method_rows),
    ("Methods of other classes", ("class", "methods", "file"), class_rows),
    ("Settings", ("setting", "if not given", "what it says", "read or checked by"), setting_rows),
    ("Variables of the environment", ("variable", "read by"), environment_rows),
    ("Numbers that decide", ("numbers", "used by", "stand in"), number_rows),
    ("Errors", ("error", "is a", "what it says", "class in", "raised by"), error_rows),
    ("Warnings", ("text", "category", "given by"), warning_rows),
    ("Other packages", ("package", "imported by"), package_rows),
    ("Rules", ("rules", "file"), rule_rows),
    ("Kernels", ("kernel", "operators", "CPU", "GPU"), kernel_rows),
    ("Pages", ("page", "sections"), page_rows),
)


def page():
    parts = [HEAD]
    parts += [f"## {title}\n\n{table(head, rows())}" for title, head, rows in SECTIONS]
    parts += ["## Files of the library", *file_tables(LIBRARY)]
    parts += ["## Files of the kernels", *file_tables(KERNELS)]
    parts += ["## Files beside them", table(("file", "what it is"), beside_rows())]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
