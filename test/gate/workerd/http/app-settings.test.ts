import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, createHoldfast, type HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool, ToolCallContext } from '../../../../src/index.ts';
import {
  defineToolGroup,
  toolGroups as registered,
  toolGroup,
} from '../../../../src/modules/tool-groups/entry.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { checkResponses } from './as-described.ts';
import {
  createSessionPath,
  getSessionName,
  ORIGIN,
  post,
  readAllEvents,
  readJournal,
  readJson,
  type Send,
  SSE_HEADERS,
} from './client.ts';

/** The key and the context of each call of the tool. */
let seen: { readonly key: string | undefined; readonly context: unknown }[] = [];
afterEach(() => {
  seen = [];
  vi.restoreAllMocks();
});

const use = defineTool({
  name: 'use',
  description: 'Uses the key.',
  run: (_, call) => {
    const { region, plan, who } = call.context.toJSON();
    seen.push({ key: call.secrets.get('apiKey'), context: { region, plan, who } });
    call.say(`It is ${call.secrets.get('apiKey')}.`);
    return { key: call.secrets.get('apiKey') };
  },
});
const web = defineToolGroup({
  role: 'web',
  description: 'The web.',
  tools: ['search', 'fetch'].map((name) => defineTool({ name, description: 'Looks.', run: () => 'seen' })),
});
/** The tests' Worker ignores turns of an agent with this name, so that a test can run them. */
const agent = defineAgent({
  name: 'agent',
  description: 'Uses keys.',
  instructions: 'Use the key.',
  tools: [use, toolGroup('web')],
  context: { plan: 'of the agent', who: 'the agent' },
  model: modelBySession,
});
const USE_REPLIES = [{ calls: [{ name: 'use' }] }, 'Done.'] as const;

