/**
 * Counts the habits that `test/gate/repository/english.test.ts` limits, in comments, errors, titles and docs.
 */
import { type Expression, Visitor } from 'oxc-parser';
import type { Source } from '../source/parse-source.ts';

/** The kinds of texts. */
export type TextKind = 'comments' | 'errors' | 'titles' | 'docs';

/** A text that people read. */
export interface Text {
  readonly kind: TextKind;
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** The counted habits. The first eight have limits, and the others only describe the style of a text. */
export const HABITS = {
  told: /\b(?:told|tells?)\b/gi,
  nobody: /\b(?:nobody|nothing|none|neither)\b/gi,
  whoever: /\b(?:whoever|whatever)\b/gi,
  stands: /\b(?:stands?|stood)\b(?! for)/gi,
  answers: /(?:^|[.!?]\s+)Answers\b/gm,
  'unless given': /\bunless given\b/gi,
  'goes on': /\b(?:goes on|go on|went on|anew|came of|comes of|became of)\b/gi,
  'begins with what': /(?:^|[.!?]\s+)(?:What|Of)\s(?![^.!?]*\?)/gm,
  if: /\bif\b/gi,
  returns: /\bReturns\b/g,
  default: /\bdefaults?\b/gi,
} as const satisfies Record<string, RegExp>;

export type Habit = keyof typeof HABITS;

/** How often each habit occurs in texts, and how many words they have. */
export interface EnglishCount {
  readonly words: number;
  readonly counts: Readonly<Record<Habit, number>>;
}

/** Counts the habits in texts. */
export function countHabits(texts: readonly Pick<Text, 'text'>[]): EnglishCount {
  const counts = Object.fromEntries(
    Object.entries(HABITS).map(([habit, pattern]) => [
      habit,
      texts.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0),
    ]),
  ) as Record<Habit, number>; // the keys are those of HABITS
  return { words: texts.reduce((sum, { text }) => sum + countWords(text), 0), counts };
}

const countWords = (text: string): number => text.match(/[A-Za-z][\w'’-]*/g)?.length ?? 0;

/** Returns the comments, error texts and test titles of a file, in this order. */
export const collectTexts = (source: Source): Text[] => [
  ...collectComments(source),
  ...collectStrings(source),
];

/** Returns the prose of a Markdown page by line, without code, link targets and HTML. */
export function parseProse(file: string, markdown: string): Text[] {
  const withoutBlocks = markdown.replace(/^(```|~~~)[\s\S]*?^\1[^\n]*$/gm, (block) =>
    block.replace(/[^\n]/g, ''),
  );
  return withoutBlocks.split('\n').flatMap((line, index) => {
    const text = withoutCode(line).replace(/\]\([^)\s]*\)/g, ']');
    return countWords(text) === 0 ? [] : [{ kind: 'docs' as const, file, line: index + 1, text }];
  });
}

const withoutCode = (text: string): string => text.replace(/`[^`\n]*`/g, '`code`').replace(/<[^>\n]*>/g, '');

/** Returns the comments. Consecutive line comments count as one comment. */
function collectComments({ file, text, comments }: Source): Text[] {
  const found: { start: number; end: number; text: string }[] = [];
  for (const { start, end } of comments) {
    const last = found.at(-1);
    const isNext = last && text.startsWith('//', start) && /^\n[ \t]*$/.test(text.slice(last.end, start));
    if (isNext) Object.assign(last, { end, text: `${last.text}\n${stripMarkers(text.slice(start, end))}` });
    else found.push({ start, end, text: stripMarkers(text.slice(start, end)) });
  }
  return found
    .filter((one) => !/^(?:biome-ignore|@ts-|#__)/.test(one.text))
    .map((one) => ({
      kind: 'comments',
      file,
      line: computeLine(text, one.start),
      text: withoutCode(one.text),
    }));
}

/** Returns the text of a comment without its markers and examples. */
const stripMarkers = (comment: string): string =>
  comment
    .replace(/^\/\*\*?|\*\/$|^\/\/ ?/g, '')
    .replace(/^[ \t]*\* ?/gm, '')
    .replace(/```[\s\S]*?```/g, '')
    .trim();

const computeLine = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** Returns the titles of tests, and the texts of thrown errors. */
function collectStrings({ file, text, program }: Source): Text[] {
  const found: Text[] = [];
  const add = (kind: TextKind, node: Expression | undefined): void => {
    if (!node || (node.type !== 'TemplateLiteral' && node.type !== 'Literal')) return;
    const raw = text.slice(node.start, node.end);
    if (!/^['"`]/.test(raw) || !/\s/.test(raw)) return;
    const words = withoutCode(
      raw
        .slice(1, -1)
        .replace(/\$\{[^}]*\}/g, 'x')
        .replaceAll('\\`', '`'),
    );
    found.push({ kind, file, line: computeLine(text, node.start), text: words });
  };
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (isTestCall(callee)) add('titles', title as Expression);
    },
    NewExpression({ callee, arguments: given }) {
      if (!/(?:Error|Problem)$/.test(text.slice(callee.start, callee.end))) return;
      for (const one of given) add('errors', one as Expression); // a spread element has no text, so it is skipped
    },
  }).visit(program);
  return found;
}

/** Returns `true` for a callee such as `it('...')` or `it.each(...)('...')`. */
function isTestCall(callee: Expression): boolean {
  switch (callee.type) {
    case 'Identifier':
      return /^(?:it|test|describe)$/.test(callee.name);
    case 'MemberExpression':
      return isTestCall(callee.object);
    case 'CallExpression':
      return isTestCall(callee.callee);
    case 'TaggedTemplateExpression':
      return isTestCall(callee.tag);
    default:
      return false;
  }
}
