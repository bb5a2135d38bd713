import type { AppParts } from '../../worker/app-seam.ts';
import { LiveQueue } from './live-queue.ts';
import { LiveRelay } from './live-relay.ts';

/**
 * The part of an app that streams text and progress to other readers. `liveText()` and protocols that need it
 * provide it.
 */
export const LIVE_TEXT_PARTS = {
  liveText: {
    relay: (options) => new LiveRelay(options),
    queue: (turn) => new LiveQueue(turn),
  },
} satisfies AppParts;
