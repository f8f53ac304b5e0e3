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


# Those below parse the whole robots.txt for each URL, as Google's interface does.


def jwm():
    from jwm.robotstxt.googlebot import RobotsMatcher

    def parse(url, agent, body):
        matcher = RobotsMatcher()
        return lambda url: matcher.AllowedByRobots(body, (agent,), url)

    return importlib.metadata.version("jwm.robotstxt"), parse


def gpyrobotstxt():
    from gpyrobotstxt.robots_cc import RobotsMatcher

    def parse(url, agent, body):
        return lambda url: RobotsMatcher().allowed_by_robots(body, [agent], url)

    return importlib.metadata.version("gpyrobotstxt"), parse
