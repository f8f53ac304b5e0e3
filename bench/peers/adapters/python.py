# Answers for a Python library, named by the first argument: see adapter.go for
# what is read and written.
import base64
import sys
import time


def protego():
    import importlib.metadata
    from protego import Protego

    def parse(url, agent, body):
        # As Scrapy decodes it.
        rules = Protego.parse(body.decode("utf-8-sig", "ignore"))
        return lambda url: rules.can_fetch(url, agent)

    return importlib.metadata.version("protego"), parse


def urllib():
    from urllib.robotparser import RobotFileParser

    def parse(url, agent, body):
        rules = RobotFileParser()
        rules.parse(body.decode("utf-8", "surrogateescape").splitlines())
        return lambda url: rules.can_fetch(agent, url)

    return "standard library", parse


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


version, parse = {"protego": protego, "urllib": urllib}[sys.argv[1]]()
print(f"{version}, Python {sys.version.split()[0]}", flush=True)
for line in sys.stdin.buffer:
    robots_url, agent, body, *urls = (base64.b64decode(word) for word in line.rstrip(b"\n").split(b" "))
    urls = [url.decode("utf-8", "surrogateescape") for url in urls]
    print(answer(parse, robots_url.decode(), agent.decode(), body, urls), flush=True)
