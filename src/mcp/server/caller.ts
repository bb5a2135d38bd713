import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type ElicitRequestFormParams,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { toPrincipal } from '../../journal/event-rows.ts';
import type { Principal } from '../../journal/events.ts';
import { createJsonSchemaCheck } from '../../modules/json-schema/check.ts';
import { awaitSecrets } from '../../session/read-secrets.ts';
import { attempt, createTimeoutError, ENCODER, HOOK_TIMEOUT_MS, withTimeout } from '../../tool/async.ts';
import type { CallContext } from '../../tool/call.ts';
import { createRedactingLog } from '../../tool/console-log.ts';
import { fromBase64, toBase64 } from '../../tool/content.ts';
import { collectCredentials, envOfTools } from '../../tool/env.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { formatProblems } from '../../tool/problem-lines.ts';
import { Secrets } from '../../tool/secrets.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { Caller, HostedApp, InvokedHost } from '../../worker/host.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import { createInternalRpcError, createInvalidParamsError, RpcError } from '../content/rpc.ts';

/**
 * The context for reading or listing a resource, or completing a value: part of a tool's call context. Its
 * `signal` aborts when the client disconnects or the time limit expires.
 */
export type McpRequestContext = Pick<
  CallContext,
  'principal' | 'context' | 'env' | 'secrets' | 'log' | 'signal'
>;

/** The parts of a request that code run for its caller needs. */
export interface CallerScope {
  readonly within: EndpointRequest;
  /** Aborts when the client disconnects. */
  readonly leave: AbortSignal;
  readonly logFailure: FailureLog;
}

/**
 * Runs code of the app for the caller of a request, with the caller's context and secrets. `what` names the
 * code in the log. The result can contain secrets, which its sender must remove.
 *
 * @throws RpcError without details if the code throws or takes longer than 30 seconds. The cause is logged
 * without secrets. Errors from the app's hooks for context and secrets pass through.
 */
export async function runForCaller<Answer>(
  { within, leave, logFailure }: CallerScope,
  what: string,
  run: (asked: McpRequestContext) => Answer | Promise<Answer>,
): Promise<Answer> {
  const { host, env, requestId } = within;
  const minted = await createCallerData(within);
  const secrets = minted.secrets.hidingToo(collectCredentials(env));
  const log = createRedactingLog(host.log, { requestId }, () => secrets);
  const stop = new AbortController();
  const abortLate = (ms: number): Error => {
    stop.abort(createTimeoutError(ms));
    return new Error(`${what} did not answer within ${ms} ms.`);
  };
  const asked = {
    ...minted,
    env: envOfTools(env),
    secrets,
    log,
    signal: AbortSignal.any([leave, stop.signal]),
  };
  try {
    return await withTimeout(host.clock, (async () => run(asked))(), {
      ms: HOOK_TIMEOUT_MS,
      signal: leave,
      late: abortLate,
    });
  } catch (thrown) {
    if (thrown instanceof RpcError || leave.aborted) throw thrown;
    logFailure(log, thrown, requestId);
    throw createInternalRpcError();
  }
}

/** A request that the app passes to its endpoint. Its caller, origin and size are already checked. */
export interface EndpointRequest extends HostedApp {
  readonly host: InvokedHost;
  readonly base: string;
  readonly caller: Caller;
  /** The request with its complete body. Its signal aborts when the client disconnects. */
  readonly request: Request;
  /** The values of the headers that the app maps. Code that runs a turn or tool puts them under keys. */
  readonly context: ToolCallContext;
  /** The request's id in logs, as in its `x-request-id`. */
  readonly requestId: string;
}

/** The caller of a request, with the data for the app's code. */
interface CallerData {
  readonly principal: Principal;
  readonly context: ToolCallContext;
  readonly secrets: Secrets;
}

/**
 * Creates the context and credentials of a caller without a session. Rejects with the errors of the app's
 * hooks.
 */
export async function createCallerData({
  host,
  env,
  caller,
  context,
  request,
}: EndpointRequest): Promise<CallerData> {
  const principal = toPrincipal(caller);
  return {
    principal,
    context: host.context(env, { principal, request }).merge(context),
    secrets: host.secrets
      ? await awaitSecrets(host.clock, host.secrets(env, principal, { request, claims: caller.claims }))
      : Secrets.NONE,
  };
}

/**
 * A client of the revision 2026-07-28, which can be asked for more. It receives the questions as its
 * response, and repeats the request with answers (MCP specification, multi round-trip requests).
 */
export interface AskingClient {
  readonly capabilities: ClientCapabilities;
  /** Its answers, by the keys of the questions. Not validated. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The state from the previous response, not validated. `undefined` in the first request. */
  readonly state: unknown;
}

