import { SESSION_ID } from '../session/read-secrets.ts';
import { mayStream } from './open-streams.ts';
import { statusOf } from './problem.ts';
import { OF_FAILED_TURNS, type ToldProblem } from './refusal.ts';
import {
  type Answer,
  type AnswerSchema,
  byPath,
  type HttpHost,
  OF_ACCESS,
  type ProblemAnswer,
  type Refusal,
  type Route,
} from './route.ts';
import type { Schema } from './typed-schema.ts';
import { componentSchemas } from './view-schemas.ts';

/** What an app has that its paths name. */
type Named = Pick<HttpHost, 'agents' | 'webhooks'>;

const INFO = {
  title: 'Holdfast',
  version: '1',
  description:
    'Agents whose tool loops survive. A page whose origin the app names may use all of this, by CORS and without cookies. A page of ' +
    'another site can read nothing, and what else its browser sends is refused with 403 `cross-site`, by `Origin` and ' +
    '`Sec-Fetch-Site`.',
  license: { name: 'MIT', identifier: 'MIT' },
};

/** The description of the HTTP surface, OpenAPI 3.1, as a fold over the route table; its paths are below `base`. */
export function openApi(app: Named, routes: readonly Route[], base = ''): Schema {
  const names = operationNames(routes);
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: base || '/' }],
    security: [{ token: [] }],
    paths: Object.fromEntries(
      Array.from(byPath(routes), ([path, ways]) => [path, pathItem(app, path, { ways, names })]),
    ),
    components: {
      schemas: { ...componentSchemas(), ...schemasOf(routes) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

/** What may stand in a path in place of a name in braces; any text unless said here, and of a surface anything but an agent. */
const IN_PATH: Readonly<Record<string, (app: Named) => Schema>> = {
  agent: ({ agents }) => nameIn(agents),
  session: () => ({ type: 'string', pattern: SESSION_ID.source }),
  file: () => ({ type: 'string', pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of its bytes.' }),
  hook: ({ webhooks }) => nameIn(webhooks),
};

/** An empty list of values would be no schema. */
const nameIn = (all: ReadonlyMap<string, unknown>): Schema => ({
  type: 'string',
  ...(all.size > 0 && { enum: [...all.keys()] }),
});

/** The routes of a path, and what all operations are called. */
interface Ways {
  readonly ways: readonly Route[];
  readonly names: ReadonlyMap<Route, string>;
}

function pathItem(app: Named, path: string, { ways, names }: Ways): Schema {
  const isOwn = ways[0]?.others === undefined;
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: (name === 'agent' || isOwn ? IN_PATH[name]?.(app) : undefined) ?? { type: 'string' },
  }));
  const operations = ways.map((route) => [
    route.method.toLowerCase(),
    { operationId: names.get(route), ...operation(route) },
  ]);
  return { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) };
}

function operation(route: Route): Schema {
  const { summary, parameters, body, access } = route;
  return {
    summary,
    ...(parameters && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaOf(body) },
          ...(body.form && { 'multipart/form-data': { schema: body.form } }),
        },
      },
    }),
    responses: responsesOf(route),
    ...(access === 'open' && { security: [] }),
  };
}

/** What each operation is called. One of a surface is called by its method and its path: `postV1Responses`; two never alike. */
function operationNames(routes: readonly Route[]): ReadonlyMap<Route, string> {
  const names = new Map<string, Route>();
  for (const route of routes) {
    const { operation, method, path } = route;
    const words = path.replaceAll(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase());
    const name = operation ?? method.toLowerCase() + words;
    let free = name;
    for (let count = 2; names.has(free); count++) free = name + count;
    names.set(free, route);
  }
  return new Map(Array.from(names, ([name, route]) => [route, name]));
}

/** A response as OpenAPI writes it. */
interface ResponseSchema {
  readonly description: string;
  readonly content?: Schema;
}

