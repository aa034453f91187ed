"""Prints the final line with counts that ./dev adds up over all tests."""


def pytest_terminal_summary(terminalreporter):
    counts = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error", "skipped")}
    terminalreporter.write_line(f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, "
                                f"{counts['skipped']} skipped")
