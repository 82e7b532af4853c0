/** What strategies publish for people: the latest of each name, bounded, and nowhere in the journal. */
import { expect, it } from 'vitest';
import { instrumentIndex } from '../../../src/domain/units.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';

const FRONT = instrumentIndex(0);

it('shows the latest value of each name, of each strategy', () => {
  const rig = new EngineRig().start();
  const before = rig.entries.length;
  rig.act(FIRST, () => rig.host.desk.plot(FIRST, FRONT, 'fast', 13_000.5));
  rig.act(SECOND, () => rig.host.desk.plot(SECOND, FRONT, 'fast', 12_000));
  rig.act(FIRST, () => rig.host.desk.plot(FIRST, FRONT, 'fast', 13_001.5));
  const { plots, tsUs } = rig.engine.snapshot();
  expect(plots).toEqual([
    { strategy: FIRST, instrument: FRONT, name: 'fast', tsUs, value: 13_001.5 },
    expect.objectContaining({ strategy: SECOND, value: 12_000 }),
  ]);
  expect(rig.entries.slice(before), 'no row of the journal').toEqual([]);
});

it('leaves out what is no number, and names beyond eight', () => {
  const rig = new EngineRig().start();
  rig.act(FIRST, () => {
    rig.host.desk.plot(FIRST, FRONT, 'broken', Number.NaN);
    for (let name = 1; name <= 20; name += 1) rig.host.desk.plot(FIRST, FRONT, `line ${name}`, name);
    rig.host.desk.plot(FIRST, FRONT, 'line 1', 99);
  });
  const { plots } = rig.engine.snapshot();
  expect(plots.map(({ name, value }) => [name, value])).toEqual([
    ['line 1', 99],
    ...[2, 3, 4, 5, 6, 7, 8].map((value) => [`line ${value}`, value]),
  ]);
});
