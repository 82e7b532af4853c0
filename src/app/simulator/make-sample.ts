/** `npm run sample`: makes `data/sample/` anew, the same each time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CATALOG } from '../../../strategies/catalog.ts';
import { assert } from '../../domain/assert.ts';
import { loadConfig } from '../../config/load-config.ts';
import { sampleTape } from './sample-tape.ts';

const [config = 'config/paper.yaml', dir = 'data/sample'] = process.argv.slice(2);
const loaded = loadConfig(config, CATALOG);
assert(loaded.ok, `${config} is a valid configuration`);
const { exchangeCalendar: calendar, contracts, costs } = loaded.config;
const spec = contracts['VN30'];
assert(spec !== undefined, `${config} knows the contracts of VN30`);
const { name, text } = sampleTape({ calendar, spec, costs });
mkdirSync(dir, { recursive: true });
writeFileSync(join(dir, name), gzipSync(text, { level: 9 }));
process.stdout.write(`${join(dir, name)}: ${text.split('\n').length - 2} prints\n`);
