/**
 * Reads a request from a page. A chat sends all its messages, but only one is read: the last, or the
 * assistant message that it continues.
 */

import type { ReplacementRequest } from '../../modules/branches/replace-turn.ts';
import { toReadableError } from '../../modules/branches/would-repeat.ts';
import { attempt } from '../../tool/async.ts';
import { getOwn, isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import { createInvalidBodyError } from '../../worker/body.ts';
import { Problem, SessionError } from '../../worker/problem.ts';
import type { CallAnswer } from '../../worker/session.ts';
import { type KnownCall, readApprovalId } from './call-chunks.ts';
import { USER_ID_SUFFIX } from './ui-messages.ts';

export type UiChatRequest = {
  readonly chat: string;
  /**
   * The session in the metadata of the page's last assistant message, if it differs from the chat's session.
   */
  readonly branch: string | undefined;
} & (
  | {
      readonly type: 'message';
      /** The path of the message in the body. */
      readonly at: string;
      /** The idempotency key of the message. */
      readonly key: string;
      /** Text, or parts in the format of a message body. */
      readonly message: string | readonly Json[];
      readonly context: Json | undefined;
      readonly whenBusy: 'reject' | 'queue' | 'steer' | undefined;
      readonly pending: 'decline' | undefined;
      /** The page's metadata for the message. Absent if it is empty. */
      readonly metadata: Json | undefined;
      /** The tools of the page, not yet checked. */
      readonly tools: Json | undefined;
      /** The turn that the message replaces. Absent for a new message. */
      readonly replaces: ReplacedTurn | undefined;
    }
  | {
      readonly type: 'answers';
      readonly decisions: readonly CallAnswer[];
      readonly results: readonly CallResultInput[];
      /** The calls for which the page has parts. */
      readonly known: ReadonlyMap<string, KnownCall>;
      /** The last event that the page has shown, if known. */
      readonly after: number | undefined;
    }
);

/** The page's data about a turn that is regenerated or whose message was edited. */
export interface ReplacedTurn extends Pick<ReplacementRequest, 'turn' | 'before' | 'said' | 'isOnce'> {
  /** `true` if the message is unchanged. */
  readonly isAgain: boolean;
}

/** The result of a call that the page ran. The page may have sent it before. */
export interface CallResultInput {
  readonly call: string;
  readonly sent: { readonly result: Json } | { readonly error: string };
}

/** @throws Problem or SessionError that describes the invalid field. */
export function readChat(body: JsonObject): UiChatRequest {
  const { id: chat, messages, trigger = 'submit-message' } = body;
  if (typeof chat !== 'string') throw createInvalidChatError('id: must be the id of the chat, which is text');
  if (trigger !== 'submit-message' && trigger !== 'regenerate-message')
    throw createInvalidChatError('trigger: must be submit-message or regenerate-message');
  if (!Array.isArray(messages) || messages.length === 0)
    throw createInvalidChatError('messages: must be a list that holds at least one message');
  const isAgain = trigger === 'regenerate-message';
  const { messageId } = body;
  const index = isAgain
    ? messages.findLastIndex((one) => hasRole(one, 'user'))
    : messageId === undefined
      ? messages.length - 1
      : findSentIndex(messages, messageId);
  const at = `messages[${index}]`;
  const sent: JsonObject = Object(messages[index]);
  const { role, parts } = sent;
  if (isAgain && !Array.isArray(parts))
    throw createInvalidChatError('messages: must hold a message of the role user, with its parts');
  if (role !== 'user' && role !== 'assistant')
    throw createInvalidChatError(`${at}.role: must be user or assistant`);
  if (!Array.isArray(parts)) throw createInvalidChatError(`${at}.parts: must be a list`);
  let branch: string | undefined;
  for (const one of messages) {
    const { role, metadata } = Object(one);
    const { session } = Object(metadata);
    if (role === 'assistant' && typeof session === 'string') branch = session === chat ? undefined : session;
  }
  const place: RequestPlace = { at, chat, branch, body };
  if (role === 'assistant') return readAnswers(sent, parts, place);
  return readMessage(sent, parts, { ...place, isAgain, before: messages.slice(0, index) });
}

const hasRole = (one: Json, role: 'user' | 'assistant'): one is JsonObject =>
  isJsonObject(one) && one.role === role;

/** Returns text, or parts in the format of a message body. */
function readParts(parts: readonly Json[], at: string): string | readonly JsonObject[] {
  const said: JsonObject[] = [];
  const words: unknown[] = [];
  for (const [index, part] of parts.entries()) {
    const read = readPart(part, `${at}.parts[${index}]`);
    said.push(read);
    if (read.type === 'text') words.push(read.text);
  }
  return words.length < said.length ? said : words.join('\n');
}

/**
 * Returns the index of the message to read. A client that sends answers names the assistant message. Refused
 * messages can follow it.
 */
function findSentIndex(messages: readonly Json[], named: Json): number {
  const isNamed = (one: Json): boolean => hasRole(one, 'assistant') && one.id === named;
  const index = messages.findLastIndex(isNamed);
  return index < 0 ? messages.length - 1 : index;
}

interface RequestPlace {
  /** The path of the message in the body. */
  readonly at: string;
  readonly chat: string;
  readonly branch: string | undefined;
  readonly body: JsonObject;
}

interface MessagePlace extends RequestPlace {
  /** `true` if the page asks for another answer. */
  readonly isAgain: boolean;
  /** The messages before this one. */
  readonly before: readonly Json[];
}

function readMessage(sent: JsonObject, parts: readonly Json[], place: MessagePlace): UiChatRequest {
  const { at, chat, branch, body, isAgain } = place;
  const { id: key } = sent;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw createInvalidChatError(`${at}.id: must be 1 to 255 visible ASCII characters`);
  const message = readParts(parts, at);
  const replaces = isAgain || body.messageId === key ? readReplaced(key, message, place) : undefined;
  if (!replaces && key.endsWith(USER_ID_SUFFIX)) throw createChatProblem(CHANGED_MESSAGE_TEXT);
  const metadata = replaces ? withoutOwnKeys(sent.metadata) : sent.metadata;
  if (metadata !== undefined) assertMetadata(metadata, `${at}.metadata`);
  const { context } = body;
  const whenBusy = readOption('whenBusy', body, ['reject', 'queue', 'steer'] as const);
  const pending = readOption('pending', body, ['decline'] as const);
  const said = { at, key, message, context, whenBusy, pending, tools: body.tools, metadata, replaces };
  return { type: 'message', chat, branch, ...said };
}

/** Removes the keys that Holdfast adds to the metadata of loaded messages. */
function withoutOwnKeys(metadata: Json | undefined): Json | undefined {
  if (!isJsonObject(metadata)) return metadata;
  const { turn: _, unanswered: __, ...own } = metadata;
  return Object.keys(own).length > 0 ? own : undefined;
}

/**
 * Reads the turn that a message replaces. A page names either the answer to regenerate or the message before
 * it. A loaded message has the id of its turn.
 */
function readReplaced(
  key: string,
  message: string | readonly Json[],
  { isAgain, before, body }: MessagePlace,
): ReplacedTurn {
  const { messageId = key, again = null } = body;
  const isAnswer = messageId !== key && !before.some((one) => hasRole(one, 'user') && one.id === messageId);
  const id = isAnswer ? `${messageId}` : key;
  const isLoaded = id.endsWith(USER_ID_SUFFIX);
  const turn = isLoaded ? id.slice(0, -USER_ID_SUFFIX.length) : isAnswer ? id : undefined;
  const answers = before.flatMap((one) =>
    hasRole(one, 'assistant') ? { id: `${one.id}`, isTurn: Object(one.metadata).turn !== undefined } : [],
  );
  const isOnce = !isAgain || again !== null;
  return { isAgain, isOnce, turn, before: answers.toReversed(), said: [isAgain, id, message, again] };
}

/** The maximum length of a message's metadata as JSON, in characters. */
const MAX_METADATA_CHARACTERS = 16_384;

/** @throws SessionError if the metadata cannot be stored with a message. */
function assertMetadata(metadata: Json, at: string): void {
  if (!isJsonObject(metadata)) throw createInvalidChatError(`${at}: must be an object`);
  if (JSON.stringify(metadata).length > MAX_METADATA_CHARACTERS)
    throw createInvalidChatError(`${at}: must have at most ${MAX_METADATA_CHARACTERS} characters as JSON`);
  if (!attempt(() => ToolCallContext.of(metadata)).ok)
    throw createInvalidChatError(`${at}: is nested too deeply`);
}

/** Reads an option that a page sends beside its messages. */
function readOption<Word extends string>(
  name: string,
  body: JsonObject,
  words: readonly Word[],
): Word | undefined {
  const said = getOwn(body, name);
  const word = words.find((one) => one === said);
  if (said !== undefined && word === undefined)
    throw createInvalidChatError(`${name}: must be ${words.join(', ')}`);
  return word;
}

/** Returns text, or a file in the format of a message body. */
function readPart(part: Json, at: string): JsonObject {
  const { type, text, mediaType, url, filename: name }: JsonObject = Object(part);
  if (type === 'text') {
    if (typeof text !== 'string') throw createInvalidChatError(`${at}.text: must be text`);
    return { type, text };
  }
  if (type !== 'file') throw createInvalidChatError(`${at}: must be a part of the type text or file`);
  if (typeof url !== 'string') throw createInvalidChatError(`${at}.url: must be a data URL or an https URL`);
  // Browsers do not know the media type of every file.
  const said = mediaType === undefined || mediaType === '' ? {} : { mediaType };
  return { type, ...said, url, ...(name !== undefined && { name }) };
}

function readAnswers({ metadata }: JsonObject, parts: readonly Json[], place: RequestPlace): UiChatRequest {
  const { at, chat, branch, body } = place;
  const known = new Map<string, KnownCall>();
  const decisions: CallAnswer[] = [];
  const results: CallResultInput[] = [];
  const { decisions: worded = {} } = body;
  if (!isJsonObject(worded) || !Object.values(worded).every(isJsonObject))
    throw createInvalidChatError(
      "decisions: must be an object of objects such as { decision: 'exit' }, by the ids of their approvals",
    );
  for (const [index, part] of parts.entries()) {
    if (!isJsonObject(part) || typeof part.toolCallId !== 'string') continue;
    const { toolCallId: call, approval, state } = part;
    known.set(call, { isAsked: isJsonObject(approval) });
    if (state === 'approval-responded')
      decisions.push(readDecision(approval, `${at}.parts[${index}].approval`, worded));
    if (part.providerExecuted === true) continue;
    if (state === 'output-available') results.push({ call, sent: { result: part.output ?? null } });
    if (state === 'output-error' && typeof part.errorText === 'string')
      results.push({ call, sent: { error: part.errorText } });
  }
  if (decisions.length + results.length === 0) throw createChatProblem(NOTHING_TO_SEND_TEXT);
  const { seq }: JsonObject = Object(metadata);
  const after = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0 ? seq : undefined;
  return { type: 'answers', chat, branch, decisions, results, known, after };
}

/**
 * Returns the page's entry in `decisions` of the body, if there is one. Otherwise, returns `approve` or
 * `reject`.
 */
function readDecision(approval: Json | undefined, at: string, worded: JsonObject): CallAnswer {
  const { id, approved, reason }: JsonObject = Object(approval);
  if (typeof id !== 'string') throw createInvalidChatError(`${at}.id: must be text`);
  if (typeof approved !== 'boolean') throw createInvalidChatError(`${at}.approved: must be true or false`);
  const named = readApprovalId(id);
  const said = getOwn(worded, id);
  if (said !== undefined) return { ...Object(said), ...named } as CallAnswer; // checked with the body
  const why = reason === undefined || reason === null ? {} : { reason: reason as string }; // checked with the body
  return { ...named, decision: approved ? 'approve' : 'reject', ...why };
}

const createInvalidChatError = (problem: string): SessionError => createInvalidBodyError([problem]);

export const createChatProblem = (sentence: string): Problem =>
  new Problem('invalid-body', sentence, { status: 400 });

export const UNKNOWN_MESSAGE_TEXT = 'The chat no longer has that message. Load its messages again.';
const CHANGED_MESSAGE_TEXT = 'A sent message stays in the session, and cannot be changed. Send another one.';
const NOTHING_TO_SEND_TEXT =
  'The request has no new message: the last one is the assistant’s, and answers no call.';

/** Returns the error of a message. Its text describes the options that a page can send in the body. */
export function rewordForPage(failure: unknown): unknown {
  if (!(failure instanceof SessionError)) return failure;
  const { type, worded, ...rest } = failure;
  if (type === 'idempotency-key-reused') return createChatProblem(CHANGED_MESSAGE_TEXT);
  if (!worded) return toReadableError(failure);
  return new SessionError(
    type,
    worded((name, value) => `${name}: '${value}' in the body`),
    rest,
  );
}
