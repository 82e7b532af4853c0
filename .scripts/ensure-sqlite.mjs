// Runs after every install: makes sure that better-sqlite3 really loads here. Its own install script fetches a
// prebuilt binary or compiles one; where npm did not run that script, or the binary is for another node, this builds it.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNodeGyp } from './node-gyp.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);

/** Opens a database in a process of its own (a binary of the wrong kind can crash it); null when that works. */
function whySqliteFails() {
  try {
    const program = "new (require('better-sqlite3'))(':memory:').prepare('select 1').get()";
    execFileSync(process.execPath, ['-e', program], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    return null;
  } catch (error) {
    const lines = String(error.stderr ?? error).split('\n');
    return (lines.find((line) => line.includes('Error')) ?? lines[0]).trim();
  }
}

let reason = whySqliteFails();
if (reason !== null) {
  console.error(`better-sqlite3 does not load yet (${reason}); compiling it, about a minute.`);
  const code = runNodeGyp(['rebuild', '--release'], dirname(require.resolve('better-sqlite3/package.json')));
  reason = code === 0 ? whySqliteFails() : `node-gyp ended with exit code ${code}`;
}
if (reason !== null) {
  console.error(`better-sqlite3 cannot be used here: ${reason}. The journal needs it: install what is named above, then run npm ci again.`);
  process.exitCode = 1;
}
