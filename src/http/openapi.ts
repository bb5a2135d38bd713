import { SESSION_ID } from '../session/session-name.ts';
import type { HttpHost } from './http-host.ts';
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
  readonly delete?: Operation;
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
  description:
    'What went wrong and what to do about it (RFC 9457); `Retry-After` tells when, where that helps',
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
  202: answer(
    'The turn runs in the background, waits for its time or for those before it, or for somebody: `pending` tells for what. ' +
      '`Location` leads to its answer',
  ),
  default: PROBLEM,
};

const reading = (summary: string, what: string): PathItem => ({
  get: { summary, responses: { 200: answer(what), default: PROBLEM } },
});

const DESCRIPTION =
  'Agents whose tool loops survive. A page of another site may only read: what else a browser sends for it is refused ' +
  'with 403 `cross-site`, by its `Origin` and `Sec-Fetch-Site`, unless the app names its origin.';

/** The description of the HTTP surface, OpenAPI 3.1. */
export function openApi({
  agents,
  webhooks,
  mcp,
}: Pick<HttpHost, 'agents' | 'webhooks' | 'mcp'>): Description {
  return {
    openapi: '3.1.0',
    info: { title: 'Holdfast', version: '1', description: DESCRIPTION },
    security: [{ token: [] }],
    paths: {
      ...commonPaths(),
      ...hookPaths([...webhooks.keys()]),
      ...(mcp && mcpPaths()),
      ...sessionPaths([...agents.keys()]),
    },
    components: {
      schemas: openApiSchemas(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function commonPaths(): Record<string, PathItem> {
  const health = {
    summary: 'Whether the Worker runs, and is deployed so that sessions work; needs no token',
    responses: { 200: answer('It is; `warnings` lists what could be better'), default: PROBLEM },
  };
  return {
    '/': reading('Where to go on', 'The way'),
    '/health': { get: { ...health, security: [] } },
    '/openapi.json': reading('This description', 'OpenAPI 3.1'),
    '/agents': reading(
      'The agents, their tools, and the sources of tools that only a turn knows',
      'The agents',
    ),
  };
}

function hookPaths(webhooks: readonly string[]): Record<string, PathItem> {
  // An empty list of values would be no schema.
  const schema = webhooks.length === 0 ? { type: 'string' } : { type: 'string', enum: webhooks };
  const post: Operation = {
    summary: 'Takes a delivery of a webhook; its signature stands in for a token',
    requestBody: { required: true, content: JSON_OBJECT },
    responses: {
      200: answer('A handshake was answered, or the delivery ignored'),
      202: answer(
        'The delivery has started a turn, now or when it came first; `Location` leads to its answer',
      ),
      default: PROBLEM,
    },
    security: [],
  };
  return { '/hooks/{hook}': { parameters: [{ name: 'hook', in: 'path', required: true, schema }], post } };
}

function mcpPaths(): Record<string, PathItem> {
  const post: Operation = {
    summary: 'Takes messages of the Model Context Protocol (streamable HTTP, without sessions)',
    requestBody: { required: true, content: JSON_OBJECT },
    responses: {
      200: answer('What a request is answered', JSON_OR_EVENTS),
      202: { description: 'A notification was taken' },
      default: PROBLEM,
    },
  };
  return { '/mcp': { post } };
}

function sessionPaths(agents: readonly string[]): Record<string, PathItem> {
  const path = '/agents/{agent}/sessions/{session}';
  const parameters = sessionParameters(agents);
  return {
    [`${path}/messages`]: { parameters, post: postMessage() },
    [path]: {
      parameters,
      ...reading(
        'The state of a session',
        'The state; `waiting` lists the turns that have not begun, and how each waits',
      ),
      delete: deleteSession,
    },
    [`${path}/turns/{turn}`]: { parameters: [...parameters, TURN], get: getTurn() },
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
    schema: { type: 'string', pattern: SESSION_ID.source },
  },
];

const TURN: Parameter = { name: 'turn', in: 'path', required: true, schema: { type: 'string' } };

const CALL_ID: Parameter = { name: 'callId', in: 'path', required: true, schema: { type: 'string' } };

const postMessage = (): Operation => ({
  summary: 'Runs a turn',
  parameters: [
    ...TURN_HEADERS,
    {
      name: 'whenBusy',
      in: 'query',
      schema: { type: 'string', enum: ['reject', 'queue', 'steer'], default: 'reject' },
      description:
        'While a turn is open: `reject` answers 409, `queue` starts the turn when those before it have ended, and `steer` ' +
        'shows the message to the model of the open turn with its next request. That answers 202, and the context ' +
        'and the loop of the message are those of the turn; when it ends first, the message is a turn of its own. ' +
        'A turn that waits for somebody is not steered: 409 with what it waits for.',
    },
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

const deleteSession: Operation = {
  summary: 'Erases a session: what it holds, what waits in it and what it planned',
  responses: { 204: { description: 'There is no such session, or none any more' }, default: PROBLEM },
};

const getTurn = (): Operation => ({
  summary: 'The answer of one turn, as its message would be answered',
  responses: {
    200: answer('The turn has ended'),
    202: answer('It has not: `status` is queued, scheduled, steering, running or suspended'),
    303: answer('Its message was taken into another turn, whose answer is its answer'),
    default: PROBLEM,
  },
});

const postCancel = (): Operation => ({
  summary: 'Stops a turn, or ends it before it begins',
  parameters: [
    {
      name: 'turn',
      in: 'query',
      schema: { type: 'string' },
      description: 'One that runs, or waits for those before it or for its time. The open turn unless given.',
    },
  ],
  responses: { 202: answer('It will stop'), default: PROBLEM },
});
