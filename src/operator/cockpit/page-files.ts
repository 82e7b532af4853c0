/** The static files of the cockpit's page: they hold no data, and come from memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ifThere } from '../../domain/failure.ts';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
]);

/** Where the build leaves the page. */
export const PAGE_DIR = join(import.meta.dirname, '..', '..', 'page');

export const PAGE_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Tickwright</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page/cockpit.css">
</head>
<body>
<div id="page"><noscript>This page needs JavaScript; tickwright status and tickwright halt do without.</noscript></div>
<script type="module" src="/page/cockpit.js"></script>
</body>
</html>
`;

interface PageFile {
  readonly type: string;
  readonly text: Buffer;
}

/** By name; empty where nothing was built. */
export function readPageFiles(dir: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of ifThere(() => readdirSync(dir)) ?? []) {
    const type = TYPES.get(extname(name));
    if (type !== undefined && name.startsWith('cockpit.'))
      files.set(name, { type, text: readFileSync(join(dir, name)) });
  }
  return files;
}
