import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { toTurnStart } from '../../journal/event-rows.ts';
import type { RequestKey, TurnStart } from '../../journal/session-port.ts';
import { toReader } from '../../session/fold-session.ts';
import type { FeedItem } from '../../session/live-feed.ts';
import { SessionErasedError, SessionUnavailableError } from '../../session/send-again.ts';
import type { TurnHost } from '../../session/turn-host.ts';
import {
  type AwaitedTurn,
  awaitOutcome,
  type TurnOutcome,
  waitForOwnOutcome,
} from '../../session/watching/turn-outcome.ts';
import { computeSha256Hex } from '../../tool/async.ts';
import { checkInput } from '../../tool/check-input.ts';
import type { JsonObject } from '../../tool/json.ts';
import { createErrorEntry } from '../../tool/log.ts';
import { type AcceptedRequest, runAndFollow, toRunHere } from '../../worker/begun-turn.ts';
import { POSSIBLY_STORED_TEXT } from '../../worker/refusal.ts';
import { createTarget, createTurnServices, type SessionAccess, type Target } from '../../worker/target.ts';
import { IDEMPOTENCY_KEY } from '../content/rpc.ts';
import {
  AGENT_INPUT,
  type AgentInput,
  type AgentInputCall,
  type ContinuedTurn,
  isFirstRequest,
  readContinuedTurn,
  toAgentAnswer,
  toNotAcceptedResult,
} from './agent-tool.ts';
import { type AskingClient, createInvalidStateError, type EndpointRequest } from './caller.ts';
import { acceptInputs } from './input-required.ts';
import type { Publication } from './publish.ts';
import {
  type AcceptedCall,
  createTurnNotifier,
  type Notifier,
  type StreamPosition,
} from './stream-position.ts';
import { toErrorResult } from './to-call-result.ts';

/** The result of an agent's call, or the questions to its client. */
type AgentAnswer = CallToolResult | InputRequiredResult;

/** One call of a published agent. */
export interface AgentCall {
  readonly published: Extract<Publication, { kind: 'agent' }>;
  readonly input: JsonObject;
  /** The client's name for the call, if it has one. A retry joins or replays its turn. */
  readonly key: string | undefined;
}

/** A call whose client waits for the answer. */
interface AwaitedCall extends AgentCall {
  readonly notifier: Notifier;
  /** Aborts when the client disconnects. Another invocation then runs the turn. */
  readonly signal: AbortSignal;
  readonly asking: AskingClient;
  /** Called as soon as the session has accepted the turn. */
  readonly onAccepted: (call: AcceptedCall) => void;
  /** Records which part of the turn was sent. */
  readonly position: Pick<StreamPosition, 'recordEvent'>;
}

/**
 * Runs a turn of the agent in a session of the caller, like `POST .../messages`, and returns its outcome.
 *
 * @throws SessionError, ConfigurationError or another error that prevents the message from being accepted,
 * and that the calling model cannot fix. Throws the reason of `signal` if that aborts.
 */
export async function callAgent(request: EndpointRequest, calling: AwaitedCall): Promise<AgentAnswer> {
  const { asking, published, input } = calling;
  if (isFirstRequest(asking))
    return acceptCall(request, calling, (turn) => runForAnswer(request, turn, calling));
  const checked = await checkInput(AGENT_INPUT, input, published.name);
  if (!checked.ok) return toErrorResult(checked.answer.content);
  return continueTurn(request, calling, await readContinuedTurn(asking, published.name, checked.value));
}

/**
 * Stores the turn of a call and returns the result of `take`. If the message is not accepted, returns the
 * reason as text for the calling model.
 *
 * @throws the same errors as `callAgent`.
 */
export async function acceptCall<Taken>(
  request: EndpointRequest,
  calling: AgentCall,
  take: (turn: AgentTurn) => Promise<Taken>,
): Promise<Taken | CallToolResult> {
  const checked = await checkInput(AGENT_INPUT, calling.input, calling.published.name);
  if (!checked.ok) return toErrorResult(checked.answer.content);
  const turn = await toAgentTurn(request, calling, checked.value);
  try {
    return await take(turn);
  } catch (failure) {
    if (failure instanceof SessionErasedError) return toErrorResult(failure.message);
    if (failure instanceof SessionUnavailableError) {
      const message = `it is unknown whether turn ${turn.start.turn} was accepted`;
      request.host.log(createErrorEntry(message, failure, 'request-failed'));
      return toErrorResult(formatMaybeAcceptedMessage(turn.target, turn.start.turn));
    }
    throw failure;
  }
}

/** Continues a turn with the client's answers. */
async function continueTurn(
  within: EndpointRequest,
  calling: AwaitedCall,
  { session, turn, asked, isNew, sent }: ContinuedTurn,
): Promise<AgentAnswer> {
  const { published, asking, signal, onAccepted } = calling;
  const { agent, name } = published;
  const target = createTarget(within, within.caller, { agent, session });
  const at = { ...within, target, signal };
  const taken = await acceptInputs(at, { turn, asked, responses: asking.answers, inBackground: false });
  if (!taken) throw createInvalidStateError();
  onAccepted({ name, isNew, session, turn });
  try {
    const outcome = await waitForOutcome(at, taken.begun, calling);
    return await toAgentAnswer({ name, target, isNew, sent }, outcome, { ...asking, before: taken });
  } catch (failure) {
    if (failure instanceof SessionErasedError) return toErrorResult(failure.message);
    throw failure;
  }
}

