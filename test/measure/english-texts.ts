import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSource } from '../source/parse-source.ts';
import { proseOf, type Text, textsOf } from './english.ts';

const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|\.git|\.wrangler|\.vitepress\/cache|docs\/reference)(?:\/|$)/;

/** Returns the texts in all TypeScript and Markdown files below a folder. Skips files that cannot be parsed. */
export const textsBelow = (root: string, folder: string): Text[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file).replaceAll('\\', '/'))
    .filter((file) => !LEFT_OUT.test(file) && /\.(?:tsx?|md)$/.test(file) && !file.endsWith('.d.ts'))
    .toSorted()
    .flatMap((file) => textsOfFile(root, file));

/** Returns the texts in one file. */
export function textsOfFile(root: string, file: string): Text[] {
  const text = readFileSync(join(root, file), 'utf8');
  if (file.endsWith('.md')) return proseOf(file, text);
  try {
    return textsOf(parseSource(file, text));
  } catch {
    return [];
  }
}

const OWN = ['src', 'durable-objects', 'build', 'test', 'docs'];
const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

/** Returns the texts in this repository. */
export const ownTexts = (root: string): Text[] => [
  ...OWN.flatMap((folder) => textsBelow(root, folder)),
  ...PAGES.flatMap((page) => textsOfFile(root, page)),
];
