import {
  type ElicitResult,
  type InputRequiredResult,
  isInputRequiredResult,
  isSpecType,
} from '@modelcontextprotocol/client';
import * as v from 'valibot';
import { pause, TIMERS } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { MAX_QUESTIONS } from '../client/calls-in-flight.ts';
import { type Continuation, McpServerError } from '../client/mcp-connection.ts';
import { toOneLine } from '../content/words.ts';
import { askPeople, DECLINED, type ElicitingCall, type Form, toForm } from './answer-elicitation.ts';

/** A request that its server can defer until it has more input. */
export interface DeferrableRequest extends ElicitingCall {
  /** The server and tool of the request. The state is sent only to them. */
  readonly of: string;
  /** The name of the request in messages, before "... was not carried out". */
  readonly what: string;
}

/** The maximum number of times that a server can defer one call. */
const MAX_ROUNDS = 8;

/** The maximum length of a server's state. */
const MAX_STATE_LENGTH = 32_768;

/** The maximum length of a server's name for a question, and of a method in text for a model. */
const MAX_KEY_LENGTH = 200;
const MAX_METHOD_LENGTH = 80;

/** Milliseconds before repeating a request that its server deferred without a question. */
const RETRY_MS = 250;

/**
 * Sends a request until its server returns the result. A server that needs more input defers the request (MCP
 * specification 2026-07-28, Multi Round-Trip Requests). The call is then suspended, whatever its effect,
 * until people have answered. The request is repeated with the answers and the server's unchanged state. The
 * journal contains both, so another invocation can do this.
 *
 * @throws McpServerError , as text for a model, if the input cannot be provided. Throws CallInterrupted if
 * the call is suspended. Errors from `send` pass through.
 */
export async function sendUntilAnswered<Answer>(
  asking: DeferrableRequest,
  send: (continuation: Continuation | undefined) => Promise<Answer | InputRequiredResult>,
): Promise<Answer> {
  let continuation: Continuation | undefined;
  let last: Round | undefined;
  for (;;) {
    let round = readStoredRound(asking, last);
    if (!round) {
      const answer = await send(continuation);
      if (!isDeferred(answer)) return answer;
      round = toNextRound(asking, answer, last);
    }
    continuation = await askRound(asking, round);
    last = round;
  }
}

const isDeferred = <Answer>(answer: Answer | InputRequiredResult): answer is InputRequiredResult =>
  isInputRequiredResult(answer);

/** The questions that a server asks at once, as the journal stores them with the first question. */
const Round = v.object({
  of: v.string(),
  /** The number of the round, from 1. */
  number: v.number(),
  /** The number of questions in all rounds up to this one. */
  questions: v.number(),
  requestState: v.exactOptional(v.string()),
  /** The questions by the server's names. `null` means that it is declined without asking a person. */
  inputs: v.array(
    v.tuple([
      v.string(),
      v.nullable(v.object({ message: v.string(), schema: v.custom<JsonObject>(isJsonObject) })),
    ]),
  ),
});
type Round = v.InferOutput<typeof Round>;

/**
 * Returns the stored round of a question that was already asked. Returns `undefined` if the server must be
 * called.
 */
function readStoredRound(
  { call, client, of, what }: DeferrableRequest,
  last: Round | undefined,
): Round | undefined {
  const kept = v.safeParse(Round, call.checkpoint());
  // A round without questions to people does not advance the journal, so the stored round can be outdated.
  if (!kept.success || kept.output.number <= (last?.number ?? 0)) return undefined;
  if (kept.output.of === of) return kept.output;
  throw createRefusal({ client, what }, "people's answers are for another server");
}

/**
 * Returns the next round. @throws McpServerError if the server asks too often, or for anything that is not
 * supported.
 */
function toNextRound(asking: DeferrableRequest, answer: InputRequiredResult, last: Round | undefined): Round {
  const { requestState, inputRequests = {} } = answer;
  const number = (last?.number ?? 0) + 1;
  if (number > MAX_ROUNDS) throw createRefusal(asking, `its server has deferred it ${MAX_ROUNDS} times`);
  const requests = Object.entries<unknown>(inputRequests);
  const questions = (last?.questions ?? 0) + requests.length;
  if (questions > MAX_QUESTIONS)
    throw createRefusal(asking, `its server asks more than ${MAX_QUESTIONS} questions in one call`);
  if (requestState !== undefined) checkState(asking, requestState);
  return {
    of: asking.of,
    number,
    questions,
    ...(requestState !== undefined && { requestState }),
    inputs: requests.map(([key, request]) => [key, readForm(asking, key, request)]),
  };
}

/** Throws if a state cannot be stored unchanged, because the server could not use it. */
function checkState(asking: DeferrableRequest, state: string): void {
  if (state.length > MAX_STATE_LENGTH)
    throw createRefusal(asking, `its server sent a state of more than ${MAX_STATE_LENGTH} characters`);
  // Not a regular expression: a hostile state would keep it busy for a quarter of a second.
  const secret = state.indexOf('[secret ');
  if (secret >= 0 && state.indexOf(']', secret) >= 0)
    throw createRefusal(asking, 'its server sent a state with a credential, which is not stored');
}

function readForm(asking: DeferrableRequest, key: string, request: unknown): Form | null {
  const { method, params } = Object(request);
  if (typeof method === 'string' && method !== 'elicitation/create')
    throw createRefusal(
      asking,
      `its server asks for '${toOneLine(method, MAX_METHOD_LENGTH)}', which is not supported`,
    );
  if (method === undefined || key.length > MAX_KEY_LENGTH || !isSpecType.ElicitRequestParams(params))
    throw createRefusal(asking, "its server's question is not valid MCP");
  return toForm(asking, params) ?? null;
}

/**
 * Asks people one question after another, because a call waits for one at a time. @throws CallInterrupted
 * until all are answered.
 */
async function askRound(asking: DeferrableRequest, round: Round): Promise<Continuation> {
  const { inputs, requestState } = round;
  // Only the first question stores the round.
  let checkpoint: Json = round;
  const responses: [string, ElicitResult][] = [];
  for (const [key, form] of inputs) {
    if (form) {
      responses.push([key, await askPeople(asking, form, checkpoint)]);
      checkpoint = null;
    } else responses.push([key, DECLINED]);
  }
  if (inputs.length === 0) await pauseBeforeRetry(asking.call.signal);
  return {
    ...(inputs.length > 0 && { inputResponses: Object.fromEntries(responses) }),
    ...(requestState !== undefined && { requestState }),
  };
}

const pauseBeforeRetry = (signal: AbortSignal): Promise<void> => pause(TIMERS, RETRY_MS, signal);

const createRefusal = (
  { client, what }: Pick<DeferrableRequest, 'client' | 'what'>,
  why: string,
): McpServerError =>
  new McpServerError({
    server: client.name,
    during: 'call',
    message: `${what} was not carried out: ${why}. Go on without it.`,
  });
