import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageGroup } from './pages.ts';
import { titleOf } from './titles.ts';

const SUMMARY =
  'Holdfast runs the tool loops of agents on Cloudflare Workers. A stateless Worker runs the loop, and a Durable Object keeps its journal, so ' +
  'that a loop survives evictions, deploys and crashes, and no side effect is silently doubled.';

/**
 * Returns the manual for language models (llmstxt.org): `llms.txt` lists the pages, and `llms-full.txt`
 * contains them in full.
 */
export const llmsTxt = (docs: string, groups: readonly PageGroup[]): Readonly<Record<string, string>> => ({
  'llms.txt': listOf(docs, groups, (page) => `/${page}`),
  'llms-full.txt': groups
    .flatMap(({ pages }) => pages)
    .map((page) => readFileSync(join(docs, `${page}.md`), 'utf8').trim())
    .join('\n\n---\n\n')
    .concat('\n'),
});

/** Returns the list of pages for the package and the site. */
export function listOf(docs: string, groups: readonly PageGroup[], linkOf: (page: string) => string): string {
  const sections = groups.map(({ title, pages }) =>
    [
      `## ${title}`,
      '',
      ...pages.map((page) => `- [${titleOf(docs, page)}](${linkOf(page)}): ${firstSentence(docs, page)}`),
    ].join('\n'),
  );
  return `${[`# Holdfast`, `> ${SUMMARY}`, ...sections].join('\n\n')}\n`;
}

/**
 * Returns the first sentence of a page, without the addresses of its links. @throws Error if the page does
 * not begin with a sentence.
 */
function firstSentence(docs: string, page: string): string {
  const text = readFileSync(join(docs, `${page}.md`), 'utf8');
  const paragraph = text
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split('\n\n')
    .map((block) => block.trim().replaceAll('\n', ' '))
    .find((block) => /^[A-Z`*[]/.test(block));
  if (paragraph === undefined) throw new Error(`docs/${page}.md has no sentence.`);
  const sentence = /^.*?[.:](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
  return sentence
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/[[\]]/g, '')
    .replace(/:$/, '.');
}
