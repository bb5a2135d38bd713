import { NewerEventError } from '../../journal/parse-event.ts';
import type { TurnStart } from '../../journal/session-port.ts';
import { READER, readTurn } from '../../session/fold-session.ts';
import { followSession, turnStopped } from '../../session/follow-session.ts';
import type { FeedItem } from '../../session/live-feed.ts';
import { SessionUnavailableError } from '../../session/object-session.ts';
import { runTurn, type TurnEnd } from '../../session/run-turn.ts';
import { toTurnStart } from '../../session/start-turn.ts';
import { answerOf, toAnswer } from '../../session/turn-answer.ts';
import { toResponse } from '../answer.ts';
import { readBody } from '../body.ts';
import { contextOfHeaders } from '../context-headers.ts';
import type { Exchange } from '../exchange.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import { parseMessageBody } from '../message-body.ts';
import { prefersAsync, wantsEvents } from '../preferences.ts';
import { Problem } from '../problem.ts';
import { refusal } from '../refusal.ts';
import { type EventStream, eventStream } from '../sse.ts';
import type { Target } from '../target.ts';

/** `POST .../messages`: runs a turn here, or stores it for the background, or joins the one that a retry names. */
export function postMessage(exchange: Exchange): Promise<Response> {
  const answering = answerMessage(exchange);
  // A turn that was begun is left in good order, even when its client has gone.
  exchange.execution.waitUntil(answering.catch(() => {}));
  return answering;
}

async function answerMessage(exchange: Exchange): Promise<Response> {
  const { host, env, target, request } = exchange;
  const start = await readStart(exchange);
  const model = target.agent.model ?? host.model(env);
  if (prefersAsync(request)) {
    const accepted = await mayBeTaken(target, start.turn, () => target.port.accept(start));
    if (accepted.status !== 'accepted' && accepted.status !== 'known') throw refusal(accepted, target.path);
    return later(target, accepted.turn, 'accepted');
  }
  const sentAt = host.clock.now();
  const begin = { nonce: host.newId(), start, reader: READER };
  const leased = await mayBeTaken(target, start.turn, () => target.port.begin(begin));
  if (leased.status === 'known') return joined(exchange, leased.turn);
  if (leased.status !== 'leased') throw refusal(leased, target.path);
  const run = (show?: (item: FeedItem) => void, leave?: AbortSignal): Promise<TurnEnd> =>
    runTurn(
      { port: target.port, agent: target.agent, model, clock: host.clock, show, leave },
      leased,
      sentAt,
    );
  return wantsEvents(request) ? streamed(exchange, start.turn, run) : answered(exchange, start.turn, run);
}

/** What a client is told when no answer came: the message may be stored, and sent again it would be a second one. */
async function mayBeTaken<T>({ path }: Target, turn: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (failure) {
    if (!(failure instanceof SessionUnavailableError)) throw failure;
    throw new Problem(
      503,
      'session-unavailable',
      `The session did not answer, and may have taken the message all the same, as turn ${turn}: GET ${path} shows it. ` +
        'Send it again only with the Idempotency-Key that it had.',
      { headers: { 'retry-after': '1' }, more: { turn } },
    );
  }
}

/** The turn that a message asks for. @throws Problem when it is not a message. */
async function readStart({ host, target, request }: Exchange): Promise<TurnStart> {
  const { text, value } = await readBody(request, host.maxBodyBytes);
  const { message, context, loopId } = parseMessageBody(value);
  const fromHeaders = contextOfHeaders(request.headers, host.contextHeaders);
  const start = {
    agent: target.agent.name,
    message,
    context: fromHeaders.merge(context),
    loopId,
    from: target.caller,
    request: await idempotencyKey(request.headers, text),
  };
  return toTurnStart(start, host.newId);
}

type Run = (show?: (item: FeedItem) => void, leave?: AbortSignal) => Promise<TurnEnd>;

/** The answer as JSON. When another invocation goes on with the turn, this one waits for its end. */
async function answered(exchange: Exchange, turn: string, run: Run): Promise<Response> {
  const { target, request } = exchange;
  const end = await run(undefined, request.signal).catch(keptFor);
  if (end === 'kept') return later(target, turn, 'accepted');
  if (end.status === 'suspended') return later(target, turn, 'suspended');
  if (end.status !== 'ended') {
    const answer = await joined(exchange, turn).catch(keptFor);
    return answer === 'kept' ? later(target, turn, 'accepted') : answer;
  }
  const answer = toAnswer(target.session, target.agent.name, end.turn);
  if (!answer) throw new Error('A turn ended without an outcome.');
  return toResponse(answer, target.path);
}

/** The turn is stored: what this invocation cannot read now, another one will. */
function keptFor(failure: unknown): 'kept' {
  if (failure instanceof NewerEventError || failure instanceof SessionUnavailableError) return 'kept';
  throw failure;
}

/** The answer of a turn that runs, or ran, elsewhere, or waits. */
async function joined(exchange: Exchange, turn: string): Promise<Response> {
  const { host, target, request } = exchange;
  if (wantsEvents(request)) {
    return eventStream(exchange, (stream, leave) => follow(exchange, stream, turn, 1, leave));
  }
  const { port, session, agent, path } = target;
  const events = await turnStopped({ port, clock: host.clock, turn, signal: request.signal });
  const answer = answerOf(session, agent.name, events);
  return answer ? toResponse(answer, path) : later(target, turn, 'suspended');
}

/** The turn's events as they become durable, and text as it comes; last the answer, or that it is suspended. */
function streamed(exchange: Exchange, turn: string, run: Run): Response {
  const { target } = exchange;
  return eventStream(exchange, async (stream, leave) => {
    const end = await run((item) => stream.send(item), leave);
    if (end.status === 'suspended') return stream.sendNamed('suspended', stage(target, turn, 'suspended'));
    if (end.status !== 'ended') return follow(exchange, stream, turn, end.seq + 1, leave);
    stream.sendNamed('answer', toAnswer(target.session, target.agent.name, end.turn));
  });
}

/** Goes on from the journal until the turn has ended or waits; then says so. */
async function follow(
  { host, target }: Exchange,
  stream: EventStream,
  turn: string,
  from: number,
  signal: AbortSignal,
): Promise<void> {
  const { port, session, agent } = target;
  for await (const stored of followSession({ port, clock: host.clock, from, turn, signal })) {
    stream.send({ type: 'event', stored });
    await stream.room();
  }
  if (signal.aborted) return;
  const answer = answerOf(session, agent.name, await readTurn(port, turn));
  if (answer) stream.sendNamed('answer', answer);
  else stream.sendNamed('suspended', stage(target, turn, 'suspended'));
}

/** Tells where the turn's answer will be: it runs in the background, or waits for a decision. */
function later(target: Target, turn: string, status: 'accepted' | 'suspended'): Response {
  const applied = status === 'accepted' ? { 'preference-applied': 'respond-async' } : {};
  const headers = { location: target.path, ...applied };
  return Response.json(stage(target, turn, status), { status: 202, headers });
}

/** What is said of a turn that has no answer yet. */
const stage = ({ session, agent }: Target, turn: string, status: 'accepted' | 'suspended'): unknown => ({
  turn,
  session,
  agent: agent.name,
  status,
});
