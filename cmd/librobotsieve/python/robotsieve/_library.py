"""The shared library, with the types of robotsieve.h, loaded on first use."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from ctypes import c_char_p, c_int64, c_size_t, c_void_p
from typing import Any, List, Optional

_handle, _text = c_int64, (c_char_p, c_size_t)
SIGNATURES = {
    "robotsieve_compile": (*_text, *_text, c_int64),
    "robotsieve_open": (*_text, *_text),
    "robotsieve_free": (_handle,),
    "robotsieve_match": (_handle, *_text, *_text, c_int64),
    "robotsieve_match_many": (_handle, *_text, c_void_p, c_size_t, c_void_p, c_size_t, c_size_t, c_int64)
    + (c_void_p, c_void_p, c_void_p),
    "robotsieve_match_agents": (_handle, *_text, c_size_t, c_void_p, c_size_t, c_void_p, c_size_t, c_size_t, c_int64)
    + (c_void_p,),
    "robotsieve_crawl_delay": (_handle, *_text),
    "robotsieve_sitemaps": (_handle, *_text),
    "robotsieve_fields": (_handle, *_text, *_text, *_text),
    "robotsieve_reason": (c_int64, *_text),
    "robotsieve_version": _text,
    "robotsieve_error": _text,
}
_FILE = {"darwin": "librobotsieve.dylib", "win32": "robotsieve.dll"}.get(sys.platform, "librobotsieve.so")
# What the reasons of the library mean: allowed, disallowed for three reasons, else not known.
MEANS: List[Optional[bool]] = [True, False, False, False] + [None] * 252

lib: Any = None
_loading = threading.Lock()


def loaded() -> Any:
    """Returns the library."""
    global lib
    with _loading:
        if lib is None:
            library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), _FILE))
            for name, arguments in SIGNATURES.items():
                function = getattr(library, name)
                function.argtypes, function.restype = arguments, c_int64
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_forget)
            lib = library
    return lib


class _Forked:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("robotsieve was in use before os.fork(): start processes with spawn or forkserver")


def _forget() -> None:
    """Disables the library in the child of a process that had loaded it."""
    global lib, _loading
    lib, _loading = _Forked(), threading.Lock()


def fail(result: int) -> None:
    """Raises the error that a function has returned."""
    buffer = ctypes.create_string_buffer(1025)
    lib.robotsieve_error(buffer, 1025)
    text = buffer.value.decode("utf-8", "replace")
    raise {-1: ValueError, -2: ValueError, -3: OSError}.get(result, RuntimeError)(text)
