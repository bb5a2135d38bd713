/** One caller that sends requests for several persons: the principal, and the owner of the sessions. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Caller, ConfigurationError, type LogEntry } from '../../../../../src/create-holdfast.ts';
import { defineAgent, defineTool, type TurnPrincipal } from '../../../../../src/index.ts';
import { defineMcpEndpoint } from '../../../../../src/mcp/server/entry.ts';
import { type OnBehalfOf, onBehalfOf } from '../../../../../src/modules/http/entry.ts';
import { scripted } from '../../../../fixtures/scripted-agent.ts';
import { modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { type AppConfig, createTestApp } from '../../http/app.ts';
import { createSessionPath, post, readJson, type Send } from '../../http/client.ts';
import { callTool } from '../../mcp/server/talk.ts';

interface SeenCall {
  readonly principal: TurnPrincipal;
  readonly secret: string | undefined;
}
let seen: SeenCall[] = [];
let askCount = 0;
beforeEach(() => {
  seen = [];
  askCount = 0;
});

const look = defineTool({
  name: 'look',
  description: 'Looks around.',
  effect: 'read',
  run: (_, { principal, secrets }) => {
    seen.push({ principal, secret: secrets.get('of') });
    return 'Looked.';
  },
});
const looker = defineAgent({
  name: 'looker',
  description: 'Looks.',
  instructions: 'Look.',
  tools: [look],
  model: modelBySession,
});

const getPersonFromHeader: OnBehalfOf = ({ headers }) => {
  askCount += 1;
  return headers.get('x-user-id');
};

/** An app, and the hook that identifies a request's person. `null` turns delegation off. */
interface DelegatingApp extends AppConfig {
  readonly personOf?: OnBehalfOf | null;
}

const createDelegatingApp = (
  caller: unknown,
  { personOf = getPersonFromHeader, use = [], ...config }: DelegatingApp = {},
): Send =>
  createTestApp({
    agents: [scripted, looker],
    auth: () => caller as Caller, // plain JavaScript can return any value
    use: personOf ? [onBehalfOf(personOf), ...use] : use,
    secrets: (_, { id }) => ({ of: id }),
    ...config,
  });

const DELEGATING_CALLER: Caller = { id: 'app', delegates: true };
const createPersonInit = (id: string) => ({ headers: { 'x-user-id': id } });

describe('a request on behalf of a person', () => {
  it('has the principal `caller/person`, with the tenant and the roles of the caller', async () => {
    const caller = { ...DELEGATING_CALLER, tenant: crypto.randomUUID(), roles: ['clerk'] };
    const via = createDelegatingApp(caller);
    const createMessage = () => registerScript({ calls: [{ name: 'look' }] }, 'Done.').message();
    await post(
      createSessionPath('looker'),
      { message: createMessage() },
      { via, ...createPersonInit('ann') },
    );
    await post(createSessionPath('looker'), { message: createMessage() }, { via });
    expect(seen).toEqual([
      { principal: { id: 'app/ann', tenant: caller.tenant, roles: ['clerk'] }, secret: 'app/ann' },
      { principal: { id: 'app', tenant: caller.tenant, roles: ['clerk'] }, secret: 'app' },
    ]);
  });

  it('has the person’s own sessions and idempotency keys', async () => {
    const via = createDelegatingApp(DELEGATING_CALLER);
    const session = createSessionPath();
    const { message, model } = registerScript('Of Ann.', 'Of Ben.');
    const [body, key] = [{ message: message() }, crypto.randomUUID()];
    const send = async (id: string) => {
      const headers = { 'x-user-id': id, 'idempotency-key': key };
      return (await readJson(await post(session, body, { via, headers }))).text;
    };
    expect([await send('ann'), await send('ben'), await send('ann')]).toEqual([
      'Of Ann.',
      'Of Ben.',
      'Of Ann.',
    ]);
    expect(model.requests).toHaveLength(2);
    for (const init of [{}, createPersonInit('cat')]) expect((await via(session, init)).status).toBe(404);
  });

  it('is checked on every route except /health, including routes without a session', async () => {
    const via = createDelegatingApp(DELEGATING_CALLER);
    for (const path of ['/agents', '/', '/openapi.json', createSessionPath(), '/nothing'])
      expect((await via(path, createPersonInit(' '))).status).toBe(400);
    expect((await via('/health', createPersonInit(' '))).status).toBe(200);
  });

  it('can call the tools that are published over MCP', async () => {
    const via = createDelegatingApp(DELEGATING_CALLER, { use: [defineMcpEndpoint({ tools: [look] })] });
    await callTool(
      (path, init) => via(path, { ...init, headers: { ...Object(init?.headers), 'x-user-id': 'ann' } }),
      'look',
      {},
    );
    expect(seen).toEqual([{ principal: { id: 'app/ann' }, secret: 'app/ann' }]);
  });

  it('can receive the person from a promise', async () => {
    const via = createDelegatingApp(DELEGATING_CALLER, { personOf: async () => 'ann' });
    await post(
      createSessionPath('looker'),
      { message: registerScript({ calls: [{ name: 'look' }] }, 'Done.').message() },
      { via },
    );
    expect(seen.map(({ principal }) => principal.id)).toEqual(['app/ann']);
  });

  it.each(['', ' ', 'x'.repeat(256), 'a\u0000b', 'a\u0085b', '\ud800'])(
    'is refused for the invalid id %j',
    async (id) => {
      const response = await createDelegatingApp(DELEGATING_CALLER, { personOf: () => id })('/agents');
      expect(await readJson(response)).toEqual({
        type: 'urn:holdfast:problem:invalid-person',
        title: 'invalid person',
        status: 400,
        detail:
          'The id of the person for whom this request is sent must have 1 to 255 characters, not only blanks, and no control characters.',
      });
    },
  );

  it.each(['x'.repeat(255), 'https://id.example/a/b', '../ann', '"],["', 'Ännchen 🐙'])(
    'accepts the id %j',
    async (id) => {
      const via = createDelegatingApp(DELEGATING_CALLER, { personOf: () => id });
      const { message } = registerScript({ calls: [{ name: 'look' }] }, 'Done.');
      expect((await post(createSessionPath('looker'), { message: message() }, { via })).status).toBe(200);
      expect(seen.map(({ principal }) => principal.id)).toEqual([`app/${id}`]);
    },
  );
});

