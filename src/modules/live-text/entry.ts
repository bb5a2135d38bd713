/** The entry `holdfast/live-text`: live text for readers of a running turn. */

import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import { LIVE_TEXT_PARTS } from './live-text.ts';

/**
 * Streams the text and call progress of a running turn to all of its readers. Pass it in `use` of
 * `createHoldfast`. Without it, only the client whose request runs the turn receives them. Readers of a
 * running turn, resumed streams, and streams of a turn after a hand-over receive events and whole replies.
 * `aiSdkUi()`, `openAi()` and `defineMcpEndpoint` include it.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [liveText()] });
 * ```
 */
export function liveText(): ModuleUse {
  const use = createUse(LIVE_TEXT_MODULE);
  APP.give(use, LIVE_TEXT_PARTS);
  return use;
}

const LIVE_TEXT_MODULE = createModule({ name: 'live-text' });
