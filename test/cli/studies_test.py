"""The pages of the papers' studies show what the command gives now."""
import json
import os
import sys
import unittest

from command_case import CommandTest, main

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
from slice import commits  # noqa: E402
# Figures that take seconds with five seeds; one of each row runs in turn.
QUICK = [["aap-fig1", "tick-fig1"], ["table4", "asytick-fig5"]]
PAGES = {"table": "aspire", "fig": "aspire", "aap": "aap", "tick": "tick", "asytick": "asytick"}


def page_of(figure):
    for begin, page in PAGES.items():
        if figure.startswith(begin):
            with open(f"{ROOT}/docs/studies/{page}.md", encoding="utf-8") as file:
                return file.read()
    raise KeyError(figure)


def rows_of(page, figure):
    """The claims of a figure in its page: claim, paper, band, here, verdict."""
    rows = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith(f"| {figure} |") and len(cells) == 7:
            rows.append((cells[1], *cells[3:6], cells[6].strip("*")))
    return rows


class StudiesTest(CommandTest):
    def test_every_page_names_the_command_that_wrote_it_and_has_a_chart(self):
        for page in set(PAGES.values()):
            with open(f"{ROOT}/docs/studies/{page}.md", encoding="utf-8") as file:
                text = file.read()
            self.assertIn("Written by `leeway replay all --out docs/studies`", text)
            self.assertIn(f"]({page}.svg)", text)
            self.assertTrue(os.path.exists(f"{ROOT}/docs/studies/{page}.svg"))

    @unittest.skipUnless("LEEWAY_DATA" in os.environ, "the pages are of the graphs in LEEWAY_DATA")
    def test_a_figure_s_claims_are_as_on_its_page(self):
        for figures in QUICK:
            figure = figures[commits() % len(figures)]
            self.succeeds("replay", figure, "--quiet", "--out", "now", *(["--nodes", "16"] if figure.startswith("asytick") else []),
                          environment={"LEEWAY_DATA": os.environ["LEEWAY_DATA"]})
            claims = json.loads(self.read(f"now/{figure}.json"))["claims"]
            now = [(claim["claim"], claim["paper"], claim["band"], claim["here"], claim["verdict"]) for claim in claims
                   if not claim["verdict"].startswith("not testable")]
            self.assertGreater(len(now), 0)
            self.assertEqual(rows_of(page_of(figure), figure), now, figure)


if __name__ == "__main__":
    main()