describe('a caller without `delegates: true`', () => {
  it.each([{}, { delegates: false }, { delegates: undefined }])(
    'acts as itself, with any headers: %j',
    async (more) => {
      const via = createDelegatingApp({ id: 'ben', ...more });
      const { message } = registerScript({ calls: [{ name: 'look' }] }, 'Done.');
      await post(createSessionPath('looker'), { message: message() }, { via, ...createPersonInit('ann') });
      expect(seen.map(({ principal }) => principal)).toEqual([{ id: 'ben' }]);
      expect(askCount).toBe(0);
    },
  );
});

/** Returns the response of an app with an invalid hook, and its log. */
async function readFailure(caller: unknown, config: DelegatingApp): Promise<string> {
  const lines: LogEntry[] = [];
  const via = createDelegatingApp(caller, { log: (line) => void lines.push(line), ...config });
  const response = await via('/agents', createPersonInit('ann'));
  expect([response.status, (await readJson(response)).type]).toEqual([
    500,
    'urn:holdfast:problem:internal-error',
  ]);
  return JSON.stringify(lines.map((line) => ({ ...line, thrown: String(Object(line).thrown) })));
}

describe('a contradictory app', () => {
  it.each<[string, unknown, DelegatingApp, string]>([
    [
      'a caller delegates, and the app names no person',
      DELEGATING_CALLER,
      { personOf: null },
      "`auth` returned a caller with `delegates: true`. Add onBehalfOf() from 'holdfast/http' to `use`.",
    ],
    [
      'the id of a delegating caller could be that of a person',
      { id: 'app/ann', delegates: true },
      {},
      "`auth` returned a caller whose id has a '/', which separates a caller from the person for whom it acts. Return an id without it.",
    ],
    [
      'the id of a caller could be that of a person',
      { id: 'app/ann' },
      {},
      "`auth` returned a caller whose id has a '/', which separates a caller from the person for whom it acts. Return an id without it.",
    ],
    [
      '`delegates` is not a boolean',
      { id: 'app', delegates: 'yes' },
      {},
      '`auth` returned a caller whose `delegates` is not a boolean.',
    ],
    [
      '`onBehalfOf` returns no string',
      DELEGATING_CALLER,
      { personOf: () => 7 as unknown as string }, // plain JavaScript can do this
      '`onBehalfOf` returned a value that is not a string. Return the id of a person, or undefined.',
    ],
  ])('fails a request, and logs the reason: %s', async (_, caller, config, problem) => {
    expect(await readFailure(caller, config)).toContain(problem);
  });

  it('is refused if `onBehalfOf` is not a function', () => {
    const name = 'x-user-id' as unknown as OnBehalfOf; // plain JavaScript can do this
    expect(() => onBehalfOf(name)).toThrow(
      new ConfigurationError('onBehalfOf must receive a function that returns the id of a person.'),
    );
  });

  it('can have a caller with a slash in the id if delegation is off', async () => {
    expect((await createDelegatingApp({ id: 'app/ann' }, { personOf: null })('/agents')).status).toBe(200);
  });
});
