import { SESSION_ID } from '../../session/read-secrets.ts';
import type { Schema } from '../../tool/shape.ts';
import { getHttpStatus } from '../../worker/problem.ts';
import { FAILED_TURN_PROBLEMS, type ProblemStatus } from '../../worker/refusal.ts';
import type { HttpHost, Route } from '../../worker/route.ts';
import { createComponentSchemas } from './components.ts';
import type {
  AnswerSchema,
  ProblemAnswer,
  Refusal,
  RouteAnswer,
  RouteDescription,
  RouteDescriptions,
} from './description.ts';
import { OWN_ROUTES } from './own-routes.ts';
import { createRef } from './to-json-schema.ts';

/** The parts of an app that its paths depend on. */
type PathContext = Pick<HttpHost, 'agents' | 'basePath'>;

const DOCUMENT_INFO = {
  title: 'Holdfast',
  version: '1',
  description:
    'Durable agents. Pages of origins that the app names can use all routes; others can read ' +
    'nothing, and changes return 403 `cross-site`.',
  license: { name: 'MIT', identifier: 'MIT' },
};

/** Options for the description of an app. */
export interface DocumentOptions {
  /** The descriptions of routes that only some apps have. */
  readonly descriptions?: RouteDescriptions | undefined;
  /** The prefix of all paths in links. Defaults to none. */
  readonly base?: string | undefined;
}

/**
 * Returns the OpenAPI 3.1 document of an app. For a route without a description, it contains only the method,
 * path and problems.
 */
export function toDocument(
  app: PathContext,
  routes: readonly Route[],
  { descriptions = {}, base }: DocumentOptions = {},
): Schema {
  const described = routes.map((route) => describeRoute(route, descriptions, app.basePath));
  const names = nameOperations(described);
  const paths = Map.groupBy(described, ({ route }) => route.path);
  return {
    openapi: '3.1.0',
    info: DOCUMENT_INFO,
    servers: [{ url: base || '/' }],
    security: [{ token: [] }],
    paths: Object.fromEntries(
      Array.from(paths, ([path, ways]) => [path, toPathItem(app, path, { ways, names })]),
    ),
    components: {
      schemas: { ...createComponentSchemas(), ...createNamedSchemas(described.map(({ about }) => about)) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

interface DescribedRoute {
  readonly route: Route;
  readonly about: RouteDescription;
  readonly isOwn: boolean;
}

function describeRoute(route: Route, descriptions: RouteDescriptions, basePath = ''): DescribedRoute {
  const key = `${route.method} ${route.path}`;
  const isOwn = Object.hasOwn(OWN_ROUTES, key);
  // Some routes of a mounted app are at the root of the site and contain the app's path.
  const about = { ...OWN_ROUTES, ...descriptions }[key] ?? descriptions[key.replace(basePath, '')];
  return {
    route,
    about: about ?? { summary: key, answers: {}, others: 'As the protocol has it' },
    isOwn,
  };
}

/**
 * The schemas of path parameters. Other parameters accept any text. For routes of other modules, only `agent`
 * applies.
 */
const PATH_PARAMETERS: Readonly<Record<string, (app: PathContext) => Schema>> = {
  agent: ({ agents }) => createEnum(agents),
  session: () => ({ type: 'string', pattern: SESSION_ID.source }),
  file: () => ({ type: 'string', pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of its bytes.' }),
};

/** An empty list of values would be an invalid schema. */
const createEnum = (all: ReadonlyMap<string, unknown>): Schema => ({
  type: 'string',
  ...(all.size > 0 && { enum: [...all.keys()] }),
});

/** The routes of a path, and the names of all operations. */
interface PathRoutes {
  readonly ways: readonly DescribedRoute[];
  readonly names: ReadonlyMap<DescribedRoute, string>;
}

function toPathItem(app: PathContext, path: string, { ways, names }: PathRoutes): Schema {
  const isOwn = ways[0]?.isOwn;
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: (name === 'agent' || isOwn ? PATH_PARAMETERS[name]?.(app) : undefined) ?? { type: 'string' },
  }));
  const operations = ways.map((one) => [
    one.route.method.toLowerCase(),
    { operationId: names.get(one), ...toOperation(one) },
  ]);
  return { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) };
}

function toOperation(one: DescribedRoute): Schema {
  const { summary, parameters, body } = one.about;
  return {
    summary,
    ...(parameters && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { [body.type ?? 'application/json']: { schema: toSchemaOrRef(body) } },
      },
    }),
    responses: toResponses(one),
    ...(getAccess(one) === 'open' && { security: [] }),
  };
}

/**
 * Returns the unique name of each operation. Routes without a name are named by method and path, such as
 * `postV1Responses`.
 */
function nameOperations(all: readonly DescribedRoute[]): ReadonlyMap<DescribedRoute, string> {
  const names = new Map<string, DescribedRoute>();
  for (const one of all) {
    const { method, path } = one.route;
    const words = path.replaceAll(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase());
    const name = one.about.operation ?? method.toLowerCase() + words;
    let free = name;
    for (let count = 2; names.has(free); count++) free = name + count;
    names.set(free, one);
  }
  return new Map(Array.from(names, ([name, one]) => [one, name]));
}

interface ResponseSchema {
  readonly description: string;
  readonly content?: Schema;
}

