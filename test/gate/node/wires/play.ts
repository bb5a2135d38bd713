/** Plays a wire's session in memory, and kills invocations at the given moments. */

import type { Agent, ChatModel } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { createManualClock, createMemorySessions, type SessionPort } from '../../../../src/testing/entry.ts';
import type { LeaseGrant } from '../../../doors/journal.ts';
import { createToolKinds } from '../../../doors/kinds.ts';
import { type FeedItem, toNewMessage, toSessionName } from '../../../doors/session.ts';
import { createTurnSteps, type TurnSteps } from '../../../doors/testing.ts';
import { createFakeServer } from '../../../fixtures/mcp/fake-server.ts';
import { defineWiresAgent, type Effect } from '../../../wires/session/agent.ts';
import { createMainModel, createServers, createStops, type Servers } from '../../../wires/session/changes.ts';
import { decodeBase64, getPostedSamples, TINY_IMAGE } from '../../../wires/session/files.ts';
import { judge, type PlayedSession, type Verdict } from '../../../wires/session/judge.ts';
import { ACCEPTED_TYPES, getMedia, MODELS } from '../../../wires/session/models.ts';
import type { Change } from '../../../wires/session/names.ts';
import { type LoopName, MESSAGES } from '../../../wires/session/script.ts';
import type { WireName } from '../../../wires/session/servers.ts';
import type { Moment, Stops } from '../../../wires/session/stops.ts';
import { createFetch, type Wire } from '../../../wires/wire.ts';

export interface MemoryPlay {
  readonly wire: WireName;
  /** How the models change. If absent, one model gives all replies. */
  readonly change?: Change;
  /** Whether a client watches the turns. */
  readonly isWatched: boolean;
  readonly stops: Stops;
  /** Wraps each model. Defaults to the unchanged model. */
  readonly around?: (model: ChatModel) => ChatModel;
  /** Same as `ServerAt.wantsThoughts`. */
  readonly wantsThoughts?: false;
}

/** The result of a session played in memory. */
export interface MemoryResult {
  readonly played: PlayedSession;
  readonly verdict: Verdict;
  readonly kills: number;
}

const LEASE_MS = 20_000;

/** The maximum number of invocations of one turn. */
const MAX_INVOCATIONS = 500;

/** Plays both turns. Each invocation starts with a cold fold. */
export async function playInMemory(play: MemoryPlay): Promise<MemoryResult> {
  const { wire, change, isWatched } = play;
  const stops = createStops(play, play.stops);
  const { agentIn, effects, servers } = createStage(play);
  const agent = agentIn(1);
  const clock = createManualClock(1_000_000);
  const name = toSessionName({ owner: { id: 'tester' }, agent: wire, session: 's1' });
  const sessions = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} });
  const port = sessions.session(name);
  const model = MODELS[wire]({ baseURL: 'https://nobody.example' });
  const steps = createTurnSteps({ port, agent, model, clock, modules: MODULES });
  const restart = async (): Promise<void> => {
    sessions.restart(name);
    await clock.advance(2 * LEASE_MS);
  };
  const answers: string[] = [];
  let kills = 0;
  for (const [turn, text] of MESSAGES.entries()) {
    const leased = await steps.begin(await createMessage(turn, text, change ? undefined : wire));
    if (leased.status !== 'leased') throw new Error(`The session is ${leased.status}.`);
    const words = new Words();
    const invocations = { agentIn, before: kills };
    kills += await runWithKills({
      steps,
      leased,
      port,
      stops,
      restart,
      invocations,
      words: isWatched ? words : undefined,
    });
    const said = findLastText(await steps.events());
    answers.push(isWatched ? words.of(said) : said.text);
  }
  const events = await steps.events();
  const played = { wire, ...(change && { change }), events, answers, effects, servers };
  return { played, verdict: await judge(played), kills };
}

const MODULES = createToolKinds([files()]);

/** A user's message: the text, followed by the files that the model accepts. */
function createMessage(
  turn: number,
  text: string,
  wire: WireName | undefined,
): ReturnType<typeof toNewMessage> {
  const posted = (wire ? getPostedSamples(turn, getMedia(wire)) : []).map(
    ({ base64, ...file }) => ({ type: 'file', ...file, bytes: decodeBase64(base64) }) as const,
  );
  return toNewMessage(posted.length === 0 ? text : [{ type: 'text', text }, ...posted], MODULES.files);
}

/** A server that returns an image, like the real one. */
const createPictureServer = () =>
  createFakeServer({
    kind: 'stateless',
    tools: [
      {
        name: 'get-tiny-image',
        description: 'Answers an image.',
        annotations: { readOnlyHint: true },
        run: () => ({
          content: [
            { type: 'text', text: 'Here it is:' },
            { type: 'image', data: TINY_IMAGE, mimeType: 'image/png' },
          ],
        }),
      },
    ],
  });

interface Stage extends Pick<PlayedSession, 'effects' | 'servers'> {
  /** Returns the agent for an invocation's number. */
  readonly agentIn: (invocation: number) => Agent;
}

