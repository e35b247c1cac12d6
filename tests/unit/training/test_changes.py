"""Pairs to learn changes from: the same each time, held out in wholes, of every label."""

from collections import Counter
from itertools import islice

from lightmem_training.changes.pairs import Label, Pair, Pairs
from lightmem_training.changes.themes import is_held_out, load_themes
from lightmem_training.generator.grammar import slots


def drawn(count: int = 1_000, seed: int = 3) -> list[Pair]:
    return list(islice(Pairs(load_themes("en", "train"), seed=seed), count))


def test_the_same_seed_gives_the_same_pairs() -> None:
    assert drawn() == drawn()
    assert drawn() != drawn(seed=4)


def test_every_label_is_drawn() -> None:
    labels = Counter(pair.label for pair in drawn())

    assert set(labels) == set(Label)
    assert min(labels.values()) > 50


def test_held_out_themes_are_not_trained_on() -> None:
    trained = {theme.name for theme in load_themes("en", "train").themes}
    held_out = {
        theme.name for theme in load_themes("en", "valid").themes if is_held_out(theme.name)
    }

    assert len(held_out) > 10
    assert not trained & held_out


def test_lines_that_tell_of_a_change_are_in_one_split() -> None:
    trained = load_themes("en", "train")
    valid = {theme.name: theme for theme in load_themes("en", "valid").themes}

    for theme in trained.themes:
        assert not set(theme.changes) & set(valid[theme.name].changes)
    assert not set(trained.shared["new"]) & set(load_themes("en", "valid").shared["new"])


def test_every_slot_can_be_filled() -> None:
    themes = load_themes("en", "train")
    known = {*themes.pools, "np", "v", "w", "kin2"}

    for theme in themes.themes:
        for template in (*theme.olds, *theme.changes, *theme.lines["both"]):
            names = {slot.name for slot in slots(template)}
            assert names <= known | set(theme.lets), theme.name