/** The answers of a route and its problems, by their statuses. */
function responsesOf(route: Route): Schema {
  const responses = new Map(
    Object.entries(route.answers).map(([status, answer]) => [status, toResponse(answer)]),
  );
  for (const [code, problems] of problemsByStatus(route)) {
    const [status, { description, content }] = [String(code), toProblem(route, problems)];
    const other = responses.get(status);
    const said = other ? `${other.description}. Or ${description}` : description;
    responses.set(status, { description: said, content: { ...other?.content, ...content } });
  }
  if (![...responses.keys()].some((status) => status.startsWith('4'))) {
    responses.set('4XX', { description: 'What stands before the Worker has refused it' });
  }
  const { others: description, answers, refusal } = route;
  if (description !== undefined) {
    const isTold = refusal && Object.keys(answers).length > 0;
    responses.set('default', { description, content: isTold ? contentOf(refusal) : ANY_CONTENT });
  }
  return Object.fromEntries(responses);
}

const ANY_CONTENT: Schema = { '*/*': {} };

const contentOf = (schemas: Refusal): Schema =>
  Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema: schemaOf(schema) }]));

/** What is answered depends on `Accept`, which OpenAPI tells by the content alone. */
function toResponse({ description, json, streams, isFile }: Answer): ResponseSchema {
  const content = {
    ...(isFile && contentOf({ '*/*': 'FileBody' })),
    ...(json && { 'application/json': { schema: anyOf(json) } }),
    ...(streams && contentOf({ 'text/event-stream': streams === true ? ANY_TEXT : streams })),
  };
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

const ANY_TEXT = { schema: { type: 'string' } };

function anyOf(schemas: AnswerSchema | readonly AnswerSchema[]): Schema {
  const [first, ...others] = [schemas].flat().map(schemaOf);
  return others.length > 0 || first === undefined ? { anyOf: [first, ...others] } : first;
}

/** A schema with a name stands among the components, and is referred to. */
const schemaOf = (schema: AnswerSchema): Schema =>
  typeof schema !== 'string' && schema.name === undefined
    ? schema.schema
    : { $ref: `#/components/schemas/${typeof schema === 'string' ? schema : schema.name}` };

function problemsByStatus(route: Route): ReadonlyMap<number, readonly ToldProblem[]> {
  const { access, method, isCounted, problems = [] } = route;
  const all: readonly ProblemAnswer[] = [
    ...OF_ACCESS[access],
    ...(access !== 'open' && method !== 'GET' ? (['cross-site'] as const) : []),
    ...(isCounted || mayStream(route) ? (['rate-limited'] as const) : []),
    ...problems,
    ...(runsTurns(route) ? OF_FAILED_TURNS : []),
  ];
  const told = all.map((one): ToldProblem => (typeof one === 'string' ? [statusOf(one), one] : one));
  return Map.groupBy(told, ([status]) => status);
}

const runsTurns = ({ answers }: Route): boolean =>
  Object.values(answers).some(({ json }) => json === 'TurnAnswer');

/** What is told of the problems of one status. A turn that failed is one, with all that is told of the turn. */
function toProblem(route: Route, problems: readonly ToldProblem[]): ResponseSchema {
  const description = [...new Set(problems.map(([, type]) => `\`${type}\``))].join(', ');
  if (route.refuse) return { description, content: route.refusal ? contentOf(route.refusal) : ANY_CONTENT };
  const mayBeTurn = runsTurns(route) && OF_FAILED_TURNS.some(([status]) => status === problems[0]?.[0]);
  const schema = anyOf(mayBeTurn ? ['FailedTurn', 'Problem'] : 'Problem');
  return { description, content: { 'application/problem+json': { schema } } };
}

/** The schemas of their own that routes have names for. */
export function schemasOf(routes: readonly Route[]): Readonly<Record<string, Schema>> {
  const all = routes.flatMap(({ body, answers, refusal = {} }): AnswerSchema[] => [
    ...(body ? [body] : []),
    ...Object.values(answers).flatMap(({ json = [] }) => json),
    ...Object.values(refusal),
  ]);
  const named = all.flatMap((one) =>
    typeof one === 'string' || one.name === undefined ? [] : [[one.name, one.schema] as const],
  );
  return Object.fromEntries(named);
}
