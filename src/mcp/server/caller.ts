import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type ElicitRequestFormParams,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { toPrincipal } from '../../journal/event-rows.ts';
import type { Principal } from '../../journal/events.ts';
import { jsonSchemaCheck } from '../../modules/json-schema/check.ts';
import { mintedInTime } from '../../session/read-secrets.ts';
import { attempt, ENCODER, HOOK_TIME, inTime, timeIsOver } from '../../tool/async.ts';
import type { CallContext } from '../../tool/call.ts';
import { hiding } from '../../tool/console-log.ts';
import { fromBase64, toBase64 } from '../../tool/content.ts';
import { credentialsIn, envOfTools } from '../../tool/env.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { problemLines } from '../../tool/problem-lines.ts';
import { Secrets } from '../../tool/secrets.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { Caller, HostedApp, Invoked } from '../../worker/host.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import { failedInside, invalidParams, RpcError } from '../content/rpc.ts';

/**
 * For whom a resource is read or listed, or a value completed: what a published tool is given of its call. Its `signal` aborts when
 * the client goes, or the time is over.
 */
export type McpAsked = Pick<CallContext, 'principal' | 'context' | 'env' | 'secrets' | 'log' | 'signal'>;

/** A request, as far as what is done for its caller depends on it. */
export interface ForCaller {
  readonly within: EndpointRequest;
  /** Aborts when the client has gone. */
  readonly leave: AbortSignal;
  readonly logFailure: FailureLog;
}

/**
 * Runs code of the app for the caller of a request, with the context and the secrets that are theirs. `what` it is stands in the
 * log. What it answers may hold secrets, which whoever sends it on takes out.
 *
 * @throws RpcError when it throws or takes longer than 30 seconds, which is logged without secrets, and not told; what the app's hooks for
 *   context and secrets throw.
 */
export async function runForCaller<Answer>(
  { within, leave, logFailure }: ForCaller,
  what: string,
  run: (asked: McpAsked) => Answer | Promise<Answer>,
): Promise<Answer> {
  const { host, env, requestId } = within;
  const minted = await mintedFor(within);
  const secrets = minted.secrets.hidingToo(credentialsIn(env));
  const log = hiding(host.log, { requestId }, () => secrets);
  const stop = new AbortController();
  const late = (ms: number): Error => {
    stop.abort(timeIsOver(ms));
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
    return await inTime(host.clock, (async () => run(asked))(), { ms: HOOK_TIME, signal: leave, late });
  } catch (thrown) {
    if (thrown instanceof RpcError || leave.aborted) throw thrown;
    logFailure(log, thrown, requestId);
    throw failedInside();
  }
}

/** A request that the app hands to its endpoint: its caller is known, it comes from no foreign page, and its size is checked. */
export interface EndpointRequest extends HostedApp {
  readonly host: Invoked;
  readonly base: string;
  readonly caller: Caller;
  /** Its body is there as a whole. Its signal aborts when the client goes. */
  readonly request: Request;
  /** Values of the headers that the app maps; what they are under is up to whoever runs something. */
  readonly context: ToolCallContext;
  /** Names the request in logs, as in its `x-request-id`. */
  readonly requestId: string;
}

/** Whose a request is, and what code of the app is given that runs for it. */
interface OfCaller {
  readonly principal: Principal;
  readonly context: ToolCallContext;
  readonly secrets: Secrets;
}

/** Makes what is its caller's where no session does: the context, and the credentials. Rejects with what the app's hooks throw. */
export async function mintedFor({ host, env, caller, context, request }: EndpointRequest): Promise<OfCaller> {
  const principal = toPrincipal(caller);
  return {
    principal,
    context: host.context(env, { principal, request }).merge(context),
    secrets: host.secrets
      ? await mintedInTime(host.clock, host.secrets(env, principal, { request, claims: caller.claims }))
      : Secrets.NONE,
  };
}

/**
 * What a client of the revision 2026-07-28 says with a request, by which it can be asked for more: the answer is what it is asked,
 * and it sends the request again (MCP specification, multi round-trip requests).
 */
export interface AskingClient {
  readonly capabilities: ClientCapabilities;
  /** What it answers, by the keys of what it was asked: anything at all, for nobody has checked it. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What it was told to send along, unchecked too; `undefined` in the first request. */
  readonly state: unknown;
}

/** A client of an older revision: there the answer to a request asks for nothing. */
export const CANNOT_BE_ASKED: AskingClient = { capabilities: {}, answers: {}, state: undefined };

