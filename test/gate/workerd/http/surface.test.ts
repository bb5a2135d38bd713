import { describe, expect, it } from 'vitest';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { branches } from '../../../../src/modules/branches/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { openApi } from '../../../../src/modules/openapi/entry.ts';
import { createApp, type HttpHost } from '../../../doors/http.ts';
import { composeModules, createRouteTable, toDocument } from '../../../doors/openapi.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { readJson, send } from './client.ts';

const refuseCode = (): never => {
  throw new Error('This host runs no code.');
};
const NO_GATES = { http: undefined, caller: undefined, admit: undefined };
const host: HttpHost = {
  agents: new Map([['scripted', scripted]]),
  modules: composeModules([answers, openApi(), files(), branches()]),
  appUses: [],
  auth: () => null,
  contextHeaders: new Map(),
  bodyContext: new Set(),
  gates: NO_GATES,
  maxBodyBytes: 1,
  streams: { count: refuseCode },
  clock: { now: () => 0, after: refuseCode },
  log: refuseCode,
  newId: () => 'id',
  model: refuseCode,
  resolve: (agent) => agent,
  context: refuseCode,
  secrets: refuseCode,
  platform: refuseCode,
  session: refuseCode,
  warnings: refuseCode,
  checks: refuseCode,
};

/** Returns the routes of the app in OpenAPI notation: the methods of each path. */
function listDescribedRoutes(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, method } of createApp(host, createRouteTable(host)).routes) {
    if (method === 'ALL') continue;
    const written = path.replace(/:(\w+)/g, '{$1}');
    found.set(written, (found.get(written) ?? new Set()).add(method.toLowerCase()));
  }
  return found;
}

const HTTP_METHODS = ['get', 'post', 'put', 'patch', 'delete'];
type DescriptionRecord = Record<string, unknown>;

/** Returns every `$ref` below a value. */
function collectRefs(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' ? [String(child)] : collectRefs(child),
  );
}

describe('/openapi.json', () => {
  it('describes every route of the app, and no other', async () => {
    const { openapi, paths } = (await readJson(await send('/openapi.json'))) as {
      openapi: string;
      paths: DescriptionRecord;
    };
    expect(openapi).toBe('3.1.0');
    const described = Object.entries(paths).map(([path, item]) => {
      const methods = Object.keys(Object(item)).filter((key) => HTTP_METHODS.includes(key));
      return [path, new Set(methods)] as const;
    });
    expect(new Map(described)).toEqual(listDescribedRoutes());
  });

  it('requires a bearer token everywhere except at /health', async () => {
    const { security, components, paths } = (await readJson(
      await send('/openapi.json'),
    )) as DescriptionRecord;
    expect([security, Object(components).securitySchemes]).toEqual([
      [{ token: [] }],
      { token: { type: 'http', scheme: 'bearer' } },
    ]);
    const open = Object.entries(Object(paths)).filter(([, item]) => Object(Object(item).get).security);
    expect(open.map(([path]) => path)).toEqual(['/health']);
  });

  it('lists the agents without details', () => {
    const describeAgents = (agents: HttpHost['agents']): unknown => {
      const { paths } = toDocument({ agents }, createRouteTable(host));
      return Object(paths)['/agents/{agent}/sessions/{session}'].parameters[0].schema;
    };
    expect(describeAgents(host.agents)).toEqual({ type: 'string', enum: ['scripted'] });
    expect(describeAgents(new Map())).toEqual({ type: 'string' });
  });

  it('declares no header that OpenAPI ignores', async () => {
    const { paths } = await readJson(await send('/openapi.json'));
    const operations = Object.values(Object(paths)).flatMap((item) => Object.values(Object(item)));
    const names = operations.flatMap((operation) =>
      (Object(operation).parameters ?? []).map(({ name }: { name: string }) => name),
    );
    const headersAndQuery = [
      'Idempotency-Key',
      'If-None-Match',
      'Last-Event-ID',
      'Prefer',
      'Range',
      'after',
      'limit',
      'pending',
      'question',
      'turn',
      'whenBusy',
    ];
    expect([...new Set(names)].sort()).toEqual(headersAndQuery);
  });

  it('declares the parameters of each path, responses to each request, and every reference', async () => {
    const description = await readJson(await send('/openapi.json'));
    for (const [path, item] of Object.entries(description.paths as Record<string, DescriptionRecord>)) {
      const declared = (item.parameters ?? []) as { name: string; in: string; required: boolean }[];
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(declared.map(({ name }) => name)).toEqual(named);
      for (const parameter of declared) expect(parameter).toMatchObject({ in: 'path', required: true });
      for (const method of HTTP_METHODS.filter((one) => one in item)) {
        const { summary, responses } = item[method] as { summary: string; responses: DescriptionRecord };
        expect(summary).toMatch(/^[A-Z]/);
        for (const [status, response] of Object.entries(responses)) {
          expect(status).toMatch(/^(\d{3}|4XX|default)$/);
          expect(response).toHaveProperty('description');
        }
      }
    }
    for (const ref of collectRefs(description)) {
      const keys = ref.replace('#/', '').split('/');
      expect(keys.reduce<unknown>((value, key) => Object(value)[key], description)).toBeTypeOf('object');
    }
  });
});

describe('GET /agents', () => {
  it('shows the agents with their tools and inputs, but not their instructions', async () => {
    const { agents } = await readJson(await send('/agents'));
    expect(agents).toEqual([
      {
        name: 'scripted',
        description: 'Says what its script says.',
        limits: { iterations: 20 },
        accepts: { data: [], url: [] },
        tools: [
          expect.objectContaining({
            name: 'add',
            description: 'Adds two numbers.',
            effect: 'read',
            inputSchema: {
              type: 'object',
              properties: { a: { type: 'number' }, b: { type: 'number' } },
              required: ['a', 'b'],
            },
          }),
          expect.objectContaining({ name: 'look_up', effect: 'read' }),
          expect.objectContaining({ name: 'record', effect: 'once' }),
        ],
      },
      expect.objectContaining({ name: 'clerk' }),
      expect.objectContaining({ name: 'marathon' }),
    ]);
  });
});

describe('GET /', () => {
  it('links to the other routes', async () => {
    expect(await readJson(await send('/'))).toEqual({
      name: 'holdfast',
      agents: '/agents',
      openapi: '/openapi.json',
    });
  });
});

describe('a response', () => {
  it('has a unique request id', async () => {
    const responses = await Promise.all(['/', '/health', '/nothing', '/agents'].map((path) => send(path)));
    const ids = responses.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });

  it('is the same for HEAD as for GET, but has no body', async () => {
    const response = await send('/agents', { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      '',
    ]);
  });
});
