/** The measured Worker, whose requests go through a whole app. */
import * as v from 'valibot';
import * as durableObjects from '../../../durable-objects/index.ts';
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { type AnyTool, type ChatModel, defineAgent, defineTool, type Effect } from '../../../src/index.ts';
import { createMeteredEnv, takeCounts, withMeters } from './meters.ts';
import { parsePlan, readTalkRequest, runConcurrently, type TalkRequest, think } from './talk.ts';

const model: ChatModel = {
  name: 'bench',
  async ask({ messages }) {
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    const results = messages.length - 1 - asked;
    const { calls, ms } = parsePlan(String(messages[asked]?.text));
    await think(ms);
    if (results / 2 >= calls) return { text: 'Done.', toolCalls: [], finish: 'stop' };
    return {
      text: '',
      toolCalls: [{ id: `c${results}`, name: 'look', input: '{"id":7}' }],
      finish: 'tool-calls',
    };
  },
};

const createLookTool = (effect: Effect): AnyTool =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    input: v.object({ id: v.number() }),
    effect,
    run: ({ id }) => ({ id, found: true }),
  });

/** Returns another tool for the agent, with three fields. */
const createOtherTool = (index: number): AnyTool =>
  defineTool({
    name: `other_${index}`,
    description: 'Another tool.',
    input: v.object({ id: v.number(), name: v.string(), all: v.optional(v.boolean()) }),
    effect: 'read',
    run: () => 'no',
  });

/** Creates an app with an agent for each effect. Each agent offers this many tools. */
function createApp(tools: number) {
  const others = Array.from({ length: tools - 1 }, (_, index) => createOtherTool(index));
  const agents = (['read', 'once'] as const).map((effect) =>
    defineAgent({
      name: effect,
      description: 'Measured.',
      instructions: 'Be quick.',
      tools: [createLookTool(effect), ...others],
      model,
    }),
  );
  return createHoldfast({
    agents,
    auth: ({ headers }) => ({ id: headers.get('x-owner') ?? 'owner' }),
  });
}

const apps = new Map<number, ReturnType<typeof createApp>>();

/** Creates the app on first use, so that importing this file creates only the app of the runner. */
function getApp(tools: number): ReturnType<typeof createApp> {
  const app = apps.get(tools) ?? createApp(tools);
  apps.set(tools, app);
  return app;
}

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

async function post(fetch: Fetch, { agent, message }: TalkRequest, session: string): Promise<void> {
  const response = await fetch(`/agents/${agent}/sessions/${session}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  const body = await response.text();
  const { outcome } = JSON.parse(body) as { outcome: string }; // the answer of a turn
  if (outcome !== 'completed') throw new Error(`The turn did not complete: ${body}`);
}

async function answerRequest(asked: TalkRequest, fetch: Fetch): Promise<Response | undefined> {
  const { path, count, atOnce, session } = asked;
  switch (path) {
    case '/loops':
      await runConcurrently(count, atOnce, (index) => post(fetch, asked, `${session}${index}`));
      break;
    case '/turns':
      await runConcurrently(count, 1, () => post(fetch, asked, session));
      break;
    case '/define':
      Array.from({ length: count }, (_, index) => createOtherTool(index));
      break;
    case '/counts':
      return Response.json(takeCounts());
    default:
      return undefined;
  }
  return new Response('ok');
}

export default {
  async fetch(request, env, ctx) {
    const asked = readTalkRequest(request);
    const send = async (inner: Request): Promise<Response> => {
      const handler = getApp(asked.tools).worker.fetch;
      if (!handler) throw new Error('The Worker has no fetch handler.');
      return handler(inner as Request<unknown, IncomingRequestCfProperties>, createMeteredEnv(env), ctx); // no code reads `cf`
    };
    const fetch: Fetch = (path, init) => send(new Request(`http://localhost${path}`, init));
    return (await answerRequest(asked, fetch)) ?? send(request);
  },
} satisfies ExportedHandler<Readonly<Record<string, unknown>>>;

export const { TurnRunner } = getApp(10);
export const SessionObject = withMeters(durableObjects.SessionObject);
