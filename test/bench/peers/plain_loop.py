"""The EMA cross over many contracts in a plain loop: `plain_loop.py ticks.bin fast slow orders rounds`. Orders fill at once at the print."""
import sys
from array import array

from tally import SUM_BELOW, Clock, report

CONTRACTS = 100
COLUMNS = 8


def play(prices, fast_ticks, slow_ticks):
    a, b = 2.0 / (fast_ticks + 1), 2.0 / (slow_ticks + 1)
    fast = [tape[0] for tape in prices]
    slow = fast[:]
    held = [0] * len(prices)
    cash = 0.0
    crosses = total = 0
    for seen, row in enumerate(zip(*prices), 1):
        for at, price in enumerate(row):
            fast[at] += a * (price - fast[at])
            slow[at] += b * (price - slow[at])
            if seen <= slow_ticks:
                continue
            aim = 1 if fast[at] > slow[at] else -1
            if aim == held[at]:
                continue
            cash -= (aim - held[at]) * price
            held[at] = aim
            crosses += 1
            total = (total * 31 + seen * 7 + int(price)) % SUM_BELOW
    return crosses, total


def main():
    path, fast, slow, _, rounds = sys.argv[1:6]
    table = array("d")
    with open(path, "rb") as file:
        table.frombytes(file.read())
    each = len(table) // CONTRACTS
    prices = [table[at * each + 1 : (at + 1) * each : COLUMNS].tolist() for at in range(CONTRACTS)]
    took = []
    for _ in range(int(rounds)):
        clock = Clock()
        crosses, total = play(prices, int(fast), int(slow))
        took.append(clock.stop())
    report(took, crosses, total, crosses, crosses)


main()
