import * as v from 'valibot';
import { type AnyTool, defineTool, error } from '../../index.ts';
import type { GitHub } from './github.ts';
import { getSubject } from './subject.ts';

/** The maximum number of characters of a file that the model reads. */
const MAX_FILE = 8_000;
/**
 * The maximum number of words in a search. A search must match all words, so the longest few find more issues
 * than the whole title would.
 */
const MAX_WORDS = 3;

const findSimilar = (github: GitHub) =>
  defineTool({
    name: 'find_similar_issues',
    description: 'Find other issues of the repository that share the longest words of a title.',
    effect: 'read',
    input: v.object({ title: v.pipe(v.string(), v.description('A title, or a few words')) }),
    async run({ title }, call) {
      const words = searchWords(title);
      return { similar: words.length > 0 ? [...(await github.search(getSubject(call), words, call))] : [] };
    },
  });

const readFile = (github: GitHub) =>
  defineTool({
    name: 'read_file',
    description: 'Read a file of the repository by its path.',
    effect: 'read',
    input: v.object({
      path: v.pipe(
        v.string(),
        v.regex(/^\S[^\n]{0,299}$/),
        v.check(isInside, 'A path has no empty parts, and neither `.` nor `..` among them.'),
        v.description('Such as docs/install.md'),
      ),
    }),
    async run({ path }, call) {
      const text = await github.file(getSubject(call), path, call);
      return text?.slice(0, MAX_FILE) ?? error('There is no such file on the default branch.');
    },
  });

/** Returns the tools for the rest of the repository. They only read. */
export const createRepositoryTools = (github: GitHub): readonly AnyTool[] => [
  findSimilar(github),
  readFile(github),
];

/**
 * Returns whether a path stays in the repository. In a URL, `..` could reach other data that the token can
 * access.
 */
const isInside = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/**
 * Returns plain words in lower case, which cannot be a qualifier (`repo:`, `org:`) or an operator (`NOT`,
 * `-`) of the search.
 */
const searchWords = (title: string): readonly string[] =>
  [...new Set(title.toLowerCase().match(/[\p{L}\p{N}]{3,50}/gu))]
    .toSorted((left, right) => right.length - left.length)
    .slice(0, MAX_WORDS);