/** A client of an older revision, which cannot receive questions as a response. */
export const UNASKABLE_CLIENT: AskingClient = { capabilities: {}, answers: {}, state: undefined };

/**
 * Returns whether a client shows forms to a person. An elicitation capability without details includes forms.
 */
export const canAskPeople = ({ elicitation }: ClientCapabilities): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);

/** Returns the text for a person who is asked again. Empty if there were no problems. */
export const formatNotAccepted = (problems: readonly string[] = []): readonly string[] =>
  problems.length === 0 ? [] : [`The answer was not accepted: ${problems.map(toSentence).join(' ')}`];

const toSentence = (problem: string): string => (problem.endsWith('.') ? problem : `${problem}.`);

/** The prefix of every state, with the version of its format. */
const STATE_PREFIX = 'holdfast-1.';

/**
 * Encodes the state that a client returns with its answers (MCP specification, `requestState`). It contains
 * no secrets and is not trusted: its reader validates it like any other parameter.
 */
export const toRequestState = (value: Json): string =>
  `${STATE_PREFIX}${toBase64(ENCODER.encode(JSON.stringify(value)))}`;

/** Decodes a state made by `toRequestState`. @throws RpcError for any other text. */
export function parseRequestState(state: string): unknown {
  const bytes = state.startsWith(STATE_PREFIX) ? fromBase64(state.slice(STATE_PREFIX.length)) : undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const parsed = attempt((): unknown => bytes && JSON.parse(decoder.decode(bytes)));
  if (!parsed.ok || parsed.value === undefined) throw createInvalidStateError();
  return parsed.value;
}

/** Returns the error for a state that is invalid or belongs to another request. */
export const createInvalidStateError = (): RpcError =>
  createInvalidParamsError(
    '`requestState` does not belong to this request. Send it back unchanged, with the `name` and `arguments` ' +
      'of the first request, or omit it to start again.',
  );

/**
 * Returns the capabilities that a client of the revision 2026-07-28 declares in each request (MCP
 * specification, `_meta`).
 */
export function readCapabilities(envelope: unknown): ClientCapabilities {
  const declared: unknown = isJsonObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const read = specTypeSchemas.ClientCapabilities['~standard'].validate(declared);
  return read.issues ? {} : read.value;
}

/** A question to a client: to its user by a form or at a URL, to its model, or for its roots. */
export type McpQuestion =
  | { readonly method: 'elicitation/create'; readonly params: McpForm | McpAddress }
  | { readonly method: 'sampling/createMessage'; readonly params: DeepReadonly<CreateMessageRequestParams> }
  | { readonly method: 'roots/list'; readonly params?: Readonly<Record<string, never>> | undefined };

/** A form for the user: an object of texts, numbers, choices and booleans. */
type McpForm = DeepReadonly<Pick<ElicitRequestFormParams, 'mode' | 'message' | 'requestedSchema'>>;

/** A URL for the user to visit. */
interface McpAddress {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
}

/** The deeply read-only form of a type, so that a constant can be passed. */
type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;

export function canBeAsked(client: ClientCapabilities, { method, params }: McpQuestion): boolean {
  switch (method) {
    case 'elicitation/create':
      return params.mode === 'url' ? client.elicitation?.url !== undefined : canAskPeople(client);
    case 'sampling/createMessage':
      return (
        client.sampling !== undefined && (params.tools === undefined || client.sampling.tools !== undefined)
      );
    case 'roots/list':
      return client.roots !== undefined;
  }
}

/** An answer in the form of its method, or its problems. */
type ParsedAnswer = { readonly answer: unknown } | { readonly problems: readonly string[] };

export function readAnswer(question: McpQuestion, sent: unknown): ParsedAnswer {
  const read = SCHEMAS[question.method]['~standard'].validate(sent);
  if (read instanceof Promise || read.issues) return { problems: ['it is not an answer of this kind'] };
  const { value } = read;
  if (question.method !== 'elicitation/create' || !('action' in value) || value.action !== 'accept') {
    return { answer: value };
  }
  const { content = {} } = value;
  const problems = listContentProblems(question.params, isJsonObject(content) ? content : {});
  return problems.length === 0 ? { answer: value } : { problems };
}

const SCHEMAS = {
  'elicitation/create': specTypeSchemas.ElicitResult,
  'sampling/createMessage': specTypeSchemas.CreateMessageResult,
  'roots/list': specTypeSchemas.ListRootsResult,
} as const;

/** @throws Error if the schema is invalid. */
function listContentProblems(asked: McpForm | McpAddress, content: JsonObject): readonly string[] {
  if (!('requestedSchema' in asked)) return [];
  return formatProblems([
    ...createJsonSchemaCheck(JSON.parse(JSON.stringify(asked.requestedSchema)))(content),
  ]);
}
