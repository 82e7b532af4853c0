/** States that a good run of seeds must have met: a simulation that never gets there proves nothing about them. */
export const SOMETIMES = [
  'an unknown order is resolved by look-up',
  'an unknown order is proven absent',
  'a crash before a commit',
  'a crash between commit and send',
  'a crash while a call is under way',
  'a second crash before the first commit',
  'a crash while the past is replayed',
  'a tail is cut off and decided again',
  'a fill while the daemon is down',
  'a partly filled order over a restart',
  'a waiting stop over a restart',
  'a stop triggers while disconnected',
  'a stop is gone unseen',
  'an order fills after its cancel was sent',
  'an answer is lost',
  'a call never leaves',
  'a halt while an order is under way',
  'an entry is denied',
  'the broker rejects a call',
  'the journal fails',
  'the journal recovers',
  'an exit is sent on the emergency file',
  'the token dies',
  'the stream is cut',
  'a foreign order is adopted',
  'a position mismatch is proven',
  'the clock steps back',
  'the clock jumps ahead',
  'the broker dies and starts again',
  'the machine sleeps',
  'days pass without the daemon',
  'a trading day ends and another begins',
  'the broker closes a position by force',
  'the engine is lost and replaced',
  'a strategy throws and is stopped',
  'an edited strategy goes on',
  'a stopped strategy starts again',
  'strategies change while the daemon runs',
  'a failure is answered by its policy',
  'a fault that lasts is lived with',
  'a fault that lasts is alerted',
  'a dry run is quiet',
  'a protective stop waits',
  'a clean stop and start',
  'a bracket brings its exits',
  'a trailing stop triggers',
  'rows of a book change places',
  'a row of a book comes twice',
  'pages of a book overlap',
  'a row loses contracts',
  'a row shows the other side',
  'a book comes empty',
  'positions come empty',
  'a kill at the answer to a command',
] as const;
export type Sometimes = (typeof SOMETIMES)[number];

export class Sightings {
  readonly counts = new Map<Sometimes, number>();

  saw(what: Sometimes): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  add(counts: ReadonlyMap<Sometimes, number>): void {
    for (const [what, times] of counts) this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  get missing(): readonly Sometimes[] {
    return SOMETIMES.filter((what) => !this.counts.has(what));
  }
}
