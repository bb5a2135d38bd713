/**
 * Checks the form of the architecture decisions and the changelog, on which readers and the release depend.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseLinks } from '../../source/links.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const FOLDER = 'docs/adr';
const INDEX_FILE = `${FOLDER}/README.md`;
const FILES = readdirSync(join(root, FOLDER))
  .filter((file) => file !== 'README.md')
  .toSorted();
const SECTIONS = ['Context', 'Decision', 'Consequences', 'Alternatives considered'];
const MAX_LINES = 90;

interface DecisionRecord {
  readonly number: string;
  readonly title: string;
  /** The list between the title and the first section, keyed by name. */
  readonly head: ReadonlyMap<string, string>;
  readonly sections: readonly { readonly title: string; readonly text: string }[];
}

function readDecisionRecord(file: string): DecisionRecord {
  const [top = '', ...sections] = read(`${FOLDER}/${file}`).split(/^## /m);
  const [, number = '', title = ''] = /^# (\d{4})\. (.+)$/m.exec(top) ?? [];
  return {
    number,
    title,
    head: new Map([...top.matchAll(/^- (\w+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value])),
    sections: sections.map((text) => {
      const [title = '', ...lines] = text.split('\n');
      return { title, text: lines.join('\n').trim() };
    }),
  };
}

describe('the architecture decision records', () => {
  it('are numbered from 0001 without gaps, with the same number in the file name and the title', () => {
    const numbers = FILES.map((file) => /^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]);
    expect(numbers).toEqual(FILES.map((_, index) => String(index + 1).padStart(4, '0')));
    expect(FILES.map((file) => readDecisionRecord(file).number)).toEqual(numbers);
  });

  it.each(FILES)('%s has a status, a date and the MADR sections, and fits on one page', (file) => {
    const { title, head, sections } = readDecisionRecord(file);
    expect(title).not.toBe('');
    expect(head.get('Status')).toMatch(
      /^(accepted|proposed|deprecated|superseded by \[\d{4}\]\(\d{4}-.+\.md\))$/,
    );
    expect(head.get('Date')).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(sections.map((section) => section.title)).toEqual(SECTIONS);
    expect(sections.filter(({ text }) => text.length < 40)).toEqual([]);
    expect(read(`${FOLDER}/${file}`).trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  it('are each listed once in the index, under their title', () => {
    const rows = [...read(INDEX_FILE).matchAll(/^\| \[(\d{4})\]\((.+?)\) \| (.+) \|$/gm)].map(
      ([, number, file, title]) => ({ number, file, title }),
    );
    const expected = FILES.map((file) => ({
      number: readDecisionRecord(file).number,
      file,
      title: readDecisionRecord(file).title,
    }));
    expect(rows.toSorted((a, b) => Number(a.number) - Number(b.number))).toEqual(expected);
  });

  it.each([INDEX_FILE, ...FILES.map((file) => `${FOLDER}/${file}`)])('%s has no broken links', (page) => {
    const lost = parseLinks(read(page), page).filter(({ path }) => !existsSync(join(root, path)));
    // The index contains this placeholder link to a superseding record.
    expect(lost.map(({ to }) => to).filter((to) => to !== 'NNNN-name.md')).toEqual([]);
  });
});

it('the first heading of the changelog is the package version, so that the release can find its notes', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }; // this repository's manifest
  expect(/^## (.+)$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
});
