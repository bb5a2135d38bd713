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
import { oneLine } from '../content/words.ts';
import { askPeople, DECLINED, type Eliciting, type Form, toForm } from './answer-elicitation.ts';

/** A request that its server may put off until it knows more. */
export interface Asking extends Eliciting {
  /** What is asked of which server: nobody else is sent its state. */
  readonly of: string;
  /** Names the request, to begin "... was not carried out". */
  readonly what: string;
}

/** The most times that a server may put off one call. */
const MAX_ROUNDS = 8;

/** The most characters of a state that a server wants back. */
const MAX_STATE = 32_768;

/** The most characters of the name that a server gives to a question, and of a method in words for a model. */
const MAX_KEY = 200;
const MAX_METHOD = 80;

/** Milliseconds until a request is sent again of which the server asks nothing: it wants it later, and no more than that. */
const LATER = 250;

/**
 * Sends a request until its server answers it. A server that has to know something first lets go of the request (MCP specification
 * 2026-07-28, Multi Round-Trip Requests): the call is suspended, whatever its effect, until people have answered, and the request
 * is sent again with what they said and with the server's own state as it was. All of that is in the journal by then, so that
 * another invocation may do it.
 *
 * @throws McpServerError for what cannot be answered, in words for a model; CallInterrupted when the call is suspended; and what
 *   `send` throws.
 */
export async function answered<Answer>(
  asking: Asking,
  send: (goesOn: Continuation | undefined) => Promise<Answer | InputRequiredResult>,
): Promise<Answer> {
  let goesOn: Continuation | undefined;
  let last: Round | undefined;
  for (;;) {
    let round = keptRound(asking, last);
    if (!round) {
      const answer = await send(goesOn);
      if (!isPutOff(answer)) return answer;
      round = nextRound(asking, answer, last);
    }
    goesOn = await continuation(asking, round);
    last = round;
  }
}

const isPutOff = <Answer>(answer: Answer | InputRequiredResult): answer is InputRequiredResult =>
  isInputRequiredResult(answer);

/** What a server wants to know at once, as the journal keeps it with the first of its questions. */
const Round = v.object({
  of: v.string(),
  /** From 1. */
  number: v.number(),
  /** How many questions there were in all rounds up to this one. */
  questions: v.number(),
  requestState: v.exactOptional(v.string()),
  /** By the names that the server gave them; `null` is declined, and nobody is asked. */
  inputs: v.array(
    v.tuple([
      v.string(),
      v.nullable(v.object({ message: v.string(), schema: v.custom<JsonObject>(isJsonObject) })),
    ]),
  ),
});
type Round = v.InferOutput<typeof Round>;

/** Finds the round of which a question was put already; `undefined` when the server has to be asked. */
function keptRound({ call, client, of, what }: Asking, last: Round | undefined): Round | undefined {
  const kept = v.safeParse(Round, call.checkpoint());
  // What was asked then may be declined by now, and the same question is still the next one.
  if (!kept.success || kept.output.number <= (last?.number ?? 0)) return undefined;
  if (kept.output.of === of) return kept.output;
  throw refusal({ client, what }, 'what people have answered is for another server');
}

/** @throws McpServerError for what nobody is asked and no server should ask. */
function nextRound(asking: Asking, answer: InputRequiredResult, last: Round | undefined): Round {
  const { requestState, inputRequests = {} } = answer;
  const number = (last?.number ?? 0) + 1;
  if (number > MAX_ROUNDS) throw refusal(asking, `its server has put it off ${MAX_ROUNDS} times`);
  const requests = Object.entries<unknown>(inputRequests);
  const questions = (last?.questions ?? 0) + requests.length;
  if (questions > MAX_QUESTIONS)
    throw refusal(asking, `its server asks more than ${MAX_QUESTIONS} questions in one call`);
  if (requestState !== undefined) checkState(asking, requestState);
  return {
    of: asking.of,
    number,
    questions,
    ...(requestState !== undefined && { requestState }),
    inputs: requests.map(([key, request]) => [key, formOf(asking, key, request)]),
  };
}

/** A state that is not kept as it is, is no use to its server. */
function checkState(asking: Asking, state: string): void {
  if (state.length > MAX_STATE)
    throw refusal(asking, `its server wants back a state of more than ${MAX_STATE} characters`);
  // No regular expression: a hostile state would keep it busy for a quarter of a second.
  const secret = state.indexOf('[secret ');
  if (secret >= 0 && state.indexOf(']', secret) >= 0)
    throw refusal(asking, 'its server wants back a state that holds a credential, which is not kept');
}

function formOf(asking: Asking, key: string, request: unknown): Form | null {
  const { method, params } = Object(request);
  if (typeof method === 'string' && method !== 'elicitation/create')
    throw refusal(asking, `its server asks for '${oneLine(method, MAX_METHOD)}', which is not done here`);
  if (method === undefined || key.length > MAX_KEY || !isSpecType.ElicitRequestParams(params))
    throw refusal(asking, 'what its server asks is not valid MCP');
  return toForm(asking, params) ?? null;
}

/** Asks people one question after another, since a call waits for one at a time. @throws CallInterrupted until they have answered. */
async function continuation(asking: Asking, round: Round): Promise<Continuation> {
  const { inputs, requestState } = round;
  // One of them is enough to go on from.
  let checkpoint: Json = round;
  const responses: [string, ElicitResult][] = [];
  for (const [key, form] of inputs) {
    if (form) {
      responses.push([key, await askPeople(asking, form, checkpoint)]);
      checkpoint = null;
    } else responses.push([key, DECLINED]);
  }
  if (inputs.length === 0) await later(asking.call.signal);
  return {
    ...(inputs.length > 0 && { inputResponses: Object.fromEntries(responses) }),
    ...(requestState !== undefined && { requestState }),
  };
}

const later = (signal: AbortSignal): Promise<void> => pause(TIMERS, LATER, signal);

const refusal = ({ client, what }: Pick<Asking, 'client' | 'what'>, why: string): McpServerError =>
  new McpServerError({
    server: client.name,
    during: 'call',
    message: `${what} was not carried out: ${why}. Go on without it.`,
  });
