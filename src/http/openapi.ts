import type { Agent } from '../agent/define-agent.ts';

/** What `GET /agents` tells of an agent. */
export const describeAgent = ({ name, description, tools, limits }: Agent): unknown => ({
  name,
  description,
  limits,
  tools: tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    effect: tool.effect,
    inputSchema: tool.inputSchema,
  })),
});

const json = (schema: unknown): unknown => ({ 'application/json': { schema } });

const answer = (description: string, content: unknown = undefined): unknown => ({
  description,
  ...(content ? { content } : {}),
});

const problem = answer('What went wrong and what to do about it (RFC 9457).', {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
});

/** The description of the HTTP surface, OpenAPI 3.1. */
export function openApi(agents: readonly string[]): unknown {
  const agent = { name: 'agent', in: 'path', required: true, schema: { type: 'string', enum: agents } };
  const session = {
    name: 'session',
    in: 'path',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.:@-]{1,128}$' },
  };
  const header = (name: string): unknown => ({ name, in: 'header', schema: { type: 'string' } });
  const query = (name: string, minimum: number): unknown => ({
    name,
    in: 'query',
    schema: { type: 'integer', minimum },
  });
  const path = '/agents/{agent}/sessions/{session}';
  const message = { $ref: '#/components/schemas/Message' };
  const events = { 'text/event-stream': { schema: { type: 'string' } } };
  return {
    openapi: '3.1.0',
    info: { title: 'Holdfast', version: '1', description: 'Agents whose tool loops survive.' },
    paths: {
      '/': { get: { summary: 'Where to go on', responses: { 200: answer('The way') } } },
      '/health': {
        get: { summary: 'Whether the Worker runs; needs no token', responses: { 200: answer('It does') } },
      },
      '/openapi.json': { get: { summary: 'This description', responses: { 200: answer('OpenAPI 3.1') } } },
      '/agents': { get: { summary: 'The agents and their tools', responses: { 200: answer('The agents') } } },
      [`${path}/messages`]: {
        parameters: [agent, session],
        post: {
          summary: 'Runs a turn',
          parameters: ['Idempotency-Key', 'Prefer', 'Accept'].map(header),
          requestBody: { required: true, content: json(message) },
          responses: {
            200: answer('The turn has ended', { ...Object(json({ type: 'object' })), ...events }),
            202: answer('The turn runs in the background, or waits for a decision'),
            default: problem,
          },
        },
      },
      [path]: {
        parameters: [agent, session],
        get: { summary: 'The state of a session', responses: { 200: answer('The state'), default: problem } },
      },
      [`${path}/events`]: {
        parameters: [agent, session],
        get: {
          summary: 'The journal, as JSON pages or as a stream that follows live',
          parameters: [header('Accept'), header('Last-Event-ID'), query('after', 0), query('limit', 1)],
          responses: {
            200: answer('Events', { ...Object(json({ type: 'object' })), ...events }),
            default: problem,
          },
        },
      },
      [`${path}/cancel`]: {
        parameters: [agent, session],
        post: {
          summary: 'Stops the open turn',
          responses: { 202: answer('It will stop'), default: problem },
        },
      },
    },
    components: {
      schemas: {
        Message: {
          type: 'object',
          required: ['message'],
          additionalProperties: false,
          properties: {
            message: { type: 'string', minLength: 1 },
            context: { type: 'object', description: 'Values for the tools, which the model never sees.' },
            loopId: { type: 'string', description: 'Continues the loop of an earlier turn.' },
          },
        },
        Problem: {
          type: 'object',
          required: ['type', 'title', 'status', 'detail'],
          properties: {
            type: { type: 'string' },
            title: { type: 'string' },
            status: { type: 'integer' },
            detail: { type: 'string' },
          },
        },
      },
    },
  };
}
