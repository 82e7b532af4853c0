/** The time of a run: it stands wherever the recording is. */
export class VirtualClock {
  nowUs = 0;
}

/** Counts events over all engines of a run. */
export class Sequence {
  last = 0;
}
