/** The principal: tools, hooks and credential hooks receive it, and client input cannot choose it. */

import { createExecutionContext } from 'cloudflare:test';
import { env as bindings } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Caller,
  ConfigurationError,
  createHoldfast,
  type HoldfastConfig,
} from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool, LOOP_ID_KEY, type TurnPrincipal } from '../../../../src/index.ts';
import { defineInjectionStrategy } from '../../../../src/kinds/entry.ts';
import { defineMcpEndpoint } from '../../../../src/mcp/server/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { defineSchedule } from '../../../../src/modules/schedules/entry.ts';
import { toSessionName } from '../../../doors/session.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { callTool } from '../mcp/server/talk.ts';
import { checkResponses } from './as-described.ts';
import { createSessionPath, getSessionId, ORIGIN, post, readJournal, readJson, type Send } from './client.ts';
import { answer } from './waiting.ts';

const env = { ...bindings };

interface SeenCall {
  readonly principal: TurnPrincipal;
  readonly context: Readonly<Record<string, unknown>>;
  readonly key: string | undefined;
}
let seen: SeenCall[] = [];
beforeEach(() => {
  seen = [];
});

const look = defineTool({
  name: 'look',
  description: 'Looks around.',
  effect: 'read',
  run: (_, { principal, context, secrets }) => {
    const { [LOOP_ID_KEY]: loop, ...rest } = context.toJSON();
    seen.push({ principal, context: rest, key: secrets.get('key') });
    return 'Looked.';
  },
});
/** The tests' Worker ignores turns of an agent with this name, so that a test can run them. */
const agent = defineAgent({
  name: 'agent',
  description: 'Looks.',
  instructions: 'Look.',
  tools: [look, requireApproval({ ...look, name: 'look_closer' }, 'Look closer?', { by: 'manager' })],
  use: [
    defineInjectionStrategy({
      name: 'hides from mallory',
      offer: (tools, { principal }) => (principal.id === 'mallory' ? [] : tools),
    }),
  ],
  policies: { isEligible: (_, __, principal) => principal.id !== 'eve' },
});
const LOOKS = [{ calls: [{ name: 'look' }] }, 'Done.'] as const;

const ann: Caller = { id: 'ann', tenant: 'acme', roles: ['clerk'], claims: { sub: 'ann', plan: 'gold' } };
const principalOfAnn = { id: 'ann', tenant: 'acme', roles: ['clerk'] };

/** A separate Worker, which trusts the header `x-caller`, and its entry point for abandoned turns. */
function createDeployment(config: Partial<HoldfastConfig> = {}) {
  const { worker, TurnRunner } = createHoldfast({
    agents: [{ ...agent, model: modelBySession }],
    auth: ({ headers }) => JSON.parse(headers.get('x-caller') ?? 'null'),
    ...config,
  });
  const as = (caller: Caller): Send =>
    checkResponses(async (path, init) => {
      const headers = { 'x-caller': JSON.stringify(caller), ...Object(init?.headers) };
      const request = new Request(`${ORIGIN}${path}`, { ...init, headers });
      return worker.fetch(
        request as Request<unknown, IncomingRequestCfProperties>, // the Worker does not read `cf`
        env,
        createExecutionContext(),
      );
    });
  const resume = async (session: string, turn: unknown): Promise<void> => {
    const name = toSessionName({
      owner: { tenant: 'acme' },
      agent: 'agent',
      session: getSessionId(session),
    });
    await new TurnRunner(createExecutionContext(), env).run({ name, turn: String(turn) });
  };
  return { as, resume, worker };
}

/** Returns the address for answering the only pending call. */
const getPendingLink = ({ pending }: Readonly<Record<string, unknown>>): string =>
  String(Object.values(Object(pending)[0].links)[0]);

const BACKGROUND = { prefer: 'respond-async' };

