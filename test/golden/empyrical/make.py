"""Writes metrics.json: metrics of generated returns by empyrical-reloaded 0.7.1 (pip install empyrical-reloaded scipy).

Returns are drawn with NumPy's PCG64 under a fixed seed and rounded, so nothing of it belongs to anybody.
"""
import json
import pathlib
import warnings

import empyrical as e
import numpy as np
import pandas as pd
from scipy import stats

warnings.simplefilter("ignore")
RISK_FREE = 0.0001


def figures(own, market, n):
    risk = {"risk_free": RISK_FREE, "annualization": n}
    return {
        "cumulativeReturn": e.cum_returns_final(own),
        "annualReturn": e.annual_return(own, annualization=n),
        "annualVolatility": e.annual_volatility(own, annualization=n),
        "maxDrawdown": e.max_drawdown(own),
        "sharpe": e.sharpe_ratio(own, risk_free=RISK_FREE, annualization=n),
        "sortino": e.sortino_ratio(own, required_return=RISK_FREE, annualization=n),
        "calmar": e.calmar_ratio(own, annualization=n),
        "omega": e.omega_ratio(own, risk_free=RISK_FREE, annualization=n),
        "stability": e.stability_of_timeseries(own),
        "downsideRisk": e.downside_risk(own, required_return=RISK_FREE, annualization=n),
        "valueAtRisk": e.value_at_risk(own),
        "conditionalValueAtRisk": e.conditional_value_at_risk(own),
        "tailRatio": e.tail_ratio(own),
        "skew": stats.skew(own),
        "kurtosis": stats.kurtosis(own),
        "excessSharpe": e.excess_sharpe(own, market),
        "beta": e.beta(own, market, risk_free=RISK_FREE),
        "alpha": e.alpha(own, market, **risk),
        "capture": e.annual_return(own, annualization=n) / e.annual_return(market, annualization=n),
    }


def aggregate(own):
    return {span: [number(x) for x in e.aggregate_returns(own, word)]
            for span, word in {"month": "monthly", "year": "yearly"}.items()}


def number(value):
    return None if value is None or not np.isfinite(value) else float(value)


def series(name, n, own, market, first, every):
    days = pd.date_range(first, periods=len(own), freq=every)
    own, market = (pd.Series(np.round(each, 9), index=days) for each in (own, market))
    return {
        "name": name,
        "periodsPerYear": n,
        "days": [f"{day:%Y-%m-%d}" for day in days],
        "returns": list(own),
        "benchmark": list(market),
        "metrics": {key: number(value) for key, value in figures(own, market, n).items()},
        "aggregateReturns": aggregate(own),
    }


rng = np.random.default_rng(20260304)
market = rng.normal(0.0004, 0.011, 270)
coins = rng.standard_t(3, 200) * 0.02
golden = {
    "made": "by make.py beside it, with empyrical-reloaded 0.7.1",
    "riskFree": RISK_FREE,
    "series": [
        series("shares over a year", 252, 0.0003 + 0.8 * market + rng.normal(0, 0.006, 270), market, "2024-11-20", "B"),
        series("coins with fat tails", 365, 0.5 * coins + rng.standard_t(3, 200) * 0.03, coins, "2025-12-20", "D"),
        series("two weeks", 252, rng.normal(0, 0.01, 10), market[:10], "2026-03-02", "B"),
        series("never a loss", 252, 0.0005 + np.abs(rng.normal(0.001, 0.001, 30)), market[:30], "2026-03-02", "B"),
        series("nothing happened", 252, np.zeros(25), market[:25], "2026-03-02", "B"),
    ],
}
pathlib.Path(__file__).with_name("metrics.json").write_text(json.dumps(golden) + "\n")
