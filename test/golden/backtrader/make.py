"""Writes runs.json and brackets.json: fills and analyzers of backtrader 1.9.78.123 (pip install backtrader pandas) for orders drawn under fixed seeds.

The bars are those of ../backtesting.py, which are generated; orders last until they are canceled.
"""
import json
import pathlib
import random

import backtrader as bt
import pandas as pd

# In 1, 4, 5, 10 and 15 limit orders cross each other, or a stop turns a position round.
SEEDS = (2, 7, 9, 11)
HERE = pathlib.Path(__file__).parent
KINDS = {
    "market": bt.Order.Market,
    "limit": bt.Order.Limit,
    "stop": bt.Order.Stop,
    "stop_limit": bt.Order.StopLimit,
}
rows = json.loads((HERE.parent / "backtesting.py" / "runs.json").read_text())["bars"]
frame = pd.DataFrame(rows, columns=["Day", "Open", "High", "Low", "Close"]).assign(Volume=1_000_000)
frame = frame.set_index(pd.to_datetime(frame.pop("Day")))


def drawn(seed):
    """Orders by bar: side, kind, quantity, limit and trigger."""
    dice = random.Random(seed)
    script = {}
    for bar in range(2, 150):
        if dice.random() < 0.35:
            close = frame.Close.iloc[bar]
            side, kind, size = dice.choice(["buy", "sell"]), dice.choice(list(KINDS)), dice.randint(1, 20)
            away, sign = dice.uniform(-0.03, 0.03), 1 if side == "buy" else -1
            limit = trigger = None
            if kind == "limit":
                limit = round(close * (1 + away), 2)
            elif kind != "market":
                trigger = round(close * (1 + sign * (abs(away) + 0.001)), 2)
            if kind == "stop_limit":
                limit = round(trigger * (1 + sign * dice.uniform(0, 0.01)), 2)
            script[bar] = [side, kind, size, limit, trigger]
        elif dice.random() < 0.1:
            script[bar] = None
    return script


class Orders(bt.Strategy):
    params = dict(script=None)

    def __init__(self):
        self.fills, self.waiting = [], []

    def next(self):
        bar = len(self) - 1
        if bar not in self.p.script:
            return
        order = self.p.script[bar]
        if order is None:
            for each in self.waiting:
                self.cancel(each)
            self.waiting = []
            return
        side, kind, size, limit, trigger = order
        prices = {"price": trigger or limit, "plimit": limit if trigger else None}
        send = self.buy if side == "buy" else self.sell
        self.waiting.append(send(size=size, exectype=KINDS[kind], **prices))

    def notify_order(self, order):
        assert order.status not in (order.Margin, order.Rejected)
        if order.status == order.Completed:
            day = self.data.datetime.date(0).isoformat()
            side = "buy" if order.isbuy() else "sell"
            self.fills.append([day, side, abs(order.executed.size), round(order.executed.price, 6)])


def run(seed):
    engine = bt.Cerebro()
    engine.adddata(bt.feeds.PandasData(dataname=frame, openinterest=None))
    engine.addstrategy(Orders, script=drawn(seed))
    engine.broker.setcash(1_000_000)
    engine.broker.setcommission(commission=0.001)
    engine.addanalyzer(bt.analyzers.SQN, _name="sqn")
    engine.addanalyzer(bt.analyzers.DrawDown, _name="drawdown")
    days = {"timeframe": bt.TimeFrame.Days, "riskfreerate": 0.0, "annualize": True}
    engine.addanalyzer(bt.analyzers.SharpeRatio, _name="sharpe", **days)
    (done,) = engine.run()
    found = {name: each.get_analysis() for name, each in done.analyzers.getitems()}
    return {
        "seed": seed,
        "orders": [[bar, order] for bar, order in drawn(seed).items()],
        "fills": done.fills,
        "value": engine.broker.getvalue(),
        "sqn": found["sqn"]["sqn"],
        "trades": found["sqn"]["trades"],
        "maxDrawdown": found["drawdown"]["max"]["drawdown"],
        "maxMoneyDown": found["drawdown"]["max"]["moneydown"],
        "sharpe": found["sharpe"]["sharperatio"],
    }


# In 5 a bar opens beyond the target and reaches the stop too: here the target fills at the open, there the stop comes first.
BRACKET_SEEDS = (1, 7)


def drawn_brackets(seed):
    """By bar: side, quantity, and the parts of the close at which stop and target lie away from it."""
    dice = random.Random(seed)
    return {
        bar: [dice.choice(["buy", "sell"]), dice.randint(1, 20), *(round(dice.uniform(0.005, 0.04), 3) for _ in "ab")]
        for bar in range(2, len(frame) - 5)
        if dice.random() < 0.15
    }


class Brackets(Orders):
    def next(self):
        bar, close = len(self) - 1, self.data.close[0]
        if bar not in self.p.script or self.position or any(order.alive() for order in self.waiting):
            return
        side, size, stop, target = self.p.script[bar]
        sign = 1 if side == "buy" else -1
        send = self.buy_bracket if side == "buy" else self.sell_bracket
        prices = {"stopprice": round(close * (1 - sign * stop), 2), "limitprice": round(close * (1 + sign * target), 2)}
        self.waiting = send(size=size, exectype=bt.Order.Market, **prices)


def run_brackets(seed):
    engine = bt.Cerebro()
    engine.adddata(bt.feeds.PandasData(dataname=frame, openinterest=None))
    engine.addstrategy(Brackets, script=drawn_brackets(seed))
    engine.broker.setcash(1_000_000)
    engine.broker.setcommission(commission=0.001)
    (done,) = engine.run()
    script = [[bar, entry] for bar, entry in drawn_brackets(seed).items()]
    return {"seed": seed, "script": script, "fills": done.fills, "value": engine.broker.getvalue()}


(HERE / "runs.json").write_text(json.dumps([run(seed) for seed in SEEDS]))
(HERE / "brackets.json").write_text(json.dumps([run_brackets(seed) for seed in BRACKET_SEEDS]))
