/** `node docs/.vitepress/write-llms.ts` writes the package's `llms.txt`, the list of its pages. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listOf } from './llms.ts';
import { PAGES } from './pages.ts';

const docs = resolve(import.meta.dirname, '..');
writeFileSync(
  join(docs, '../llms.txt'),
  listOf(docs, PAGES, (page) => `docs/${page}.md`),
);