/** A separate Worker, and its entry point for abandoned turns. */
function createDeployment(
  config: Partial<HoldfastConfig> = {},
  vars: Readonly<Record<string, unknown>> = {},
) {
  const { worker, TurnRunner } = createHoldfast({
    agents: [agent],
    use: [registered([web])],
    http: { bodyContext: ['who'] },
    ...config,
  });
  const all = { ...env, ...vars };
  const via: Send = checkResponses(async (path, init) => {
    const request = new Request(`${ORIGIN}${path}`, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    return worker.fetch(request, all, createExecutionContext());
  });
  const resume = async (session: string, turn: unknown): Promise<void> => {
    const name = getSessionName(session);
    await new TurnRunner(createExecutionContext(), all).run({ name, turn: String(turn) });
  };
  return { via, resume };
}

/** Stores a message and runs its turn as the alarm would, by default in the same deployment. */
async function runInBackground(
  { via, resume }: ReturnType<typeof createDeployment>,
  body: Readonly<Record<string, unknown>>,
  by = resume,
): Promise<Record<string, unknown>> {
  const session = createSessionPath('agent');
  const accepted = await readJson(await post(session, body, { headers: { prefer: 'respond-async' }, via }));
  await by(session, accepted.turn);
  return readJson(await via(session));
}

const runInForeground = async ({ via }: ReturnType<typeof createDeployment>, body: unknown) => {
  const response = await post(createSessionPath('agent'), body, { via });
  return { status: response.status, ...(await readJson(response)) };
};

describe('the context of an app', () => {
  const createBody = (message: string) => ({ message, context: { who: 'the request' } });
  const merged = { region: 'eu', plan: 'of the agent', who: 'the request' };

  it.each<[string, HoldfastConfig['context']]>([
    ['as an object', { region: 'eu', plan: 'of the app', who: 'the app' }],
    ['as a ToolCallContext', ToolCallContext.of({ region: 'eu', plan: 'of the app', who: 'the app' })],
    ['made from the vars', ({ REGION }) => ({ region: `${REGION}`, plan: 'of the app', who: 'the app' })],
  ])('%s is overridden by the agent’s, and both by the request’s (CTX-05, CTX-06)', async (_, context) => {
    const app = createDeployment({ context }, { REGION: 'eu' });
    await runInForeground(app, createBody(registerScript(...USE_REPLIES).message()));
    await runInBackground(app, createBody(registerScript(...USE_REPLIES).message()));
    expect(seen.map(({ context: of }) => of)).toEqual([merged, merged]);
  });

  it('is unchanged if the agent and the request have no context (CTX-05)', async () => {
    const plain = { ...agent, context: defineAgent({ ...agent, context: {}, output: undefined }).context };
    await runInForeground(createDeployment({ agents: [plain], context: { region: 'eu' } }), {
      message: registerScript(...USE_REPLIES).message(),
    });
    expect(seen).toMatchObject([{ context: { region: 'eu', plan: undefined, who: undefined } }]);
  });

  it('must be JSON', async () => {
    const context = { since: () => 1 } as never; // not allowed by the type
    const message =
      "`context` cannot be used: The tool-call context's 'since' is not JSON: at `$` it is a function.";
    expect(() => createDeployment({ context })).toThrow(new ConfigurationError(message));
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const answer = await runInForeground(createDeployment({ context: () => context }), { message: 'Hello' });
    expect(answer).toMatchObject({ status: 500, title: 'misconfigured', detail: message });
  });
});

describe('the secrets of an app', () => {
  it('are issued for the caller, from the vars, in every place where the turn runs', async () => {
    const secrets = vi.fn((vars: object, { id }: { id: string }) => ({
      apiKey: `${Object(vars).KEY}-${id}`,
      none: undefined,
    }));
    const app = createDeployment({ secrets }, { KEY: 'key-zq4711' });
    await runInForeground(app, { message: registerScript(...USE_REPLIES).message() });
    await runInBackground(app, { message: registerScript(...USE_REPLIES).message() });
    expect(seen.map(({ key }) => key)).toEqual(['key-zq4711-local', 'key-zq4711-local']);
    expect(secrets.mock.calls.map(([, principal]) => principal)).toEqual([{ id: 'local' }, { id: 'local' }]);
  });

  it('are empty if the hook returns none', async () => {
    await runInForeground(createDeployment({ secrets: async () => undefined }), {
      message: registerScript(...USE_REPLIES).message(),
    });
    await runInForeground(createDeployment(), { message: registerScript(...USE_REPLIES).message() });
    expect(seen.map(({ key }) => key)).toEqual([undefined, undefined]);
  });

  it('appear in no event, answer, state, stream, problem or log line', async () => {
    const lines: unknown[] = [];
    for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      vi.spyOn(console, level).mockImplementation((...said) => void lines.push(...said));
    }
    const app = createDeployment({ secrets: () => ({ apiKey: 'key-zq4711' }) });
    const { via } = app;
    const session = createSessionPath('agent');
    const fails = { calls: [{ name: 'use' }, { name: 'unknown' }] };
    const said = [
      await readJson(
        await post(session, { message: registerScript(...USE_REPLIES, fails, 'Done.').message() }, { via }),
      ),
      await readAllEvents(await post(session, { message: 'Again' }, { headers: SSE_HEADERS, via })),
      await readJson(await post(session, { message: 'Beyond the script' }, { via })),
      await runInBackground(app, { message: registerScript(...USE_REPLIES).message() }),
      await readJson(await via(session)),
      await readJournal(session, via),
    ];
    expect(seen.map(({ key }) => key)).toEqual(['key-zq4711', 'key-zq4711', 'key-zq4711']);
    const output = lines.map((line) => (line instanceof Error ? `${line.stack}` : JSON.stringify(line)));
    expect(JSON.stringify([said, output])).not.toContain('zq4711');
    expect(JSON.stringify(said)).toContain('[secret apiKey]');
  });

  it.each<[string, HoldfastConfig['secrets'], number, string, string]>([
    [
      'throws an error',
      () => {
        throw new Error('no key for key-zq4711');
      },
      500,
      'turn failed',
      'The turn failed inside the Worker.',
    ],
    [
      'rejects with a configuration error',
      () => Promise.reject(new ConfigurationError('KEY is not set.')),
      500,
      'misconfigured',
      'KEY is not set.',
    ],
    [
      'returns a value that is not text',
      () => ({ apiKey: 471_147_114_711 }) as never, // not allowed by the type
      500,
      'misconfigured',
      "`secrets` must return strings, but 'apiKey' is not one.",
    ],
    [
      'returns no object',
      () => 'key-zq4711' as never, // not allowed by the type
      500,
      'misconfigured',
      '`secrets` must return an object of strings.',
    ],
  ])(
    'fail the turn if a hook %s, and do not appear in the error',
    async (_, secrets, status, title, message) => {
      vi.spyOn(console, 'error').mockImplementation(() => {});
      const app = createDeployment({ secrets });
      const answer = await runInForeground(app, { message: registerScript(...USE_REPLIES).message() });
      expect(answer).toMatchObject({ status, title, error: { message } });
      const { turn, ...state } = await runInBackground(app, {
        message: registerScript(...USE_REPLIES).message(),
      });
      expect(turn).toMatchObject({ outcome: 'failed', error: { message } });
      // Long enough not to occur in a random id.
      expect(JSON.stringify([answer, turn, state])).not.toMatch(/zq4711|471147114711/);
      expect(seen).toEqual([]);
    },
  );
});

