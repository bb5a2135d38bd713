/** What a page asks for, as its chat sends it: of all its messages one counts, which is the last unless it goes on with an earlier one. */

import type { Replacing } from '../../modules/branches/replace-turn.ts';
import { forPeople } from '../../modules/branches/would-repeat.ts';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../tool/json.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import { invalidBody } from '../../worker/body.ts';
import { Problem, SessionError } from '../../worker/problem.ts';
import type { CallAnswer } from '../../worker/session.ts';
import { type KnownCall, readApprovalId } from './call-chunks.ts';
import { OF_USER } from './ui-messages.ts';

/** What was asked for. */
export type ChatAsked = {
  readonly chat: string;
  /** The session that the page's last message of the assistant's names, if it is another than that of the chat. */
  readonly branch: string | undefined;
} & (
  | {
      readonly type: 'message';
      /** Where the message stands in the body. */
      readonly at: string;
      /** Under which the message is sent once, however often. */
      readonly key: string;
      /** Words, or parts as the body of a message has them. */
      readonly message: string | readonly Json[];
      readonly context: Json | undefined;
      readonly whenBusy: 'reject' | 'queue' | 'steer' | undefined;
      readonly pending: 'decline' | undefined;
      /** What the page keeps beside the message; absent for nothing. */
      readonly metadata: Json | undefined;
      /** The tools of the page, which may be anything. */
      readonly tools: Json | undefined;
      /** The turn that the message replaces; absent for one that is new. */
      readonly replaces: ReplacedTurn | undefined;
    }
  | {
      readonly type: 'answers';
      readonly decisions: readonly CallAnswer[];
      readonly results: readonly ResultOfCall[];
      /** The calls that the page has. */
      readonly known: ReadonlyMap<string, KnownCall>;
      /** The last event that the page was shown, if it knows. */
      readonly after: number | undefined;
    }
);

/** What a page knows of a turn that is answered again, or whose message has other words now. */
export interface ReplacedTurn extends Pick<Replacing, 'turn' | 'before' | 'said' | 'isOnce'> {
  /** The message stays as it is. */
  readonly isAgain: boolean;
}

/** What came of a call that the page has run; it may have been sent before. */
export interface ResultOfCall {
  readonly call: string;
  readonly sent: { readonly result: Json } | { readonly error: string };
}

/** @throws Problem or SessionError that says what is wrong with it. */
export function readChat(body: JsonObject): ChatAsked {
  const { id: chat, messages, trigger = 'submit-message' } = body;
  if (typeof chat !== 'string') throw invalid('id: must be the id of the chat, which is text');
  if (trigger !== 'submit-message' && trigger !== 'regenerate-message')
    throw invalid('trigger: must be submit-message or regenerate-message');
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalid('messages: must be a list that holds at least one message');
  const isAgain = trigger === 'regenerate-message';
  const { messageId } = body;
  const index = isAgain
    ? messages.findLastIndex((one) => isOf(one, 'user'))
    : messageId === undefined
      ? messages.length - 1
      : sentIndex(messages, messageId);
  const at = `messages[${index}]`;
  const sent: JsonObject = Object(messages[index]);
  const { role, parts } = sent;
  if (isAgain && !Array.isArray(parts))
    throw invalid('messages: must hold a message of the role user, with its parts');
  if (role !== 'user' && role !== 'assistant') throw invalid(`${at}.role: must be user or assistant`);
  if (!Array.isArray(parts)) throw invalid(`${at}.parts: must be a list`);
  let branch: string | undefined;
  for (const one of messages) {
    const { role, metadata } = Object(one);
    const { session } = Object(metadata);
    if (role === 'assistant' && typeof session === 'string') branch = session === chat ? undefined : session;
  }
  const place: Place = { at, chat, branch, body };
  if (role === 'assistant') return readAnswers(sent, parts, place);
  return readMessage(sent, parts, { ...place, isAgain, before: messages.slice(0, index) });
}

const isOf = (one: Json, role: 'user' | 'assistant'): one is JsonObject =>
  isJsonObject(one) && one.role === role;

/** Words, or parts as the body of a message has them. */
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

/** A client names the assistant's message that it has answers for: one that was refused meanwhile may stand behind it. */
function sentIndex(messages: readonly Json[], named: Json): number {
  const isNamed = (one: Json): boolean => isOf(one, 'assistant') && one.id === named;
  const index = messages.findLastIndex(isNamed);
  return index < 0 ? messages.length - 1 : index;
}

interface Place {
  /** Where the message stands in the body. */
  readonly at: string;
  readonly chat: string;
  readonly branch: string | undefined;
  readonly body: JsonObject;
}

interface MessagePlace extends Place {
  /** The page asks for another answer. */
  readonly isAgain: boolean;
  /** The messages before it. */
  readonly before: readonly Json[];
}

function readMessage(sent: JsonObject, parts: readonly Json[], place: MessagePlace): ChatAsked {
  const { at, chat, branch, body, isAgain } = place;
  const { id: key } = sent;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid(`${at}.id: must be 1 to 255 visible ASCII characters`);
  const message = readParts(parts, at);
  const replaces = isAgain || body.messageId === key ? readReplaced(key, message, place) : undefined;
  if (!replaces && key.endsWith(OF_USER)) throw refused(NO_OTHER_MESSAGE);
  const metadata = replaces ? withoutOurs(sent.metadata) : sent.metadata;
  if (metadata !== undefined) mustBeMetadata(metadata, `${at}.metadata`);
  const { context } = body;
  const whenBusy = oneOf('whenBusy', body, ['reject', 'queue', 'steer'] as const);
  const pending = oneOf('pending', body, ['decline'] as const);
  const said = { at, key, message, context, whenBusy, pending, tools: body.tools, metadata, replaces };
  return { type: 'message', chat, branch, ...said };
}