describe('the principal of a call', () => {
  it('is the sender of the message, with the roles at that time, even in another invocation', async () => {
    const { as, resume } = createDeployment();
    await post(createSessionPath('agent'), { message: registerScript(...LOOKS).message() }, { via: as(ann) });
    const session = createSessionPath('agent');
    const body = { message: registerScript(...LOOKS).message() };
    const { turn } = await readJson(await post(session, body, { headers: BACKGROUND, via: as(ann) }));
    await resume(session, turn);
    expect(seen.map(({ principal }) => principal)).toEqual([principalOfAnn, principalOfAnn]);
  });

  it('is journaled without credentials and claims', async () => {
    const { as } = createDeployment();
    const session = createSessionPath('agent');
    const headers = { authorization: 'Bearer token-4711' };
    await post(session, { message: registerScript('Done.').message() }, { headers, via: as(ann) });
    const events = await readJournal(session, as(ann));
    expect(events[1]).toMatchObject({ principal: principalOfAnn });
    expect(JSON.stringify([events, await readJson(await as(ann)(session))])).not.toMatch(/4711|gold/);
  });

  it('cannot be chosen by a body or a header', async () => {
    const { as } = createDeployment({
      http: { bodyContext: ['principal', 'tenant'], contextHeaders: { 'x-who': 'id' } },
    });
    const context = { principal: { id: 'root' }, tenant: 'evil' };
    const headers = { 'x-who': 'root' };
    const body = { message: registerScript(...LOOKS).message(), context };
    await post(createSessionPath('agent'), body, { headers, via: as(ann) });
    expect(seen).toMatchObject([{ principal: principalOfAnn, context: { ...context, id: 'root' } }]);
  });

  it('is passed to strategies, and to the policy that permits calls', async () => {
    const { as } = createDeployment();
    const { message, model } = registerScript(...LOOKS);
    await post(createSessionPath('agent'), { message: message() }, { via: as({ id: 'eve' }) });
    expect(seen).toEqual([]);
    const hidden = registerScript('Nothing here.');
    await post(createSessionPath('agent'), { message: hidden.message() }, { via: as({ id: 'mallory' }) });
    expect(hidden.model.requests[0]?.tools).toEqual([]);
    expect(JSON.stringify(model.requests[1])).toContain(
      "Tool 'look' was not run: this call is not permitted.",
    );
  });

  it('has the name of the schedule for a scheduled turn, and the tenant that owns its session', async () => {
    const id = crypto.randomUUID();
    const schedule = defineSchedule({
      name: 'nightly',
      cron: '0 6 * * *',
      agent: 'agent',
      owner: { tenant: 'acme' },
      session: id,
      message: registerScript(...LOOKS).message(),
    });
    const { as, resume, worker } = createDeployment({ use: [schedule] });
    const time = { cron: '0 6 * * *', scheduledTime: 0, type: 'scheduled', noRetry: () => {} } as const;
    await worker.scheduled(time, env, createExecutionContext());
    const session = `/agents/agent/sessions/${id}`;
    const { openTurn } = await readJson(await as(ann)(session));
    await resume(session, openTurn);
    expect(seen.map(({ principal }) => principal)).toEqual([{ id: 'schedule:nightly', tenant: 'acme' }]);
  });

  it('is the authenticated caller if an MCP client calls a tool', async () => {
    const { as } = createDeployment({ use: [defineMcpEndpoint({ tools: [look] })] });
    await callTool(as(ann), 'look', {});
    expect(seen.map(({ principal }) => principal)).toEqual([principalOfAnn]);
  });
});

