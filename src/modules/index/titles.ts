/** Titles that people give to sessions: facts in their journals, which the index reads there. */
import { FOLDING } from '../../journal/memory-folding.ts';
import type { ModelFailure } from '../../model/chat-model.ts';
import { createModule } from '../../tool/module-use.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';

/**
 * As it is journaled. A title of `null`: no title any more. A model was `asked` under a key, and under the same key has written a title, or
 * has failed. Type aliases: they must be JSON.
 */
export type TitleFact =
  | { readonly title: string | null; readonly key?: string }
  | { readonly asked: string }
  | { readonly failed: ModelFailure; readonly reason: string; readonly key: string };

/** Nothing is folded: the index has the title. */
export const TITLE_MEMORY: ToolMemory<null, TitleFact> = {
  name: 'title',
  folding: FOLDING,
  initial: null,
  scope: 'session',
  isHidden: true,
};

/** What a line cannot show, or what turns the direction of what follows: half pairs, controls, ends of lines, overrides. */
export const NO_TITLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** The most characters of a title that no person has set. */
const MOST_OF_WORDS = 80;

const UNSHOWN = new RegExp(`(?:\\s|${NO_TITLE.source})+`, 'gu');

/** Returns the first words of a text as a line that a list can show. */
export function toLine(text: string): string {
  // A long text is not searched to its end.
  const words = text.slice(0, 1_000).replaceAll(UNSHOWN, ' ').trim();
  if (words.length <= MOST_OF_WORDS) return words;
  const cut = words.slice(0, MOST_OF_WORDS).replace(/ \S*$/, '');
  return `${cut.toWellFormed()}…`;
}

/** By which title facts are known in a journal. */
export const TITLES = { module: 'index', name: TITLE_MEMORY.name };

export const INDEX_MODULE = createModule({ name: TITLES.module, state: [TITLE_MEMORY] });
