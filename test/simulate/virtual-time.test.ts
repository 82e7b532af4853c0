import { expect, it } from 'vitest';
import { type Owner, VirtualTime } from './virtual-time.ts';

const owner = (name: string): Owner => ({ name, isDead: false, skewUs: 0 });

it('goes on as the process that let others in between, and not once that is dead', async () => {
  const time = new VirtualTime(0);
  const [daemon, broker] = [owner('daemon'), owner('broker')];
  const steps: string[] = [];
  const work = async (): Promise<void> => {
    for (let part = 1; part <= 5; part += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      steps.push(`${part} by ${time.owner.name}`);
      if (part === 4) daemon.isDead = true;
    }
  };
  const undo = time.install();
  try {
    time.at(0, daemon, () => void work());
    for (let i = 0; i < 10; i += 1) time.at(i, broker, () => {});
    await time.runUntil(20, () => {});
  } finally {
    undo();
  }
  expect(steps).toEqual(['1 by daemon', '2 by daemon', '3 by daemon', '4 by daemon']);
});
