"""player.py: a film of frames as one HTML page without links, drawn by the code of the studio."""

from __future__ import annotations

import base64
import html
import json
import pathlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MOST_FRAMES = 240
_MOST_NUMBERS = 600_000  # frames times tokens times coordinates: 1.6 MB of text


def _principal_axes(frames: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """(3, d) axes of largest variance over all frames, and their share of the variance."""
    rows = frames.reshape(-1, frames.shape[-1])
    values, vectors = np.linalg.eigh(np.cov(rows, rowvar=False))
    axes = vectors[:, ::-1][:, :3].T
    signs = np.sign(axes[np.arange(3), np.abs(axes).argmax(axis=1)])
    return axes * signs[:, None], float(values[::-1][:3].sum() / max(values.sum(), 1e-300))


def _every(count: int, most: int) -> tuple[NDArray[np.intp], str]:
    """At most `most` of `count` numbers, evenly spaced, with first and last; and a note if some are missing."""
    if count <= most:
        return np.arange(count), ""
    return np.unique(np.linspace(0, count - 1, max(most, 2)).round().astype(np.intp)), f"{most} of {count:,}"


def page(
    positions: ArrayLike,
    *,
    times: ArrayLike | None = None,
    sphere: bool = False,
    moments: Sequence[str] | None = None,
    caption: str = "",
) -> str:
    """HTML of a page that plays frames (frames, n, d) in a scene that the user can rotate.

    More than three coordinates are projected onto the three axes of largest variance; of long and large
    films only some frames and tokens are shown. The caption says so. `moments` are names of the frames;
    the default is their times.
    """
    whole = np.asarray(positions, np.float64)
    if whole.ndim != 3 or 0 in whole.shape or not np.isfinite(whole).all():
        raise ValueError(f"positions of shape {whole.shape}: (frames, n, d) finite numbers are needed")
    frames, n, d = whole.shape
    moment = np.arange(frames, dtype=float) if times is None else np.asarray(times, float)
    if moment.shape != (frames,) or (moments is not None and len(moments) != frames):
        raise ValueError(f"{frames} frames need as many times and names")
    notes = [caption] if caption else []
    shown = min(d, 3)
    kept, left_out = _every(frames, _MOST_FRAMES)
    if left_out:
        notes.append(f"{left_out} frames")
    tokens, left_out = _every(n, _MOST_NUMBERS // (len(kept) * shown))
    if left_out:
        notes.append(f"{left_out} tokens")
    film = whole[np.ix_(kept, tokens)]
    if d > 3:
        axes, share = _principal_axes(film)
        film = (film - film.reshape(-1, d).mean(axis=0)) @ axes.T
        notes.append(f"shown along the three axes of largest variance ({100 * share:.0f} % of it)")
    elif d == 1:
        film, shown = np.concatenate([film, np.zeros_like(film)], axis=2), 2
    reach = float(np.abs(film).max()) or 1.0
    words = np.round(film * (32767 / reach)).astype("<i2")
    data = {
        "n": len(tokens),
        "d": shown,
        "habitat": "sphere" if sphere and d in (2, 3) else "space",
        "times": moment[kept].tolist(),
        "positions": base64.b64encode(words.tobytes()).decode("ascii"),
        "reach": reach,
        "caption": "; ".join(notes),
    }
    if moments is not None:
        data["moments"] = [moments[k] for k in kept]
    script = pathlib.Path(__file__).with_name("player.js").read_text("utf8")
    film_text = json.dumps(data).replace("<", "\\u003c")  # no text of the film may end the script element
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(caption) or 'a film of tokens'}</title></head><body>"
        f'<script type="application/json" id="film">{film_text}</script>'
        f"<script>{script}</script></body></html>"
    )


def frame(page_html: str, *, height: int = 440) -> str:
    """The page as an isolated element of another page."""
    return (
        f'<iframe srcdoc="{html.escape(page_html)}" title="film" sandbox="allow-scripts" '
        f'style="width: 100%; height: {height}px; border: 0" loading="lazy"></iframe>'
    )
