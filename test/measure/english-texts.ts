import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSource } from '../source/parse-source.ts';
import { collectTexts, parseProse, type Text } from './english.ts';

const EXCLUDED_PATHS =
  /(?:^|\/)(?:node_modules|dist|\.git|\.wrangler|\.vitepress\/cache|docs\/reference)(?:\/|$)/;

/** Returns the texts in all TypeScript and Markdown files below a folder. Skips files that cannot be parsed. */
export const readTextsBelow = (root: string, folder: string): Text[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file).replaceAll('\\', '/'))
    .filter((file) => !EXCLUDED_PATHS.test(file) && /\.(?:tsx?|md)$/.test(file) && !file.endsWith('.d.ts'))
    .toSorted()
    .flatMap((file) => readFileTexts(root, file));

/** Returns the texts in one file. */
export function readFileTexts(root: string, file: string): Text[] {
  const text = readFileSync(join(root, file), 'utf8');
  if (file.endsWith('.md')) return parseProse(file, text);
  try {
    return collectTexts(parseSource(file, text));
  } catch {
    return [];
  }
}

const OWN_FOLDERS = ['src', 'durable-objects', 'build', 'test', 'docs'];
const OWN_PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

/** Returns the texts in this repository. */
export const readOwnTexts = (root: string): Text[] => [
  ...OWN_FOLDERS.flatMap((folder) => readTextsBelow(root, folder)),
  ...OWN_PAGES.flatMap((page) => readFileTexts(root, page)),
];
