/** Reads the body of a response request: a message, or answers to waiting calls. */
import { parseCallId } from '../../journal/reply-data.ts';
import type { DeclaredTool } from '../../modules/client-tools/declared.ts';
import type { ContentPart } from '../../tool/content.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { RouteAgent } from '../../worker/module-request.ts';
import { type CallerInstructions, readFormat, readInstructions } from './asked.ts';
import {
  checkParameters,
  checkToolChoice,
  createInvalidValueError,
  formatSetInCode,
  isEmpty,
  type KnownParameters,
  readAgent,
  readFlag,
  readMetadataField,
  readTextValue,
  toTextPart,
} from './read-body.ts';
import {
  type CallAnswerItem,
  findNamedObject,
  listAnswers,
  type ParsedItem,
  readItem,
} from './read-items.ts';
import { readFunctions } from './read-tools.ts';
import { OpenAiError } from './refuse.ts';
import { type NamedObject, readId } from './response-object.ts';
import type { RequestExtras } from './response-types.ts';

export interface ResponseRequest {
  readonly agent: RouteAgent;
  readonly input: SentInput;
  readonly isStream: boolean;
  readonly inBackground: boolean;
  readonly metadata: Record<string, string>;
  readonly asked: RequestExtras;
  /** The functions that the client declares. */
  readonly functions: readonly DeclaredTool[];
  /** The response that the request continues. */
  readonly previous: NamedObject | undefined;
  readonly previousId: string | null;
  /** The id of the session that the request names. */
  readonly conversation: string | undefined;
}

/** The new part of a request's input. */
export type SentInput =
  | {
      readonly type: 'message';
      readonly parts: readonly ContentPart[];
      /**
       * The object of the last Holdfast id in the input. It identifies the session if a client sends a whole
       * conversation.
       */
      readonly behind: NamedObject | undefined;
      /** `true` if earlier items contain messages to the user. */
      readonly isContinued: boolean;
      /**
       * The answers after the last earlier item. The client may have sent them before, if their response
       * failed.
       */
      readonly answered: readonly CallAnswerItem[];
    }
  | {
      readonly type: 'answers';
      readonly answers: readonly CallAnswerItem[];
      /**
       * Earlier answers to calls of the same replies. A client can place each answer directly after its call,
       * and may have sent it before.
       */
      readonly earlier: readonly CallAnswerItem[];
    };

const PARAMETERS: KnownParameters = {
  known: [
    ...['input', 'background', 'previous_response_id', 'conversation', 'instructions', 'text'],
    ...['include', 'max_output_tokens', 'stream_options', 'truncation', 'reasoning'],
  ],
  refused: {
    prompt: formatSetInCode('instructions'),
    max_tool_calls: formatSetInCode('settings'),
    context_management: formatSetInCode('settings'),
  },
};

/** @throws OpenAiError if a field is invalid, or is unsupported and would change the answer. */
export function readResponseBody(
  body: JsonObject,
  agents: readonly RouteAgent[],
  mode: CallerInstructions,
): ResponseRequest {
  const agent = readAgent(body, agents);
  checkParameters(body, PARAMETERS);
  checkToolChoice(body);
  const { text } = body;
  if (!isEmpty(text) && !isJsonObject(text)) throw createInvalidValueError('text', 'an object');
  const form = isJsonObject(text) ? readFormat(text.format, { at: 'text.format', agent }) : {};
  const previousId = readOptionalText(body, 'previous_response_id');
  const previous = readId(previousId, ['resp']);
  if (previousId !== undefined && !previous)
    throw createResponseNotFoundError(previousId, 'previous_response_id');
  const conversation = readConversation(body);
  if (previous && conversation !== undefined) {
    throw new OpenAiError("Send 'previous_response_id' or 'conversation', not both.", {
      param: 'conversation',
      code: 'mutually_exclusive_parameters',
    });
  }
  const { input } = body;
  if (typeof input !== 'string' && (!Array.isArray(input) || input.length === 0))
    throw createInvalidValueError('input', 'text, or a list of items');
  const items = typeof input === 'string' ? [] : input.map(readItem);
  const first = readOptionalText(body, 'instructions');
  const words = items.flatMap((item) => (item.kind === 'instructions' ? item.words : []));
  const all = first === undefined ? words : [{ at: 'instructions', text: first }, ...words];
  return {
    agent,
    input:
      typeof input === 'string'
        ? { ...NEW_MESSAGE, parts: [toTextPart(input, 'input')] }
        : readInput(items.filter(({ kind }) => kind !== 'instructions')),
    functions: readFunctions(body),
    asked: { ...readInstructions(all, mode), ...form },
    isStream: readFlag(body, 'stream'),
    inBackground: readFlag(body, 'background'),
    metadata: readMetadataField(body),
    previous,
    previousId: previousId ?? null,
    conversation,
  };
}

/** Returns the error for an id that is not a response, or not one of the caller's. */
export const createResponseNotFoundError = (id: string, param: string | null): OpenAiError =>
  new OpenAiError(`Response with id '${id.slice(0, 80)}' not found.`, {
    status: param === null ? 404 : 400,
    param,
    code: param === null ? 'response_not_found' : 'previous_response_not_found',
  });

function readOptionalText(body: JsonObject, param: string): string | undefined {
  const value = body[param];
  return isEmpty(value) ? undefined : readTextValue(value, param);
}

function readConversation({ conversation }: JsonObject): string | undefined {
  if (isEmpty(conversation)) return undefined;
  const id = isJsonObject(conversation) ? conversation.id : conversation;
  if (typeof id !== 'string') throw createInvalidValueError('conversation', 'the id of a session, or { id }');
  return id;
}

function readInput(items: readonly ParsedItem[]): SentInput {
  const from = 1 + items.findLastIndex(({ kind }) => kind === 'ours');
  const fresh = items.slice(from);
  const answered = listAnswers(fresh);
  const parts = fresh.flatMap((item) => (item.kind === 'said' ? item.parts() : []));
  if (items.at(-1)?.kind === 'answer') {
    if (parts.length > 0) throw createMixedInputError();
    const replies = new Set(answered.map(({ of }) => getReplyKey(of)));
    const earlier = listAnswers(items.slice(0, from)).filter(({ of }) => replies.has(getReplyKey(of)));
    return { type: 'answers', answers: answered, earlier };
  }
  if (parts.length === 0)
    throw createInvalidValueError('input', 'a list that ends with a message of the user, or with answers');
  const behind = items.flatMap((item) => findNamedObject(item) ?? []).at(-1);
  return { type: 'message', parts, behind, answered, isContinued: from > 0 };
}

/** The message of a new conversation, without its content. */
const NEW_MESSAGE = { type: 'message', behind: undefined, answered: [], isContinued: false } as const;

/** Returns the error for an input that contains both a message and new answers. */
export const createMixedInputError = (): OpenAiError =>
  createInvalidValueError('input', 'a message or answers to calls, not both');

/** Returns the name of the reply that requested a call. */
function getReplyKey({ agent, session, what }: NamedObject): string {
  const { turn, reply } = parseCallId(what) ?? { turn: what };
  return JSON.stringify([agent, session, turn, reply]);
}
