/** A page of the cockpit in a browser of its own, over a daemon that is a few variables. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { type FakeDaemon, startFake } from '../operator/cockpit/fake-cockpit.ts';
import { type Look, newPage } from './page-browser.ts';
import type { Cockpit } from '../../src/operator/cockpit/cockpit-server.ts';

export const PAGE_DIR = join(import.meta.dirname, '..', '..', 'dist', 'src', 'page');

interface Opened {
  readonly page: Page;
  readonly cockpit: Cockpit;
  readonly trouble: string[];
  readonly cut: (now: boolean) => void;
}

const serve = (daemon: FakeDaemon): Promise<Cockpit> => startFake(daemon, { pageDir: PAGE_DIR });

/** A way to the cockpit that can be cut. */
async function startWire(cockpit: Cockpit) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const wire = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(Number(new URL(cockpit.url).port), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
    return undefined;
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const cut = (now: boolean): void => {
    isCut = now;
    if (isCut) for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut(true);
    wire.close();
  });
  const { port } = wire.address() as AddressInfo;
  return { cut, link: cockpit.link('steer').replace(/:\d+\//, `:${port}/`) };
}

export async function opened(
  daemon: FakeDaemon,
  look: Look = {},
  role: 'steer' | 'look' = 'steer',
): Promise<Opened> {
  const cockpit = await serve(daemon);
  onTestFinished(() => cockpit.close());
  const { page, trouble } = await newPage(look);
  // Time flows, and can be moved on.
  await page.clock.install();
  const { cut, link } = await startWire(cockpit);
  await page.goto(role === 'steer' ? link : cockpit.link(role));
  await page.waitForSelector('nav');
  return { page, cockpit, trouble, cut };
}

export const VIEW_NAMES = ['Now', 'Market', 'Steer', 'Journal', 'Results', 'Faults'] as const;
/** Part of a view that comes last. */
export const READY: Readonly<Record<(typeof VIEW_NAMES)[number], string>> = {
  Now: 'main .now',
  Market: 'main .market canvas',
  Steer: 'main .steer',
  Journal: 'main .journal .entry',
  Results: 'main .results canvas',
  Faults: 'main .faults li',
};

export async function show(page: Page, name: (typeof VIEW_NAMES)[number]): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
  await page.waitForSelector(READY[name]);
}

export const said = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('.outcomes p', { hasText: text }).first().waitFor();
