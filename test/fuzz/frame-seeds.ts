/** Right frames of both directions, to be broken. */
import { priceHundredths, priceTicks, qty } from '../../src/domain/units.ts';
import {
  ALL_CHANNELS,
  encodeAuth,
  encodeSubscribe,
  encodeUnsubscribe,
  HEARTBEAT_FRAME,
  encodeAuthResult,
  encodeHeartbeatTimeout,
  PONG_FRAME,
  SERVER_BEAT_FRAME,
} from '../../src/wire/stream/control-frame.ts';
import {
  encodeBook,
  encodeBookChange,
  encodeSummary,
  encodeTrade,
} from '../../src/wire/stream/data-frame.ts';
import { FRONT, NEXT } from '../wire/support/listed-contracts.ts';

const LEVELS = [
  { price: priceTicks(13_000), qty: qty(5) },
  { price: priceTicks(12_999), qty: qty(7) },
];

export const SERVER_FRAMES: readonly string[] = [
  encodeTrade(FRONT, { price: priceTicks(13_001), qty: qty(2), totalVolume: 17 }, priceHundredths(130_000)),
  encodeBook('bid', FRONT, LEVELS),
  encodeBook('ask', NEXT, LEVELS),
  encodeBookChange('bid', FRONT, [], LEVELS) ?? '',
  encodeSummary(FRONT, {
    open: priceTicks(1),
    high: priceTicks(3),
    low: priceTicks(1),
    average: priceHundredths(15),
  }),
  encodeAuthResult({ code: '211110', message: 'Invalid JWT' }),
  encodeAuthResult(null),
  'd|0|{success: true, error: null}',
  encodeHeartbeatTimeout(15),
  PONG_FRAME,
  SERVER_BEAT_FRAME,
];

export const CLIENT_FRAMES: readonly string[] = [
  encodeAuth('a.b.c'),
  encodeSubscribe(ALL_CHANNELS, ['A', 'B']),
  encodeUnsubscribe(ALL_CHANNELS, ['A', 'B']),
  HEARTBEAT_FRAME,
];
