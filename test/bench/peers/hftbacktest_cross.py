"""The EMA cross in hftbacktest: `hftbacktest_cross.py ticks.bin fast slow orders|looks rounds`."""
import sys

import numpy as np
from hftbacktest import (
    BUY_EVENT,
    EXCH_EVENT,
    GTC,
    LIMIT,
    LOCAL_EVENT,
    SELL_EVENT,
    TRADE_EVENT,
    BacktestAsset,
    ROIVectorMarketDepthBacktest,
    event_dtype,
)
from hftbacktest.types import DEPTH_EVENT
from numba import njit
from tally import SUM_BELOW, Clock, report

NS = 1_000
LATENCY_NS = 2_000_000


def events_of(path):
    """A print is a trade event; where it moved the touch, depth events take away what stood at the old price and show the new one."""
    table = np.fromfile(path).reshape(-1, 8)
    time, price, qty, side, bid, ask, bid_qty, ask_qty = table.T
    rows = len(table)
    parts = []

    def add(order, mask, ev, px, lots):
        part = np.zeros(int(mask.sum()), event_dtype)
        part["ev"] = ev[mask] if isinstance(ev, np.ndarray) else ev
        part["exch_ts"] = part["local_ts"] = time[mask] * NS
        part["px"] = px[mask]
        part["qty"] = lots[mask]
        parts.append((np.nonzero(mask)[0] * 8 + order, part))

    both = EXCH_EVENT | LOCAL_EVENT
    ones = np.ones(rows, bool)
    add(0, ones, np.where(side > 0, TRADE_EVENT | both | BUY_EVENT, TRADE_EVENT | both | SELL_EVENT).astype(np.uint64), price, qty)
    for order, flag, touch, standing in ((1, BUY_EVENT, bid, bid_qty), (4, SELL_EVENT, ask, ask_qty)):
        before = np.concatenate(([0], touch[:-1]))
        moved = touch != before
        add(order, moved & (before > 0), DEPTH_EVENT | both | flag, before, np.zeros(rows))
        add(order + 1, moved & (touch > 0), DEPTH_EVENT | both | flag, touch, np.maximum(standing, 1))
    places = np.concatenate([place for place, _ in parts])
    events = np.concatenate([part for _, part in parts])
    return events[np.argsort(places, kind="stable")], price.min(), price.max()


@njit
def run(hbt, fast_ticks, slow_ticks, trade):
    a = 2.0 / (fast_ticks + 1)
    b = 2.0 / (slow_ticks + 1)
    fast = slow = 0.0
    seen = held = crosses = total = orders = 0
    timeout = 10**18
    while hbt.wait_next_feed(False, timeout) == 2:
        trades = hbt.last_trades(0)
        count = len(trades)
        if count == 0:
            continue
        for at in range(count):
            price = trades[at].px
            seen += 1
            if seen == 1:
                fast = slow = price
            else:
                fast += a * (price - fast)
                slow += b * (price - slow)
            if seen <= slow_ticks:
                continue
            aim = 1 if fast > slow else -1
            if aim == held:
                continue
            lots = abs(aim - held)
            held = aim
            crosses += 1
            total = (total * 31 + seen * 7 + np.int64(price)) % SUM_BELOW
            if not trade:
                continue
            orders += 1
            limit = price + aim * 10
            if aim > 0:
                hbt.submit_buy_order(0, orders, limit, lots, GTC, LIMIT, False)
            else:
                hbt.submit_sell_order(0, orders, limit, lots, GTC, LIMIT, False)
            hbt.clear_inactive_orders(0)
        hbt.clear_last_trades(0)
    return crosses, total, orders


def main():
    path, fast, slow, what, rounds = sys.argv[1:6]
    events, low, high = events_of(path)
    took = []
    # The first round compiles, and is not counted.
    for number in range(int(rounds) + 1):
        asset = (
            BacktestAsset()
            .data(events)
            .linear_asset(1.0)
            .constant_order_latency(LATENCY_NS, LATENCY_NS)
            .risk_adverse_queue_model()
            .no_partial_fill_exchange()
            .trading_qty_fee_model(0.5, 0.5)
            .tick_size(1.0)
            .lot_size(1.0)
            .roi_lb(float(low - 100))
            .roi_ub(float(high + 100))
            .last_trades_capacity(16)
        )
        hbt = ROIVectorMarketDepthBacktest([asset])
        clock = Clock()
        crosses, total, orders = run(hbt, int(fast), int(slow), what == "orders")
        spent = clock.stop()
        fills = hbt.state_values(0).num_trades
        hbt.close()
        if number > 0:
            took.append(spent)
    report(took, crosses, total, orders, fills)


main()
