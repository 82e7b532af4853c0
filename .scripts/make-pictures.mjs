// Draws the pictures of README.md that show the cockpit: all states go to var/pictures, two of them to data/pictures.
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const drawn = join(root, 'var', 'pictures');
const test = ['run', '--config', 'test/vitest.config.ts', 'test/e2e/cockpit-page.test.ts', '-t', 'shows'];
const { status } = spawnSync('npx', ['vitest', ...test], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TICKWRIGHT_PICTURES: drawn },
});
if (status !== 0) process.exit(status ?? 1);
const SHOWN = { 'paper-1280-light': 'cockpit-now', 'view-market-1280-light': 'cockpit-market' };
for (const [from, to] of Object.entries(SHOWN))
  copyFileSync(join(drawn, `${from}.png`), join(root, 'data', 'pictures', `${to}.png`));
