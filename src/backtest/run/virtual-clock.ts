/** The time of a run: it stands wherever the recording is. */
export class VirtualClock {
  nowUs = 0;
}
