import type { AppParts } from '../../worker/app-seam.ts';
import { LiveQueue } from './live-queue.ts';
import { LiveRelay } from './live-relay.ts';

/** What an app is given that shows readers elsewhere what is not journaled: by `liveText()`, and by what brings it along. */
export const LIVE_TEXT = {
  liveText: {
    relay: (options) => new LiveRelay(options),
    queue: (turn) => new LiveQueue(turn),
  },
} satisfies AppParts;