/** Tells whether a client shows forms to a person. One that declares elicitation and says no more does. */
export const asksPeople = ({ elicitation }: ClientCapabilities): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);

/** What a person is told who is asked again: nothing, when nothing was wrong. */
export const notTaken = (problems: readonly string[] = []): readonly string[] =>
  problems.length === 0 ? [] : [`What was answered could not be taken: ${problems.map(sentence).join(' ')}`];

const sentence = (problem: string): string => (problem.endsWith('.') ? problem : `${problem}.`);

/** Stands before every state, with the version of its form. */
const MARK = 'holdfast-1.';

/**
 * Makes the text that a client sends back with its answers (MCP specification, `requestState`). Nothing in it is secret, and
 * nothing is believed because it is in it: whoever reads it checks it as any other parameter.
 */
export const toRequestState = (value: Json): string =>
  `${MARK}${toBase64(ENCODER.encode(JSON.stringify(value)))}`;

/** Reads what `toRequestState` made. @throws RpcError when it did not make this. */
export function fromRequestState(state: string): unknown {
  const bytes = state.startsWith(MARK) ? fromBase64(state.slice(MARK.length)) : undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const parsed = attempt((): unknown => bytes && JSON.parse(decoder.decode(bytes)));
  if (!parsed.ok || parsed.value === undefined) throw invalidState();
  return parsed.value;
}

/** Refuses a state that was given out for something else, or by nobody. */
export const invalidState = (): RpcError =>
  invalidParams(
    '`requestState` is none that was answered to this request. Send it back as it came, with the `name` and `arguments` ' +
      'of the first request, or leave it out to begin anew.',
  );

/** What a client of the revision 2026-07-28 declares in each request (MCP specification, `_meta`). */
export function capabilitiesIn(envelope: unknown): ClientCapabilities {
  const declared: unknown = isJsonObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const read = specTypeSchemas.ClientCapabilities['~standard'].validate(declared);
  return read.issues ? {} : read.value;
}

/** What a client may be asked: its user by a form or at an address, its model, or its roots. */
export type McpQuestion =
  | { readonly method: 'elicitation/create'; readonly params: McpForm | McpAddress }
  | { readonly method: 'sampling/createMessage'; readonly params: Unchanged<CreateMessageRequestParams> }
  | { readonly method: 'roots/list'; readonly params?: Readonly<Record<string, never>> | undefined };

/** A form for the user: an object of texts, numbers, choices and yes or no. */
type McpForm = Unchanged<Pick<ElicitRequestFormParams, 'mode' | 'message' | 'requestedSchema'>>;

/** An address that the user is to visit. */
interface McpAddress {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
}

/** The same, which may be declared once and for all. */
type Unchanged<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Unchanged<Value[Key]> }
  : Value;

export function canBeAsked(client: ClientCapabilities, { method, params }: McpQuestion): boolean {
  switch (method) {
    case 'elicitation/create':
      return params.mode === 'url' ? client.elicitation?.url !== undefined : asksPeople(client);
    case 'sampling/createMessage':
      return (
        client.sampling !== undefined && (params.tools === undefined || client.sampling.tools !== undefined)
      );
    case 'roots/list':
      return client.roots !== undefined;
  }
}

/** An answer of the form that its method has, or what is wrong with it. */
type ReadAnswer = { readonly answer: unknown } | { readonly problems: readonly string[] };

export function readAnswer(question: McpQuestion, sent: unknown): ReadAnswer {
  const read = SCHEMAS[question.method]['~standard'].validate(sent);
  if (read instanceof Promise || read.issues) return { problems: ['it is no answer of this kind'] };
  const { value } = read;
  if (question.method !== 'elicitation/create' || !('action' in value) || value.action !== 'accept') {
    return { answer: value };
  }
  const { content = {} } = value;
  const problems = contentProblems(question.params, isJsonObject(content) ? content : {});
  return problems.length === 0 ? { answer: value } : { problems };
}

const SCHEMAS = {
  'elicitation/create': specTypeSchemas.ElicitResult,
  'sampling/createMessage': specTypeSchemas.CreateMessageResult,
  'roots/list': specTypeSchemas.ListRootsResult,
} as const;

/** @throws Error when the schema cannot be checked by. */
function contentProblems(asked: McpForm | McpAddress, content: JsonObject): readonly string[] {
  if (!('requestedSchema' in asked)) return [];
  return problemLines([...jsonSchemaCheck(JSON.parse(JSON.stringify(asked.requestedSchema)))(content)]);
}
