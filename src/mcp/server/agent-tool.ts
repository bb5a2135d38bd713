import type { CallToolResult, InputRequests, InputRequiredResult, Tool } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Agent } from '../../agent/define-agent.ts';
import type { StartRefusal } from '../../journal/session-port.ts';
import { listPendingViews } from '../../modules/answers/questions.ts';
import { SESSION_ID, SESSION_ID_RULE } from '../../session/read-secrets.ts';
import { readTurn } from '../../session/read-session.ts';
import { formatSessionFull } from '../../session/turn-end.ts';
import type { TurnOutcome } from '../../session/watching/turn-outcome.ts';
import { computeSha256Hex } from '../../tool/async.ts';
import { type InputSchema, toInputSchema } from '../../tool/input-schema.ts';
import type { JsonSchema } from '../../tool/json.ts';
import { formatQueueFull } from '../../worker/refusal.ts';
import type { Target } from '../../worker/target.ts';
import { createInvalidParamsError, IDEMPOTENCY_KEY } from '../content/rpc.ts';
import {
  type AskingClient,
  canAskPeople,
  createInvalidStateError,
  parseRequestState,
  toRequestState,
} from './caller.ts';
import { type ContinuedInputs, NO_EARLIER_INPUTS, toInputRequests } from './input-required.ts';
import {
  createTextBlock,
  listPending,
  type PublishedAgentCall,
  toAgentResult,
  toErrorResult,
} from './to-call-result.ts';

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

/** Returns the tool that represents an agent to clients. Calling it runs a turn. */
export const toAgentTool = (
  { description, output }: Agent,
  shown: { readonly name: string; readonly description?: string | undefined },
): Tool => ({
  name: shown.name,
  description: shown.description ?? description,
  inputSchema: { ...AGENT_INPUT.json, type: 'object' },
  outputSchema: createOutputSchema(output?.format?.schema),
  annotations: { readOnlyHint: false },
});

const createTextSchema = (description: string): JsonSchema => ({ type: 'string', description });

/**
 * Returns the schema for `structuredContent` of an agent's answer. `object` is the agent's own output schema.
 */
function createOutputSchema(object: JsonSchema | undefined): NonNullable<Tool['outputSchema']> {
  const { schema, shared } = object ? embedSchema(object) : { schema: undefined, shared: {} };
  return {
    type: 'object',
    properties: {
      session: createTextSchema('Send it with the next message of the conversation.'),
      turn: createTextSchema('The id of this turn in the session.'),
      path: createTextSchema('The path to GET the answer, now or later.'),
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
      text: createTextSchema('The answer in words.'),
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
 * resolve from there. A schema with other references becomes one that allows any object.
 */
function embedSchema(schema: JsonSchema): { readonly schema: JsonSchema; readonly shared: JsonSchema } {
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

export interface AgentInputCall extends PublishedAgentCall {
  readonly sent: AgentInput;
}

const State = v.strictObject({
  session: v.pipe(v.string(), v.maxLength(128)),
  turn: v.pipe(v.string(), v.maxLength(128)),
  asked: v.pipe(v.array(v.pipe(v.string(), v.maxLength(256))), v.maxLength(1_000)),
  call: v.string(),
});

/** A turn that an earlier request of the same call started. */
export interface ContinuedTurn extends Pick<v.InferOutput<typeof State>, 'session' | 'turn' | 'asked'> {
  readonly isNew: boolean;
  readonly sent: AgentInput;
}

/** Returns whether a request is the first of its call, rather than a continuation. */
export const isFirstRequest = ({ state, answers }: AskingClient): boolean =>
  state === undefined && Object.keys(answers).length === 0;

/**
 * Reads the turn that a client continues. Permissions to answer are not checked here, because anyone can send
 * the state.
 *
 * @throws RpcError if the state is invalid or belongs to another call. Otherwise the client would get the
 * answer to another call.
 */
export async function readContinuedTurn(
  { state }: AskingClient,
  name: string,
  sent: AgentInput,
): Promise<ContinuedTurn> {
  if (state === undefined) {
    throw createInvalidParamsError('`inputResponses` need the `requestState` of their questions.');
  }
  const read = typeof state === 'string' ? v.safeParse(State, parseRequestState(state)) : undefined;
  if (!read?.success || read.output.call !== (await digestCall(name, sent))) throw createInvalidStateError();
  const { session, turn, asked } = read.output;
  return { session, turn, asked, isNew: sent.session === undefined, sent };
}

/** Returns a digest that identifies a call. A client repeats the same call when it continues. */
const digestCall = (name: string, { message, session }: AgentInput): Promise<string> =>
  computeSha256Hex(JSON.stringify([name, message, session ?? null]));

interface AnswerContext extends AskingClient {
  readonly before?: ContinuedInputs;
}

/** Returns the outcome of a turn, or its questions if it waits for a person whom the client can ask. */
export async function toAgentAnswer(
  call: AgentInputCall,
  outcome: TurnOutcome,
  { capabilities, before = NO_EARLIER_INPUTS }: AnswerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { target } = call;
  if (canAskPeople(capabilities) && outcome.status === 'suspended') {
    const inputRequests = toInputRequests(target.caller, outcome.events, before);
    if (Object.keys(inputRequests).length > 0) {
      const { turn } = outcome.answer;
      return {
        resultType: 'input_required',
        inputRequests,
        requestState: await createState(call, turn, inputRequests),
      };
    }
  }
  const result = toAgentResult(call, outcome);
  return { ...result, content: [...result.content, ...before.messages.map(createTextBlock)] };
}

const createState = async (
  { name, sent, target }: AgentInputCall,
  turn: string,
  requests: InputRequests,
): Promise<string> => {
  const { session }: Target = target;
  return toRequestState({ session, turn, asked: Object.keys(requests), call: await digestCall(name, sent) });
};

/**
 * The results for a message that starts no turn now. They exclude a known message, whose turn already exists.
 */
type UnacceptedStart =
  | Exclude<StartRefusal, { status: 'known' }>
  | { readonly status: 'queued' | 'steering' | 'scheduled' };

/** Returns the response for a message that a session did not accept. */
export const toNotAcceptedResult = async (
  target: Target,
  refused: UnacceptedStart,
): Promise<CallToolResult> => toErrorResult(await describeRefusal(target, refused));

/** Returns the reason, for the calling model, why a session did not accept its message. */
async function describeRefusal(target: Target, refused: UnacceptedStart): Promise<string> {
  switch (refused.status) {
    case 'queued':
    case 'steering':
    case 'scheduled':
    case 'blobs-full':
    case 'blobs-moved':
      throw new Error(`A text message that may not wait has the unexpected status ${refused.status}.`);
    case 'busy':
      return (
        `The session is busy with turn ${refused.turn}. Send the message again when it has ended, or without a session ` +
        'to start another conversation.'
      );
    case 'suspended': {
      const { turn } = refused;
      const pending = listPendingViews(target, await readTurn(target.port, turn));
      return (
        `Turn ${turn} of the session waits for an answer from outside. Send the message again after the answer, or ` +
        `without a session to start another conversation.${listPending(pending)}`
      );
    }
    case 'key-reused':
      return `This ${IDEMPOTENCY_KEY} was used with another input. Use a new key for a new message.`;
    case 'session-full':
      return formatSessionFull(refused);
    case 'full':
      return `${formatQueueFull(refused)} Send the message again when some have been answered.`;
  }
}