describe('the context of a body', () => {
  const createRefusal = (...keys: readonly string[]) => {
    const problems = keys.map(
      (key) =>
        `context: a body cannot set '${key}'. Allow it in createHoldfast({ http: { bodyContext: [...] } })`,
    );
    return {
      type: 'urn:holdfast:problem:invalid-body',
      title: 'invalid body',
      status: 422,
      detail: `The body is not valid: ${problems.join('; ')}.`,
      problems,
    };
  };

  it.each<[string, Partial<HoldfastConfig>, object, string[]]>([
    ['no keys are allowed', {}, { tenant: 'evil' }, ['tenant']],
    [
      'only other keys are allowed',
      { http: { bodyContext: ['locale'] } },
      { locale: 'nl', tenant: 'evil', b: 1 },
      ['tenant', 'b'],
    ],
    [
      'the id of the loop',
      { http: { bodyContext: ['locale'] } },
      { [LOOP_ID_KEY]: 'of-another' },
      [LOOP_ID_KEY],
    ],
    [
      'a property of every object',
      { http: { bodyContext: ['locale'] } },
      { constructor: 1 },
      ['constructor'],
    ],
  ])('is refused with the name of the setting if it is not allowed: %s', async (_, config, context, keys) => {
    const { as } = createDeployment(config);
    const session = createSessionPath('agent');
    const response = await post(session, { message: 'Hello', context }, { via: as(ann) });
    expect([response.status, await readJson(response)]).toEqual([422, createRefusal(...keys)]);
    expect((await as(ann)(session)).status).toBe(404);
  });

  it('overrides the agent’s, and mapped headers override it', async () => {
    const { as } = createDeployment({
      agents: [
        {
          ...agent,
          model: modelBySession,
          context: defineAgent({ ...agent, output: undefined, context: { a: 1, b: 1, c: 1 } }).context,
        },
      ],
      context: { a: 0, d: 0 },
      http: { bodyContext: ['b', 'c'], contextHeaders: { 'x-c': 'c' } },
    });
    const body = { message: registerScript(...LOOKS).message(), context: { b: 2, c: 2 } };
    await post(createSessionPath('agent'), body, { headers: { 'x-c': 'header' }, via: as(ann) });
    expect(seen).toMatchObject([{ context: { a: 1, b: 2, c: 'header', d: 0 } }]);
  });

  const loop = 'other than that of the loop, which a client sends as `loopId` of the body.';
  it.each<[string, Partial<HoldfastConfig>]>([
    [
      `["holdfast.loopId"] as its 'http.bodyContext'. Use a list of context keys ${loop}`,
      { http: { bodyContext: [LOOP_ID_KEY] } },
    ],
    [
      `{"x-loop":"holdfast.loopId"} as its 'http.contextHeaders'. Use header names, each with a context key ${loop}`,
      { http: { contextHeaders: { 'x-loop': LOOP_ID_KEY } } },
    ],
  ])('cannot be allowed to choose the loop: %s', (problem, config) => {
    expect(() => createDeployment(config)).toThrow(new ConfigurationError(`createHoldfast has ${problem}`));
  });
});

describe('a decision', () => {
  const CLOSER = [{ calls: [{ name: 'look_closer' }] }, 'Done.'] as const;
  const APPROVE = { decision: 'approve' };
  const manager: Caller = { ...ann, roles: ['manager'] };

  it('depends on the current roles of its decider, not on the roles of the message’s sender', async () => {
    const { as } = createDeployment();
    const message = registerScript(...CLOSER).message();
    const asked = await readJson(await post(createSessionPath('agent'), { message }, { via: as(manager) }));
    const link = getPendingLink(asked);
    const refused = await answer(link, APPROVE, { via: as(ann) });
    expect([refused.status, seen]).toEqual([403, []]);
    expect((await answer(link, APPROVE, { via: as({ ...ann, id: 'max', roles: ['manager'] }) })).status).toBe(
      200,
    );
    // The call still has the principal of the message's sender.
    expect(seen).toMatchObject([{ principal: { id: 'ann', tenant: 'acme', roles: ['manager'] } }]);
  });
});

