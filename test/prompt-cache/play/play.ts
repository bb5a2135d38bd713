/**
 * Plays a session of a scenario on one wire: the real loop, the provider's package, and a strict local server.
 * Records the body of every HTTP request, with its loop and its reply.
 */

import type { Agent } from '../../../src/index.ts';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import { inspect, type LoopPlace } from '../../../src/modules/inspect/entry.ts';
import { createTestSession } from '../../../src/testing/entry.ts';
import type { ScriptTurn, Wire } from '../../wires/wire.ts';
import type { SentRequest } from '../measure/measure-session.ts';
import type { MeasuredWire } from './wires.ts';

/** A session: the user's messages, and the replies of the models. */
export interface Session {
  readonly agent: Agent;
  /** The replies in the turn's own loop, one list per message. */
  readonly turns: readonly ScriptTurn[];
  /**
   * The replies in nested loops, by the name of the tool that opens them. Each list is for one loop, in order.
   */
  readonly nested?: Readonly<Record<string, readonly ScriptTurn[]>>;
}

export interface PlayedSession {
  readonly requests: readonly SentRequest[];
  readonly events: readonly StoredEvent[];
}

/**
 * @throws Error if a request is refused, or a turn has no answer, because the script and the loop do not
 * match.
 */
export async function playSession(session: Session, wire: MeasuredWire): Promise<PlayedSession> {
  const servers = createServers(session, wire);
  const sent: Omit<SentRequest, 'reply'>[] = [];
  let place: LoopPlace | undefined;
  const answerRequest: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const text = await request.clone().text();
    const body: unknown = JSON.parse(text);
    if (!place) throw new Error('A model request was sent outside a loop.');
    // The comparison serializes the parsed body again, so this must reproduce the original.
    if (JSON.stringify(body) !== text)
      throw new Error('The request body differs from the output of JSON.stringify().');
    const { frame, path } = place;
    sent.push({ frame, path, body });
    return servers.of(place).handle(request);
  };
  const watched: Agent = {
    ...session.agent,
    uses: [
      ...session.agent.uses,
      inspect({
        beforeModelCall: ({ session: id, turn, frame, path, iteration, principal }) => {
          place = { session: id, turn, frame, path, iteration, principal };
        },
      }),
    ],
  };
  const model = wire.model({ baseURL: 'https://wire.test/v1', fetch: answerRequest });
  // The session is warm, because a cold session connects to its MCP servers before each request, which takes
  // five times as long.
  const talk = createTestSession(watched, { model, warm: true });
  for (const turn of session.turns.keys()) {
    const { outcome, text, ...rest } = await talk.send(`Message ${turn + 1}: go on.`);
    const refused = servers.all().flatMap((server) => server.refused.map(({ message }) => message));
    if ((outcome === 'completed' || outcome === 'limit-reached') && refused.length === 0) continue;
    throw new Error(`Turn ${turn + 1} ended with ${outcome}: ${refused[0] ?? text}\n${JSON.stringify(rest)}`);
  }
  const events = await talk.events();
  return { requests: withReplies(sent, events), events };
}

/** Requests are sequential, and each has a reply. */
function withReplies(
  sent: readonly Omit<SentRequest, 'reply'>[],
  events: readonly StoredEvent[],
): readonly SentRequest[] {
  const replies = events.flatMap((event) =>
    event.type === 'model-replied' ? [{ seq: event.seq, frame: event.frame ?? '' }] : [],
  );
  if (replies.length !== sent.length)
    throw new Error(
      `The number of requests (${sent.length}) differs from the number of replies in the journal (${replies.length}).`,
    );
  return sent.map((request, index) => {
    const reply = replies[index];
    if (reply?.frame !== request.frame)
      throw new Error(`Request ${index + 1} and its reply belong to different loops.`);
    return { ...request, reply: reply.seq };
  });
}

interface Servers {
  of(place: LoopPlace): Wire;
  all(): readonly Wire[];
}

/** Creates one server for each loop, because each loop starts a conversation. */
function createServers({ turns, nested = {} }: Session, wire: MeasuredWire): Servers {
  // Wires recognize an answer by its text, so each answer must be unique.
  const distinct = turns.map((turn, at) => ({ ...turn, answer: `${turn.answer} That was turn ${at + 1}.` }));
  const servers = new Map([['', wire.server({ script: { turns: distinct }, seed: 'root' })]]);
  const opened = new Map<string, number>();
  return {
    all: () => [...servers.values()],
    of({ frame, path }) {
      const known = servers.get(frame);
      if (known) return known;
      const name = path.split('/').at(-1) ?? '';
      const count = opened.get(name) ?? 0;
      opened.set(name, count + 1);
      const turn = nested[name]?.[count];
      if (!turn) throw new Error(`The scenario has no script for loop ${count + 1} of '${name}'.`);
      const made = wire.server({ script: { turns: [turn] }, seed: `${name}${count}` });
      servers.set(frame, made);
      return made;
    },
  };
}
