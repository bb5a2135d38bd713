import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { toTurnStart } from '../../journal/event-rows.ts';
import type { RequestKey, TurnStart } from '../../journal/session-port.ts';
import { readerOf } from '../../session/fold-session.ts';
import type { FeedItem } from '../../session/live-feed.ts';
import { SessionErasedError, SessionUnavailableError } from '../../session/send-again.ts';
import type { TurnHost } from '../../session/turn-host.ts';
import {
  type AwaitedTurn,
  outcomeElsewhere,
  outcomeHere,
  type TurnOutcome,
} from '../../session/watching/turn-outcome.ts';
import { sha256Hex } from '../../tool/async.ts';
import { checkInput } from '../../tool/check-input.ts';
import type { JsonObject } from '../../tool/json.ts';
import { mistake } from '../../tool/log.ts';
import { type BegunTurn, followed, toRunHere } from '../../worker/begun-turn.ts';
import { type SessionAccess, type Target, targetOf, turnServices } from '../../worker/target.ts';
import { IDEMPOTENCY_KEY } from '../content/rpc.ts';
import {
  AGENT_INPUT,
  type AgentInput,
  type AskedCall,
  type ContinuedTurn,
  continuedTurn,
  isFirst,
  notTaken,
  toAgentAnswer,
} from './agent-tool.ts';
import { type AskingClient, type EndpointRequest, invalidState } from './caller.ts';
import { takeInputs } from './input-required.ts';
import type { Publication } from './publish.ts';
import { type Notifier, notifyOf, type StreamPosition, type TakenCall } from './stream-position.ts';
import { failed } from './to-call-result.ts';

/** What a call of an agent comes to, or what its client is asked first. */
type AgentAnswer = CallToolResult | InputRequiredResult;

/** One call of a published agent. */
export interface AgentCall {
  readonly published: Extract<Publication, { kind: 'agent' }>;
  readonly input: JsonObject;
  /** Names the call, when the client has given it a name: a retry joins or replays its turn. */
  readonly key: string | undefined;
}

/** One whose client waits for the answer. */
interface AwaitedCall extends AgentCall {
  readonly notifier: Notifier;
  /** Aborts when the client has gone; the turn is then left to another invocation. */
  readonly leave: AbortSignal;
  readonly asking: AskingClient;
  /** Is told of the turn as soon as the session has it. */
  readonly onTaken: (call: TakenCall) => void;
  /** Is told what of the turn is shown. */
  readonly position: Pick<StreamPosition, 'shows'>;
}

/**
 * Runs a turn of the agent in a session of the caller, as `POST .../messages` does, and answers what it came to.
 *
 * @throws SessionError, ConfigurationError and whatever else keeps the message from being taken, and is nothing that the
 *   model which called can change; the reason of `leave` when that aborts.
 */
export async function callAgent(request: EndpointRequest, calling: AwaitedCall): Promise<AgentAnswer> {
  const { asking, published, input } = calling;
  if (isFirst(asking)) return takeCall(request, calling, (turn) => answerOf(request, turn, calling));
  const checked = await checkInput(AGENT_INPUT, input, published.name);
  if (!checked.ok) return failed(checked.answer.content);
  return goOnWith(request, calling, await continuedTurn(asking, published.name, checked.value));
}

/**
 * Stores the turn of a call, and answers what `take` makes of it; or, in words for the model which called, why there is none.
 *
 * @throws what `callAgent` does.
 */
export async function takeCall<Taken>(
  request: EndpointRequest,
  calling: AgentCall,
  take: (turn: AgentTurn) => Promise<Taken>,
): Promise<Taken | CallToolResult> {
  const checked = await checkInput(AGENT_INPUT, calling.input, calling.published.name);
  if (!checked.ok) return failed(checked.answer.content);
  const turn = await toAgentTurn(request, calling, checked.value);
  try {
    return await take(turn);
  } catch (failure) {
    if (failure instanceof SessionErasedError) return failed(failure.message);
    if (failure instanceof SessionUnavailableError) {
      const message = `nobody knows whether turn ${turn.start.turn} was taken`;
      request.host.log(mistake(message, failure, 'request-failed'));
      return failed(mayBeTaken(turn.target, turn.start.turn));
    }
    throw failure;
  }
}

