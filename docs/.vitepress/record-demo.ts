/**
 * `node docs/.vitepress/record-demo.ts`: runs the demo, and writes its four kills and its last line to the
 * animated image `docs/public/demo.svg`. Shortens long waits to 1.5 seconds.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

const root = resolve(import.meta.dirname, '../..');
const COLUMNS = 118;
const ROWS = 26;
const [CHARACTER, LINE, MARGIN] = [7.25, 18, 16];
const LONGEST_WAIT = 1_500;

/** A line of the demo, and its time in ms since the start. */
interface Line {
  readonly at: number;
  readonly text: string;
}

/** The start of a style change. */
const ESCAPE = String.fromCharCode(27);
const STYLED = new RegExp(`(${ESCAPE}\\[\\d+m)`);

/** Terminal colors, by the codes that start and end them. */
const COLORS: Readonly<Record<string, string>> = {
  '1': 'font-weight="bold"',
  '2': 'fill="#8b93a7"',
  '31': 'fill="#ff7b72"',
  '32': 'fill="#7ee787"',
  '33': 'fill="#e3b341"',
  '36': 'fill="#79c0ff"',
};

async function record(): Promise<readonly Line[]> {
  const demo = spawn(process.execPath, ['src/examples/demo/run-demo.ts'], {
    cwd: root,
    env: { ...process.env, FORCE_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: Line[] = [];
  let [at, last] = [0, performance.now()];
  for await (const text of createInterface({ input: demo.stdout })) {
    const now = performance.now();
    at += Math.min(now - last, LONGEST_WAIT);
    last = now;
    lines.push({ at, text });
  }
  return lines;
}

/** Keeps the kills and the last line. */
function shorten(lines: readonly Line[]): readonly Line[] {
  const tour = lines.findIndex(({ text }) => /== A tour/.test(text));
  const last = lines.findLast(({ text }) => /demo: /.test(text));
  if (tour < 0 || !last || !last.text.includes('PASS')) throw new Error('The demo did not pass.');
  const kills = lines.slice(0, tour);
  const begin = kills[0]?.at ?? 0;
  const end = kills.at(-1)?.at ?? 0;
  return [
    ...kills.map(({ at, text }) => ({ at: at - begin, text })),
    { at: end - begin + LONGEST_WAIT, text: last.text },
  ];
}

function toSvg(lines: readonly Line[]): string {
  const [width, height] = [COLUMNS * CHARACTER + 2 * MARGIN, ROWS * LINE + 2 * MARGIN];
  const total = (lines.at(-1)?.at ?? 0) + LONGEST_WAIT;
  const scroll = lines.flatMap(({ at }, index) =>
    index < ROWS
      ? []
      : `${((at / total) * 100).toFixed(3)}%{transform:translateY(${(ROWS - 1 - index) * LINE}px)}`,
  );
  const end = `transform:translateY(${Math.min(0, ROWS - lines.length) * LINE}px)`;
  const texts = lines.map(
    ({ at, text }, index) =>
      `<text class="l" y="${MARGIN + (index + 1) * LINE - 5}" style="animation-delay:${(at / 1000).toFixed(2)}s">${toSpans(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.round(width)} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="12" fill="#e6edf3" role="img">
<title>A recording of the demo: a Worker is killed four times, each turn resumes, and every effect happens once.</title>
<style>
.l{opacity:0;white-space:pre;animation:show 1ms linear forwards}
.s{animation:scroll ${(total / 1000).toFixed(2)}s step-end forwards}
@keyframes show{to{opacity:1}}
@keyframes scroll{0%{transform:translateY(0)}${scroll.join('')}100%{${end}}}
@media (prefers-reduced-motion:reduce){.l{opacity:1;animation:none}.s{animation:none;${end}}}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<svg x="${MARGIN}" width="${Math.round(width - 2 * MARGIN)}" height="${height}"><g class="s">
${texts.join('\n')}
</g></svg>
</svg>
`;
}

/** Returns the colored spans of a line, truncated to fit. */
function toSpans(text: string): string {
  let [style, column] = ['', 0];
  return text
    .split(STYLED)
    .map((part) => {
      const code = part.startsWith(ESCAPE) ? part.slice(2, -1) : undefined;
      if (code !== undefined) {
        style = COLORS[code] ?? '';
        return '';
      }
      const shown = stripVTControlCharacters(part).slice(0, COLUMNS - column);
      column += shown.length;
      return shown === '' ? '' : `<tspan ${style}>${escaped(shown)}</tspan>`;
    })
    .join('');
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00a0');

writeFileSync(join(root, 'docs/public/demo.svg'), toSvg(shorten(await record())));
