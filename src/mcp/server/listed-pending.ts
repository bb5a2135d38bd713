import type { PendingView } from '../../worker/turn-view.ts';
import { oneLine } from '../content/one-line.ts';

/** Characters of a tool's name, and of what is asked; `pending` of the answer has all of both. */
const MAX_NAME = 80;
const MAX_MESSAGE = 1_000;

/**
 * What a turn waits for, a line each, with the address at which it is answered. What is asked may be the words of a stranger,
 * such as an MCP server's, so they come last: nothing that they say stands where an address of ours does.
 */
export const listedPending = (pending: readonly PendingView[]): string =>
  pending
    .map(
      ({ tool, message, links }) =>
        `\n- ${oneLine(tool, MAX_NAME)}, answered by POST ${addressOf(links)}: ${oneLine(message, MAX_MESSAGE)}`,
    )
    .join('');

const addressOf = (links: PendingView['links']): string =>
  'approvals' in links ? links.approvals : links.results;