/** A message that was loaded has more than its page has sent with it. */
function withoutOurs(metadata: Json | undefined): Json | undefined {
  if (!isJsonObject(metadata)) return metadata;
  const { turn: _, unanswered: __, ...own } = metadata;
  return Object.keys(own).length > 0 ? own : undefined;
}

/** A page names the answer that is to be another, or the message; one that was loaded has the id of its turn. */
function readReplaced(
  key: string,
  message: string | readonly Json[],
  { isAgain, before, body }: MessagePlace,
): ReplacedTurn {
  const { messageId = key, again = null } = body;
  const isAnswer = messageId !== key && !before.some((one) => isOf(one, 'user') && one.id === messageId);
  const id = isAnswer ? `${messageId}` : key;
  const isLoaded = id.endsWith(OF_USER);
  const turn = isLoaded ? id.slice(0, -OF_USER.length) : isAnswer ? id : undefined;
  const answers = before.flatMap((one) =>
    isOf(one, 'assistant') ? { id: `${one.id}`, isTurn: Object(one.metadata).turn !== undefined } : [],
  );
  const isOnce = !isAgain || again !== null;
  return { isAgain, isOnce, turn, before: answers.toReversed(), said: [isAgain, id, message, again] };
}

/** The most characters of the JSON of a message's metadata. */
const MAX_METADATA = 16_384;

/** @throws SessionError if a page cannot have it kept with a message. */
function mustBeMetadata(metadata: Json, at: string): void {
  if (!isJsonObject(metadata)) throw invalid(`${at}: must be an object`);
  if (JSON.stringify(metadata).length > MAX_METADATA)
    throw invalid(`${at}: must have at most ${MAX_METADATA} characters as JSON`);
  if (!attempt(() => ToolCallContext.of(metadata)).ok) throw invalid(`${at}: is nested too deeply`);
}

/** What a page may say beside its messages. */
function oneOf<Word extends string>(
  name: string,
  body: JsonObject,
  words: readonly Word[],
): Word | undefined {
  const said = own(body, name);
  const word = words.find((one) => one === said);
  if (said !== undefined && word === undefined) throw invalid(`${name}: must be ${words.join(', ')}`);
  return word;
}

/** Words, or a file as the body of a message has it. */
function readPart(part: Json, at: string): JsonObject {
  const { type, text, mediaType, url, filename: name }: JsonObject = Object(part);
  if (type === 'text') {
    if (typeof text !== 'string') throw invalid(`${at}.text: must be text`);
    return { type, text };
  }
  if (type !== 'file') throw invalid(`${at}: must be a part of the type text or file`);
  if (typeof url !== 'string') throw invalid(`${at}.url: must be a data URL or an https URL`);
  // Browsers do not know the type of every file.
  const said = mediaType === undefined || mediaType === '' ? {} : { mediaType };
  return { type, ...said, url, ...(name !== undefined && { name }) };
}

function readAnswers({ metadata }: JsonObject, parts: readonly Json[], place: Place): ChatAsked {
  const { at, chat, branch, body } = place;
  const known = new Map<string, KnownCall>();
  const decisions: CallAnswer[] = [];
  const results: ResultOfCall[] = [];
  const { decisions: worded = {} } = body;
  if (!isJsonObject(worded) || !Object.values(worded).every(isJsonObject))
    throw invalid(
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
  if (decisions.length + results.length === 0) throw refused(NOTHING_TO_SEND);
  const { seq }: JsonObject = Object(metadata);
  const after = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0 ? seq : undefined;
  return { type: 'answers', chat, branch, decisions, results, known, after };
}

/** A decision: what the page has said in `decisions` of the body, or else yes or no. */
function readDecision(approval: Json | undefined, at: string, worded: JsonObject): CallAnswer {
  const { id, approved, reason }: JsonObject = Object(approval);
  if (typeof id !== 'string') throw invalid(`${at}.id: must be text`);
  if (typeof approved !== 'boolean') throw invalid(`${at}.approved: must be true or false`);
  const named = readApprovalId(id);
  const said = own(worded, id);
  if (said !== undefined) return { ...Object(said), ...named } as CallAnswer; // which is checked as a body is
  const why = reason === undefined || reason === null ? {} : { reason: reason as string }; // checked with the rest
  return { ...named, decision: approved ? 'approve' : 'reject', ...why };
}

const invalid = (problem: string): SessionError => invalidBody([problem]);

export const refused = (sentence: string): Problem => new Problem('invalid-body', sentence, { status: 400 });

export const NOT_HERE = 'The chat does not have that message any more: load its messages again.';
const NO_OTHER_MESSAGE =
  'A message that was sent stays in the session, and cannot be changed: send another one.';
const NOTHING_TO_SEND =
  'There is nothing to send: the last message is the assistant’s, and no call of it was answered.';

/** Returns the error of a message, in the words of a page: with what it may say in the body. */
export function inWordsOfPage(failure: unknown): unknown {
  if (!(failure instanceof SessionError)) return failure;
  const { type, worded, ...rest } = failure;
  if (type === 'idempotency-key-reused') return refused(NO_OTHER_MESSAGE);
  if (!worded) return forPeople(failure);
  return new SessionError(
    type,
    worded((name, value) => `${name}: '${value}' in the body`),
    rest,
  );
}
