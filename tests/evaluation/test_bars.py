"""The bars that this project set itself: each claim is met on one side of its border, and missed on the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from possilog.evaluation import Band, summarise
from possilog.evaluation.bars import measure, measure_speed
from possilog.evaluation.labels import OURS, Label, Origin, Way
from possilog.evaluation.results import ErrorCurves, LearningCost, Paired
from possilog.evaluation.scores import Additions, Score, Summary
from results import NO_RESULTS

AUTHORS = {way: Label(Origin.AUTHORS, way) for way in (Way.LOCAL, Way.GLOBAL, Way.REPAIRED, Way.CALIBRATED)}
EVIDENCE, PUBLISHED = Label(Origin.EVIDENCE), Label(Origin.PUBLISHED_NETWORK)


@pytest.mark.parametrize(("data", "met"), [("uwcse", False), ("yeast", True)])
def test_a_loss_within_the_band_counts_on_uwcse_alone(data: str, met: bool) -> None:
    """There the claim is about the mean, and on Yeast about what is beyond the band."""
    paired = (Paired(10, Band(-0.5, -2.0, 1.0), 0.6), Paired(50, Band(3.0, -math.inf, math.inf), 1.0))
    results = replace(NO_RESULTS, data=data, sizes=(10, 50), paired={Label(Origin.HARD_RULES): paired})
    (bar,) = measure(results)
    assert bar.met == met and bar.measured == "least ahead at 10 facts: -0.50 (-2.00 to +1.00)"
    assert measure(replace(results, data="mine")) == ()


def test_claims_about_time_stand_by_themselves() -> None:
    def seconds(each: float) -> tuple[Summary, ...]:
        return summarise([Score(100, 0, {"p/1": 3}, {"p/1": 1}, {}, each)])

    models = {OURS: seconds(0.01), Label(Origin.PUBLISHED_NETWORK): seconds(0.19)}
    learning = LearningCost(19.0, None, 100.0, network_complete=False)
    results = replace(NO_RESULTS, data="uwcse", sizes=(100,), models=models, learning=learning)
    inference, learned = measure_speed(results)
    assert inference.measured == "19 times" and not inference.met
    assert learned.met and "19.0 s; 20.7 times faster than the authors' learner" in learned.measured
    assert "5.3 times faster than the learner of networks, stopped (100 s)" in learned.measured
    assert measure_speed(replace(results, data="yeast")) == ()
    assert results.times["seconds"] == {"ours, local": [0.01], "published MLN": [0.19]}


def test_a_bar_compares_size_by_size() -> None:
    def gains(*means: float) -> tuple[Summary, ...]:
        pairs = zip((10, 50), map(Band.of, ([mean] for mean in means)), strict=True)
        return tuple(Summary(size, gain, gain, 0.1, Additions(0, 0, 0), {}) for size, gain in pairs)

    models = {OURS: gains(3.0, 8.0), Label(Origin.PUBLISHED_NETWORK): gains(2.0, 4.0)}
    paired = {Label(Origin.HARD_RULES): (Paired(10, Band.of([1.0]), 1.0),)}
    results = replace(NO_RESULTS, data="uwcse", sizes=(10, 50), models=models, paired=paired)
    (bar,) = (bar for bar in measure(results) if "from 10 to 300 facts" in bar.claim and "1.5 times" in bar.claim)
    assert bar.met and bar.measured == "10: 3.0 to 2.0, 50: 8.0 to 4.0; smallest ratio 1.50"


def met_by_curves(sizes: tuple[int, ...], rises: Sequence[int], way: Way, other: Label) -> list[tuple[str, bool]]:
    """The bars of a curve that rises by so much at each size, without those about our own gain."""
    errors = {AUTHORS[way]: (10,) * len(sizes), other: tuple(10 + by for by in rises)}
    paired = {Label(Origin.HARD_RULES): (Paired(10, Band.of([1.0]), 1.0),)}
    results = replace(NO_RESULTS, data="uwcse", curves=ErrorCurves(sizes, errors), paired=paired)
    return [(bar.measured, bar.met) for bar in measure(results) if not bar.claim.startswith("our gain")]


@pytest.mark.parametrize(
    ("sizes", "rises", "measured", "met"),
    [
        ((149, 150, 400), (1, 2, -1), "highest at 150 facts (3), 2 at 400", True),
        ((149, 150, 400), (3, -2, 1), "highest at 149 facts (3), 2 at 400", False),
        ((10, 350, 400), (1, 2, -1), "highest at 350 facts (3), 2 at 400", True),
        ((10, 351, 400), (1, 2, -1), "highest at 351 facts (3), 2 at 400", False),
        ((10, 200, 300), (1, 2, 1), "highest at 300 facts (4), 4 at 300", False),
        ((10, 200, 300), (1, 2, 0), "highest at 200 facts (3), 3 at 300", False),
    ],
)
def test_the_published_curve_rises_and_falls(
    sizes: tuple[int, ...], rises: tuple[int, ...], measured: str, met: bool
) -> None:
    assert met_by_curves(sizes, rises, Way.GLOBAL, PUBLISHED) == [(measured, met)]
    assert met_by_curves(sizes, rises, Way.REPAIRED, PUBLISHED) == met_by_curves(sizes, rises, Way.GLOBAL, OURS) == []


@pytest.mark.parametrize(("rises", "falls"), [((1, 0, 2), 0), ((-1, 0, 2), 0), ((1, -1, 2), 1), ((1, -1, -1), 2)])
def test_a_curve_that_never_falls_rises_throughout(rises: tuple[int, ...], falls: int) -> None:
    measured = f"{sum(rises)} at 9 facts; it falls at {falls} of 2 steps"
    assert met_by_curves((1, 5, 9), rises, Way.REPAIRED, EVIDENCE) == [(measured, falls == 0)]
    assert met_by_curves((1, 5, 9), rises, Way.GLOBAL, EVIDENCE) == []


@pytest.mark.parametrize("mean", [-0.1, 0.0, 0.1])
@pytest.mark.parametrize("high", [-0.05, 0.0, 0.05, math.inf])
def test_what_is_below_and_what_is_ahead(mean: float, high: float) -> None:
    band = Band(mean, -1.0, high)
    sizes = {"uwcse": (10, 3000), "yeast": (2999, 3000, 3001)}
    for data, (*before, last) in sizes.items():
        lead = Band.of([5.0])
        paired = (*(Paired(size, lead, 0.25) for size in before), Paired(last, band, 0.5))
        others = dict.fromkeys((Label(Origin.HARD_RULES), *AUTHORS.values()), paired)
        found = measure(
            replace(NO_RESULTS, data=data, sizes=sizes[data], models=dict.fromkeys(others, ()), paired=others)
        )
        bars = {bar.claim: bar for bar in found}
        asked = [label for label in others if label != AUTHORS[Way.CALIBRATED]]
        told = f"{mean:+.2f}" + ("" if high == math.inf else f" (-1.00 to {high:+.2f})")
        for label in asked:
            beyond = "our gain is at no size below that of {}", "at no size worse than {}, beyond the band"
            bar = bars.pop(beyond[data == "yeast"].format(label))
            assert bar.measured == f"least ahead at {last} facts: {told}"
            reach = mean if high == math.inf else max(mean, high)
            assert bar.met == ((reach if data == "yeast" else mean) >= 0)
        for label in asked[1:] if data == "yeast" else ():
            bar = bars.pop(f"ahead of {label} from 3000 facts")
            assert bar.measured == f"3000: +5.0 (p 0.25), 3001: {mean:+.1f} (p 0.5)" and bar.met == (mean > 0)
        assert not bars
    early = replace(NO_RESULTS, data="yeast", models={AUTHORS[Way.LOCAL]: ()}, paired=dict.fromkeys(others, paired[:1]))
    assert not any(bar.claim.startswith("ahead") for bar in measure(early))


@pytest.mark.parametrize(("times", "met"), [(19.9, False), (20.0, True), (20.1, True)])
def test_inference_is_timed_with_fifty_to_five_hundred_facts(times: float, met: bool) -> None:
    def seconds(each: float, beyond: float) -> tuple[Summary, ...]:
        took = {49: beyond, 50: each, 500: each, 501: beyond}
        return summarise([Score(size, 0, {"p/1": 3}, {"p/1": 1}, {}, its) for size, its in took.items()])

    models = {OURS: seconds(1.0, 0.5), PUBLISHED: seconds(times, 99.0)}
    timed = replace(NO_RESULTS, data="uwcse", sizes=(49, 50, 500, 501), models=models)
    assert [(bar.measured, bar.met) for bar in measure_speed(timed)] == [(f"{times:.0f} times", met)]
    assert measure_speed(replace(timed, sizes=(49, 501))) == measure_speed(replace(timed, models={OURS: ()})) == ()


@pytest.mark.parametrize(
    ("ours", "network", "met"),
    [
        (19.0, None, True),
        (393 / 20, None, True),
        (19.7, None, False),
        (30.0, 600.0, True),
        (30.0, 599.0, False),
        (0.5, 9.0, True),
    ],
)
def test_learning_is_faster_than_one_of_the_rivals(ours: float, network: float | None, met: bool) -> None:
    learning = LearningCost(ours, None, network, network_complete=True)
    (bar,) = measure_speed(replace(NO_RESULTS, data="uwcse", learning=learning))
    assert (
        bar.met == met
        and ", stopped" not in bar.measured
        and bar.measured.startswith(f"{ours:.1f} s; {393 / ours:.1f}")
    )
    assert ("the learner of networks" in bar.measured) == (network is not None)
