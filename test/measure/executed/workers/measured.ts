/** What the Workers of all scenarios share: a model that plays one call and then answers, and the route that reports what ran. */
import type { ChatModel } from '../../../../src/index.ts';

/** Returns a model that answers a user's message with this call, and its result with "Done.". */
export const callsOnce = (name: string, input: object): ChatModel => ({
  name: 'measured',
  ask: async ({ messages }) =>
    messages.at(-1)?.role === 'user'
      ? {
          text: '',
          toolCalls: [{ id: `c${messages.length}`, name, input: JSON.stringify(input) }],
          finish: 'tool-calls',
        }
      : { text: 'Done.', toolCalls: [], finish: 'stop' },
});

/** The instrumented build adds this set; see `instrument.ts`. */
declare const __executed: Set<number>;

/** Adds `GET /executed` to a Worker: the numbers of the functions that ran since it was last read. */
export function measured<W extends { fetch: (...args: never) => unknown }>(worker: W): W {
  const fetch = (...args: Parameters<W['fetch']>): unknown => {
    const [request] = args as unknown as [Request]; // the first argument of every fetch handler
    if (new URL(request.url).pathname !== '/executed') return worker.fetch(...(args as never));
    const numbers = [...__executed];
    __executed.clear();
    return Response.json(numbers);
  };
  return { ...worker, fetch };
}
