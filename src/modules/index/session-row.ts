/** Converts rows of the table `sessions` to sessions. */
import type { FinalOutcome } from '../../journal/events.ts';
import type { PricedUsage } from '../../journal/reply-data.ts';
import type { SessionStatus } from '../../worker/index-views.ts';
import type { IndexedSession, IndexedState } from './reports.ts';

export interface SessionRow extends IndexedState {
  readonly [column: string]: SqlStorageValue;
  readonly agent: string;
  readonly session: string;
  readonly status: SessionStatus;
  readonly outcome: FinalOutcome | null;
  readonly openedAt: number;
  readonly lastActivity: number;
  readonly turn: string | null;
  readonly forkOf: string | null;
  readonly news: number;
  readonly words: string;
  readonly title: string | null;
  readonly turns: number;
  readonly usage: string;
  readonly isLeft: number;
  /** The mark of the reader, in a list for a reader. */
  readonly mark?: number | null;
}

export function toIndexedSession({ words, title, news, mark, ...row }: SessionRow): IndexedSession {
  const { agent, session, status, outcome, openedAt, lastActivity } = row;
  const { turns, turn, forkOf, seq } = row;
  return {
    ...{ session, agent, status, outcome, openedAt, lastActivity, turns, turn, forkOf, seq },
    title: title ?? (words || null),
    usage: parseUsage(row),
    ...(mark !== undefined && { unread: news > (mark ?? 0) }),
  };
}

export const parseUsage = ({ usage }: { readonly usage: string }): PricedUsage =>
  JSON.parse(usage) as PricedUsage; // written by IndexTables
