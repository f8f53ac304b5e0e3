"""Arrays of numpy and pyarrow, whose buffers the library reads in place."""

from __future__ import annotations

from typing import Any

from ._library import MEANS


def numpy(rules: Any, agents: Any, urls: Any, at: int) -> Any:
    """Returns arrays of bool, one per agent, for an array of bytes, or of objects or str, which are copied."""
    import numpy as np

    if not isinstance(urls, np.ndarray):
        return None
    if urls.dtype.kind != "S":
        texts = urls.ravel().tolist()
        return [np.array(rules._match_many(agent, texts, at), bool).reshape(urls.shape) for agent in agents]
    data = np.ascontiguousarray(urls)
    reasons = rules._reasons_of_all(agents, data.ctypes.data, data.nbytes, None, 0, data.size, at)
    return list(np.logical_not(np.frombuffer(reasons, np.uint8)).reshape(len(agents), *urls.shape))


def pyarrow(rules: Any, agents: Any, urls: Any, at: int) -> Any:
    """Returns arrays of bool, one per agent, for an array of strings or binaries."""
    import pyarrow as pa

    if isinstance(urls, pa.ChunkedArray):
        chunks = [pyarrow(rules, agents, chunk, at) for chunk in urls.chunks]
        return [pa.chunked_array([of[k] for of in chunks], pa.bool_()) for k in range(len(agents))]
    if not isinstance(urls, pa.Array):
        return None
    widths = {pa.string(): 4, pa.binary(): 4, pa.large_string(): 8, pa.large_binary(): 8}
    if urls.type not in widths:
        urls = urls.cast(pa.large_string())
    n, width = len(urls), widths[urls.type]
    _, offsets, data = urls.buffers()
    if n == 0:
        return [pa.array([], pa.bool_())] * len(agents)
    address, size = (data.address, data.size) if data else (None, 0)
    reasons = rules._reasons_of_all(agents, address, size, offsets.address + urls.offset * width, width, n, at)
    reasons = pa.Array.from_buffers(pa.uint8(), len(reasons), [None, pa.py_buffer(reasons)])
    all_ = pa.array(MEANS, pa.bool_()).take(reasons)
    found = [all_.slice(k * n, n) for k in range(len(agents))]
    if urls.null_count:
        import pyarrow.compute as pc

        found = [pc.if_else(urls.is_valid(), of, pa.scalar(None, pa.bool_())) for of in found]
    return found
