"""The page about players tells the truth: its policy is short, its figures are those of the code."""

import re
from pathlib import Path

from carromsim.players.phases import BREAK_AIM, BREAK_SPEED, BREAK_X
from carromsim.players.skill import SKILLS

PAGE = Path(__file__).parent.parent.parent / "docs" / "players.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


def test_ones_own_policy_takes_less_than_twenty_lines():
    (block,) = [block for block in BLOCKS if "def choose" in block]
    policy = block[block.index("class ") : block.index("\n\n\nplayed")]
    assert len([line for line in policy.splitlines() if line.strip()]) < 20


def test_its_skills_are_those_of_the_code():
    rows = re.findall(
        r"^\| `(\w+)` \| (\S+)(?: mm)? \| (\S+)(?: deg)? \| (\S+)(?: %)? \| (\S+)(?: rad/s)? \|", TEXT, re.M
    )
    assert [name for name, *_ in rows] == list(SKILLS)
    for name, *numbers in rows:
        skill = SKILLS[name]
        told = [skill.sd_x * 1e3, skill.sd_angle * 57.29577951308232, skill.sd_speed * 100, skill.sd_spin]
        assert [round(value, 9) for value in told] == [float(number) for number in numbers]


def test_its_break_is_the_one_that_is_played():
    text = " ".join(TEXT.split())
    assert f"from {BREAK_X * 100:g} cm right of the middle, at {BREAK_SPEED:g} m/s" in text
    assert f"towards a point {-BREAK_AIM * 100:g} cm left of the board's centre" in text


def test_its_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    assert targets
    assert [target for target in targets if not (PAGE.parent / target).exists()] == []
