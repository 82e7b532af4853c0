/** Both ends of a feed against a real server. */
import { onTestFinished } from 'vitest';
import { openCluster, type ClusterSettings } from '../../src/cluster/connection.ts';
import { readNote } from '../../src/recording/frame-log.ts';
import { FeedPublisher, type FeedPublisherOptions } from '../../src/cluster/feed-publisher.ts';
import { FeedReader, type FeedReaderOptions } from '../../src/cluster/feed-reader.ts';
import { seq, tsUs } from '../../src/domain/units.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';
import type { StampedFrame } from '../../src/wire/stream/server-frame.ts';

export const FEED = 'test';

const frame = (number: number, text = `s|21|{"totalVolume":${number}}`): StampedFrame => ({
  seq: seq(number),
  tsUs: tsUs(1_000_000 * number),
  text,
});

export const frames = (from: number, to: number): readonly StampedFrame[] =>
  Array.from({ length: to - from + 1 }, (_, i) => frame(from + i));

export class Publishing {
  readonly publisher: FeedPublisher;
  readonly alerts: string[] = [];
  readonly timers = new VirtualTimers();
  losses = 0;

  constructor(settings: ClusterSettings, options: Partial<FeedPublisherOptions> = {}) {
    this.publisher = new FeedPublisher({
      name: FEED,
      keep: { days: 1, bytes: 100_000_000 },
      open: () => openCluster(settings, 'publisher'),
      epoch: 'first',
      timers: this.timers,
      alert: (severity, code, text) => this.alerts.push(`${severity} ${code}: ${text}`),
      onLost: () => {
        this.losses += 1;
      },
      ...options,
    });
    onTestFinished(() => this.publisher.close());
  }

  take(records: readonly StampedFrame[]): void {
    for (const record of records) this.publisher.take(record);
  }
}

/** What a reader has heard, as lines. */
export class Reading {
  seqs: readonly number[] = [];
  readonly records: StampedFrame[] = [];
  readonly heard: string[] = [];
  readonly reader: FeedReader;
  readonly timers = new VirtualTimers();
  isAlive = false;

  constructor(settings: ClusterSettings, options: Partial<FeedReaderOptions> = {}) {
    this.reader = new FeedReader({
      name: FEED,
      open: () => openCluster(settings, 'reader'),
      from: tsUs(0),
      timers: this.timers,
      listener: {
        onRecords: (records) => {
          for (const record of records) {
            const note = readNote(record);
            if (note !== undefined) this.heard.push(`publisher: ${note.reason}`);
            else this.records.push(record);
          }
          this.seqs = this.records.map((record) => record.seq);
        },
        onGap: (reason) => this.heard.push(`gap: ${reason}`),
        onCaughtUp: (silence) => {
          this.isAlive = silence === null;
          this.heard.push('caught up');
        },
        onDown: (reason) => {
          this.isAlive = false;
          if (this.heard.at(-1) !== `down: ${reason}`) this.heard.push(`down: ${reason}`);
        },
      },
      ...options,
    });
    onTestFinished(() => this.reader.close());
  }
}