describe('the request of a caller', () => {
  const told: unknown[] = [];
  const createSecrets: HoldfastConfig['secrets'] = (_, principal, { request, claims }) => {
    told.push([principal.id, request?.headers.get('authorization'), claims]);
    return { key: request?.headers.get('authorization') ?? `minted-for-${principal.id}` };
  };
  /** The principal and the request of each created context. */
  const made: unknown[] = [];
  const createContext: HoldfastConfig['context'] = (_, { principal, request }) => {
    made.push([principal.id, request?.headers.get('authorization')]);
    return { of: principal.id, agent: request?.headers.get('user-agent') ?? 'none' };
  };
  const headers = { authorization: 'Bearer of-ann', 'user-agent': 'browser' };
  const { as, resume } = createDeployment({ secrets: createSecrets, context: createContext });
  beforeEach(() => void [told, made].map((list) => list.splice(0)));

  it('is passed to the hooks in the invocation that it began, with its claims', async () => {
    await post(
      createSessionPath('agent'),
      { message: registerScript(...LOOKS).message() },
      { headers, via: as(ann) },
    );
    expect(told).toEqual([['ann', 'Bearer of-ann', ann.claims]]);
    expect(seen).toMatchObject([{ key: 'Bearer of-ann', context: { of: 'ann', agent: 'browser' } }]);
  });

  it('is absent if another invocation runs the turn', async () => {
    const session = createSessionPath('agent');
    const body = { message: registerScript(...LOOKS).message() };
    const { turn } = await readJson(
      await post(session, body, { headers: { ...headers, ...BACKGROUND }, via: as(ann) }),
    );
    await resume(session, turn);
    expect(told).toEqual([['ann', undefined, undefined]]);
    expect(seen).toMatchObject([{ key: 'minted-for-ann', context: { of: 'ann', agent: 'none' } }]);
  });

  it('is not replaced by the decider’s, so that their token is never passed to a tool of another caller’s turn', async () => {
    const replies = [{ calls: [{ name: 'look_closer' }] }, 'Done.'] as const;
    const message = registerScript(...replies).message();
    const asked = await readJson(
      await post(createSessionPath('agent'), { message }, { headers, via: as(ann) }),
    );
    const link = getPendingLink(asked);
    const max: Caller = { id: 'max', tenant: 'acme', roles: ['manager'], claims: { sub: 'max' } };
    const answered = await answer(
      link,
      { decision: 'approve' },
      {
        headers: { authorization: 'Bearer of-max' },
        via: as(max),
      },
    );
    expect(answered.status).toBe(200);
    expect(told).toEqual([
      ['ann', 'Bearer of-ann', ann.claims],
      ['ann', undefined, undefined],
    ]);
    expect(seen).toMatchObject([{ key: 'minted-for-ann' }]);
  });

  it('is not the request of a caller who declines the pending calls of another caller', async () => {
    const session = createSessionPath('agent');
    const { message } = registerScript({ calls: [{ name: 'look_closer' }] }, ...LOOKS);
    await post(session, { message: message() }, { headers, via: as(ann) });
    for (const list of [told, made]) list.splice(0);
    const max: Caller = { id: 'max', tenant: 'acme', roles: ['manager'] };
    const next = await as(max)(`${session}/messages?pending=decline`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer of-max' },
      body: JSON.stringify({ message: message() }),
    });
    expect(next.status).toBe(200);
    expect(told).toEqual([
      ['ann', undefined, undefined],
      ['max', 'Bearer of-max', undefined],
    ]);
    expect(made).toEqual([['max', 'Bearer of-max']]);
  });

  it('is passed to the hooks of a tool and of an agent that an MCP client calls', async () => {
    const published = createDeployment({
      secrets: createSecrets,
      context: createContext,
      use: [defineMcpEndpoint({ tools: [look], agents: ['agent'] })],
    });
    const via: Send = (path, init) =>
      published.as(ann)(path, { ...init, headers: { ...Object(init?.headers), ...headers } });
    await callTool(via, 'look', {});
    await callTool(via, 'agent', { message: registerScript(...LOOKS).message() });
    expect(seen).toMatchObject([
      { key: 'Bearer of-ann', context: { of: 'ann', agent: 'browser' } },
      { key: 'Bearer of-ann', context: { of: 'ann', agent: 'browser' } },
    ]);
  });
});
