# Answers for a library of libraries.py, named by the first argument: see adapter.go
# for what is read and written.
import base64
import sys
import time


def answer(parse, robots_url, agent, body, urls):
    begin = time.perf_counter_ns()
    try:
        allowed = parse(robots_url, agent, body)
    except Exception as e:
        took = time.perf_counter_ns() - begin
        return f"{took} 0 !{type(e).__name__}: {e}".replace("\n", " ")
    parsed = time.perf_counter_ns()
    verdicts = []
    for url in urls:
        try:
            verdicts.append("1" if allowed(url) else "0")
        except Exception:
            verdicts.append("?")
    done = time.perf_counter_ns()
    return f"{parsed - begin} {done - parsed} {''.join(verdicts)}"


version, parse = globals()[sys.argv[1]]()
print(f"{version}, Python {sys.version.split()[0]}", flush=True)
for line in sys.stdin.buffer:
    robots_url, agent, body, *urls = (base64.b64decode(word) for word in line.rstrip(b"\n").split(b" "))
    urls = [url.decode("utf-8", "surrogateescape") for url in urls]
    print(answer(parse, robots_url.decode(), agent.decode(), body, urls), flush=True)
