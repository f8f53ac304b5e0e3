"""Arrays of numpy and pyarrow, whose buffers the library reads in place."""

from __future__ import annotations

from typing import Any

from ._library import MEANS


def numpy(rules: Any, agent: Any, urls: Any, at: int) -> Any:
    """Returns an array of bool for an array of bytes, or of objects or str, which are copied."""
    import numpy as np

    if not isinstance(urls, np.ndarray):
        return None
    if urls.dtype.kind != "S":
        return np.array(rules._match_many(agent, urls.ravel().tolist(), at), bool).reshape(urls.shape)
    data = np.ascontiguousarray(urls)
    reasons = rules._reasons(agent, data.ctypes.data, data.nbytes, None, 0, data.size, at)
    return np.logical_not(np.frombuffer(reasons, np.uint8)).reshape(urls.shape)


def pyarrow(rules: Any, agent: Any, urls: Any, at: int) -> Any:
    """Returns an array of bool for an array of strings or binaries."""
    import pyarrow as pa

    if isinstance(urls, pa.ChunkedArray):
        return pa.chunked_array([pyarrow(rules, agent, chunk, at) for chunk in urls.chunks], pa.bool_())
    if not isinstance(urls, pa.Array):
        return None
    widths = {pa.string(): 4, pa.binary(): 4, pa.large_string(): 8, pa.large_binary(): 8}
    if urls.type not in widths:
        urls = urls.cast(pa.large_string())
    n, width = len(urls), widths[urls.type]
    _, offsets, data = urls.buffers()
    if n == 0:
        return pa.array([], pa.bool_())
    address, size = (data.address, data.size) if data else (None, 0)
    reasons = rules._reasons(agent, address, size, offsets.address + urls.offset * width, width, n, at)
    found = pa.array(MEANS, pa.bool_()).take(pa.Array.from_buffers(pa.uint8(), n, [None, pa.py_buffer(reasons)]))
    if urls.null_count:
        import pyarrow.compute as pc

        found = pc.if_else(urls.is_valid(), found, pa.scalar(None, pa.bool_()))
    return found