function createStage({ wire, change, around = (model) => model, wantsThoughts }: MemoryPlay): Stage {
  const effects: Effect[] = [];
  const session = { name: wire, wire, ...(change && { change }) };
  const servers = createServers(session);
  const getServer = (name: keyof Servers) => ({
    baseURL: `https://${name}.example/v1`,
    fetch: createDelayedFetch(servers[name] ?? servers.main),
    ...(wantsThoughts === false && { wantsThoughts }),
  });
  const createAgentFor = (invocation: number) =>
    defineWiresAgent({
      name: wire,
      models: mapLoops((loop) =>
        around(
          loop === 'main' ? createMainModel(session, getServer, invocation) : MODELS[wire](getServer(loop)),
        ),
      ),
      accepts: ACCEPTED_TYPES[wire],
      mcp: createPictureServer(),
      async recordEffect(effect) {
        effects.push(effect);
        await waitForTask();
      },
    });
  return { agentIn: createAgentFor, effects, servers };
}

const mapLoops = <T>(make: (loop: LoopName) => T): Record<LoopName, T> => ({
  main: make('main'),
  research: make('research'),
  order: make('order'),
});

/** Delays each request to a server and each effect of a tool, so that earlier events are stored first. */
const waitForTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

const createDelayedFetch = (server: Wire): typeof fetch => {
  const answer = createFetch(server);
  return async (input, init) => {
    await waitForTask();
    return answer(input, init);
  };
};

interface TurnRun {
  readonly steps: TurnSteps;
  readonly leased: LeaseGrant;
  readonly port: SessionPort;
  readonly stops: Stops;
  /** Restarts the object, and lets the lease expire. */
  readonly restart: () => Promise<void>;
  /** The agent of each invocation, and the number of invocations before this turn. */
  readonly invocations: { readonly agentIn: (invocation: number) => Agent; readonly before: number };
  readonly words: Words | undefined;
}

/** Runs a turn to its end. Returns the number of kills. */
async function runWithKills({
  steps,
  leased: first,
  port,
  stops,
  restart,
  invocations,
  words,
}: TurnRun): Promise<number> {
  const turn = first.page.openTurn?.id ?? '';
  for (let [leased, kills] = [first, 0]; kills < MAX_INVOCATIONS; kills += 1) {
    const over = Promise.withResolvers<'killed'>();
    const killable = createKillablePort(port, stops, () => over.resolve('killed'));
    const more = words && { show: words.take };
    const agent = invocations.agentIn(1 + invocations.before + kills);
    const end = await Promise.race([steps.run(leased, { port: killable, agent, ...more }), over.promise]);
    if (end !== 'killed') {
      if (end.status === 'ended') return kills;
      throw new Error(`An invocation ended with the status ${end.status}.`);
    }
    await restart();
    const next = await steps.resume(turn);
    // The end was stored before the kill.
    if (next.status === 'not-open') return kills + 1;
    if (next.status !== 'leased') throw new Error(`The turn is ${next.status}.`);
    leased = next;
  }
  throw new Error(`The turn did not end within ${MAX_INVOCATIONS} invocations.`);
}

/** The session as seen by one invocation, which receives no responses after its kill. */
function createKillablePort(port: SessionPort, stops: Stops, onEnd: () => void): SessionPort {
  let isOver = false;
  const never = new Promise<never>(() => {});
  const checkMoment = (moment: Moment): boolean => {
    if (!isOver && stops.endsAt(moment)) {
      isOver = true;
      onEnd();
    }
    return !isOver;
  };
  return {
    ...port,
    async append(epoch, from, change) {
      const types = change.events.map(({ type }) => type);
      const isEmpty = types.length === 0;
      if (isOver || (!isEmpty && !checkMoment({ side: 'before', seq: from, types }))) return never;
      const answer = await port.append(epoch, from, change);
      return isEmpty || checkMoment({ side: 'after', seq: from, types }) ? answer : never;
    },
    renew: (epoch) => (isOver ? never : port.renew(epoch)),
  };
}

interface TimedText {
  readonly seq: number;
  readonly text: string;
}

/** The last reply of the turn's own loop. */
function findLastText(events: readonly StoredEvent[]): TimedText {
  const last = events.findLast((event) => event.type === 'model-replied' && event.frame === undefined);
  if (last?.type !== 'model-replied') throw new Error('The turn has no reply.');
  return { seq: last.seq, text: last.text };
}

/** The text that a watching client reads. */
class Words {
  readonly #streamed = new Map<string, string>();
  readonly #stored = new Map<number, string>();

  readonly take = (item: FeedItem): void => {
    if (item.type === 'text-delta')
      this.#streamed.set(item.reply, (this.#streamed.get(item.reply) ?? '') + item.text);
    if (item.type === 'reply-restarted') this.#streamed.delete(item.reply);
    if (item.type === 'event' && item.stored.type === 'model-replied')
      this.#stored.set(item.stored.seq, item.stored.text);
  };

  /** Returns a stored reply's streamed text, or its stored text if an earlier invocation streamed it. */
  of({ seq }: TimedText): string {
    const streamed = [...this.#streamed].find(([reply]) => reply.endsWith(`.${seq}`));
    return streamed?.[1] ?? this.#stored.get(seq) ?? '';
  }
}
