/** The object of a whole response: part of its events, and the result of polling. */

import type { StoredEvent } from '../../journal/events.ts';
import { parseCallId } from '../../journal/reply-data.ts';
import type { TurnAnswer } from '../../session/watching/turn-outcome.ts';
import { INTEGER, type Infer, NULL, type Shape, TEXT, TEXT_OR_NULL } from '../../tool/shape.ts';
import type { RouteSession } from '../../worker/module-request.ts';
import type {
  EchoedFields,
  OutputItem,
  RequestExtras,
  ResponseObject,
  ResponseUsage,
} from './response-types.ts';

/**
 * The place of a response in a session. A response ends when its turn waits for the client. The client's
 * answer begins the next response.
 */
export interface ResponsePlace extends RouteSession {
  readonly turn: string;
  /** The index of the response in its turn, from 0. */
  readonly part: number;
}

/** The fields of a response that change while its turn runs. */
export type ResponseState = Pick<ResponseObject, 'status' | 'error' | 'incomplete_details'>;

export const createState = (status: ResponseObject['status']): ResponseState => ({
  status,
  error: null,
  incomplete_details: null,
});

/** The times of a response in milliseconds since the epoch. */
interface ResponseTimes {
  readonly begun: number;
  readonly ended?: number | undefined;
}

interface PartialResponse extends ResponseState, ResponseTimes {
  readonly output: OutputItem[];
  readonly usage?: ResponseUsage | undefined;
}

export function toResponse(
  { turn, part, agent, session }: ResponsePlace,
  echoed: EchoedFields,
  { status, error, incomplete_details, output, usage, begun, ended }: PartialResponse,
): ResponseObject {
  return {
    id: toId('resp', { agent, session, what: turn, place: part }),
    object: 'response',
    created_at: toUnixSeconds(begun),
    completed_at: ended === undefined ? null : toUnixSeconds(ended),
    status,
    error,
    incomplete_details,
    max_output_tokens: null,
    output,
    conversation: { id: session },
    parallel_tool_calls: true,
    store: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    ...(usage && { usage }),
    access_programs: null,
    ...echoed,
  };
}

/** Returns the instructions and the form of the turn's request, which a response repeats. */
export const echoExtras = ({
  instructions,
  format,
}: RequestExtras): Pick<EchoedFields, 'instructions' | 'text'> => ({
  instructions: instructions ?? null,
  text: { format: format ?? { type: 'text' } },
});

export const toUnixSeconds = (ms: number): number => Math.floor(ms / 1000);

/** Returns the protocol's reason for a truncated reply, from the journaled finish reason. */
export const findTruncationReason = (finish: string): 'length' | 'content_filter' | undefined =>
  finish === 'content-filter' ? 'content_filter' : finish === 'length' ? finish : undefined;

/**
 * Returns the final status of a response whose turn has ended. `finish`: the finish reason of its last reply.
 */
export function getFinalState(
  { outcome, error }: Pick<TurnAnswer, 'outcome' | 'error'>,
  finish = 'stop',
): ResponseState {
  switch (outcome) {
    case 'completed': {
      const cut = findTruncationReason(finish);
      if (cut === undefined) return createState('completed');
      return createIncompleteState(cut === 'length' ? 'max_output_tokens' : cut);
    }
    case 'returned-direct':
      return createState('completed');
    case 'limit-reached':
      return createIncompleteState('max_output_tokens');
    case 'cancelled':
      return createState('cancelled');
    case 'failed': {
      const code = error?.retryAfter === undefined ? 'server_error' : 'rate_limit_exceeded';
      const message = error?.message ?? 'The turn failed.';
      return { ...createState('failed'), error: { code, message, type: 'server_error' } };
    }
  }
}

const createIncompleteState = (reason: 'max_output_tokens' | 'content_filter'): ResponseState => ({
  ...createState('incomplete'),
  incomplete_details: { reason },
});

/**
 * Returns the text of an answer. For a client that set an answer form, this is bare JSON without a code
 * fence.
 */
export const formatAnswer = ({ text, object }: TurnAnswer, hasForm: boolean): string =>
  hasForm && object !== undefined ? JSON.stringify(object) : text;

/** Returns `true` if a turn with this outcome has an answer. */
export const isAnswered = ({ outcome }: Pick<TurnAnswer, 'outcome'>): boolean =>
  outcome !== 'cancelled' && outcome !== 'failed';

/** Counts the tokens of the replies and summaries among events, including those of nested loops. */
export class UsageCount {
  #input = 0;
  #cached = 0;
  #written = 0;
  #output = 0;
  #reasoning = 0;