/** A turn to start, or one that has started. */
export interface AgentTurn extends AgentInputCall {
  readonly start: TurnStart;
  readonly part: TurnHost;
}

async function toAgentTurn(
  request: EndpointRequest,
  { published, key }: AgentCall,
  sent: AgentInput,
): Promise<AgentTurn> {
  const { message, session } = sent;
  const { host, env, caller, context, requestId } = request;
  const { name, agent } = published;
  const named = { agent, session: session ?? (await createSessionName(request, name, key)) };
  const target = createTarget(request, caller, named);
  const asked = key === undefined ? undefined : await toRequestKey(key, { message, session });
  const start = toTurnStart(
    { agent, message, context, from: caller, request: asked, base: request.base },
    host.newId,
  );
  const own = { turn: start.turn, caller, request: request.request };
  return {
    name,
    isNew: session === undefined,
    sent,
    target,
    start,
    // The spread reads every property, so a deployment fault surfaces before the message is accepted.
    part: { ...createTurnServices({ host, env, requestId }, { ...target, agent }, own) },
  };
}

/**
 * Returns a name for a session. A retry gets the same name as its first attempt. Another caller gets a
 * different name for the same key.
 */
async function createSessionName(
  { host, caller }: EndpointRequest,
  name: string,
  key?: string,
): Promise<string> {
  if (key === undefined) return `mcp-${host.newId()}`;
  const hash = await computeSha256Hex(JSON.stringify([caller.tenant ?? null, caller.id, name, key]));
  return `mcp-${hash.slice(0, 32)}`;
}

/** Milliseconds for which a retry finds its turn, as with an `Idempotency-Key`. */
const KEY_TTL_MS = 24 * 60 * 60 * 1000;

/** Returns the key for a call. The keys of MCP contain a space, so they differ from those of HTTP. */
const toRequestKey = async (key: string, input: AgentInput): Promise<RequestKey> => ({
  key: `mcp ${key}`,
  bodyHash: await computeSha256Hex(JSON.stringify([input.message, input.session ?? null])),
  ttl: KEY_TTL_MS,
});

async function runForAnswer(
  request: EndpointRequest,
  turn: AgentTurn,
  calling: AwaitedCall,
): Promise<AgentAnswer> {
  const { host } = request;
  const { target, start, part } = turn;
  const sentAt = host.clock.now();
  const taken = await target.port.begin({ nonce: host.newId(), start, reader: toReader(host.modules) });
  if (taken.status === 'leased' || taken.status === 'known') {
    const { name, isNew } = turn;
    const { turn: id } = taken.status === 'known' ? taken : start;
    calling.onAccepted({ name, isNew, session: target.session, turn: id });
  }
  switch (taken.status) {
    case 'leased': {
      const begun = toRunHere({ turn: start.turn, services: part, lease: taken, sentAt });
      return toAgentAnswer(turn, await waitForOutcome({ host, target }, begun, calling), calling.asking);
    }
    case 'known': {
      const begun = { turn: taken.turn };
      return toAgentAnswer(turn, await waitForOutcome({ host, target }, begun, calling), calling.asking);
    }
    default:
      return toNotAcceptedResult(target, taken);
  }
}

/** Runs the turn if this invocation should, and waits for its outcome. */
function waitForOutcome(
  { host, target }: Pick<SessionAccess, 'host' | 'target'>,
  begun: AcceptedRequest,
  { notifier, signal, position }: Pick<AwaitedCall, 'notifier' | 'signal' | 'position'>,
): Promise<TurnOutcome> | TurnOutcome {
  if (begun.later) return { status: 'kept', turn: begun.later.turn };
  const { turn, run } = begun;
  const awaited: AwaitedTurn = {
    port: target.port,
    clock: host.clock,
    meter: host.meter,
    liveText: host.liveText,
    signal,
    session: target.session,
    agent: target.agent.name,
    turn,
  };
  if (!run) return awaitOutcome(awaited);
  const notify = createTurnNotifier(notifier);
  const show = (item: FeedItem): void => {
    if (item.type === 'event') position.recordEvent(item.stored.seq);
    notify(item);
  };
  return waitForOwnOutcome(awaited, runAndFollow(awaited, { show, leave: signal }, run));
}

/**
 * Returns the text for a missing answer. The message may already be stored, and sending it again would add a
 * second one.
 */
const formatMaybeAcceptedMessage = ({ path }: Target, turn: string): string =>
  `${POSSIBLY_STORED_TEXT} as turn ${turn}: GET ${path} shows it. ` +
  `Send it again only with the same ${IDEMPOTENCY_KEY}.`;
