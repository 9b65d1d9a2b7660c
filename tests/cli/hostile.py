"""hostile.py: pictures of four kinds that carry a recipe of our choice, and recipes that attack."""

import copy
import json
import random
import struct
import zlib

ENDINGS = (".png", ".svg", ".pdf", ".mp4")
CONTROLS = ("\0", "\n", "\r", "\t", "\x1b[2J", "\x07", "\x7f")


def png(text):
    """A picture of one pixel with an iTXt chunk `murmur`."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
            + chunk(b"iTXt", b"murmur\0\0\0\0\0" + text)
            + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b""))


def svg(text):
    return (b'<svg xmlns="http://www.w3.org/2000/svg">\n<metadata id="murmur"><![CDATA['
            + text.replace(b">", b"\\u003e") + b"]]></metadata></svg>\n")


def pdf(text):
    return b"%PDF-1.4\n%murmur " + text.replace(b"\n", b" ") + b"\nstartxref\n0\n%%EOF\n"


def mp4(text):
    """A film without frames whose comment is the text."""
    def box(name, inside):
        return struct.pack(">I", 8 + len(inside)) + name + inside
    inside = box(b"data", b"\0\0\0\1\0\0\0\0" + text)
    inside = box(b"meta", b"\0\0\0\0" + box(b"ilst", box(b"\xa9cmt", inside)))
    return box(b"ftyp", b"isom") + box(b"moov", box(b"udta", inside))


def carrier(ending, text):
    """The bytes of a picture of a kind that carries a text."""
    return {".png": png, ".svg": svg, ".pdf": pdf, ".mp4": mp4}[ending](text)


def good_recipes():
    """Recipes as the program writes them, of small runs."""
    common = {"murmur": "1", "commit": "x", "seed": 0, "command": "murmur render run"}
    config = "n = 4\nd = 3\nT = 0.1\n"
    scene = ["render", "@run", "--size", "320x320"]
    return [
        {**common, "run": "run", "config": config, "make": [["simulate", "@config"], scene]},
        {**common, "run": "run", "config": config, "file": "figures/end.png",
         "make": [["simulate", "@config"], ["render", "@run", "--no-film"]]},
        {**common, "run": "run", "config": config, "file": "figures/clusters.svg",
         "make": [["simulate", "@config"], ["report", "@run", "--no-film"]]},
        {**common, "run": "run", "config": "d = 2\nmodes = 16\nT = 0.05\n",
         "file": "figures/energy.svg", "make": [["meanfield", "@config"]]},
        {**common, "make": [["meanfield", "dynamics=USA", "beta=4", "kappa=0.3:0.5:3"]]},
        {**common, "file": "equiangular-quick/decay.svg",
         "make": [["reproduce", "equiangular", "--quick"]]},
        {**common, "run": "run", "config": "n = 4\nstarts = 2\nd = 2\n",
         "file": "figures/energy.svg", "make": [["landscape", "@config"]]},
        {**common, "run": "run", "config": "", "make": [["trace", "model", "a text"], scene]},
    ]


class Attacks:
    """Draws recipes that try to write to, go on with or read what is not theirs.

    `victims` are paths of runs and files of a user, which nothing may change."""

    def __init__(self, seed, victims):
        self.draw = random.Random(seed)
        self.victims = victims

    def hostile_words(self):
        """Words that CLI11 or the commands could take for a place, a run or a program."""
        draw, v = self.draw, self.draw.choice(self.victims)
        nul = draw.choice(CONTROLS)
        return draw.choice((
            ["-qo", v], [f"-qo{v}"], ["-vqo", v], [f"-o{v}"], ["-o", v], ["--out", v],
            [f"--out={v}"], ["--force"], ["--force=true"], ["--force=1"], ["-qv"],
            ["--resume", v], [f"--resume={v}"], ["--join", v], [f"--runs={v}"], ["--runs", v],
            ["--out" + nul, v], ["-o" + nul, v], [f"--out{nul}={v}"], ["--resume" + nul, v],
            ["--force" + nul], ["--OUT", v], ["--ou", v], ["--", "-o", v], ["--", v], [v],
            ["@run"], ["@config"], ["@run", "@run"], ["--config", v], [f"--config={v}"],
            ["--help"], ["--version"], ["-h"], ["-V"], ["--verify", v], ["--page", v],
            ["--frame", "--out", v], ["--size=-o", v], ["--plot", "-o", v], ["--style", "-qo" + v],
            ["--size"], ["--frame="], [f"model={v}"], [f"data={v}"], [f"init={v}"],
            [f"images={v}"], [f"vocabulary={v}"], [f"to={v}"], [f"name={v}"], [f"out={v}"],
            [f"runs={v}"], [f"a.b={v}"], ["=x"], [f"resume={v}"], ["beta=4" + nul],
            ["\u202eo-", v], ["\u2013o", v], ["--out\u00a0", v], ["-", v], ["--=" + v],
            ["--dry-run"], ["--checkpoint", "0"], ["--all"], ["--names"], ["threads=9999"],
            ["--color", "always"], ["--progress=json"], ["$(touch pwned)"], ["`touch pwned`"],
            ["; touch pwned"], ["| touch pwned"], ["x" * 70000], [""], ["\ud800"], ["\uffff"]))

    def command(self):
        """A command that is none of a recipe's, or one in another's place."""
        v = self.draw.choice(self.victims)
        return self.draw.choice((
            ["runs", "delete", v, "--yes"], ["runs", "prune", "--yes"], ["runs", "resume", v],
            ["runs", "branch", v, "beta=1"], ["report", v], ["render", v], ["classify", v],
            ["simulate", "--resume", v], ["train", "--resume", v], ["sweep", "--join", v],
            ["sweep", "--resume", v], ["studio"], ["submit", "simulate", "n=4"], ["export", v],
            ["measure", v, "-o", v], ["velocity", "n=4", "-o", v], ["model", "fetch", "gpt2"],
            ["open", v, "-o", v], ["doctor"], ["completion", "bash"], ["bench"], ["presets"],
            ["explain", "--man", v], ["tokenize", v], ["import", v], ["reproduce", "--all"],
            ["reproduce", "list"], ["reproduce", "../" + v], ["simulate", v], ["simulate"],
            ["simulate", "@config", "@config"], ["simulate", "@run"], ["landscape", "beta=3"],
            ["render", "@run", v], ["render"], [], ["SIMULATE", "@config"], ["simulate\0", "@config"],
            ["sh", "-c", "touch pwned"], ["/bin/sh"], ["--version"], ["-h"]))

    def name(self):
        v = self.draw.choice(self.victims)
        return self.draw.choice((
            "..", ".", "", "/", "a/b", v, "../" + v, "a\0b", "-x", "--out", "x" * 5000, "@run",
            "a\nb", "\x1b]0;t\x07", ".hidden", "config.toml", "figures/../../" + v, "/etc/passwd",
            "figures/end.png\0.svg", "manifest.json", "config.toml/x.png", "figures//end.png",
            "./figures/end.png", "figures/end.png", "\u2215etc", "~", "$HOME", 7, None, [], {}))

    def config(self):
        v = self.draw.choice(self.victims)
        return self.draw.choice((
            f'name = "{v}"\nn = 4\nT = 0.1\n', f'name = "../../{v}"\nn = 4\nT = 0.1\n',
            f'init = "{v}"\nT = 0.1\n', 'init = "/dev/zero"\n', 'init = "/proc/self/mem"\n',
            f'model = "{v}"\n', f'data = "{v}"\n', f'out = "{v}"\n', f'resume = "{v}"\n',
            f'[simulate]\nout = "{v}"\n', "n = -1\n", "n = 1e30\n", "n = 99999999999\n",
            "T = nan\n", "n = 4\0\n", "[" * 100000, "a = " + "[" * 5000, "\ufeffn = 4\n",
            "\x1b[2J", "", 'defaults = "n,d,T"\n', 'engine = "../x.so"\n', 'engine = "cuda"\n',
            'save = "every:1e-300"\nT = 1\nn = 4\n', "n = 4\nT = 0.1\nd = 2\n" * 2, 7, None, []))

    def allowed(self):
        """A recipe of known words only, whose values attack: most of these are carried out."""
        draw, v = self.draw, self.draw.choice(self.victims)
        recipe = copy.deepcopy(draw.choice(good_recipes()[:3]))
        if draw.random() < 0.6:
            recipe["config"] = self.config()
        recipe["make"][1] += draw.choice((
            [], ["--frame", "-1"], ["--frame", "9999999999"], ["--style", "dark"], ["time=log"],
            ["--plot", "energy,../../x"], ["--plot", v], ["figure=dome"], ["figure=attention"],
            [f"name={v}"], [f"init={v}"], [f"model={v}"], [f"data={v}"], [f"vocabulary={v}"],
            ["figure=next-word", f"vocabulary={v}"], ["n=99999999999"], ["T=1e300"], ["head=-1"],
            ["--seconds", "-1"], ["--fps", "0"], ["--strip", v], ["beta=1e400"], ["save=every:0"]))
        recipe["run"] = draw.choice(("run", "-q", "--out", "x y", "'", "$(touch pwned)", "\u202e",
                                     "x" * 200, "n=4", "@run", "*"))
        return self.text(recipe)

    def recipe(self):
        """One attack, as the text of a recipe."""
        draw = self.draw
        if draw.random() < 0.25:
            return self.allowed()
        recipe = copy.deepcopy(draw.choice(good_recipes()))
        for _ in range(draw.choice((1, 1, 2, 3))):
            way = draw.randrange(12)
            steps = recipe.get("make")
            whole = isinstance(steps, list) and steps and all(isinstance(s, list) for s in steps)
            if way < 6 and whole:
                step = draw.choice(steps)
                at = draw.randint(0, len(step))
                step[at:at + draw.choice((0, 0, 1))] = self.hostile_words()
            elif way < 8 and whole:
                steps[draw.randrange(len(steps))] = self.command()
            elif way == 8:
                recipe[draw.choice(("run", "file"))] = self.name()
            elif way == 9:
                recipe["config"] = self.config()
            elif way == 10:
                recipe["make"] = draw.choice((
                    [], {}, "simulate", [[]], [["simulate", 1]], [["simulate", None]], [None], 3,
                    [["simulate", "@config"]] * 2, [["simulate", "@config"]] * 9,
                    [["render", "@run"], ["simulate", "@config"]], [["render", "@run"]]))
            else:
                key = draw.choice(("murmur", "commit", "seed", "command", "run", "make", "branch"))
                recipe[key] = draw.choice((None, 1e300, -1, "", [], {}, "x\0y", "\x1b[2J", True))
        return self.text(recipe)

    def text(self, recipe):
        draw = self.draw
        text = json.dumps(recipe).encode()
        way = draw.randrange(40)
        if way == 0:
            text = text[:draw.randrange(len(text))]
        elif way == 1:
            text = b"[" * 100000 + text
        elif way == 2:
            at = draw.randrange(len(text))
            text = text[:at] + bytes([draw.randrange(256)]) + text[at + 1:]
        elif way == 3:  # the same key twice
            text = text[:-1] + b', "make": [["report", "' + draw.choice(self.victims).encode() + b'"]]}'
        return text

    def picture(self):
        """The ending and the bytes of a picture that attacks."""
        draw = self.draw
        ending = draw.choice(ENDINGS)
        content = bytearray(carrier(ending, self.recipe()))
        if draw.random() < 0.05:  # the picture itself is damaged
            for _ in range(draw.randint(1, 8)):
                content[draw.randrange(min(len(content), 200))] = draw.randrange(256)
        return ending, bytes(content)