describe('the tool groups of an app', () => {
  const describeTools = async (app: ReturnType<typeof createDeployment>): Promise<unknown> => {
    const { agents } = await readJson(await app.via('/agents'));
    return (agents as Record<string, unknown>[])[0];
  };

  it('are offered to an agent that asks for them, in every place where its turn runs (TGR-01)', async () => {
    const [first, second] = [registerScript('Done.'), registerScript('Done.')];
    await runInForeground(createDeployment(), { message: first.message() });
    await runInBackground(createDeployment(), { message: second.message() });
    for (const { model } of [first, second]) {
      expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['fetch', 'search', 'use']);
    }
  });

  it('are listed as the environment provides them, each tool with its group (TGR-02, TGR-03)', async () => {
    const TOOL_GROUPS = '{"includes":{"web":{"tools":["search","fetch"]}},"excludes":["fetch"]}';
    expect(await describeTools(createDeployment({}, { TOOL_GROUPS }))).toMatchObject({
      tools: [{ name: 'use' }, { name: 'search', metadata: { toolGroup: { role: 'web', name: 'web' } } }],
    });
  });

  it('cause a refusal if they are missing, and no event is stored (TGR-05)', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const app = createDeployment({ use: [registered([])] });
    const session = createSessionPath('agent');
    for (const headers of [{}, { prefer: 'respond-async' }]) {
      const response = await post(session, { message: 'Hello' }, { headers, via: app.via });
      expect([response.status, await readJson(response)]).toEqual([
        500,
        {
          type: 'urn:holdfast:problem:misconfigured',
          title: 'misconfigured',
          status: 500,
          detail: "No tool group matching role 'web', which agent 'agent' asks for. Registered roles: none.",
        },
      ]);
    }
    expect((await app.via(session)).status).toBe(404);
  });

  it('fail the turn if they are missing after the message was accepted (TGR-05)', async () => {
    const message = { message: registerScript('Never.').message() };
    const { turn } = await runInBackground(
      createDeployment(),
      message,
      createDeployment({ use: [registered([])] }).resume,
    );
    expect(turn).toMatchObject({
      outcome: 'failed',
      error: { type: 'misconfigured', message: expect.stringMatching(/^No tool group matching role 'web'/) },
    });
  });

  it('are reported as missing for the agent, which is still listed (TGR-05)', async () => {
    expect(await describeTools(createDeployment({}, { TOOL_GROUPS: '{' }))).toMatchObject({
      name: 'agent',
      tools: [{ name: 'use' }],
      misconfigured: 'TOOL_GROUPS cannot be used: it is not valid JSON.',
    });
  });
});
