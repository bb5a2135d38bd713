import type { Tool } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Agent } from '../../agent/define-agent.ts';
import { SESSION_ID, SESSION_ID_RULE } from '../../session/read-secrets.ts';
import { type InputSchema, toInputSchema } from '../../tool/input-schema.ts';
import type { JsonSchema } from '../../tool/json.ts';

const Input = v.strictObject({
  message: v.pipe(
    v.string(),
    v.regex(/\S/, 'it is blank'),
    v.description('What to ask the agent, or to tell it.'),
  ),
  session: v.optional(
    v.pipe(
      v.string(),
      v.regex(SESSION_ID, `a session id is ${SESSION_ID_RULE}`),
      v.description(
        'The session of an earlier answer, to go on with its conversation. A new one unless given.',
      ),
    ),
  ),
});

/** What a client sends to an agent. */
export type AgentInput = v.InferOutput<typeof Input>;

/** The input of every published agent. */
export const AGENT_INPUT: InputSchema<AgentInput> = toInputSchema(Input);

/** Shows an agent to clients as a tool whose call runs a turn. */
export const toAgentTool = (
  { description, output }: Agent,
  shown: { readonly name: string; readonly description?: string | undefined },
): Tool => ({
  name: shown.name,
  description: shown.description ?? description,
  inputSchema: { ...AGENT_INPUT.json, type: 'object' },
  outputSchema: outputSchema(output?.format.schema),
  annotations: { readOnlyHint: false },
});

const text = (description: string): JsonSchema => ({ type: 'string', description });

/** Describes `structuredContent` of an agent's answer, with `object` as the agent's own output says. */
function outputSchema(object: JsonSchema | undefined): NonNullable<Tool['outputSchema']> {
  const { schema, shared } = object ? embedded(object) : { schema: undefined, shared: {} };
  return {
    type: 'object',
    properties: {
      session: text('To be sent with the next message of the conversation.'),
      turn: text('Names this message and its answer in the session.'),
      path: text('Where the answer is found by GET, also later.'),
      outcome: {
        type: 'string',
        enum: OUTCOMES,
        description:
          '`suspended`: it waits for what `pending` says. `running`: it goes on, and its answer comes later.',
      },
      limit: {
        type: 'object',
        properties: { kind: { type: 'string' }, most: { type: 'number' } },
        description: 'Of `limit-reached`: the limit that was reached, and how much it allows.',
      },
      text: text('The answer in words.'),
      ...(schema && { object: schema }),
      pending: {
        type: 'array',
        items: { type: 'object' },
        description: 'Calls that wait for a decision or a result, and where that is sent.',
      },
      error: { type: 'object', properties: { type: { type: 'string' }, message: { type: 'string' } } },
    },
    required: ['session', 'turn', 'path', 'outcome', 'text'],
    ...shared,
  };
}

/** How a turn can stand when its client is answered. */
const OUTCOMES = [
  'completed',
  'returned-direct',
  'limit-reached',
  'cancelled',
  'failed',
  'suspended',
  'running',
] as const;

/**
 * Makes a schema that can stand inside another one. What it refers to by `$defs` moves to the root with it, since
 * references count from there; one that refers to anything else is shown as any object.
 */
function embedded(schema: JsonSchema): { readonly schema: JsonSchema; readonly shared: JsonSchema } {
  const { $defs, definitions, ...rest } = schema;
  const refs = Array.from(
    JSON.stringify(schema).matchAll(/"\$(?:ref|dynamicRef)":"([^"]*)"/g),
    ([, to = '']) => to,
  );
  const isMovable = refs.every((ref) => /^#\/(?:\$defs|definitions)\//.test(ref));
  if (!isMovable || '$id' in schema) return { schema: { type: 'object' }, shared: {} };
  return {
    schema: rest,
    shared: { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) },
  };
}
