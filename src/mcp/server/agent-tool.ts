import type { CallToolResult, InputRequests, InputRequiredResult, Tool } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Agent } from '../../agent/define-agent.ts';
import type { NotStarted } from '../../journal/session-port.ts';
import { pendingViews } from '../../modules/answers/questions.ts';
import { SESSION_ID, SESSION_ID_RULE } from '../../session/read-secrets.ts';
import { readTurn } from '../../session/read-session.ts';
import { fullText } from '../../session/turn-end.ts';
import type { TurnOutcome } from '../../session/watching/turn-outcome.ts';
import { sha256Hex } from '../../tool/async.ts';
import { type InputSchema, toInputSchema } from '../../tool/input-schema.ts';
import type { JsonSchema } from '../../tool/json.ts';
import { queueFullText } from '../../worker/refusal.ts';
import type { Target } from '../../worker/target.ts';
import { IDEMPOTENCY_KEY, invalidParams } from '../content/rpc.ts';
import { type AskingClient, asksPeople, fromRequestState, invalidState, toRequestState } from './caller.ts';
import { type Continued, inputRequestsOf, NOTHING_BEFORE } from './input-required.ts';
import { type AnsweredCall, failed, listedPending, textBlock, toAgentResult } from './to-call-result.ts';

const Input = v.strictObject({
  message: v.pipe(v.string(), v.regex(/\S/, 'it is blank'), v.description('The message for the agent.')),
  session: v.optional(
    v.pipe(
      v.string(),
      v.regex(SESSION_ID, `a session id is ${SESSION_ID_RULE}`),
      v.description('The session of an earlier answer, to continue its conversation. Defaults to a new one.'),
    ),
  ),
});

/** The input that a client sends to an agent. */
export type AgentInput = v.InferOutput<typeof Input>;

/** The input schema of every published agent. */
export const AGENT_INPUT: InputSchema<AgentInput> = toInputSchema(Input);

/** Returns the tool that represents an agent to clients. Its call runs a turn. */
export const toAgentTool = (
  { description, output }: Agent,
  shown: { readonly name: string; readonly description?: string | undefined },
): Tool => ({
  name: shown.name,
  description: shown.description ?? description,
  inputSchema: { ...AGENT_INPUT.json, type: 'object' },
  outputSchema: outputSchema(output?.format?.schema),
  annotations: { readOnlyHint: false },
});

const text = (description: string): JsonSchema => ({ type: 'string', description });

/**
 * Returns the schema for `structuredContent` of an agent's answer. `object` is the agent's own output schema.
 */
