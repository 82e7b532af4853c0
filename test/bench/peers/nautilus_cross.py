"""The EMA cross in NautilusTrader: `nautilus_cross.py ticks.bin fast slow orders|looks rounds`."""
import sys

import numpy as np
from nautilus_trader.backtest.engine import BacktestEngine, BacktestEngineConfig
from nautilus_trader.backtest.models import FillModel, LatencyModel
from nautilus_trader.config import LoggingConfig, RiskEngineConfig, StrategyConfig
from nautilus_trader.model.currencies import USD
from nautilus_trader.model.data import QuoteTick, TradeTick
from nautilus_trader.model.enums import AccountType, AggressorSide, AssetClass, OmsType, OrderSide
from nautilus_trader.model.identifiers import InstrumentId, Symbol, TradeId, TraderId, Venue
from nautilus_trader.model.instruments import FuturesContract
from nautilus_trader.model.objects import Money, Price, Quantity
from nautilus_trader.trading.strategy import Strategy
from tally import SUM_BELOW, Clock, report

VENUE = Venue("BENCH")
NS = 1_000
FOREVER = 4_000_000_000_000_000_000


def contract():
    symbol = Symbol("CROSS")
    return FuturesContract(
        instrument_id=InstrumentId(symbol, VENUE),
        raw_symbol=symbol,
        asset_class=AssetClass.INDEX,
        currency=USD,
        price_precision=0,
        price_increment=Price.from_int(1),
        multiplier=Quantity.from_int(1),
        lot_size=Quantity.from_int(1),
        underlying="BENCH",
        activation_ns=0,
        expiration_ns=FOREVER,
        ts_event=0,
        ts_init=0,
    )


def ticks_of(path, instrument):
    """A print is a trade tick; where it moved the touch, a quote tick shows it."""
    table = np.fromfile(path).reshape(-1, 8)
    ticks = []
    touch = (0.0, 0.0)
    sides = {1.0: AggressorSide.BUYER, -1.0: AggressorSide.SELLER}
    for place, (at, price, qty, side, bid, ask, bid_qty, ask_qty) in enumerate(table.tolist()):
        ns = int(at) * NS
        trade_id = TradeId(str(place))
        ticks.append(TradeTick(instrument, Price.from_int(int(price)), Quantity.from_int(int(qty)), sides[side], trade_id, ns, ns))
        if (bid, ask) == touch or bid == 0 or ask == 0:
            continue
        touch = (bid, ask)
        sizes = (Quantity.from_int(max(1, int(bid_qty))), Quantity.from_int(max(1, int(ask_qty))))
        ticks.append(QuoteTick(instrument, Price.from_int(int(bid)), Price.from_int(int(ask)), *sizes, ns, ns))
    return ticks


class CrossConfig(StrategyConfig, frozen=True):
    instrument_id: InstrumentId
    fast: int
    slow: int
    trade: bool


class Cross(Strategy):
    def __init__(self, config):
        super().__init__(config)
        self.a = 2.0 / (config.fast + 1)
        self.b = 2.0 / (config.slow + 1)
        self.warm = config.slow
        self.trade = config.trade
        self.fast = self.slow = 0.0
        self.seen = self.held = self.crosses = self.total = self.sent = self.done = 0

    def on_start(self):
        self.subscribe_trade_ticks(self.config.instrument_id)
        self.subscribe_quote_ticks(self.config.instrument_id)

    def on_trade_tick(self, tick):
        price = tick.price.as_double()
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
        side = OrderSide.BUY if aim > 0 else OrderSide.SELL
        limit = Price.from_int(int(price) + aim * 10)
        order = self.order_factory.limit(self.config.instrument_id, side, Quantity.from_int(lots), limit)
        self.submit_order(order)

    def on_order_filled(self, event):
        self.done += 1


def main():
    path, fast, slow, what, rounds = sys.argv[1:6]
    instrument = contract()
    ticks = ticks_of(path, instrument.id)
    took = []
    for _ in range(int(rounds)):
        config = BacktestEngineConfig(
            trader_id=TraderId("BENCH-001"),
            logging=LoggingConfig(bypass_logging=True),
            risk_engine=RiskEngineConfig(max_order_submit_rate="100000/00:00:01"),
        )
        engine = BacktestEngine(config)
        engine.add_venue(
            venue=VENUE,
            oms_type=OmsType.NETTING,
            account_type=AccountType.MARGIN,
            base_currency=USD,
            starting_balances=[Money(1_000_000_000, USD)],
            fill_model=FillModel(),
            latency_model=LatencyModel(base_latency_nanos=2_000_000),
        )
        engine.add_instrument(instrument)
        engine.add_data(ticks, validate=False, sort=False)
        params = CrossConfig(instrument_id=instrument.id, fast=int(fast), slow=int(slow), trade=what == "orders")
        cross = Cross(params)
        engine.add_strategy(cross)
        clock = Clock()
        engine.run()
        took.append(clock.stop())
        figures = (cross.crosses, cross.total, cross.sent, cross.done)
        engine.dispose()
    report(took, *figures)


main()
