/**
 * What code of today says of stored sessions beside what the code said that had stored them, by its version: the paths of
 * properties in a kept reading, where `*` is every property, or every item of a list. `session.body.turn.ms` is one of
 * `GET session`, `asked.*.messages.*.name` one of the requests to the model. With `name:` before it, it is of that journal only.
 * Whatever is not named here is as it was.
 */
export const additions: Readonly<Record<string, readonly string[]>> = {
  '1bd17dc': [
    // The adapter asks for a stream, whoever listens.
    'asked.*.stream',
    'asked.*.stream_options',
    // The last call at the limit of iterations keeps its tools, and asks that none be called.
    'limit-reached:asked.2.tools',
    'limit-reached:asked.2.tool_choice',
    // A turn that reaches a limit now says which.
    'limit-reached:answers.*.body.limit',
    'limit-reached:after.body.turn.limit',
    // What a call says to the user from now on is a message; what was said before stays what it was.
    // Which calls ended a turn, and what became of its tools, is in its answer.
    'mistakes:session.body.turn.stoppedBy',
    'queued:answers.*.body.stoppedBy',
    'queued:after.body.turn.stoppedBy',
    'mcp:session.body.turn.tools',
    'mcp:answers.*.body.tools',
    'mcp:after.body.turn.tools',
    'finished:answers.*.body.said',
    'finished:after.body.turn.said',
    'finished:after.body.messages.12',
  ],
};

/** The path, when it is of this journal too; `undefined` otherwise. */
export function pathIn(journal: string, addition: string): readonly string[] | undefined {
  const [path = '', only] = addition.split(':').toReversed();
  return only === undefined || only === journal ? path.split('.') : undefined;
}

/** The value without what is at a path, and whether anything was there. Mutates nothing. */
export function without(
  value: unknown,
  path: readonly string[],
): { readonly rest: unknown; readonly met: boolean } {
  const [key, ...deeper] = path;
  if (key === undefined || typeof value !== 'object' || value === null) return { rest: value, met: false };
  const parts = Object.entries(value).map(([name, one]) => {
    if (key !== '*' && key !== name) return { name, kept: [one], met: false };
    if (deeper.length === 0) return { name, kept: [], met: true };
    const { rest, met } = without(one, deeper);
    return { name, kept: [rest], met };
  });
  const met = parts.some((part) => part.met);
  if (Array.isArray(value)) return { rest: parts.flatMap(({ kept }) => kept), met };
  return { rest: Object.fromEntries(parts.flatMap(({ name, kept }) => kept.map((one) => [name, one]))), met };
}

/** How much further a journal is today when it has gone on, and the ids of calls that say at which event they were asked for. */
export interface Further {
  readonly events: number;
  /** As they are today, and as they were. */
  readonly calls?: Readonly<Record<string, string>>;
}

/**
 * The events that are written today beside those of before, when a stored session goes on. Each stands between others, so that
 * whatever comes behind it is one further; nothing else is another. By version and journal.
 */
export const further: Readonly<Record<string, Readonly<Record<string, Further>>>> = {
  '1bd17dc': {
    // Tools that come or go have an event of their own.
    unfolded: { events: 1, calls: { 'new-turn-1.38.0': 'new-turn-1.37.0' } },
    mcp: { events: 1 },
    // A call that is run again after `not-done` is started once more.
    'killed-in-once-not-done': { events: 1, calls: { 'new-turn-1.18.0': 'new-turn-1.17.0' } },
  },
};

/** The reading as it would be without those events: with its last place and the ids of its calls as they were. */
export function withoutEvents(reading: unknown, { events, calls = {} }: Further): unknown {
  const back = (value: unknown): unknown => {
    if (typeof value === 'string') return calls[value] ?? value;
    if (Array.isArray(value)) return value.map(back);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, back(one)]));
  };
  const { after, ...rest } = back(reading) as { readonly after: { readonly body: { readonly seq: number } } };
  const { seq } = after.body;
  return { ...rest, after: { ...after, body: { ...after.body, seq: seq - events } } };
}
