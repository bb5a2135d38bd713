/** What a journal says about its session, read by other code than that of the index. */
/** As a list of sessions is to show it. */
export interface JournalFacts {
  readonly status: string;
  readonly outcome: string | undefined;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly title: string;
  /** When each turn ended, and when the open one began to wait. */
  readonly stops: readonly { readonly seq: number; readonly at: number }[];
}

/** What is read of a session. */
interface Page {
  readonly rows: readonly {
    readonly seq: number;
    readonly at: number;
    readonly type: string;
    readonly body: string;
  }[];
  readonly openTurn: { readonly state: string } | null;
}

/** When the index has shown a session as it was after an event. */
export interface Shown {
  readonly session: string;
  readonly seq: number;
  readonly at: number;
}

/** Returns the facts of a page that has all events, or `null` if there is no session. */
export function factsOf(page: Page | null): JournalFacts | null {
  if (!page) return null;
  const events = page.rows.map(({ seq, at, type, body }) => ({ ...Object(JSON.parse(body)), seq, at, type }));
  const of = (type: string) => events.filter((event) => event.type === type);
  const ended = of('turn-ended');
  const outcome = ended.at(-1)?.outcome;
  const sum = (part: string): number =>
    of('model-replied').reduce((all, { usage }) => all + (usage?.[part] ?? 0), 0);
  return {
    status: page.openTurn?.state ?? (outcome === 'failed' ? 'failed' : 'idle'),
    outcome,
    turns: ended.length,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    title: of('turn-started')[0]?.message,
    stops: [...ended, ...(page.openTurn?.state === 'waiting' ? events.slice(-1) : [])].map(({ seq, at }) => ({
      seq,
      at,
    })),
  };
}
