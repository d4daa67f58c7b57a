"""The laws of the reader's place in another engine than Chromium's, on the same server and page."""

import copy
import random
import traceback

import position
from page import Stage

LAWS = [position.resized, position.changed, position.mixed]
SEEDS = 3


def results_in(options, engine, page):
    """Returns what the laws found in an engine. `page` makes its page, as `Page` does."""
    stage = Stage(options.diffroomd, options.files)
    own = copy.copy(stage)
    try:
        own.ann = page(own)
        own.ann.driver.get(f"{stage.front.url}/favicon.svg")
        own.ann.run("localStorage.setItem('diffroom.name', 'ann'); localStorage.setItem('diffroom.hint', 'done')")
        return [(f"{engine}: {law.__doc__} ({seed})", attempt(own, law, seed)) for law in LAWS for seed in range(SEEDS)]
    finally:
        if own.ann is not stage.ann:
            own.ann.driver.quit()
        stage.end()


def attempt(stage, law, seed):
    try:
        stage.next_room()
        law(stage, random.Random(seed), f"seed {seed}")
        return ""
    except Exception:  # noqa: BLE001, whatever it is, it is what the test found
        return traceback.format_exc()
    finally:
        stage.ann.resize(1180, 760)
        stage.settle()
