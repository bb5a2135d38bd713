/** Titles of sessions. The index reads them from events in the journal. */
import { FOLDING } from '../../journal/memory-folding.ts';
import type { ModelFailure } from '../../model/chat-model.ts';
import { createModule } from '../../tool/module-use.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';

/**
 * A title event. A title of `null` removes the title. `asked` records the key of a model call. A later event
 * with the same key has its title or failure. A type alias, because it must be JSON.
 */
export type TitleFact =
  | { readonly title: string | null; readonly key?: string }
  | { readonly asked: string }
  | { readonly failed: ModelFailure; readonly reason: string; readonly key: string };

/** The state is empty, because the index stores the title. */
export const TITLE_MEMORY: ToolMemory<null, TitleFact> = {
  name: 'title',
  folding: FOLDING,
  initial: null,
  scope: 'session',
  isHidden: true,
};

/**
 * Matches characters that a line cannot show or that change the direction of text: unpaired surrogates,
 * controls, line separators and direction overrides.
 */
export const UNPRINTABLE_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** The maximum number of characters of a generated title. */
const MAX_LINE_LENGTH = 80;

const UNPRINTABLE_RUN = new RegExp(`(?:\\s|${UNPRINTABLE_CHARACTER.source})+`, 'gu');

/** Returns the first words of a text as one line for a list. */
export function toLine(text: string): string {
  // Avoids scanning a long text to its end.
  const words = text.slice(0, 1_000).replaceAll(UNPRINTABLE_RUN, ' ').trim();
  if (words.length <= MAX_LINE_LENGTH) return words;
  const cut = words.slice(0, MAX_LINE_LENGTH).replace(/ \S*$/, '');
  return `${cut.toWellFormed()}…`;
}

/** The module and the name of title events in a journal. */
export const TITLE_SLICE = { module: 'index', name: TITLE_MEMORY.name };

export const INDEX_MODULE = createModule({ name: TITLE_SLICE.module, state: [TITLE_MEMORY] });
