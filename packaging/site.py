"""Hooks of mkdocs: the navigation is the index, and links out of docs lead to the repository."""

import os
import re

LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config):
    """Makes the navigation from the tables in README.md, with a section for each heading."""
    with open(os.path.join(config.docs_dir, "README.md"), encoding="utf-8") as f:
        sections = re.split(r"^## ", f.read(), flags=re.M)[1:]
    pages = [{text.split("\n")[0]: re.findall(r"\]\(((?:howto|reference|explain)/[^)]+\.md)\)", text)} for text in sections]
    config.nav = [{"Documentation": "README.md"}, *pages]
    return config


def on_page_markdown(markdown, page, config, files):
    """Makes links to files outside docs point to the repository."""
    folder = os.path.dirname(page.file.src_uri)

    def moved(match):
        path = os.path.normpath(os.path.join("docs", folder, match[1]))
        if path.startswith("docs/"):
            return match[0]
        return f"]({config.repo_url}/blob/main/{path}{match[2] or ''})"

    return LINK.sub(moved, markdown)
