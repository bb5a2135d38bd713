import type { CallToolResult } from '@modelcontextprotocol/server';
import { toTurnStart } from '../../journal/event-rows.ts';
import type { NotStarted, RequestKey, TurnStart } from '../../journal/session-port.ts';
import { readerOf, readTurn } from '../../session/fold-session.ts';
import { runTurn } from '../../session/run-turn.ts';
import { SessionErasedError, SessionUnavailableError } from '../../session/send-again.ts';
import { fullText } from '../../session/session-full.ts';
import type { TurnHost } from '../../session/turn-host.ts';
import { type AwaitedTurn, outcomeElsewhere, outcomeHere } from '../../session/watching/turn-outcome.ts';
import { sha256Hex } from '../../tool/async.ts';
import { checkInput } from '../../tool/check-input.ts';
import type { JsonObject } from '../../tool/json.ts';
import { followed, type Run } from '../../worker/begun-turn.ts';
import type { EndpointRequest } from '../../worker/host.ts';
import { filesFullText, queueFullText } from '../../worker/refusal.ts';
import { type Target, targetOf, turnServices } from '../../worker/target.ts';
import { pendingViews } from '../../worker/turn-view.ts';
import { IDEMPOTENCY_KEY } from '../content/rpc.ts';
import { AGENT_INPUT, type AgentInput } from './agent-tool.ts';
import { type Notifier, notifyOf } from './notifier.ts';
import type { Publication } from './publish.ts';
import { type AnsweredCall, listedPending, toAgentResult } from './to-agent-result.ts';
import { failed } from './to-call-result.ts';

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
}

/**
 * Runs a turn of the agent in a session of the caller, as `POST .../messages` does, and answers what it came to.
 *
 * @throws UnknownTargetError, ConfigurationError and whatever else keeps the message from being taken, and is nothing that the
 *   model which called can change; the reason of `leave` when that aborts.
 */
export const callAgent = (request: EndpointRequest, calling: AwaitedCall): Promise<CallToolResult> =>
  takeCall(request, calling, (turn) => answerOf(request, turn, calling));

/**
 * Checks a call, and answers what `take` makes of the turn that it asks for; or, in words for the model which called, why there
 * is none.
 *
 * @throws what `callAgent` does.
 */
export async function takeCall<Taken>(
  request: EndpointRequest,
  calling: AgentCall,
  take: (turn: AgentTurn) => Promise<Taken>,
): Promise<Taken | CallToolResult> {
  const { name } = calling.published;
  const checked = await checkInput(AGENT_INPUT, calling.input, name);
  if (!checked.ok) return failed(checked.answer.content);
  const turn = await toAgentTurn(request, calling, checked.value);
  try {
    return await take(turn);
  } catch (failure) {
    if (failure instanceof SessionErasedError) return failed(failure.message);
    if (failure instanceof SessionUnavailableError) {
      const message = `nobody knows whether turn ${turn.start.turn} was taken`;
      request.host.log({ level: 'error', event: 'request-failed', message, thrown: failure });
      return failed(mayBeTaken(turn.target, turn.start.turn));
    }
    throw failure;
  }
}

/** A turn that is to be started, or was. */
export interface AgentTurn extends AnsweredCall {
  readonly start: TurnStart;
  readonly part: TurnHost;
}

async function toAgentTurn(
  request: EndpointRequest,
  { published, key }: AgentCall,
  { message, session }: AgentInput,
): Promise<AgentTurn> {
  const { host, env, caller, context, requestId } = request;
  const { name, agent } = published;
  const named = { agent, session: session ?? (await newSession(request, name, key)) };
  const target = await targetOf({ host, env }, caller, named);
  const asked = key === undefined ? undefined : await requestKey(key, { message, session });
  const start = toTurnStart({ agent, message, context, from: caller, request: asked }, host.newId);
  const own = { turn: start.turn, caller, request: request.request };
  return {
    name,
    isNew: session === undefined,
    target,
    start,
    // It is copied, so that what this deployment lacks is found out before the message is taken.
    part: { ...turnServices({ host, env, requestId }, { port: target.port, ...named }, own) },
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
  { host }: EndpointRequest,
  turn: AgentTurn,
  { notifier, leave }: AwaitedCall,
): Promise<CallToolResult> {
  const { target, start, part } = turn;
  const awaited: AwaitedTurn = {
    port: target.port,
    clock: host.clock,
    meter: host.meter,
    signal: leave,
    session: target.session,
    agent: target.agent.name,
    turn: start.turn,
  };
  const show = notifyOf(notifier);
  const sentAt = host.clock.now();
  const taken = await target.port.begin({ nonce: host.newId(), start, reader: readerOf(host.kinds) });
  switch (taken.status) {
    case 'leased': {
      const run: Run = (more) => runTurn({ ...part, ...more }, taken, sentAt);
      return toAgentResult(turn, await outcomeHere(awaited, () => followed(awaited, { show, leave }, run)));
    }
    case 'known':
      return toAgentResult(turn, await outcomeElsewhere({ ...awaited, turn: taken.turn }));
    case 'queued':
    case 'steering':
    case 'scheduled':
      throw new Error(`A message that may not wait is ${taken.status}.`);
    default:
      return notTaken(target, taken);
  }
}

/** What a client is answered whose message a session did not take. One that is known was taken: its turn is answered. */
export const notTaken = async (
  target: Target,
  refused: Exclude<NotStarted, { status: 'known' }>,
): Promise<CallToolResult> => failed(await agentRefusal(target, refused));

/** Tells the model that called why a session did not take its message. */
async function agentRefusal(
  target: Target,
  refused: Exclude<NotStarted, { status: 'known' }>,
): Promise<string> {
  switch (refused.status) {
    case 'busy':
      return (
        `The session is busy with turn ${refused.turn}. Send the message again when it has ended, or without a session ` +
        'to begin another conversation.'
      );
    case 'suspended': {
      const { turn } = refused;
      const pending = pendingViews(target, await readTurn(target.port, turn));
      return (
        `Turn ${turn} of the session waits for an answer from outside. Send the message again when that is there, or ` +
        `without a session to begin another conversation.${listedPending(pending)}`
      );
    }
    case 'key-reused':
      return `This ${IDEMPOTENCY_KEY} was used with another input. Use a new key for a new message.`;
    case 'files-full':
      return filesFullText(refused);
    case 'session-full':
      return fullText(refused);
    case 'full':
      return `${queueFullText(refused)} Send the message again when some have been answered.`;
  }
}

/** Tells a client that no answer came: the message may be stored, and sent again it would be a second one. */
const mayBeTaken = ({ path }: Target, turn: string): string =>
  `The session did not answer, and may have taken the message all the same, as turn ${turn}: GET ${path} shows it. ` +
  `Send it again only with the ${IDEMPOTENCY_KEY} that it had.`;
