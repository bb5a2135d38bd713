/** Computes the state of a session from its journal, independently of the index. */
/** The state of a session as a list must show it. */
export interface JournalFacts {
  readonly status: string;
  readonly outcome: string | undefined;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly title: string;
  /** The times at which turns ended, and at which the open turn started to wait. */
  readonly stops: readonly { readonly seq: number; readonly at: number }[];
}

/** A page of a session's events. */
interface Page {
  readonly rows: readonly {
    readonly seq: number;
    readonly at: number;
    readonly type: string;
    readonly body: string;
  }[];
  readonly openTurn: { readonly state: string } | null;
}

/** When the index showed a session with its events up to `seq`. */
export interface ShownSession {
  readonly session: string;
  readonly seq: number;
  readonly at: number;
}

/** Returns the facts of a page with all events, or `null` if the session does not exist. */
export function computeFacts(page: Page | null): JournalFacts | null {
  if (!page) return null;
  const events = page.rows.map(({ seq, at, type, body }) => ({ ...Object(JSON.parse(body)), seq, at, type }));
  const listOfType = (type: string) => events.filter((event) => event.type === type);
  const ended = listOfType('turn-ended');
  const outcome = ended.at(-1)?.outcome;
  const sum = (part: string): number =>
    listOfType('model-replied').reduce((all, { usage }) => all + (usage?.[part] ?? 0), 0);
  return {
    status: page.openTurn?.state ?? (outcome === 'failed' ? 'failed' : 'idle'),
    outcome,
    turns: ended.length,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    title: listOfType('turn-started')[0]?.message,
    stops: [...ended, ...(page.openTurn?.state === 'waiting' ? events.slice(-1) : [])].map(({ seq, at }) => ({
      seq,
      at,
    })),
  };
}
