# Libraries of Python that follow Google's interface: they parse the whole robots.txt for each URL. See libraries.py, of
# which this is the continuation.


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


def fastrobotstxt():
    from robotstxt import RobotsMatcher

    def parse(url, agent, body):
        matcher, text = RobotsMatcher(), body.decode("utf-8", "replace")
        return lambda url: matcher.is_allowed(text, agent, url)

    return importlib.metadata.version("fast-robotstxt"), parse
