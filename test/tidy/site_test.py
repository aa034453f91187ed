"""The HTML documentation: made without warnings, every page is there, and every link leads to a file.

usage: site_test.py SOURCE-FOLDER
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()


class SiteTest(unittest.TestCase):
    def test_the_site(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["doxygen", "docs/Doxyfile"], cwd=SOURCE, env={**os.environ, "SITE": folder}, capture_output=True,
                                  text=True, timeout=300, check=True)
            site = pathlib.Path(folder)
            self.assertEqual(done.stderr + (site / "warnings.txt").read_text(encoding="utf-8"), "")
            for page in (SOURCE / "docs").glob("*.md"):
                html = site / f"md_docs_{page.stem.replace('-', '_')}.html"
                self.assertTrue(html.exists(), page)
                self.assertGreater(len(re.sub("<[^>]*>", "", html.read_text(encoding="utf-8"))), len(page.read_text(encoding="utf-8")) // 3, page)
            self.assertTrue((site / "structleeway_1_1Options.html").exists())
            self.assertIn("run_job", "".join(each.read_text(encoding="utf-8") for each in (site / "search").glob("functions_*.js")))
            for html in site.glob("*.html"):
                for link in re.findall(r'href="([^":#]+\.html)', html.read_text(encoding="utf-8")):
                    self.assertTrue((site / link).exists(), f"{html.name}: {link}")


if __name__ == "__main__":
    if shutil.which("doxygen") is None:
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)
