"""Tables of pages that the code writes: the scripts beside this one fill them in, tests compare."""

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def filled(page: str, name: str, text: str) -> str:
    """Put a text between the marks of the page that have its name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, rest = page.split(begin)
    return f"{before}{begin}{text}\n{end}{rest.split(end)[1]}"
