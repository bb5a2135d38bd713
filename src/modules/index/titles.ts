/** Titles that people give to sessions: facts in their journals, which the index reads there. */
import { FOLDING } from '../../journal/memory-folding.ts';
import { createModule } from '../../tool/module-use.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';

/** As it is journaled. `null`: no title any more. A type alias: it must be JSON. */
type Fact = { readonly title: string | null };

/** Nothing is folded: the index has the title. */
export const TITLE_MEMORY: ToolMemory<null, Fact> = {
  name: 'title',
  folding: FOLDING,
  initial: null,
  scope: 'session',
  isHidden: true,
};

/** What a line cannot show, or what turns the direction of what follows: half pairs, controls, ends of lines, overrides. */
export const NO_TITLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** By which title facts are known in a journal. */
export const TITLES = { module: 'index', name: TITLE_MEMORY.name };

export const INDEX_MODULE = createModule({ name: TITLES.module, state: [TITLE_MEMORY] });
