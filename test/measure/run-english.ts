/**
 * `npm run english` counts the habits of `english.ts` by folder, per 10,000 words. `-- PATH...` counts other
 * folders, such as those of well-written libraries. `-- --list told` prints each occurrence of a habit.
 * `-- --draw 40 --seed 7 --kind comments` draws random texts.
 */
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { countHabits, type EnglishCount, HABITS, type Habit, type Text } from './english.ts';
import { readOwnTexts, readTextsBelow } from './english-texts.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'string' },
    draw: { type: 'string' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string' },
  },
});
const root = resolve(import.meta.dirname, '../..');
const folders = positionals.map((path) => relative(root, resolve(path)));
const all = (
  folders.length > 0 ? folders.flatMap((folder) => readTextsBelow(root, folder)) : readOwnTexts(root)
).filter(({ kind }) => values.kind === undefined || kind === values.kind);

function printMatches(texts: readonly Text[], habit: Habit): void {
  const pattern = HABITS[habit];
  if (!pattern) throw new Error(`--list must be one of ${Object.keys(HABITS).join(', ')}, not '${habit}'.`);
  for (const { kind, file, line, text } of texts)
    if (countHabits([{ text }]).counts[habit] > 0)
      console.log(`${file}:${line} ${kind}: ${text.replaceAll('\n', ' ')}`);
}

/** Draws texts with a linear congruential generator. The same seed draws the same texts. */
function draw(texts: readonly Text[], count: number, seed: number): void {
  let state = seed;
  for (let drawn = 0; drawn < count; drawn += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const one = texts[Math.floor((state / 2 ** 32) * texts.length)];
    if (one) console.log(`${one.file}:${one.line} ${one.kind}\n  ${one.text.replaceAll('\n', '\n  ')}`);
  }
}

function print(texts: readonly Text[]): void {
  const rows = Map.groupBy(texts, ({ kind, file }) => `${kind} ${getGroup(file)}`);
  for (const kind of ['comments', 'errors', 'titles', 'docs'])
    rows.set(
      `${kind} in all`,
      texts.filter((one) => one.kind === kind),
    );
  console.log(
    ['', 'words', ...Object.keys(HABITS)].map((head) => head.padEnd(head === '' ? 34 : 9)).join(' '),
  );
  for (const [name, group] of [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    if (group.length > 0) console.log(formatRow(name, countHabits(group)));
}

function getGroup(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

function formatRow(name: string, { words, counts }: EnglishCount): string {
  const rates = Object.values(counts).map((count) => ((count / Math.max(words, 1)) * 10_000).toFixed(1));
  return [name.padEnd(34), String(words).padEnd(9), ...rates.map((rate) => rate.padEnd(9))].join(' ');
}

if (values.list !== undefined) printMatches(all, values.list as Habit);
else if (values.draw !== undefined) draw(all, Number(values.draw), Number(values.seed));
else print(all);
