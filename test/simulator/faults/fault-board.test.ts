import { describe, expect, it } from 'vitest';
import { FaultBoard } from '../../../src/simulator/faults/fault-board.ts';
import { parseFault } from '../../../src/simulator/faults/fault.ts';

describe('faults that are set', () => {
  it('strike as often as they were set to', () => {
    const board = new FaultBoard();
    board.arm({ name: 'stop_pongs', times: 2 });
    expect([1, 2, 3].map(() => board.strike('stop_pongs') !== undefined)).toEqual([true, true, false]);
    expect(board.list()).toEqual([]);
  });

  it('strike until they are cleared when no number is given', () => {
    const board = new FaultBoard();
    board.arm({ name: 'stop_pongs' });
    board.arm({ name: 'http_429' });
    for (let i = 0; i < 100; i += 1) expect(board.strike('stop_pongs')).toBeDefined();
    board.clear('stop_pongs');
    expect(board.strike('stop_pongs')).toBeUndefined();
    expect(board.list()).toEqual([{ fault: { name: 'http_429' }, left: null }]);
    board.clear();
    expect(board.list()).toEqual([]);
  });

  it('strike only what they are aimed at', () => {
    const board = new FaultBoard();
    board.arm({ name: 'accept_then_drop', operation: 'place', times: 1 });
    board.arm({ name: 'lose_frame', channel: 'trade', symbol: 'A', times: 1 });
    board.arm({ name: 'refuse_connections', times: 1 });
    expect(board.strike('accept_then_drop', { operation: 'cancel' })).toBeUndefined();
    expect(board.strike('accept_then_drop', { operation: 'place' })).toBeDefined();
    expect(board.strike('lose_frame', { channel: 'bid', symbol: 'A' })).toBeUndefined();
    expect(board.strike('lose_frame', { channel: 'trade', symbol: 'B' })).toBeUndefined();
    expect(board.strike('lose_frame', { channel: 'trade', symbol: 'A' })).toBeDefined();
    expect(
      board.strike('refuse_connections', { scope: 'all' }),
      'the stream alone by default',
    ).toBeUndefined();
    expect(board.strike('refuse_connections', { scope: 'stream' })).toBeDefined();
  });

  it('wait in line: the second of a name strikes when the first is used up', () => {
    const board = new FaultBoard();
    board.arm({ name: 'late_answer', delayMs: 1, times: 1 });
    board.arm({ name: 'late_answer', delayMs: 2, times: 1 });
    expect([board.strike('late_answer')?.delayMs, board.strike('late_answer')?.delayMs]).toEqual([1, 2]);
  });
});

describe('a fault as the control API gets it', () => {
  it.each([
    [{ name: 'accept_then_drop' }],
    [{ name: 'accept_then_drop', operation: 'place', times: 3 }],
    [{ name: 'late_answer', delayMs: 100 }],
    [{ name: 'http_500', done: true }],
    [{ name: 'hide_new_order', seconds: 5, times: 1 }],
    [{ name: 'contradict_status', status: 'PMWX', orderNo: '17' }],
    [{ name: 'lose_frame', channel: 'bid' }],
    [{ name: 'refuse_connections', scope: 'all' }],
    [{ name: 'close_stream', code: 1006 }],
    [{ name: 'half_open' }],
    [{ name: 'inject_order', symbol: 'X', side: 'sell', points: 1300.1, volume: 2 }],
    [{ name: 'inject_position', symbol: 'X', net: -2 }],
  ])('is taken: %j', (raw) => {
    expect(parseFault(raw)).toEqual({ ok: true, value: raw });
  });

  it.each([
    [null, ''],
    [[], ''],
    [{}, 'name'],
    [{ name: 'accept_than_drop' }, 'name'],
    [{ name: 'toString' }, 'name'],
    [{ name: 'stop_pongs', times: 0 }, 'times'],
    [{ name: 'stop_pongs', times: 1.5 }, 'times'],
    [{ name: 'stop_pongs', operation: 'place' }, 'operation'],
    [{ name: 'stop_pongs', constructor: 1 }, 'constructor'],
    [{ name: 'accept_then_drop', operation: 'submit' }, 'operation'],
    [{ name: 'late_answer' }, 'delayMs'],
    [{ name: 'late_answer', delayMs: '100' }, 'delayMs'],
    [{ name: 'close_stream', code: 1005 }, 'code'],
    [{ name: 'close_stream', code: 999 }, 'code'],
    [{ name: 'inject_position', symbol: 'X', net: 0 }, 'net'],
    [{ name: 'inject_order', symbol: 'X', side: 'B', points: 1, volume: 1 }, 'side'],
  ])('is refused: %j, because of %s', (raw, path) => {
    const outcome = parseFault(raw);
    expect(outcome.ok ? [] : outcome.issues.map((issue) => issue.path)).toEqual([path]);
  });
});
