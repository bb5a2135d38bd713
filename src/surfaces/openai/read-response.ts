/** Reads the body of a request for a response: a message, or answers of calls that wait. */
import type { ContentPart } from '../../tool/content.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { CallAnswer } from '../../worker/session-options.ts';
import type { SurfaceAgent } from '../define-surface.ts';
import { type Named, readId } from './ids.ts';
import {
  agentOf,
  checkFormat,
  checkParameters,
  checkToolChoice,
  checkTools,
  filePart,
  flagOf,
  invalid,
  type KnownParameters,
  metadataOf,
  namedFile,
  notTaken,
  textPart,
} from './read-body.ts';
import { OpenAiError } from './refuse.ts';

/** A request for a response, checked. */
export interface ResponseRequest {
  readonly agent: SurfaceAgent;
  readonly input: SentInput;
  readonly isStream: boolean;
  readonly inBackground: boolean;
  readonly metadata: Record<string, string>;
  /** The response that it continues. */
  readonly previous: Named | undefined;
  readonly previousId: string | null;
  /** The id of the session that it names. */
  readonly conversation: string | undefined;
}

/** What is new in the input of a request. */
export type SentInput =
  | {
      readonly type: 'message';
      readonly parts: readonly ContentPart[];
      /** What the last item before it names that is ours: a client that sends all of a conversation names its session so. */
      readonly behind: Named | undefined;
      /** There are items before it that were said to the user. */
      readonly isContinued: boolean;
    }
  | {
      readonly type: 'answers';
      readonly answers: readonly GivenAnswer[];
      /** Those that stand before, of calls of the same replies: a client may write each behind its call, and may have sent it before. */
      readonly earlier: readonly GivenAnswer[];
    };

/** An answer, and the call that it names. */
export interface GivenAnswer {
  readonly of: Named;
  readonly answer: CallAnswer;
}

const PARAMETERS: KnownParameters = {
  taken: [
    'model',
    'input',
    'stream',
    'background',
    'previous_response_id',
    'conversation',
    'metadata',
    'tools',
    'tool_choice',
    'text',
  ],
  ignored: [
    'include',
    'store',
    'service_tier',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_options',
    'prompt_cache_retention',
    'parallel_tool_calls',
    'temperature',
    'top_p',
    'top_logprobs',
    'max_output_tokens',
    'stream_options',
    'truncation',
    'reasoning',
  ],
  refused: {
    instructions: 'the instructions of an agent are in its code.',
    prompt: 'the instructions of an agent are in its code.',
    max_tool_calls: 'the limits of an agent are in its code.',
    context_management: 'an agent compacts its conversations by its own settings.',
  },
};

/** @throws OpenAiError for what is wrong, or would change the answer and is not taken. */
export function readResponseBody(body: JsonObject, agents: readonly SurfaceAgent[]): ResponseRequest {
  const agent = agentOf(body, agents);
  checkParameters(body, PARAMETERS);
  checkTools(body, agent);
  checkToolChoice(body);
  const { text } = body;
  if (isJsonObject(text)) checkFormat('text.format', text.format);
  const previousId = textOf(body, 'previous_response_id');
  const previous = previousId === undefined ? undefined : readId(previousId, ['resp']);
  if (previousId !== undefined && !previous) throw noResponse(previousId, 'previous_response_id');
  const conversation = conversationOf(body);
  if (previous && conversation !== undefined) {
    throw new OpenAiError("Send 'previous_response_id' or 'conversation', not both.", {
      param: 'conversation',
      code: 'mutually_exclusive_parameters',
    });
  }
  return {
    agent,
    input: readInput(body.input),
    isStream: flagOf(body, 'stream'),
    inBackground: flagOf(body, 'background'),
    metadata: metadataOf(body),
    previous,
    previousId: previousId ?? null,
    conversation,
  };
}

/** The error of an id that is that of no response, or of none of the caller's. */
export const noResponse = (id: string, param: string | null): OpenAiError =>
  new OpenAiError(`Response with id '${id.slice(0, 80)}' not found.`, {
    status: param === null ? 404 : 400,
    param,
    code: param === null ? 'response_not_found' : 'previous_response_not_found',
  });

function textOf(body: JsonObject, param: string): string | undefined {
  const value = body[param] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw invalid(param, 'text');
  return value;
}

function conversationOf({ conversation }: JsonObject): string | undefined {
  if (conversation === undefined || conversation === null) return undefined;
  const id = isJsonObject(conversation) ? conversation.id : conversation;
  if (typeof id !== 'string') throw invalid('conversation', 'the id of a session, or an object with its id');
  return id;
}

function readInput(input: Json | undefined): SentInput {
  if (typeof input === 'string')
    return { type: 'message', parts: [textPart(input, 'input')], behind: undefined, isContinued: false };
  if (!Array.isArray(input) || input.length === 0) throw invalid('input', 'text, or a list of items');
  const items = input.map(readItem);
  const kinds = items.map(({ kind }) => kind);
  const lastOfOurs = kinds.lastIndexOf('ours');
  const fresh = items.slice(lastOfOurs + 1);
  const answers = fresh.flatMap((item) => (item.kind === 'answer' ? item.given : []));
  const parts = fresh.flatMap((item) => (item.kind === 'said' ? item.parts() : []));
  if (answers.length > 0 && parts.length > 0) {
    throw invalid('input', 'a message, or answers of calls that wait: send one after the other');
  }
  if (answers.length > 0) {
    const replies = new Set(answers.map(({ of }) => replyOf(of)));
    const before = items.slice(0, lastOfOurs + 1);
    const earlier = before.flatMap((item) =>
      item.kind === 'answer' && replies.has(replyOf(item.given.of)) ? item.given : [],
    );
    return { type: 'answers', answers, earlier };
  }
  if (parts.length === 0) throw invalid('input', 'a list with a message of the user, or answers, at its end');
  const last = items[lastOfOurs];
  const behind = last?.kind === 'ours' ? last.of : undefined;
  return { type: 'message', parts, behind, isContinued: last !== undefined };
}

