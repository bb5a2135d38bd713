/** Route descriptions: whether they are complete, and which mistakes are reported. */
import { describe, expect, it } from 'vitest';
import { defineMcpEndpoint, mcpDescription } from '../../../../../src/mcp/server/entry.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import { files } from '../../../../../src/modules/files/entry.ts';
import {
  openApi,
  type RouteDescription,
  type RouteDescriptions,
} from '../../../../../src/modules/openapi/entry.ts';
import { retryDescription } from '../../../../../src/modules/retry/entry.ts';
import { aiSdkUi, aiSdkUiDescription } from '../../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { openAi, openAiDescription } from '../../../../../src/surfaces/openai/entry.ts';
import { openAiLists, openAiListsDescription } from '../../../../../src/surfaces/openai/lists/entry.ts';
import {
  composeModules,
  createRouteTable,
  type HttpHost,
  type ModuleUse,
  OWN_ROUTES,
  type Route,
} from '../../../../doors/openapi.ts';
import { attempt } from '../../../../doors/tools.ts';

/** The routes of an app with these modules. Tests only read them. */
const createTable = (...use: readonly ModuleUse[]): readonly Route[] =>
  createRouteTable({ modules: composeModules(use), agents: new Map([['clerk', {}]]) } as unknown as HttpHost);

/** The routes that a module adds. */
const listRoutes = (use: ModuleUse): readonly Route[] => createTable(use).slice(createTable().length);

const authorization = { servers: ['https://login.example'] };

describe('an OpenAPI description', () => {
  it.each<[string, RouteDescriptions, readonly Route[]]>([
    ['of every app, of answers and of files', OWN_ROUTES, createTable(answers, openApi(), files())],
    ['of aiSdkUi, with the retry', { ...aiSdkUiDescription, ...retryDescription }, listRoutes(aiSdkUi())],
    ['of openAi', openAiDescription, listRoutes(openAi())],
    [
      'of openAi with lists',
      { ...openAiDescription, ...openAiListsDescription },
      listRoutes(openAi({ lists: openAiLists() })),
    ],
    [
      'of an MCP endpoint',
      mcpDescription,
      listRoutes(defineMcpEndpoint({ agents: ['clerk'], authorization })),
    ],
  ])('lists exactly the existing routes %s, and marks those that stream', (_, descriptions, routes) => {
    const isStreaming = ({ answers }: RouteDescription) => Object.values(answers).some((one) => one.streams);
    const described = Object.entries(descriptions).map(([key, one]) => [key, isStreaming(one)] as const);
    const served = routes.map((one) => [`${one.method} ${one.path}`, one.streams ?? false] as const);
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(served));
  });
});

describe('the errors of `openApi`', () => {
  const createAnsweringRoute = (name: string, schema: object = {}): RouteDescription => ({
    summary: 'Echoes',
    answers: { 200: { description: 'The echo', json: { name, schema: { ...schema } } } },
  });
  const createRefusingRoute = (schema: object): RouteDescription => ({
    summary: 'Fails',
    answers: {},
    refusal: { 'text/plain': { name: 'Oops', schema: { ...schema } } },
  });

  it.each<[string, readonly RouteDescriptions[], string]>([
    [
      'a route that every app has',
      [{ 'GET /health': createAnsweringRoute('Echo') }],
      "openApi describes 'GET /health' twice. Remove one.",
    ],
    [
      'a repeated description',
      [openAiDescription, openAiDescription],
      "openApi describes 'GET /v1/models' twice. Remove one.",
    ],
    [
      'a schema that every app has',
      [{ 'GET /echo': createAnsweringRoute('Message') }],
      "openApi: 'GET /echo' has a schema called 'Message'. Another description uses that name.",
    ],
    [
      'a schema with the name of a body',
      [{ 'GET /echo': { ...createAnsweringRoute('Echo'), body: { name: 'NewMessage', schema: {} } } }],
      "openApi: 'GET /echo' has a schema called 'NewMessage'. Another description uses that name.",
    ],
    [
      'another schema with the name of a schema',
      [
        { 'GET /a': createRefusingRoute({ type: 'string' }) },
        { 'GET /b': createRefusingRoute({ type: 'number' }) },
      ],
      "openApi: 'GET /b' has a schema called 'Oops'. Another description uses that name.",
    ],
    [
      'an invalid name of a schema',
      [{ 'GET /echo': createAnsweringRoute('My echo') }],
      "openApi: 'GET /echo' has a schema called 'My echo'. Use only letters, digits and . _ -.",
    ],
  ])('report %s', (_, descriptions, text) => {
    const failure = attempt(() => openApi({ descriptions }));
    expect(failure.ok ? undefined : String(failure.thrown)).toBe(`ConfigurationError: ${text}`);
  });

  it('do not reject a schema that two descriptions share', () => {
    const both = [
      { 'GET /a': createRefusingRoute({ type: 'string' }) },
      { 'GET /b': createRefusingRoute({ type: 'string' }) },
    ];
    expect(() => openApi({ descriptions: both })).not.toThrow();
  });
});