function toResponses(one: DescribedRoute): Schema {
  const { answers, others: description, refusal } = one.about;
  const responses = new Map(Object.entries(answers).map(([status, answer]) => [status, toResponse(answer)]));
  for (const [code, problems] of groupProblemsByStatus(one)) {
    const status = String(code);
    const { description, content } = toProblemResponse(one, problems);
    const other = responses.get(status);
    responses.set(status, {
      description: other ? `${other.description}. Or ${description}` : description,
      content: { ...other?.content, ...content },
    });
  }
  if (![...responses.keys()].some((status) => status.startsWith('4'))) {
    responses.set('4XX', { description: 'Rejected before the Worker' });
  }
  if (description !== undefined) {
    const isTold = refusal && Object.keys(answers).length > 0;
    responses.set('default', { description, content: isTold ? toContent(refusal) : ANY_CONTENT });
  }
  return Object.fromEntries(responses);
}

const ANY_CONTENT: Schema = { '*/*': {} };

const toContent = (schemas: Refusal): Schema =>
  Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [type, { schema: toSchemaOrRef(schema) }]),
  );

/**
 * Converts a response. Its body depends on `Accept`, which OpenAPI can only express as several content types.
 */
function toResponse({ description, json, streams, isFile }: RouteAnswer): ResponseSchema {
  const content = {
    ...(isFile && toContent({ '*/*': ANY_BYTES })),
    ...(json && { 'application/json': { schema: joinSchemas(json) } }),
    ...(streams && toContent({ 'text/event-stream': streams === true ? ANY_TEXT : streams })),
  };
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

const ANY_BYTES = { schema: { type: 'string', format: 'binary' } };

const ANY_TEXT = { schema: { type: 'string' } };

function joinSchemas(schemas: AnswerSchema | readonly AnswerSchema[]): Schema {
  const [first, ...others] = [schemas].flat().map(toSchemaOrRef);
  return others.length > 0 || first === undefined ? { anyOf: [first, ...others] } : first;
}

/** Returns a schema, or a reference to it if it has a name. */
function toSchemaOrRef(schema: AnswerSchema): Schema {
  const name = typeof schema === 'string' ? schema : schema.name;
  return typeof schema !== 'string' && name === undefined ? schema.schema : createRef(String(name));
}

const CALLER_PROBLEMS: readonly ProblemAnswer[] = [
  'unauthorized',
  'invalid-person',
  'not-configured',
  'only-localhost',
  'misconfigured',
  'internal-error',
];

/** The problems that every route can return, by its access. */
const ACCESS_PROBLEMS: Readonly<Record<Route['access'], readonly ProblemAnswer[]>> = {
  open: ['internal-error'],
  caller: CALLER_PROBLEMS,
  session: [
    ...CALLER_PROBLEMS,
    'unknown-agent',
    'invalid-session-id',
    'session-erased',
    'session-unavailable',
    'session-unreadable',
    'newer-deployment',
  ],
};

const FAILED_TURN_TYPES = Object.values(FAILED_TURN_PROBLEMS);

const getAccess = ({ route, about }: DescribedRoute): Route['access'] => about.access ?? route.access;

function groupProblemsByStatus(described: DescribedRoute): ReadonlyMap<number, readonly ProblemStatus[]> {
  const { route, about } = described;
  const { method, isCounted, streams } = route;
  const access = getAccess(described);
  const all: readonly ProblemAnswer[] = [
    ...ACCESS_PROBLEMS[access],
    ...(access !== 'open' && method !== 'GET' ? (['cross-site'] as const) : []),
    ...(isCounted || streams ? (['rate-limited'] as const) : []),
    ...(about.problems ?? []),
    ...(canRunTurns(about) ? FAILED_TURN_TYPES : []),
  ];
  const told = all.map((one): ProblemStatus => (typeof one === 'string' ? [getHttpStatus(one), one] : one));
  return Map.groupBy(told, ([status]) => status);
}

const canRunTurns = ({ answers }: RouteDescription): boolean =>
  Object.values(answers).some(({ json }) => json === 'TurnAnswer');

/**
 * Returns the response for the problems of one status. For a failed turn, the response also has the data of
 * the turn.
 */
function toProblemResponse(
  { route, about }: DescribedRoute,
  problems: readonly ProblemStatus[],
): ResponseSchema {
  const description = [...new Set(problems.map(([, type]) => `\`${type}\``))].join(', ');
  const { refusal } = about;
  if (route.refuse) return { description, content: refusal ? toContent(refusal) : ANY_CONTENT };
  const mayBeTurn = canRunTurns(about) && FAILED_TURN_TYPES.some(([status]) => status === problems[0]?.[0]);
  const schema = joinSchemas(mayBeTurn ? ['FailedTurn', 'Problem'] : 'Problem');
  return { description, content: { 'application/problem+json': { schema } } };
}

/** Returns the schemas that have a name in the descriptions. */
export function createNamedSchemas(
  descriptions: readonly RouteDescription[],
): Readonly<Record<string, Schema>> {
  const all = descriptions.flatMap(({ body, answers, refusal = {} }): AnswerSchema[] => [
    ...(body ? [body] : []),
    ...Object.values(answers).flatMap(({ json = [] }) => json),
    ...Object.values(refusal),
  ]);
  const named = all.flatMap((one) =>
    typeof one === 'string' || one.name === undefined ? [] : [[one.name, one.schema] as const],
  );
  return Object.fromEntries(named);
}
