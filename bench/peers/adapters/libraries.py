# Libraries of Python: each function returns a version, and what parses a robots.txt
# for an agent. It goes in front of python.py.
import importlib.metadata


def protego():
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


def fastrobots():
    from fastrobots import Robots

    def parse(url, agent, body):
        rules = Robots.parse(body.decode("utf-8", "replace")).agent(agent)
        # It wants a path; its own url_path would drop the query.
        return lambda url: rules.allowed(url[at:] if (at := url.find("/", 8)) >= 0 else "/")

    return importlib.metadata.version("fastrobots"), parse
