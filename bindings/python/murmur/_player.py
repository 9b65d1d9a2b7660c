"""_player.py: a run as a player in a notebook, offline."""
from __future__ import annotations

import html
from typing import Any


def player(run: Any) -> str:
    """The run as HTML; text where there is nothing to show."""
    return f"<pre>{html.escape(repr(run))}</pre>"
