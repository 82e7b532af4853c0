"""Writes runs.json: fills, fees and balances of nautilus_trader 1.221.0 (pip install nautilus_trader) for orders drawn under fixed seeds.

The bars are those of ../backtesting.py, each opened at the close before: over a gap orders fill at their own price there. The path of
a bar is four prices there, and a stop-loss that lies between two of them when the entry fills is refused: those of limit
orders are far away. In 2, 12 and 19 an order at the close meets the price of the fill before it, which the book has kept.
"""
import json
import pathlib
import random
from decimal import Decimal

import pandas as pd
from nautilus_trader.backtest.engine import BacktestEngine, BacktestEngineConfig
from nautilus_trader.config import LoggingConfig
from nautilus_trader.model.currencies import BTC, USD
from nautilus_trader.model.data import Bar, BarType
from nautilus_trader.model.enums import AccountType, OmsType, OrderSide, OrderType
from nautilus_trader.model.identifiers import InstrumentId, Symbol, Venue
from nautilus_trader.model.instruments import CurrencyPair
from nautilus_trader.model.objects import Money, Price, Quantity
from nautilus_trader.trading.strategy import Strategy

SEEDS = (1, 3)
STATS = ("Expectancy", "Win Rate", "Max Winner", "Avg Winner", "Max Loser", "Avg Loser")
HERE = pathlib.Path(__file__).parent
DAY_NS = 86_400_000_000_000
BARS = json.loads((HERE.parent / "backtesting.py" / "runs.json").read_text())["bars"]
for before, bar in zip(BARS, BARS[1:]):
    bar[1] = before[4]
    bar[2], bar[3] = max(bar[1:]), min(bar[1:])
SIM = Venue("SIM")
ABC = InstrumentId(Symbol("ABC/USD"), SIM)
TYPE = BarType.from_str("ABC/USD.SIM-1-DAY-LAST-EXTERNAL")


def drawn(seed):
    """Entries by bar: side, kind, quantity, and as parts of the price the way to it, to the stop and to the target.

    None for no entry: what is there ends.
    """
    dice = random.Random(seed)
    script = {}
    for bar in range(2, 140):
        if dice.random() < 0.4:
            side = dice.choice(["buy", "sell"])
            kind = dice.choice(["market", "limit", "stop", "bracket", "bracket_limit"])
            size = dice.randint(1, 20)
            away, stop, target = (round(dice.uniform(0.002, 0.02), 4) for _ in range(3))
            script[bar] = [side, kind, size, away, round(stop + 0.08, 4) if kind == "bracket_limit" else stop, target]
    return script | {140: None, 141: None, 142: None}


def price(value):
    return Price(round(value, 2), 2)


class Orders(Strategy):
    def __init__(self, script):
        super().__init__()
        self.script, self.fills, self.bar = script, [], -1

    def on_start(self):
        self.subscribe_bars(TYPE)

    def on_bar(self, bar):
        self.bar += 1
        if self.bar not in self.script:
            return
        entry = self.script[self.bar]
        is_flat, works = self.portfolio.is_flat(ABC), bool(self.cache.orders_open(strategy_id=self.id))
        if works and (is_flat or entry is None):
            return self.cancel_all_orders(ABC)
        if not is_flat and not works:
            return self.close_all_positions(ABC)
        if entry is None or works:
            return
        side, kind, size, away, stop, target = entry
        sign, order = (1, OrderSide.BUY) if side == "buy" else (-1, OrderSide.SELL)
        close, make, qty = float(bar.close), self.order_factory, Quantity.from_int(size)
        if kind == "market":
            return self.submit_order(make.market(ABC, order, qty))
        if kind == "limit":
            return self.submit_order(make.limit(ABC, order, qty, price(close * (1 - sign * away))))
        if kind == "stop":
            return self.submit_order(make.stop_market(ABC, order, qty, price(close * (1 + sign * away))))
        at = close if kind == "bracket" else close * (1 - sign * away)
        self.submit_order_list(
            make.bracket(
                instrument_id=ABC,
                order_side=order,
                quantity=qty,
                entry_order_type=OrderType.MARKET if kind == "bracket" else OrderType.LIMIT,
                entry_price=None if kind == "bracket" else price(at),
                sl_trigger_price=price(at * (1 - sign * stop)),
                tp_price=price(at * (1 + sign * target)),
            )
        )

    def on_order_filled(self, fill):
        day = pd.Timestamp(fill.ts_event - DAY_NS, tz="UTC").strftime("%Y-%m-%d")
        side = "buy" if fill.is_buy else "sell"
        self.fills.append([day, side, int(fill.last_qty), float(fill.last_px), float(fill.commission)])


def played(seed, is_adaptive):
    engine = BacktestEngine(BacktestEngineConfig(logging=LoggingConfig(bypass_logging=True)))
    engine.add_venue(
        SIM,
        OmsType.NETTING,
        AccountType.MARGIN,
        [Money(1_000_000, USD)],
        base_currency=USD,
        default_leverage=Decimal(10),
        bar_adaptive_high_low_ordering=is_adaptive,
    )
    engine.add_instrument(
        CurrencyPair(
            ABC,
            ABC.symbol,
            BTC,
            USD,
            2,
            0,
            Price.from_str("0.01"),
            Quantity.from_int(1),
            0,
            0,
            maker_fee=Decimal("0.0002"),
            taker_fee=Decimal("0.0005"),
        )
    )
    ends = [pd.Timestamp(day, tz="UTC").value + DAY_NS for day, *_ in BARS]
    engine.add_data(
        [Bar(TYPE, *map(price, bar[1:]), Quantity.from_int(1_000_000), end, end) for bar, end in zip(BARS, ends)]
    )
    script = drawn(seed)
    strategy = Orders(script)
    engine.add_strategy(strategy)
    engine.run()
    balance = round(float(engine.portfolio.account(SIM).balance_total(USD)), 2)
    stats = engine.portfolio.analyzer.get_performance_stats_pnls(USD)
    assert engine.portfolio.is_flat(ABC)
    engine.dispose()
    return {
        "seed": seed,
        "isAdaptive": is_adaptive,
        "orders": list(script.items()),
        "fills": strategy.fills,
        "balance": balance,
        "stats": {name: stats[name] for name in STATS},
    }


if __name__ == "__main__":
    runs = [played(seed, is_adaptive) for seed in SEEDS for is_adaptive in (False, True)]
    lines = ",\n".join(json.dumps(run) for run in runs)
    (HERE / "runs.json").write_text(f"[\n{lines}\n]\n")
