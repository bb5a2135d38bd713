/**
 * The parts that the Workers of all scenarios share: an agent whose model requests one call, and the route that
 * reports the executed functions.
 */
import * as v from 'valibot';
import { createHoldfast, type Holdfast, type HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { type AnyTool, type ChatModel, defineAgent, defineTool, type Effect } from '../../../../src/index.ts';

/** Returns a model that replies to a user message with this call, and to its result with "Done.". */
const createCallingModel = (name: string, input: object): ChatModel => ({
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

/** Adds `GET /executed` to a Worker. Returns the indexes of the functions that ran since the previous read. */
function measureWorker<W extends { fetch: (...args: never) => unknown }>(worker: W): W {
  const fetch = (...args: Parameters<W['fetch']>): unknown => {
    const [request] = args as unknown as [Request]; // the first argument of a fetch handler
    if (new URL(request.url).pathname !== '/executed') return worker.fetch(...(args as never));
    const numbers = [...__executed];
    __executed.clear();
    return Response.json(numbers);
  };
  return { ...worker, fetch };
}

/** Returns a tool with this effect. */
export const createLookTool = (effect: Effect): AnyTool =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    input: v.object({ id: v.number() }),
    effect,
    run: ({ id }) => ({ id, found: true }),
  });

/** The differences of a scenario from a plain call of `look`. */
interface Scene extends Pick<HoldfastConfig, 'use'> {
  readonly tools: Parameters<typeof defineAgent>[0]['tools'];
  readonly calls?: { readonly name: string; readonly input: object };
  readonly agent?: Pick<Parameters<typeof defineAgent>[0], 'accepts' | 'use'>;
}

/** Creates the Worker of one agent. */
export function createMeasuredApp({
  tools,
  calls = { name: 'look', input: { id: 7 } },
  agent,
  use,
}: Scene): Holdfast {
  const model = createCallingModel(calls.name, calls.input);
  const served = defineAgent({
    ...agent,
    name: 'agent',
    description: 'Measured.',
    instructions: 'Look.',
    tools,
    model,
  });
  const holdfast = createHoldfast({
    // A deployed Worker has no local mode, and a token would execute the code that redacts secrets.
    auth: () => ({ id: 'local' }),
    agents: [served],
    ...(use && { use }),
  });
  return { ...holdfast, worker: measureWorker(holdfast.worker) };
}
