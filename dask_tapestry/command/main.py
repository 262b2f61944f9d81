"""The main program of ``dask-tapestry``: its arguments, and which file has which subcommand.

Exit codes are those of `CODES`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from dask_tapestry.imports import lazy_import

COMMANDS: Final = {
    "plan": "plan what a script would compute and write, without running it",
    "run": "run a script, and go on where it was killed",
    "compile": "compile the kernels of a script's jobs ahead of its workers",
    "check": "look at a cluster for what would make a long job slow, wrong or lost",
    "calibrate": "measure how fast this machine, or a cluster, is",
    "explain": "print a plan that was saved",
}
SCRIPTED: Final = ("plan", "run", "compile")  # that hand arguments on to a script
CODES: Final = """exit codes:
  0  done
  1  trouble: the script failed, a plan does not fit, the cluster has problems
  2  wrong arguments: no such script, file or cluster
  3  plan: the script needs a value, so that what follows is not known (the line is printed)
"""


class UsageError(Exception):
    """What a user has asked for is not there: told in one line, exit code 2."""


class CommandError(Exception):
    """What was asked for fails: told in one line, exit code 1."""


def parser_of(command: str | None = None) -> argparse.ArgumentParser:
    """The parser, with the options of one subcommand; of all where none is named."""
    parser = argparse.ArgumentParser(
        prog="dask-tapestry",
        description="Distributed arrays that choose their own chunks: plan, run and check jobs.",
        epilog=CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, text in COMMANDS.items():
        subparser = commands.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name == command:
            _module(name).add_arguments(subparser)
    return parser


def _module(name: str) -> ModuleType:
    return lazy_import(f"dask_tapestry.command.{name}_command")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say, and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    command = next((a for a in words if a in COMMANDS), None)
    parser = parser_of(command)
    own, script_arguments = words, list[str]()
    if command in SCRIPTED and "--" in words:
        cut = words.index("--")
        own, script_arguments = words[:cut], words[cut + 1 :]
    options, unknown = parser.parse_known_args(own)
    if options.version:
        print(lazy_import("dask_tapestry").__version__)
        return 0
    if options.command is None:
        parser.print_help()
        return 2
    if command in SCRIPTED:
        options.arguments = [*unknown, *script_arguments]
    elif unknown:
        parser.error(f"{options.command} does not know {' '.join(unknown)}")
    try:
        return int(_module(options.command).main(options))
    except UsageError as error:
        print(f"dask-tapestry {options.command}: {error}", file=sys.stderr)
        return 2
    except CommandError as error:
        print(f"dask-tapestry {options.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
