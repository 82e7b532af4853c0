"""The EMA cross in backtrader: `backtrader_cross.py ticks.bin fast slow orders|looks rounds`. Each print is a bar of its own."""
import sys
from datetime import datetime, timezone

import backtrader as bt
import numpy as np
from tally import SUM_BELOW, Clock, report


class Prints(bt.feed.DataBase):
    """Prints as bars: all prices are the print's."""

    params = (("table", None),)

    def start(self):
        super().start()
        table = self.p.table
        days = table[:, 0] / 86_400e6 + bt.date2num(datetime(1970, 1, 1, tzinfo=timezone.utc))
        self.rows = iter(zip(days.tolist(), table[:, 1].tolist(), table[:, 2].tolist()))

    def _load(self):
        row = next(self.rows, None)
        if row is None:
            return False
        lines = self.lines
        lines.datetime[0], price, lines.volume[0] = row
        lines.open[0] = lines.high[0] = lines.low[0] = lines.close[0] = price
        lines.openinterest[0] = 0
        return True


class Cross(bt.Strategy):
    params = (("fast", 0), ("slow", 0), ("trade", True))

    def __init__(self):
        self.a = 2.0 / (self.p.fast + 1)
        self.b = 2.0 / (self.p.slow + 1)
        self.fast = self.slow = 0.0
        self.seen = self.held = self.crosses = self.total = self.sent = self.done = 0
        self.warm = self.p.slow
        self.trade = self.p.trade

    def next(self):
        price = self.data.close[0]
        self.seen += 1
        if self.seen == 1:
            self.fast = self.slow = price
        else:
            self.fast += self.a * (price - self.fast)
            self.slow += self.b * (price - self.slow)
        if self.seen <= self.warm:
            return
        aim = 1 if self.fast > self.slow else -1
        if aim == self.held:
            return
        lots = abs(aim - self.held)
        self.held = aim
        self.crosses += 1
        self.total = (self.total * 31 + self.seen * 7 + int(price)) % SUM_BELOW
        if not self.trade:
            return
        self.sent += 1
        (self.buy if aim > 0 else self.sell)(size=lots, price=price + aim * 10, exectype=bt.Order.Limit)

    def notify_order(self, order):
        if order.status == order.Completed:
            self.done += 1


def main():
    path, fast, slow, what, rounds = sys.argv[1:6]
    table = np.fromfile(path).reshape(-1, 8)
    took = []
    for _ in range(int(rounds)):
        cerebro = bt.Cerebro(stdstats=False, runonce=False, preload=False, exactbars=1)
        cerebro.broker.setcash(1e12)
        cerebro.adddata(Prints(table=table))
        cerebro.addstrategy(Cross, fast=int(fast), slow=int(slow), trade=what == "orders")
        clock = Clock()
        (cross,) = cerebro.run()
        took.append(clock.stop())
    report(took, cross.crosses, cross.total, cross.sent, cross.done)


main()
