// A terminal session of 80 columns as an SVG: the colours that the program writes, and no font of its own.
import { spawnSync } from 'node:child_process';

const COLOURS = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#79c0ff' };
const INK = '#e6edf3';
const QUIET = '#8b949e';
const CHAR = 7.8;
const LINE = 17;
const LEFT = 16;
const TOP = 40;
const COLUMNS = 80;
const ESCAPE = '\u001B';
const CODE = new RegExp(`(${ESCAPE}\\[[\\d;?]*[A-Za-z])`);
const COLOUR = new RegExp(`^${ESCAPE}\\[(\\d+)m$`);

/** Runs the command on a terminal of its own. Returns its lines, colours and all. */
export function terminalLines(command) {
  const { stdout } = spawnSync('script', ['-qec', `stty cols ${COLUMNS} rows 50; ${command}`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm-256color', NO_COLOR: '' },
    encoding: 'utf8',
  });
  return stdout.replaceAll('\r', '').trimEnd().split('\n');
}

export function terminalPicture(title, lines) {
  const height = TOP + lines.length * LINE;
  const width = Math.ceil(LEFT * 2 + COLUMNS * CHAR);
  const spans = createSpans();
  const rows = lines.map((line, i) => `<text y="${TOP + i * LINE}">${spans(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g fill="#30363d"><circle cx="20" cy="16" r="5"/><circle cx="36" cy="16" r="5"/><circle cx="52" cy="16" r="5"/></g>
<g fill="${INK}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13">
${rows.join('\n')}
</g>
</svg>
`;
}

/** A colour may go on in the next line. */
function createSpans() {
  let look = '';
  return (line) => {
    let column = 0;
    let found = '';
    for (const part of line.split(CODE)) {
      const code = COLOUR.exec(part)?.[1];
      if (code !== undefined) look = lookOf(Number(code));
      if (part.startsWith(ESCAPE)) continue;
      for (const { 0: text, index } of part.matchAll(/\S+(?: \S+)*/g)) {
        const x = LEFT + (column + index) * CHAR;
        const length = (text.length * CHAR).toFixed(1);
        found += `<tspan x="${x.toFixed(1)}" textLength="${length}"${look}>${escaped(text)}</tspan>`;
      }
      column += part.length;
    }
    return found;
  };
}

function lookOf(code) {
  if (code === 1) return ' font-weight="bold"';
  if (code === 2) return ` fill="${QUIET}"`;
  const colour = COLOURS[code];
  return colour === undefined ? '' : ` fill="${colour}"`;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
