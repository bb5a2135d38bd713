/** Checks the manual as a whole: the sidebar of its site, `llms.txt`, and the skill for coding agents. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOf } from '../../../docs/.vitepress/llms.ts';
import { PAGES } from '../../../docs/.vitepress/pages.ts';

const root = resolve(import.meta.dirname, '../../..');
const docs = join(root, 'docs');
const listedPages = PAGES.flatMap(({ pages }) => pages);

/** The pages of the manual, without the site's landing page, generated pages and pages for maintainers. */
const pages = ['.', 'cookbook', 'coming-from'].flatMap((folder) =>
  readdirSync(join(docs, folder))
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => join(folder, file.slice(0, -'.md'.length))),
);

describe('the manual', () => {
  it('has each page in its sidebar once', () => {
    expect(listedPages.toSorted()).toEqual(pages.toSorted());
  });

  it('has the llms.txt that `node docs/.vitepress/write-llms.ts` writes', () => {
    expect(readFileSync(join(root, 'llms.txt'), 'utf8')).toBe(
      listOf(docs, PAGES, (page) => `docs/${page}.md`),
    );
  });
});

describe('the skill for coding agents', () => {
  const skill = readFileSync(join(root, 'skills/holdfast/SKILL.md'), 'utf8');

  it('refers only to pages and entries that exist', () => {
    const named = [...skill.matchAll(/`docs\/([\w/-]+)\.md`/g)].map(([, page = '']) => page);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((page) => !existsSync(join(docs, `${page}.md`)))).toEqual([]);
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      exports: Record<string, unknown>; // this repository's manifest
    };
    const entries = [...skill.matchAll(/`holdfast\/([\w/-]+)`/g)].map(([, entry = '']) => `./${entry}`);
    expect(entries.length).toBeGreaterThan(3);
    expect(entries.filter((entry) => !(entry in exports))).toEqual([]);
  });
});
