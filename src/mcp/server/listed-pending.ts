import type { PendingView } from '../../app/pending-view.ts';

/** What a turn waits for, a line each, with the address at which it is answered. */
export const listedPending = (pending: readonly PendingView[]): string =>
  pending
    .map(({ tool, message, links }) => `\n- ${tool}: ${message} It is answered by POST ${addressOf(links)}.`)
    .join('');

const addressOf = (links: PendingView['links']): string =>
  'approvals' in links ? links.approvals : links.results;
