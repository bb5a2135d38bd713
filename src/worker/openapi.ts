import { SESSION_ID } from '../session/read-secrets.ts';
import { statusOf } from './problem.ts';
import { OF_FAILED_TURNS, type ToldProblem } from './refusal.ts';
import {
  type Answer,
  type AnswerSchema,
  byPath,
  type HttpHost,
  OF_ACCESS,
  type ProblemAnswer,
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
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: base || '/' }],
    security: [{ token: [] }],
    paths: Object.fromEntries(
      Array.from(byPath(routes), ([path, ways]) => [path, pathItem(app, path, ways)]),
    ),
    components: {
      schemas: components(routes),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

/** What may stand in a path in place of a name in braces; any text unless said here. */
const IN_PATH: Readonly<Record<string, (app: Named) => Schema>> = {
  agent: ({ agents }) => ({ type: 'string', enum: [...agents.keys()] }),
  session: () => ({ type: 'string', pattern: SESSION_ID.source }),
  file: () => ({ type: 'string', pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of its bytes.' }),
  // An empty list of values would be no schema.
  hook: ({ webhooks }) => ({ type: 'string', ...(webhooks.size > 0 && { enum: [...webhooks.keys()] }) }),
};

function pathItem(app: Named, path: string, routes: readonly Route[]): Schema {
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: IN_PATH[name]?.(app) ?? { type: 'string' },
  }));
  const operations = routes.map((route) => [route.method.toLowerCase(), operation(route)]);
  return { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) };
}

function operation(route: Route): Schema {
  const { summary, parameters, body, access } = route;
  return {
    operationId: operationOf(route),
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

/** The name of an operation that a surface has not named: `postV1Responses`. */
const operationOf = ({ operation, method, path }: Route): string =>
  operation ??
  `${method.toLowerCase()}${path.replaceAll(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`;

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
  if (route.others !== undefined) {
    responses.set('default', { description: route.others, content: ANY_CONTENT });
  }
  return Object.fromEntries(responses);
}

const ANY_CONTENT: Schema = { '*/*': {} };

/** What is answered depends on `Accept`, which OpenAPI tells by the content alone. */
const toResponse = ({ description, json, streams, isFile }: Answer): ResponseSchema => ({
  description,
  ...(isFile && { content: { '*/*': { schema: schemaOf('FileBody') } } }),
  ...(json && {
    content: {
      'application/json': { schema: anyOf(json) },
      ...(streams && {
        'text/event-stream': { schema: streams === true ? { type: 'string' } : schemaOf(streams) },
      }),
    },
  }),
});

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
    ...(isCounted ? (['rate-limited'] as const) : []),
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
  if (route.refuse) return { description, content: ANY_CONTENT };
  const mayBeTurn = runsTurns(route) && OF_FAILED_TURNS.some(([status]) => status === problems[0]?.[0]);
  const schema = anyOf(mayBeTurn ? ['FailedTurn', 'Problem'] : 'Problem');
  return { description, content: { 'application/problem+json': { schema } } };
}

function components(routes: readonly Route[]): Schema {
  const bodies = routes.flatMap(({ body, answers }): AnswerSchema[] => [
    ...(body ? [body] : []),
    ...Object.values(answers).flatMap(({ json = [] }) => json),
  ]);
  const named = bodies.flatMap((one) =>
    typeof one === 'string' || one.name === undefined ? [] : [[one.name, one.schema]],
  );
  return { ...componentSchemas(), ...Object.fromEntries(named) };
}