  add(event: StoredEvent): void {
    if (!('usage' in event) || event.usage === undefined) return;
    const { usage } = event;
    this.#input += usage.inputTokens;
    this.#cached += usage.cachedInputTokens ?? 0;
    this.#written += usage.cacheWriteTokens ?? 0;
    this.#output += usage.outputTokens;
    this.#reasoning += usage.reasoningTokens ?? 0;
  }

  told(): ResponseUsage {
    return {
      input_tokens: this.#input,
      input_tokens_details: { cached_tokens: this.#cached, cache_write_tokens: this.#written },
      output_tokens: this.#output,
      output_tokens_details: { reasoning_tokens: this.#reasoning },
      total_tokens: this.#input + this.#output,
    };
  }
}

/** An object in a session, as identified by an id. */
export interface NamedObject extends RouteSession {
  /** The id of a turn, a call or an item, depending on the prefix. */
  readonly what: string;
  /** The index of the response in its turn, from 0, or the number of the call's question, from 1. */
  readonly place: number;
}

/**
 * `resp`: a response. `mcpr`: a question. `call`: a call that the client runs. `mcpa` and `fco`: their
 * answers. The others are items without an answer.
 */
export type IdPrefix =
  | 'resp'
  | 'mcpr'
  | 'mcpa'
  | 'call'
  | 'fco'
  | 'mcp'
  | 'fc'
  | 'msg'
  | 'rs'
  | 'ig'
  | 'chatcmpl';

/** Builds an id. It is not a secret: access always requires ownership of the session. */
export const toId = (prefix: IdPrefix, { agent, session, what, place }: NamedObject): string =>
  `${prefix}_${toBase64Url([agent, session, what, place].join('/'))}`;

/** Parses an id. Returns `undefined` if it is not a Holdfast id, or has none of these prefixes. */
export function readId(id: unknown, prefixes: readonly IdPrefix[]): NamedObject | undefined {
  if (typeof id !== 'string' || id.length > MAX_ID_CHARACTERS) return undefined;
  const [, prefix = '', coded = ''] = /^([a-z]+)_([A-Za-z0-9_-]+)$/.exec(id) ?? [];
  if (!prefixes.some((known) => known === prefix)) return undefined;
  const [, agent, session, what, place] =
    /^([^/]+)\/([\w.:@-]{1,128})\/([^/]+)\/(\d{1,6})$/.exec(decodeBase64Url(coded)) ?? [];
  if (agent === undefined || session === undefined || what === undefined) return undefined;
  return { agent, session, what, place: Number(place) };
}

/** The maximum length of an id, which fits the longest agent, session and call. */
const MAX_ID_CHARACTERS = 1_000;

/** Returns the turn of a call, or of an item, whose id has the same form. */
export const getTurnId = ({ what }: NamedObject): string => parseCallId(what)?.turn ?? what;

const toBase64Url = (text: string): string =>
  btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

function decodeBase64Url(coded: string): string {
  try {
    return atob(coded.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

/** A call that the client runs. */
export interface ChatToolCall extends Infer<typeof TOOL_CALL> {}

const TOOL_CALL = {
  object: { id: TEXT, type: { only: 'function' }, function: { object: { name: TEXT, arguments: TEXT } } },
} as const satisfies Shape;

export type FinishReason = Infer<typeof FINISH_REASON>;

const FINISH_REASON = { oneOf: ['stop', 'length', 'content_filter', 'tool_calls'] } as const satisfies Shape;

export interface ChatUsage extends Infer<typeof CHAT_USAGE> {}

const CHAT_USAGE = {
  object: {
    prompt_tokens: INTEGER,
    completion_tokens: INTEGER,
    total_tokens: INTEGER,
    prompt_tokens_details: { object: { cached_tokens: INTEGER } },
    completion_tokens_details: { object: { reasoning_tokens: INTEGER } },
  },
} as const satisfies Shape;

/** A completion that is sent as a whole. */
export interface ChatCompletion extends Infer<typeof COMPLETION> {}

export const COMPLETION = {
  object: {
    id: TEXT,
    object: { only: 'chat.completion' },
    created: INTEGER,
    model: TEXT,
    choices: {
      listOf: {
        object: {
          index: INTEGER,
          message: {
            object: {
              role: { only: 'assistant' },
              content: TEXT_OR_NULL,
              refusal: NULL,
              tool_calls: { optional: { listOf: TOOL_CALL } },
            },
          },
          finish_reason: FINISH_REASON,
          logprobs: NULL,
        },
      },
    },
    usage: CHAT_USAGE,
    metadata: { mapOf: TEXT },
  },
} as const satisfies Shape;
