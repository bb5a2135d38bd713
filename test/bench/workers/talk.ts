/** Code that the measured Workers share: plans for their models, and concurrent work. */

/**
 * The plan of a message: the number of calls, one in each reply, and the time that the model takes for each
 * reply.
 */
export interface Plan {
  readonly calls: number;
  readonly ms: number;
}

/** Parses the plan of a message, such as `calls=10 ms=20`. Without a plan, the model answers without calls. */
export const parsePlan = (message: string): Plan => ({
  calls: Number(/calls=(\d+)/.exec(message)?.[1] ?? 0),
  ms: Number(/ms=(\d+)/.exec(message)?.[1] ?? 0),
});

/** Waits this long, like a model. Returns immediately for 0 ms. */
export async function think(ms: number): Promise<void> {
  if (ms > 0) await new Promise<void>((resolve) => setTimeout(resolve, ms));
}

/** Runs work `count` times with this concurrency. */
export async function runConcurrently(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runLane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, runLane));
}

/** The parameters of a request to a measured Worker. */
export interface TalkRequest {
  readonly path: string;
  readonly count: number;
  readonly atOnce: number;
  /** The number of tools that the agent offers. */
  readonly tools: number;
  readonly agent: string;
  readonly message: string;
  /** The prefix of session names, or the name of a single session. */
  readonly session: string;
}

/** Parses the parameters from the URL of a request. */
export function readTalkRequest(request: Request): TalkRequest {
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
