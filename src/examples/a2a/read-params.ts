/** Parses A2A requests from unchecked JSON. */
import type { CallAnswer, SentPart } from '../../create-holdfast.ts';
import type { Json, JsonObject } from '../../index.ts';
import type { PendingCall } from './task.ts';
import { A2aError, type RpcId } from './wire.ts';

export interface RpcCall {
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

/** Returns the id of a request, even if the request is invalid. */
export const readId = ({ id }: JsonObject): RpcId =>
  typeof id === 'string' || typeof id === 'number' ? id : null;

/** Reads a method call. @throws A2aError if the body is not a JSON-RPC request. */
export function readCall(body: JsonObject): RpcCall {
  const { jsonrpc, method, params = {} } = body;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || readId(body) === null)
    throw new A2aError(
      'invalid-request',
      "The body is not JSON-RPC 2.0. Send { jsonrpc: '2.0', id, method, params }.",
    );
  if (!isObject(params)) throw new A2aError('invalid-params', 'params must be an object.');
  return { id: readId(body), method, params };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface SendRequest {
  readonly messageId: string;
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
  readonly parts: readonly JsonObject[];
  readonly returnsAtOnce: boolean;
  readonly historyLength: number | undefined;
}

/** The format of a message's idempotency key. */
const KEY_PATTERN = /^[!-~]{1,255}$/;

/** Reads the params of `SendMessage`. @throws A2aError that lists their problems. */
export function readSending({ message, configuration = {} }: JsonObject): SendRequest {
  const said: JsonObject = isObject(message) ? message : {};
  const how: JsonObject = isObject(configuration) ? configuration : {};
  const { messageId, contextId, taskId, role, parts } = said;
  const { taskPushNotificationConfig, returnImmediately } = how;
  const problems = [
    ...(isWord(messageId) && KEY_PATTERN.test(messageId)
      ? []
      : ['message.messageId must be 1 to 255 visible ASCII characters']),
    ...(isWordOrNone(contextId) ? [] : ['message.contextId must be a string']),
    ...(isWordOrNone(taskId) ? [] : ['message.taskId must be a string']),
    ...(role === 'ROLE_USER' ? [] : ["message.role must be 'ROLE_USER'"]),
    ...(isPartList(parts) ? [] : ['message.parts must be a list of { text }, { data }, { url } or { raw }']),
  ];
  if (problems.length > 0) throw createInvalidParamsError(problems);
  if (taskPushNotificationConfig !== undefined) throw createNoPushError();
  return {
    messageId: String(messageId),
    contextId: isWord(contextId) ? contextId : undefined,
    taskId: isWord(taskId) ? taskId : undefined,
    parts: isPartList(parts) ? parts : [],
    returnsAtOnce: returnImmediately === true,
    historyLength: readHistoryLength(how),
  };
}

export interface ListRequest {
  readonly contextId: string | undefined;
  /** If absent, lists tasks in all states. */
  readonly status: string | undefined;
  /** 1 to 100. */
  readonly pageSize: number;
  readonly pageToken: string | undefined;
  readonly historyLength: number;
  /** In ISO 8601. */
  readonly since: string | undefined;
  readonly includesArtifacts: boolean;
}

/** Reads the params of `ListTasks`. @throws A2aError that lists their problems. */
export function readListing(params: JsonObject): ListRequest {
  const { contextId, status, pageSize = 50, pageToken, historyLength = 0 } = params;
  const { statusTimestampAfter, includeArtifacts = false } = params;
  const isSize =
    typeof pageSize === 'number' && Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= 100;
  const problems = [
    ...(isWordOrNone(contextId) ? [] : ['contextId must be a string']),
    ...(isWordOrNone(status) ? [] : ['status must be the name of a state']),
    ...(isSize ? [] : ['pageSize must be a whole number from 1 to 100']),
    ...(isWordOrNone(pageToken) ? [] : ['pageToken must be a string']),
    ...(isWordOrNone(statusTimestampAfter) ? [] : ['statusTimestampAfter must be an ISO 8601 time']),
    ...(typeof includeArtifacts === 'boolean' ? [] : ['includeArtifacts must be true or false']),
  ];
  if (problems.length > 0) throw createInvalidParamsError(problems);
  const state = isWord(status) && status !== 'TASK_STATE_UNSPECIFIED' ? status : undefined;
  return {
    contextId: isWord(contextId) ? contextId : undefined,
    status: state,
    pageSize: Number(pageSize),
    pageToken: isWord(pageToken) ? pageToken : undefined,
    historyLength: readHistoryLength({ historyLength }) ?? 0,
    since: isWord(statusTimestampAfter) ? statusTimestampAfter : undefined,
    includesArtifacts: includeArtifacts === true,
  };
}

export const createNoPushError = (): A2aError =>
  new A2aError('push-not-supported', 'Push notifications are not supported. Use SubscribeToTask or GetTask.');

export const createInvalidParamsError = (problems: readonly string[]): A2aError =>
  new A2aError('invalid-params', `The params are not valid: ${problems.join('; ')}.`);

/** Protocol Buffers encodes an omitted string as ''. */
const isWord = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';
const isWordOrNone = (value: Json | undefined): boolean => value === undefined || typeof value === 'string';

const CONTENT_FIELDS = ['text', 'data', 'url', 'raw'];
const isPartList = (value: Json | undefined): value is JsonObject[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (part) =>
      isObject(part) &&
      CONTENT_FIELDS.filter((name) => part[name] !== undefined).length === 1 &&
      CONTENT_FIELDS.every(
        (name) => name === 'data' || part[name] === undefined || typeof part[name] === 'string',
      ),
  );

export function readHistoryLength({ historyLength }: JsonObject): number | undefined {
  if (historyLength === undefined) return undefined;
  if (typeof historyLength === 'number' && Number.isSafeInteger(historyLength) && historyLength >= 0)
    return historyLength;
  throw createInvalidParamsError(['historyLength must be a whole number of at least 0']);
}

export function readTaskIdParam({ id }: JsonObject): string {
  if (!isWord(id)) throw createInvalidParamsError(['id must be the id of a task']);
  return id;
}

export const toSentParts = (parts: readonly JsonObject[]): SentPart[] =>
  parts.map(({ text, data, url, raw, mediaType, filename }): SentPart => {
    if (typeof text === 'string') return { type: 'text', text };
    const told = {
      ...(isWord(mediaType) && { mediaType }),
      ...(isWord(filename) && { name: filename }),
    };
    if (typeof url === 'string') return { type: 'file', url, ...told };
    if (typeof raw === 'string') return { type: 'file', data: raw, ...told };
    return { type: 'text', text: JSON.stringify(data) };
  });

/**
 * Returns a message's answers to waiting calls. Data must name the call. Text answers the only question to a
 * person, but never approves a call, since text is ambiguous. @throws A2aError that says how to answer.
 */
export function readAnswers(parts: readonly JsonObject[], pending: readonly PendingCall[]): CallAnswer[] {
  const named = parts.filter(hasCall).map(({ data }) => data);
  // The session checks the other properties, as for any answer.
  if (named.length > 0) return named as unknown as CallAnswer[];
  const text = parts.flatMap(({ text: words }) => (typeof words === 'string' ? [words] : [])).join('\n');
  const [one, ...others] = pending;
  if (one && others.length === 0 && text !== '') {
    const { call } = one;
    if (one.for === 'result') return [{ call, text }];
    if (asksForText(one)) return [{ call, decision: 'edit', input: { text } }];
  }
  throw new A2aError(
    'invalid-params',
    'The message does not answer the task. Send parts { data: { call, decision: approve, edit, reject or exit, input, reason } }, or for a ' +
      'result { data: { call, result } }. The status of the task names the calls.',
  );
}

export function hasCall({ data }: JsonObject): boolean {
  const { call } = isObject(data) ? data : {};
  return isWord(call);
}

/** Returns whether a call asks a person for text, like `humanInput`. */
function asksForText({ allows = [], schema }: PendingCall): boolean {
  const { properties } = schema ?? {};
  return allows.includes('edit') && Object.keys(Object(properties)).join() === 'text';
}