/** Names the reply that asked for a call. */
const replyOf = ({ agent, session, what }: Named): string =>
  `${agent}/${session}/${what.replace(/\.\d+$/, '')}`;

/** An item of the input: something that we have sent, or that is sent to us. */
type ReadItem =
  | { readonly kind: 'ours'; readonly of: Named | undefined }
  /** Only what is new is read: a long conversation has files that its session has. */
  | { readonly kind: 'said'; parts(): readonly ContentPart[] }
  | { readonly kind: 'answer'; readonly given: GivenAnswer };

const OURS = ['reasoning', 'mcp_call', 'mcp_approval_request', 'function_call', 'image_generation_call'];

function readItem(item: Json, place: number): ReadItem {
  const at = `input[${place}]`;
  if (!isJsonObject(item)) throw invalid(at, 'an object');
  const { type = 'message', role } = item;
  if (OURS.some((one) => one === type) || (type === 'message' && role === 'assistant')) {
    return { kind: 'ours', of: readId(item.id, ['msg', 'rs', 'mcp', 'mcpr', 'fc', 'ig']) };
  }
  switch (type) {
    case 'message':
      if (role === 'user') return { kind: 'said', parts: () => partsOf(item.content, `${at}.content`) };
      if (role !== 'system' && role !== 'developer') throw invalid(`${at}.role`, 'user or assistant');
      throw notTaken(`${at}.role`, 'the instructions of an agent are in its code.');
    case 'mcp_approval_response':
      return { kind: 'answer', given: decisionOf(item, at) };
    case 'function_call_output':
      return { kind: 'answer', given: resultOf(item, at) };
    default:
      throw invalid(
        `${at}.type`,
        'message, mcp_approval_response or function_call_output, or that of an item of a response',
      );
  }
}

function partsOf(content: Json | undefined, at: string): ContentPart[] {
  if (typeof content === 'string') return [textPart(content, at)];
  if (!Array.isArray(content) || content.length === 0) throw invalid(at, 'text, or a list of parts');
  return content.map((part, place) => partOf(part, `${at}[${place}]`));
}

function partOf(part: Json, at: string): ContentPart {
  if (!isJsonObject(part)) throw invalid(at, 'an object');
  switch (part.type) {
    case 'input_text':
      return textPart(part.text, `${at}.text`);
    case 'input_image':
      if (part.image_url === undefined || part.image_url === null) throw noFileId(at, part);
      return filePart(part.image_url, `${at}.image_url`, { fallback: 'image/jpeg' });
    case 'input_file': {
      const { file_data, file_url, filename } = part;
      if (file_data !== undefined && file_data !== null)
        return namedFile(file_data, `${at}.file_data`, filename);
      if (file_url === undefined || file_url === null) throw noFileId(at, part);
      const name = typeof filename === 'string' ? filename : undefined;
      return filePart(file_url, `${at}.file_url`, { fallback: 'application/pdf', name });
    }
    default:
      throw invalid(`${at}.type`, 'input_text, input_image or input_file');
  }
}

/** The error of a part that holds no file. */
const noFileId = (at: string, { file_id: id }: JsonObject): OpenAiError =>
  id === undefined
    ? invalid(at, 'a file with its data or its URL')
    : notTaken(`${at}.file_id`, 'there are no uploads. Send the file with its data or its URL.');

/** `input` is an addition to the protocol: with it the call is approved as edited. */
function decisionOf(item: JsonObject, at: string): GivenAnswer {
  const of = readId(item.approval_request_id, ['mcpr']);
  if (!of) throw unknownItem(`${at}.approval_request_id`);
  const { approve, reason, input } = item;
  if (typeof approve !== 'boolean') throw invalid(`${at}.approve`, 'true or false');
  if (reason !== undefined && reason !== null && typeof reason !== 'string') {
    throw invalid(`${at}.reason`, 'text');
  }
  if (input !== undefined && !(isJsonObject(input) && approve)) {
    throw invalid(`${at}.input`, 'an object, beside approve: true');
  }
  const said = {
    call: of.what,
    question: of.place,
    ...(typeof reason === 'string' && { reason }),
  };
  if (isJsonObject(input)) return { of, answer: { ...said, decision: 'edit', input } };
  return { of, answer: { ...said, decision: approve ? 'approve' : 'reject' } };
}

function resultOf(item: JsonObject, at: string): GivenAnswer {
  const of = readId(item.call_id, ['call']);
  if (!of) throw unknownItem(`${at}.call_id`);
  const { output } = item;
  const text = typeof output === 'string' ? output : wordsIn(output, `${at}.output`);
  return { of, answer: { call: of.what, question: of.place, text } };
}

const unknownItem = (param: string): OpenAiError =>
  new OpenAiError(`Invalid value for '${param}': it must be an id that a response has told.`, {
    param,
    code: 'invalid_value',
  });

/** The words of a list of parts: of a result nothing else is taken. */
export function wordsIn(parts: Json | undefined, at: string): string {
  if (!Array.isArray(parts)) throw invalid(at, 'text, or a list of texts');
  const words = parts.map((part, place) => {
    if (isJsonObject(part) && (part.type === 'input_text' || part.type === 'text')) {
      return textPart(part.text, `${at}[${place}].text`);
    }
    throw invalid(`${at}[${place}]`, 'text: results have no files');
  });
  return words.map((part) => ('text' in part ? part.text : '')).join('\n');
}
