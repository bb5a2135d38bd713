import { READER, readTurn } from '../../session/fold-session.ts';
import { followSession, turnEnded } from '../../session/follow-session.ts';
import type { FeedItem } from '../../session/live-feed.ts';
import { runTurn, type TurnEnd } from '../../session/run-turn.ts';
import { answerOf, toAnswer } from '../../session/turn-answer.ts';
import { toResponse } from '../answer.ts';
import { readBody } from '../body.ts';
import type { Target, WaitUntil } from '../context.ts';
import type { Env, Host } from '../host.ts';
import { parseMessageBody } from '../message-body.ts';
import { prefersAsync, wantsEvents } from '../preferences.ts';
import { type EventStream, eventStream } from '../sse.ts';
import { refusal, requestKey, toTurnStart } from '../start-turn.ts';

/** One request and what it is answered with. */
export interface Exchange {
  readonly host: Host;
  readonly env: Env;
  readonly target: Target;
  readonly request: Request;
  readonly execution: WaitUntil;
}

/** `POST .../messages`: runs a turn here, or stores it for the background, or joins the one that a retry names. */
export function postMessage(exchange: Exchange): Promise<Response> {
  const answering = answerMessage(exchange);
  // A turn that was begun is left in good order, even when its client has gone.
  exchange.execution.waitUntil(answering.catch(() => {}));
  return answering;
}

async function answerMessage(exchange: Exchange): Promise<Response> {
  const { host, env, target, request } = exchange;
  const { text, value } = await readBody(request, host.maxBodyBytes);
  const body = parseMessageBody(value);
  const key = await requestKey(request.headers, text);
  const start = toTurnStart(host, target, body, request.headers, key);
  const model = target.agent.model ?? host.model(env);
  if (prefersAsync(request)) {
    const accepted = await target.port.accept(start);
    if (accepted.status !== 'accepted' && accepted.status !== 'known') throw refusal(accepted, target.path);
    return later(target, { turn: accepted.turn, status: 'accepted' });
  }
  const sentAt = host.clock.now();
  const leased = await target.port.begin({ nonce: host.newId(), turn: start.turn, start, reader: READER });
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

type Run = (show?: (item: FeedItem) => void, leave?: AbortSignal) => Promise<TurnEnd>;

/** The answer as JSON. When another invocation goes on with the turn, this one waits for its end. */
async function answered(exchange: Exchange, turn: string, run: Run): Promise<Response> {
  const { target, request } = exchange;
  const end = await run(undefined, request.signal);
  if (end.status === 'suspended') return later(target, { turn, status: 'suspended' });
  if (end.status !== 'ended') return joined(exchange, turn);
  const answer = toAnswer(target.session, target.agent.name, end.turn);
  if (!answer) throw new Error('A turn ended without an outcome.');
  return toResponse(answer, target.path);
}

/** The answer of a turn that runs, or ran, elsewhere. */
async function joined(exchange: Exchange, turn: string): Promise<Response> {
  const { host, target, request } = exchange;
  if (wantsEvents(request)) {
    return eventStream(exchange, (stream, leave) => follow(exchange, stream, turn, 1, leave));
  }
  const { port, session, agent, path } = target;
  const events = await turnEnded({ port, clock: host.clock, turn, signal: request.signal });
  const answer = answerOf(session, agent.name, events);
  if (!answer) throw new Error('A turn ended without an outcome.');
  return toResponse(answer, path);
}

/** The turn's events as they become durable, and text as it comes; then the answer. */
function streamed(exchange: Exchange, turn: string, run: Run): Response {
  const { target } = exchange;
  return eventStream(exchange, async (stream, leave) => {
    const end = await run((item) => stream.send(item), leave);
    if (end.status === 'suspended') return;
    if (end.status !== 'ended') return follow(exchange, stream, turn, end.seq + 1, leave);
    stream.sendNamed('answer', toAnswer(target.session, target.agent.name, end.turn));
  });
}

/** Goes on from the journal to the turn's end. */
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
    if (stored.event.type !== 'turn-ended') continue;
    stream.sendNamed('answer', answerOf(session, agent.name, await readTurn(port, turn)));
    return;
  }
}

/** Tells where the turn's answer will be: it runs in the background, or waits for a decision. */
function later(
  { session, agent, path }: Target,
  { turn, status }: { readonly turn: string; readonly status: 'accepted' | 'suspended' },
): Response {
  const applied = status === 'accepted' ? { 'preference-applied': 'respond-async' } : {};
  return Response.json(
    { turn, session, agent: agent.name, status },
    { status: 202, headers: { location: path, ...applied } },
  );
}
