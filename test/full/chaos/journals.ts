import type { TimelineEvent } from '../../../src/examples/demo/client.ts';

/** A page of the events endpoint. */
interface Page {
  readonly events: readonly TimelineEvent[];
  /** The URL of the next page. */
  readonly next: string | null;
}

/** Returns the journal of every session. A session that never started has an empty journal. */
export async function readJournals(
  url: string,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, readonly TimelineEvent[]>> {
  const journals = new Map<string, readonly TimelineEvent[]>();
  for (const session of sessions) journals.set(session, await readJournal(url, session));
  return journals;
}

/** @throws Error if a page has an error status. */
async function readJournal(url: string, session: string): Promise<readonly TimelineEvent[]> {
  const events: TimelineEvent[] = [];
  let next: string | null = `/agents/chaos/sessions/${session}/events`;
  while (next !== null) {
    const response: Response = await fetch(url + next);
    if (response.status === 404) break;
    if (!response.ok)
      throw new Error(`The request for the journal of ${session} returned ${response.status}.`);
    const page = (await response.json()) as Page; // documented in docs/http.md
    events.push(...page.events);
    ({ next } = page);
  }
  return events;
}
