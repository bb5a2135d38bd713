/** The errors that a starting Worker throws for invalid routes of modules. */
import { describe, expect, it } from 'vitest';
import { createHoldfast, type HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { defineModule, defineRoute, type Module } from '../../../../src/module.ts';
import { githubWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createTestApp } from '../http/app.ts';

const handle = () => new Response('');

/** A valid route, with these changes. */
const createRoute = (more: Readonly<Record<string, unknown>> = {}) => ({
  method: 'GET',
  path: '/echo',
  handle,
  ...more,
});

/** Defines a module with routes of any type, as plain JavaScript can. */
const useRoutes = (routes: unknown, name = 'echo') =>
  defineModule({ name }).use({ routes } as Parameters<Module['use']>[0]);

const catchMessage = (make: () => unknown): string => {
  try {
    make();
  } catch (failure) {
    return String(failure);
  }
  return 'nothing';
};

const formatError = (text: string): string => `ConfigurationError: ${text}`;

describe('the definition of a module’s routes', () => {
  it.each<[string, () => unknown, string]>([
    [
      'routes that are not a list',
      () => useRoutes(createRoute()),
      "Module 'echo' has an object as its 'routes'. Use a list, as in [one, another].",
    ],
    [
      'an invalid route',
      () => useRoutes([createRoute(), 7]),
      "Module 'echo': routes[1] received 7. Pass one object, as in defineRoute({ ... }).",
    ],
    [
      'an unknown key of a route',
      () => useRoutes([createRoute({ access: 'open' })]),
      "Module 'echo': routes[0] has an unknown option 'access'. Use one of method, path, isCounted, isPublic, streams, handle, refuse.",
    ],
    [
      'a key of another library',
      () => useRoutes([{ method: 'GET', path: '/echo', handler: handle }]),
      "Module 'echo': routes[0] has 'handler' instead of 'handle'. Rename it.",
    ],
    [
      'a missing handler',
      () => useRoutes([createRoute({ handle: undefined })]),
      "Module 'echo': routes[0] has no 'handle'. Use a function.",
    ],
    [
      'an invalid handler',
      () => useRoutes([createRoute({ handle: 'no' })]),
      "Module 'echo': routes[0] has a string as its 'handle'. Use a function.",
    ],
    [
      'an invalid refusal',
      () => useRoutes([createRoute({ refuse: {} })]),
      "Module 'echo': routes[0] has an object as its 'refuse'. Use a function.",
    ],
    [
      'an unsupported method',
      () => useRoutes([createRoute({ method: 'PUT' })]),
      "Module 'echo': routes[0] has 'PUT' as its 'method'. Use GET, POST, DELETE.",
    ],
    [
      'a path without a leading slash',
      () => useRoutes([createRoute({ path: 'echo' })]),
      "Module 'echo': routes[0] has 'echo' as its 'path': begin it with '/'.",
    ],
    [
      'an open brace',
      () => useRoutes([createRoute({ path: '/echo/{agent' })]),
      "Module 'echo': routes[0] has '/echo/{agent' as its 'path': each segment must be a word or one name in braces, as in '/agents/{agent}/chat', and not '{agent'.",
    ],
    [
      'text beside a name',
      () => useRoutes([createRoute({ path: '/echo/{agent}.json' })]),
      "Module 'echo': routes[0] has '/echo/{agent}.json' as its 'path': each segment must be a word or one name in braces, as in '/agents/{agent}/chat', and not '{agent}.json'.",
    ],
    [
      'the parameter syntax of another router',
      () => useRoutes([createRoute({ path: '/echo/:agent' })]),
      "Module 'echo': routes[0] has '/echo/:agent' as its 'path': each segment must be a word or one name in braces, as in '/agents/{agent}/chat', and not ':agent'.",
    ],
    [
      'a wildcard',
      () => useRoutes([createRoute({ path: '/echo/*' })]),
      "Module 'echo': routes[0] has '/echo/*' as its 'path': each segment must be a word or one name in braces, as in '/agents/{agent}/chat', and not '*'.",
    ],
    [
      'an empty part',
      () => useRoutes([createRoute({ path: '/echo/' })]),
      "Module 'echo': routes[0] has '/echo/' as its 'path': each segment must be a word or one name in braces, as in '/agents/{agent}/chat', and not an empty part.",
    ],
    [
      'a number in place of a name',
      () => useRoutes([createRoute({ path: '/echo/{1}' })]),
      "Module 'echo': routes[0] has '/echo/{1}' as its 'path': each segment must be a word or one name in braces, as in '/agents/{agent}/chat', and not '{1}'.",
    ],
    [
      'a repeated name',
      () => useRoutes([createRoute({ path: '/{a}/{a}' })]),
      "Module 'echo': routes[0] has '/{a}/{a}' as its 'path': {a} is in it twice.",
    ],
    [
      'a counted public route',
      () => useRoutes([createRoute({ isCounted: true, isPublic: true })]),
      "Module 'echo': routes[0] has 'isPublic' and 'isCounted'. Use one, since a public route has no caller.",
    ],
    [
      'a duplicate route',
      () => useRoutes([createRoute({ path: '/echo/{a}' }), createRoute({ path: '/echo/{b}' })]),
      "Module 'echo': routes[1] is a second GET /echo/{b}. Remove one.",
    ],
  ])('refuses %s', (_, make, text) => {
    expect(catchMessage(make)).toBe(formatError(text));
  });

  it('accepts a path with two methods, and literal special characters', () => {
    const both = [
      createRoute(),
      createRoute({ method: 'DELETE' }),
      createRoute({ path: '/.well-known/agent-card.json' }),
    ];
    expect(catchMessage(() => useRoutes([...both, createRoute({ path: '/v1/message:send' })]))).toBe(
      'nothing',
    );
  });
});

const shop = githubWebhook({ agent: 'scripted', secret: 'SECRET' });

describe('createHoldfast with routes of modules', () => {
  const createApp = (use: readonly unknown[], more: Partial<HoldfastConfig> = {}) =>
    createHoldfast({ agents: [scripted], ...more, use: use as HoldfastConfig['use'] });
  const formatTaken = (mine: string, theirs: string): string =>
    formatError(
      `Module 'echo' has the route ${mine}, whose path the app already has as ${theirs}. Choose another path.`,
    );

  it.each<[string, () => unknown, string]>([
    [
      'an invalid use of a module',
      () => createApp([useRoutes([]), { name: 'echo', routes: [] }]),
      formatError('createHoldfast has an object at use[1]. Use the result of a module, such as openApi().'),
    ],
    [
      'a module that was not called',
      () => createApp([useRoutes]),
      formatError(
        'createHoldfast has the function useRoutes at use[0]. Use the result of a module, such as openApi().',
      ),
    ],
    [
      'null',
      () => createApp([null]),
      formatError('createHoldfast has null at use[0]. Use the result of a module, such as openApi().'),
    ],
    [
      'two modules with one name',
      () => createApp([useRoutes([]), useRoutes([])]),
      "ConfigurationError: Two modules are called 'app:echo'. Rename one, or look for a second copy of holdfast (npm ls holdfast).",
    ],
    [
      'a path of the app',
      () => createApp([useRoutes([createRoute({ path: '/health' })])]),
      formatTaken('GET /health', 'GET /health'),
    ],
    [
      'a path of the app under another method',
      () => createApp([useRoutes([createRoute({ method: 'POST', path: '/agents' })])]),
      formatTaken('POST /agents', 'GET /agents'),
    ],
    [
      'a path of the app with other names',
      () => createApp([useRoutes([createRoute({ path: '/agents/{a}/sessions/{s}' })])]),
      formatTaken('GET /agents/{a}/sessions/{s}', 'GET /agents/{agent}/sessions/{session}'),
    ],
    [
      'a path that another module’s route matches',
      () => createApp([shop, useRoutes([createRoute({ path: '/hooks/echo' })])]),
      formatTaken('GET /hooks/echo', 'POST /hooks/{hook}'),
    ],
    [
      'a path that a route of the app matches',
      () => createApp([useRoutes([createRoute({ path: '/{any}' })])]),
      formatTaken('GET /{any}', 'GET /health'),
    ],
    [
      'a path of another module',
      () =>
        createApp([
          useRoutes([createRoute({ path: '/v1/{x}' })], 'other'),
          useRoutes([createRoute({ path: '/v1/{y}' })]),
        ]),
      formatTaken('GET /v1/{y}', 'GET /v1/{x}'),
    ],
    [
      'a value that is not a list',
      () => createHoldfast({ agents: [scripted], use: useRoutes([]) as never }),
      formatError("createHoldfast has an object as its 'use'. Use a list, as in [one, another]."),
    ],
  ])('refuses %s', (_, make, text) => {
    expect(catchMessage(make)).toBe(text);
  });

  it('accepts routes without a common path', () => {
    const chat = useRoutes([createRoute({ path: '/agents/{agent}/chat/{chat}/stream' })], 'chat');
    expect(catchMessage(() => createApp([chat, useRoutes([createRoute({ path: '/v1/{x}' })])]))).toBe(
      'nothing',
    );
    // Only an app that serves the route has the conflict.
    expect(catchMessage(() => createApp([useRoutes([createRoute({ method: 'POST', path: '/mcp' })])]))).toBe(
      'nothing',
    );
  });
});

it('a path is matched segment by segment, with any characters', async () => {
  const createAnsweringRoute = (path: string) => ({
    ...{ method: 'GET', path, isPublic: true },
    handle: (_: unknown, named: unknown) => Response.json({ path, named }),
  });
  const paths = ['/v1/message:send', '/v1/{task}', '/.well-known/{card}', '/v1/{task}/a.b'];
  const via = createTestApp({ use: [useRoutes(paths.map(createAnsweringRoute))] });
  const fetchFound = async (path: string) => (await via(path)).json();
  expect(await fetchFound('/v1/message:send')).toEqual({ path: '/v1/message:send', named: {} });
  expect(await fetchFound('/v1/message:stop')).toEqual({
    path: '/v1/{task}',
    named: { task: 'message:stop' },
  });
  expect(await fetchFound('/.well-known/a%20b')).toEqual({
    path: '/.well-known/{card}',
    named: { card: 'a b' },
  });
  expect(await fetchFound('/v1/1/a.b')).toEqual({ path: '/v1/{task}/a.b', named: { task: '1' } });
  for (const path of ['/xwell-known/a', '/v1/1/axb', '/v1/', '/v1/1/', '/v1//a.b', '/V1/1', '/v1/1/a.b/c'])
    expect([path, (await via(path)).status]).toEqual([path, 404]);
});

it('the names in a path type the handler’s parameters', () => {
  const typed = defineRoute({
    method: 'GET',
    path: '/echo/{agent}/{session}',
    handle: (_, { agent, session }) => new Response(agent + session),
  });
  expect(typed.path).toBe('/echo/{agent}/{session}');
});

it('a public route is typed without a caller, and any other route with a caller', () => {
  const card = { method: 'GET', path: '/card' } as const;
  const open = defineRoute({
    ...card,
    isPublic: true,
    // @ts-expect-error nobody is known
    handle: (asked) => Response.json(asked.caller),
  });
  const known = defineRoute({ ...card, handle: (asked) => Response.json(asked.caller) });
  expect([open.isPublic, known.isPublic]).toEqual([true, undefined]);
});
