import { openApiSchemas } from './openapi-schemas.ts';

type Schema = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Response {
  readonly description: string;
  readonly content?: Content;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
  readonly required?: true;
  readonly description?: string;
}

interface Operation {
  readonly summary: string;
  readonly responses: Readonly<Record<string, Response>>;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly security?: readonly [];
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
  readonly get?: Operation;
  readonly post?: Operation;
}

interface Description {
  readonly openapi: '3.1.0';
  readonly info: Schema;
  readonly security: readonly Readonly<Record<string, readonly []>>[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

const ref = (schema: keyof ReturnType<typeof openApiSchemas>): Schema => ({
  $ref: `#/components/schemas/${schema}`,
});

const JSON_OBJECT: Content = { 'application/json': { schema: { type: 'object' } } };
/** What is answered depends on `Accept`, which OpenAPI tells by the content alone. */
const JSON_OR_EVENTS: Content = { ...JSON_OBJECT, 'text/event-stream': { schema: { type: 'string' } } };

const PROBLEM: Response = {
  description: 'What went wrong and what to do about it (RFC 9457)',
  content: { 'application/problem+json': { schema: ref('Problem') } },
};

const answer = (description: string, content = JSON_OBJECT): Response => ({ description, content });

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const query = (name: string, minimum: number): Parameter => ({
  name,
  in: 'query',
  schema: { type: 'integer', minimum },
});

/** What every request says that may run a turn. */
const TURN_HEADERS: readonly Parameter[] = [
  header('Idempotency-Key', 'A retry under the same key joins or replays the same turn.'),
  header('Prefer', '`respond-async` runs the turn in the background.'),
];

const TURN_RESPONSES = {
  200: answer('The turn has ended', JSON_OR_EVENTS),
  202: answer('The turn runs in the background, or waits for somebody: `pending` tells for what'),
  default: PROBLEM,
};

const reading = (summary: string, what: string): PathItem => ({
  get: { summary, responses: { 200: answer(what), default: PROBLEM } },
});

/** The description of the HTTP surface, OpenAPI 3.1. */
export function openApi(agents: readonly string[]): Description {
  return {
    openapi: '3.1.0',
    info: { title: 'Holdfast', version: '1', description: 'Agents whose tool loops survive.' },
    security: [{ token: [] }],
    paths: { ...commonPaths(), ...sessionPaths(agents) },
    components: {
      schemas: openApiSchemas(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function commonPaths(): Record<string, PathItem> {
  const health = {
    summary: 'Whether the Worker runs; needs no token',
    responses: { 200: answer('It does') },
  };
  return {
    '/': reading('Where to go on', 'The way'),
    '/health': { get: { ...health, security: [] } },
    '/openapi.json': reading('This description', 'OpenAPI 3.1'),
    '/agents': reading('The agents and their tools', 'The agents'),
  };
}

function sessionPaths(agents: readonly string[]): Record<string, PathItem> {
  const path = '/agents/{agent}/sessions/{session}';
  const parameters = sessionParameters(agents);
  return {
    [`${path}/messages`]: { parameters, post: postMessage() },
    [path]: { parameters, ...reading('The state of a session', 'The state') },
    [`${path}/events`]: { parameters, get: getEvents() },
    [`${path}/cancel`]: { parameters, post: postCancel() },
    [`${path}/approvals/{callId}`]: { parameters: [...parameters, CALL_ID], post: postApproval() },
    [`${path}/results/{callId}`]: { parameters: [...parameters, CALL_ID], post: postResult() },
  };
}

const sessionParameters = (agents: readonly string[]): readonly Parameter[] => [
  { name: 'agent', in: 'path', required: true, schema: { type: 'string', enum: agents } },
  {
    name: 'session',
    in: 'path',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.:@-]{1,128}$' },
  },
];

const CALL_ID: Parameter = { name: 'callId', in: 'path', required: true, schema: { type: 'string' } };

const postMessage = (): Operation => ({
  summary: 'Runs a turn',
  parameters: [
    ...TURN_HEADERS,
    {
      name: 'pending',
      in: 'query',
      schema: { type: 'string', enum: ['decline'] },
      description: 'Declines what the turn before waits for, ends it, and then takes the message.',
    },
  ],
  requestBody: { required: true, content: { 'application/json': { schema: ref('Message') } } },
  responses: TURN_RESPONSES,
});

const answering = (summary: string, body: 'Decision' | 'Result'): Operation => ({
  summary,
  parameters: [...TURN_HEADERS, query('question', 1)],
  requestBody: { required: true, content: { 'application/json': { schema: ref(body) } } },
  responses: TURN_RESPONSES,
});

const postApproval = (): Operation =>
  answering('Decides about a call that waits, once, and goes on with its turn', 'Decision');

const postResult = (): Operation =>
  answering('Sends the result of a tool that the caller runs, once, and goes on with its turn', 'Result');

const getEvents = (): Operation => ({
  summary: 'The journal, as JSON pages or as a stream that follows live',
  parameters: [
    header('Last-Event-ID', 'The stream goes on after this event.'),
    query('after', 0),
    query('limit', 1),
  ],
  responses: { 200: answer('Events', JSON_OR_EVENTS), default: PROBLEM },
});

const postCancel = (): Operation => ({
  summary: 'Stops the open turn',
  responses: { 202: answer('It will stop'), default: PROBLEM },
});
