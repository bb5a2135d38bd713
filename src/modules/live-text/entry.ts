/** The entry `holdfast/live-text`: readers of a running turn see its text as it comes. */

import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import { LIVE_TEXT } from './live-text.ts';

/**
 * Shows readers of a running turn its text piece by piece, and the progress of its calls, in `use` of `createHoldfast`. Without it only the
 * client whose request runs the turn gets these: readers of a running turn, resumed streams and streams of a turn that was handed over get
 * events and whole replies. `aiSdkUi()`, `openAi()` and `defineMcpEndpoint` bring it along.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [liveText()] });
 * ```
 */
export function liveText(): ModuleUse {
  const use = useOf(MODULE);
  APP.give(use, LIVE_TEXT);
  return use;
}

const MODULE = createModule({ name: 'live-text' });
