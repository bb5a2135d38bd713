/** The OpenAPI description of an endpoint's routes. */
import {
  ANY_OBJECT_BODY,
  type BodySchema,
  headerParameter,
  type Refusal,
  type RouteDescription,
} from '../../modules/openapi/description.ts';

/** A problem response as on other routes, with one additional header. */
const PROBLEM: Refusal = { 'application/problem+json': 'Problem' };

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };

/** A message of the protocol in JSON. */
const MESSAGE: BodySchema = {
  name: 'JsonRpcMessage',
  schema: {
    type: 'object',
    required: ['jsonrpc'],
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'number', 'null'] },
      method: TEXT,
      params: ANY_OBJECT_BODY.schema,
      result: ANY_OBJECT_BODY.schema,
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'integer' }, message: TEXT, data: {} },
      },
    },
  },
};

const MESSAGE_REFERENCE = { $ref: `#/components/schemas/${MESSAGE.name}` };

/** The body of a `POST` and its response. Older clients can send several messages at once. */
const MESSAGES: BodySchema = {
  schema: { anyOf: [MESSAGE_REFERENCE, { type: 'array', items: MESSAGE_REFERENCE }] },
};

const METADATA: BodySchema = {
  name: 'ProtectedResource',
  schema: {
    type: 'object',
    required: ['resource', 'authorization_servers'],
    properties: {
      resource: TEXT,
      authorization_servers: TEXTS,
      scopes_supported: TEXTS,
      bearer_methods_supported: TEXTS,
    },
  },
};

const SIGN_IN_ROUTE: RouteDescription = {
  summary: 'The authorization servers of the MCP endpoint (RFC 9728); needs no token',
  answers: { 200: { description: 'The metadata of a protected resource', json: METADATA } },
};

/**
 * The description of the routes of `defineMcpEndpoint`, for `openApi({ descriptions: [mcpDescription] })`.
 */
export const mcpDescription = {
  'POST /mcp': {
    operation: 'callMcp',
    summary: 'Accepts messages of the Model Context Protocol (streamable HTTP)',
    body: MESSAGES,
    answers: {
      200: { description: 'The response to a request', json: MESSAGES, streams: true },
      202: { description: 'The notification was accepted' },
      // The protocol has its own error format.
      400: { description: 'The message is invalid or not allowed', json: MESSAGE },
      404: { description: 'There is no such method', json: MESSAGE },
      406: { description: 'The client accepts neither response type', json: MESSAGE },
      415: { description: 'The body is not JSON', json: MESSAGE },
    },
    problems: ['bad-json', 'body-too-large'],
    refusal: PROBLEM,
  },
  'GET /mcp': {
    operation: 'resumeMcp',
    summary: 'Resumes the broken stream of a call',
    parameters: [headerParameter('Last-Event-ID', 'The id of the last event received.')],
    answers: { 200: { description: 'The later events', streams: true } },
    problems: [
      'method-not-allowed',
      'invalid-header',
      'invalid-session-id',
      'unknown-agent',
      'unknown-turn',
      'session-unavailable',
    ],
    refusal: PROBLEM,
  },
  'GET /.well-known/oauth-protected-resource/mcp': SIGN_IN_ROUTE,
  'GET /.well-known/oauth-protected-resource': SIGN_IN_ROUTE,
} satisfies Readonly<Record<string, RouteDescription>>;
