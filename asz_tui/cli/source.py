"""Where the storage root is: the argument, `$ASZ_ROOT`, or `storage.root` of `./asz.yaml`, in this order (tui.md, Start)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .parser import UsageError

if TYPE_CHECKING:
    from asz_core.root import Root

CONFIG = "asz.yaml"
_CONFIG_LIMIT = 1 << 20


class NoSource(UsageError):
    """No root was named anywhere."""

    def __init__(self) -> None:
        super().__init__(f"no storage root: give --root DIR, set $ASZ_ROOT, or put storage.root into ./{CONFIG}")


def root_path(option: str | None) -> str:
    """The path of the root.

    Args:
        option: the value of `--root`, or None.

    Raises:
        NoSource: when nothing names one.
        UsageError: when asz.yaml does not read.
    """
    if option is not None:
        return os.path.expanduser(option)
    found = os.environ.get("ASZ_ROOT") or _from_config()
    if not found:
        raise NoSource
    return os.path.expanduser(found)


def open_root(option: str | None) -> Root:
    """The root, open.

    Raises:
        NoSource, UsageError: as `root_path`.
        RootError: when it is no directory that can be read.
    """
    from asz_core.root import Root

    return Root(root_path(option))


def _from_config() -> str:
    """`storage.root` of ./asz.yaml; empty when there is no such file or no such key."""
    try:
        with open(CONFIG, "rb") as file:
            text = file.read(_CONFIG_LIMIT).decode("utf-8-sig", "replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise UsageError(f"./{CONFIG} cannot be read: {error.strerror or error}") from None
    storage = _loaded(text).get("storage")
    root = storage.get("root") if isinstance(storage, dict) else None
    if root is None:
        return ""
    if not isinstance(root, str):
        raise UsageError(f"storage.root in ./{CONFIG} is no text")
    return _with_environment(root)


def _loaded(text: str) -> dict[str, Any]:
    # Only who keeps an asz.yaml here pays for importing a YAML reader.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        value = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" line {mark.line + 1}" if mark is not None else ""
        raise UsageError(f"./{CONFIG}{where} does not read as YAML") from None
    return value if isinstance(value, dict) else {}


def _with_environment(text: str) -> str:
    """The text with `${NAME}` and `${NAME:default}` replaced, as configuration files of this family write them."""
    if "${" not in text:
        return text
    import re

    return re.sub(r"\$\{(\w+)(?::([^}]*))?\}", lambda match: os.environ.get(match[1]) or match[2] or "", text)