/** Goes on with a turn whose client answers what it was asked. */
async function goOnWith(
  within: EndpointRequest,
  calling: AwaitedCall,
  { session, turn, asked, isNew, sent }: ContinuedTurn,
): Promise<AgentAnswer> {
  const { published, asking, leave, onTaken } = calling;
  const { agent, name } = published;
  const target = targetOf(within, within.caller, { agent, session });
  const at = { ...within, target, signal: leave };
  const taken = await takeInputs(at, { turn, asked, responses: asking.answers, inBackground: false });
  if (!taken) throw invalidState();
  onTaken({ name, isNew, session, turn });
  try {
    const outcome = await outcomeOf(at, taken.begun, calling);
    return await toAgentAnswer({ name, target, isNew, sent }, outcome, { ...asking, before: taken });
  } catch (failure) {
    if (failure instanceof SessionErasedError) return failed(failure.message);
    throw failure;
  }
}

/** A turn that is to be started, or was. */
export interface AgentTurn extends AskedCall {
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
  const named = { agent, session: session ?? (await newSession(request, name, key)) };
  const target = targetOf(request, caller, named);
  const asked = key === undefined ? undefined : await requestKey(key, { message, session });
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
    // It is copied, so that what this deployment lacks is found out before the message is taken.
    part: { ...turnServices({ host, env, requestId }, { ...target, agent }, own) },
  };
}

/** Names a session. A retry finds the one that its first try was given, and nobody else's key leads to it. */
async function newSession({ host, caller }: EndpointRequest, name: string, key?: string): Promise<string> {
  if (key === undefined) return `mcp-${host.newId()}`;
  const hash = await sha256Hex(JSON.stringify([caller.tenant ?? null, caller.id, name, key]));
  return `mcp-${hash.slice(0, 32)}`;
}

/** Milliseconds for which a retry finds its turn, as with an `Idempotency-Key`. */
const KEY_TTL = 24 * 60 * 60 * 1000;

/** Keeps the keys of MCP apart from those of HTTP, which hold no space. */
const requestKey = async (key: string, input: AgentInput): Promise<RequestKey> => ({
  key: `mcp ${key}`,
  bodyHash: await sha256Hex(JSON.stringify([input.message, input.session ?? null])),
  ttl: KEY_TTL,
});

async function answerOf(
  request: EndpointRequest,
  turn: AgentTurn,
  calling: AwaitedCall,
): Promise<AgentAnswer> {
  const { host } = request;
  const { target, start, part } = turn;
  const sentAt = host.clock.now();
  const taken = await target.port.begin({ nonce: host.newId(), start, reader: readerOf(host.modules) });
  if (taken.status === 'leased' || taken.status === 'known') {
    const { name, isNew } = turn;
    const { turn: id } = taken.status === 'known' ? taken : start;
    calling.onTaken({ name, isNew, session: target.session, turn: id });
  }
  switch (taken.status) {
    case 'leased': {
      const begun = toRunHere({ turn: start.turn, services: part, lease: taken, sentAt });
      return toAgentAnswer(turn, await outcomeOf({ host, target }, begun, calling), calling.asking);
    }
    case 'known': {
      const begun = { turn: taken.turn };
      return toAgentAnswer(turn, await outcomeOf({ host, target }, begun, calling), calling.asking);
    }
    default:
      return notTaken(target, taken);
  }
}

/** Runs the turn if that is to be done here, and waits for what it comes to. */
function outcomeOf(
  { host, target }: Pick<SessionAccess, 'host' | 'target'>,
  begun: BegunTurn,
  { notifier, leave, position }: Pick<AwaitedCall, 'notifier' | 'leave' | 'position'>,
): Promise<TurnOutcome> | TurnOutcome {
  if (begun.later) return { status: 'kept', turn: begun.later.turn };
  const { turn, run } = begun;
  const awaited: AwaitedTurn = {
    port: target.port,
    clock: host.clock,
    meter: host.meter,
    liveText: host.liveText,
    signal: leave,
    session: target.session,
    agent: target.agent.name,
    turn,
  };
  if (!run) return outcomeElsewhere(awaited);
  const notify = notifyOf(notifier);
  const show = (item: FeedItem): void => {
    if (item.type === 'event') position.shows(item.stored.seq);
    notify(item);
  };
  return outcomeHere(awaited, followed(awaited, { show, leave }, run));
}

/** Tells a client that no answer came: the message may be stored, and sent again it would be a second one. */
const mayBeTaken = ({ path }: Target, turn: string): string =>
  `The session did not answer, and may have taken the message all the same, as turn ${turn}: GET ${path} shows it. ` +
  `Send it again only with the ${IDEMPOTENCY_KEY} that it had.`;
