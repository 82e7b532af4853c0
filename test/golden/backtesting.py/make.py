"""Writes runs.json: statistics and trades of backtesting.py 0.6.6 (pip install backtesting) on generated bars.

Bars are drawn with NumPy's PCG64 under a fixed seed and rounded to hundredths, so nothing of them belongs to anybody.
"""
import json
import pathlib
import warnings

import numpy as np
import pandas as pd
from backtesting import Backtest, Strategy
from backtesting.lib import crossover

warnings.simplefilter("ignore")
BARS = 160


def bars():
    rng = np.random.Generator(np.random.PCG64(20260318))
    close = 100 * np.exp(np.cumsum(rng.normal(0.0005, 0.02, BARS)))
    opened = np.concatenate([[100], close[:-1]]) * np.exp(rng.normal(0, 0.006, BARS))
    high = np.maximum(opened, close) * np.exp(np.abs(rng.normal(0, 0.008, BARS)))
    low = np.minimum(opened, close) * np.exp(-np.abs(rng.normal(0, 0.008, BARS)))
    frame = {"Open": opened, "High": high, "Low": low, "Close": close, "Volume": np.full(BARS, 1_000_000)}
    return pd.DataFrame(frame, index=pd.bdate_range("2024-01-01", periods=BARS)).round(2)


def mean(values, n):
    return pd.Series(values).rolling(n).mean()


class Cross(Strategy):
    def init(self):
        self.fast = self.I(mean, self.data.Close, 5)
        self.slow = self.I(mean, self.data.Close, 15)


class AllEquity(Cross):
    """The example of its documentation: all equity on the side of the fast mean."""

    def next(self):
        if crossover(self.fast, self.slow):
            self.position.close()
            self.buy()
        elif crossover(self.slow, self.fast):
            self.position.close()
            self.sell()


class Bracket(Cross):
    """50 shares with a stop-loss and a take-profit around the last close."""

    def next(self):
        close = self.data.Close[-1]
        if not self.position and crossover(self.fast, self.slow):
            self.buy(size=50, sl=round(close * 0.97, 2), tp=round(close * 1.05, 2))
        elif not self.position and crossover(self.slow, self.fast):
            self.sell(size=50, sl=round(close * 1.03, 2), tp=round(close * 0.95, 2))


class Waiting(Cross):
    """A limit order below or a stop order above the market every tenth bar, closed at the market five bars later."""

    def next(self):
        bar, close = len(self.data) - 1, self.data.Close[-1]
        if bar % 10 == 0 and bar % 20 == 0:
            self.buy(size=40, limit=round(close * 0.985, 2))
        elif bar % 10 == 0:
            self.buy(size=30, stop=round(close * 1.015, 2))
        elif bar % 10 == 5:
            for order in self.orders:
                order.cancel()
            self.position.close()


def value(each):
    if isinstance(each, pd.Timedelta):
        return each / pd.Timedelta(days=1)
    if isinstance(each, pd.Timestamp):
        return each.strftime("%Y-%m-%d")
    return None if pd.isna(each) else float(each)


def run(data, strategy, **settings):
    stats = Backtest(data, strategy, cash=10_000, **settings).run()
    trades = stats._trades
    return {
        "statistics": {key: value(each) for key, each in stats.items() if not key.startswith("_")},
        "firstTradingDay": data.index[14].strftime("%Y-%m-%d"),
        "trades": [
            [int(size), float(entry), float(left), value(begun), value(ended)]
            for size, entry, left, begun, ended in zip(
                trades.Size, trades.EntryPrice, trades.ExitPrice, trades.EntryTime, trades.ExitTime
            )
        ],
    }


data = bars()
runs = {
    "allEquity": run(data, AllEquity),
    "allEquityWithCosts": run(data, AllEquity, commission=0.002),
    "bracket": run(data, Bracket),
    "waiting": run(data, Waiting, commission=(5, 0.001)),
}
rows = [
    [day.strftime("%Y-%m-%d"), *(float(row[key]) for key in ("Open", "High", "Low", "Close"))]
    for day, row in data.iterrows()
]
path = pathlib.Path(__file__).with_name("runs.json")
lines = ",\n  ".join(json.dumps(row) for row in rows)
path.write_text(f'{{"bars": [\n  {lines}\n],\n"runs": {json.dumps(runs, indent=1)}}}\n')
