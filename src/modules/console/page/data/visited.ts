/**
 * Stores which sessions this browser has opened, most recent first. Without an index, the page lists only
 * these.
 */
import { signal } from '@preact/signals';
import { recall, remember } from './browser-storage.ts';

export interface VisitedSession {
  readonly agent: string;
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const MAX_VISITED = 50;

export const visitedSessions = signal<readonly VisitedSession[]>(readVisited());

function readVisited(): readonly VisitedSession[] {
  try {
    const list: unknown = JSON.parse(recall('visited') ?? '[]');
    return Array.isArray(list) ? list.filter(isVisited) : [];
  } catch {
    return [];
  }
}

const isVisited = (one: unknown): one is VisitedSession =>
  typeof one === 'object' &&
  one !== null &&
  ['agent', 'session'].every((key) => typeof Reflect.get(one, key) === 'string') &&
  Number.isFinite(Reflect.get(one, 'at'));

/** Moves a session to the top of the list. */
export function visit(agent: string, session: string): void {
  const others = visitedSessions.peek().filter((one) => one.agent !== agent || one.session !== session);
  save([{ agent, session, at: Date.now() }, ...others].slice(0, MAX_VISITED));
}

/** Removes a session from the list, such as one that was erased. */
export const forget = (agent: string, session: string): void =>
  save(visitedSessions.peek().filter((one) => one.agent !== agent || one.session !== session));

function save(list: readonly VisitedSession[]): void {
  visitedSessions.value = list;
  remember('visited', JSON.stringify(list));
}
