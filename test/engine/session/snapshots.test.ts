import { expect, it } from 'vitest';
import { addUs, seconds } from '../../../src/domain/units.ts';
import type { ReportKind } from '../../../src/engine/ports/engine-event.ts';
import { Snapshots } from '../../../src/engine/session/snapshots.ts';
import { StateRig } from '../support/state-rig.ts';

it.each(['contracts', 'reference', 'book'] as const)(
  'what is asked for while %s is read is read again: the answer may be older',
  (what) => {
    const rig = new StateRig();
    const reads: ReportKind[] = [];
    const snapshots = new Snapshots(rig.state.context, {
      read: (kind) => void reads.push(kind),
      pollPace: () => undefined,
    });
    const begunUs = rig.now;
    snapshots.want(what);
    rig.goTo(addUs(rig.now, seconds(1)));
    snapshots.want(what);
    expect(reads).toEqual([what]);
    const arrived = (): boolean =>
      what === 'book' ? snapshots.arrived(what, begunUs) : snapshots.arrived(what);
    arrived();
    expect(reads).toEqual([what, what]);
    rig.goTo(addUs(rig.now, seconds(1)));
    if (what === 'book') snapshots.arrived(what, rig.now);
    else snapshots.arrived(what);
    expect(reads).toHaveLength(2);
  },
);
