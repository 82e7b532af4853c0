import { expect, it } from 'vitest';
import { addUs, seconds } from '../../../src/domain/units.ts';
import type { ReadKind } from '../../../src/engine/ports/engine-event.ts';
import { ReadRequests } from '../../../src/engine/session/session-state.ts';
import { StateRig } from '../support/state-rig.ts';

it.each(['contracts', 'reference', 'book'] as const)(
  'what is asked for while %s is read is read again: the answer may be older',
  (what) => {
    const rig = new StateRig();
    const reads: ReadKind[] = [];
    const requests = new ReadRequests(rig.state.context, {
      read: (kind) => void reads.push(kind),
      pollPace: () => undefined,
    });
    const begunUs = rig.now;
    requests.request(what);
    rig.goTo(addUs(rig.now, seconds(1)));
    requests.request(what);
    expect(reads).toEqual([what]);
    const arrived = (): boolean =>
      what === 'book' ? requests.onArrived(what, begunUs) : requests.onArrived(what);
    arrived();
    expect(reads).toEqual([what, what]);
    rig.goTo(addUs(rig.now, seconds(1)));
    if (what === 'book') requests.onArrived(what, rig.now);
    else requests.onArrived(what);
    expect(reads).toHaveLength(2);
  },
);
