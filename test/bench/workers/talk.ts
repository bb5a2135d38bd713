/** What all measured Workers share: what a message asks of their models, and work that is done at once. */

/** What a message asks for: this many calls, one a reply, and then words; the model takes so long for each reply. */
export interface Plan {
  readonly calls: number;
  readonly ms: number;
}

/** Returns the plan of a message, such as `calls=10 ms=20`; a message without one asks for words at once. */
export const planOf = (message: string): Plan => ({
  calls: Number(/calls=(\d+)/.exec(message)?.[1] ?? 0),
  ms: Number(/ms=(\d+)/.exec(message)?.[1] ?? 0),
});

/** Waits as a model does that takes so long; not at all for 0 ms. */
export async function thinking(ms: number): Promise<void> {
  if (ms > 0) await new Promise<void>((resolve) => setTimeout(resolve, ms));
}

/** Does work `count` times, of which so many are under way at once. */
export async function many(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** What a request to a measured Worker asks for. */
export interface Asked {
  readonly path: string;
  readonly count: number;
  readonly atOnce: number;
  /** Tools that the agent offers. */
  readonly tools: number;
  readonly agent: string;
  readonly message: string;
  /** The start of the names of sessions, or the name of one. */
  readonly session: string;
}

/** Reads a request from its URL. */
export function askedBy(request: Request): Asked {
  const { pathname: path, searchParams: query } = new URL(request.url);
  return {
    path,
    count: Number(query.get('count') ?? 1),
    atOnce: Number(query.get('atOnce') ?? 1),
    tools: Number(query.get('tools') ?? 10),
    agent: query.get('agent') ?? 'read',
    message: query.get('message') ?? 'hello',
    session: query.get('session') ?? 's',
  };
}