function outputSchema(object: JsonSchema | undefined): NonNullable<Tool['outputSchema']> {
  const { schema, shared } = object ? embedded(object) : { schema: undefined, shared: {} };
  return {
    type: 'object',
    properties: {
      session: text('Send it with the next message of the conversation.'),
      turn: text('The id of this turn in the session.'),
      path: text('The path to GET the answer, now or later.'),
      outcome: {
        type: 'string',
        enum: OUTCOMES,
        description:
          '`suspended`: it waits for `pending`. `running`: it continues, and its answer comes later.',
      },
      limit: {
        type: 'object',
        properties: { kind: { type: 'string' }, most: { type: 'number' } },
        description: 'For `limit-reached`: the limit and its value.',
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

/** The possible outcomes of a turn in a response. */
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
 * Returns a schema that can be embedded in another one. Its `$defs` move to the root, because references
 * resolve from there. A schema with other references becomes that of any object.
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

/** A call of a published agent, with its input. */
export interface AskedCall extends AnsweredCall {
  readonly sent: AgentInput;
}

const State = v.strictObject({
  session: v.pipe(v.string(), v.maxLength(128)),
  turn: v.pipe(v.string(), v.maxLength(128)),
  asked: v.pipe(v.array(v.pipe(v.string(), v.maxLength(256))), v.maxLength(1_000)),
  call: v.string(),
});

/** A turn that an earlier request of the same call has begun. */
export interface ContinuedTurn extends Pick<v.InferOutput<typeof State>, 'session' | 'turn' | 'asked'> {
  readonly isNew: boolean;
  readonly sent: AgentInput;
}

/** Returns whether a request is the first of its call, and not a continuation. */
export const isFirst = ({ state, answers }: AskingClient): boolean =>
  state === undefined && Object.keys(answers).length === 0;

/**
 * Reads the turn that a client continues. Permissions to answer are not checked here, because anyone can send
 * the state.
 *
 * @throws RpcError if the state is invalid or belongs to another call. The client would get the answer to
 * something else.
 */
export async function continuedTurn(
  { state }: AskingClient,
  name: string,
  sent: AgentInput,
): Promise<ContinuedTurn> {
  if (state === undefined) {
    throw invalidParams('`inputResponses` need the `requestState` of their questions.');
  }
  const read = typeof state === 'string' ? v.safeParse(State, fromRequestState(state)) : undefined;
  if (!read?.success || read.output.call !== (await callOf(name, sent))) throw invalidState();
  const { session, turn, asked } = read.output;
  return { session, turn, asked, isNew: sent.session === undefined, sent };
}

/** Returns a digest that identifies a call. A client repeats the same call when it continues. */
const callOf = (name: string, { message, session }: AgentInput): Promise<string> =>
  sha256Hex(JSON.stringify([name, message, session ?? null]));

/** The context of a response to a client. */
interface Answering extends AskingClient {
  readonly before?: Continued;
}

/**
 * Returns the outcome of a turn. If the turn waits for a person whom the client can ask, returns the
 * questions.
 */
export async function toAgentAnswer(
  call: AskedCall,
  outcome: TurnOutcome,
  { capabilities, before = NOTHING_BEFORE }: Answering,
): Promise<CallToolResult | InputRequiredResult> {
  const { target } = call;
  if (asksPeople(capabilities) && outcome.status === 'suspended') {
    const inputRequests = inputRequestsOf(target.caller, outcome.events, before);
    if (Object.keys(inputRequests).length > 0) {
      const { turn } = outcome.answer;
      return {
        resultType: 'input_required',
        inputRequests,
        requestState: await stateOf(call, turn, inputRequests),
      };
    }
  }
  const result = toAgentResult(call, outcome);
  return { ...result, content: [...result.content, ...before.told.map(textBlock)] };
}

const stateOf = async (
  { name, sent, target }: AskedCall,
  turn: string,
  requests: InputRequests,
): Promise<string> => {
  const { session }: Target = target;
  return toRequestState({ session, turn, asked: Object.keys(requests), call: await callOf(name, sent) });
};

/**
 * The reasons why a turn does not start at once. A known message was already accepted, so its turn is
 * answered.
 */
type NotTaken =
  | Exclude<NotStarted, { status: 'known' }>
  | { readonly status: 'queued' | 'steering' | 'scheduled' };

/** Returns the response for a message that a session did not accept. */
export const notTaken = async (target: Target, refused: NotTaken): Promise<CallToolResult> =>
  failed(await agentRefusal(target, refused));

/** Returns the reason, for the calling model, why a session did not accept its message. */
async function agentRefusal(target: Target, refused: NotTaken): Promise<string> {
  switch (refused.status) {
    case 'queued':
    case 'steering':
    case 'scheduled':
    case 'blobs-full':
    case 'blobs-moved':
      throw new Error(`An unexpected status of a text message that may not wait: ${refused.status}.`);
    case 'busy':
      return (
        `The session is busy with turn ${refused.turn}. Send the message again when it has ended, or without a session ` +
        'to start another conversation.'
      );
    case 'suspended': {
      const { turn } = refused;
      const pending = pendingViews(target, await readTurn(target.port, turn));
      return (
        `Turn ${turn} of the session waits for an answer from outside. Send the message again after the answer, or ` +
        `without a session to start another conversation.${listedPending(pending)}`
      );
    }
    case 'key-reused':
      return `This ${IDEMPOTENCY_KEY} was used with another input. Use a new key for a new message.`;
    case 'session-full':
      return fullText(refused);
    case 'full':
      return `${queueFullText(refused)} Send the message again when some have been answered.`;
  }
}
