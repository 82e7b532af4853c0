/** The next step of who reads an alert at three in the morning; only where there is one. */
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  order_presumed_absent:
    'look at the broker’s own book, then: tickwright orders resolve <order> absent|live --reason "…"',
  order_missing: 'look at the broker’s own book; tickwright orders shows ours',
  look_up_ambiguous:
    'look at the broker’s own book, then: tickwright orders resolve <order> absent|live --reason "…"',
  position_mismatch: 'compare with the broker’s own positions, then: tickwright resume --reason "…"',
  position_adopted: 'it belongs to the operator now; tickwright positions shows it',
  order_adopted: 'it belongs to the operator now: it is watched and never changed',
  engine_lost:
    'the named strategy is left out until the next start; tickwright journal tells what came before',
};

export const whatToDo = (code: string): string | undefined => WHAT_TO_DO[code];
