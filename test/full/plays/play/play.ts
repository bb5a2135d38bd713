import type { ModuleUse } from '../../../../src/index.ts';
import type { AppOptions } from '../app/port.ts';
import { type Finding, judge } from '../judge/judge.ts';
import { Witness } from '../judge/witness.ts';
import { simulate } from '../machine/globals.ts';
import type { Deployed } from '../machine/invocations.ts';
import type { Strike } from '../machine/network.ts';
import type { ObjectClass } from '../machine/object-host.ts';
import { SimulatedPlatform } from '../machine/platform.ts';
import { createDraw, Simulation } from '../machine/simulation.ts';
import { drawPlay, type PlayScript, type SessionScript } from './draw.ts';
import { withForks } from './draw-forks.ts';
import { type ListedFork, listForks, makeFork, type SentFork } from './forks.ts';
import { OutsideWorld } from './outside.ts';
import type { Shown } from './reply.ts';
import { type Stormy, Weatherman } from './storm.ts';
import { deliver, type Erasure, erase, type Place, readEvents, type Sent, type SentReply } from './user.ts';

/** The library, as the play uses it. */
export interface Library {
  readonly SessionObject: ObjectClass;
  createApp(options: AppOptions): Omit<Deployed, 'version'> & { readonly uses: readonly ModuleUse[] };
}

/** What came of a play. */
export interface Played {
  readonly seed: number;
  readonly findings: readonly Finding[];
  readonly lines: readonly string[];
  readonly figures: Figures;
}

/** How much happened. */
export interface Figures {
  readonly messages: number;
  /** Senders who were shown how their turn ended. */
  readonly answered: number;
  readonly turns: number;
  readonly calls: number;
  readonly effects: number;
  readonly forks: number;
  readonly retries: number;
  /** Requests for forks that would repeat effects, and for retries of what was answered. */
  readonly refusals: number;
  /** Calls to objects that were sent. */
  readonly sent: number;
  /** Invocations that died in the middle. */
  readonly deaths: number;
  readonly takeOvers: number;
  readonly unknown: number;
  /** The longest that a turn took after the storm, in ms. */
  readonly longest: number;
}

/** What somebody was shown who read the events of a session until a time, in ms of the simulation. */
export interface Reader {
  readonly session: string;
  readonly shown: readonly Shown[];
  readonly until: number;
}

/** Everything that is known when a play is over. */
export interface Evidence {
  readonly script: PlayScript;
  readonly sent: readonly Sent[];
  /** How many calls were sent to objects, before anybody asked for lists. */
  readonly objectCalls: number;
  readonly forks: readonly SentFork[];
  /** What each session that somebody forked lists as its forks, when all is over; `undefined`: it is not there. */
  readonly listed: ReadonlyMap<string, readonly ListedFork[] | undefined>;
  readonly erasures: readonly Erasure[];
  readonly readers: readonly Reader[];
  readonly outside: OutsideWorld;
  readonly platform: SimulatedPlatform;
  readonly witness: Witness;
  readonly log: readonly string[];
  readonly stormEnd: number;
  readonly isOver: boolean;
}

/** After the storm everything is over within this, in ms. */
const HORIZON = 3 * 60 * 60_000;
const MOST_REQUESTS = 20_000;
/** What is late comes within this, when nobody waits any more: zombies, copies of messages, alarms. */
const AFTERWARDS = 200_000;

/** One play. */
export interface Playing {
  readonly seed: number;
  readonly isTraced?: boolean;
  /** Drawn from the seed by default. */
  readonly script?: PlayScript;
  readonly strike?: Strike;
}

/** Plays what is drawn from the seed, or what the script says. */
export async function play(
  { SessionObject, createApp }: Library,
  { seed, isTraced = false, script: given, strike }: Playing,
): Promise<Played> {
  const simulation = new Simulation(seed, isTraced);
  const stop = simulate(simulation, seed + 1);
  const log: string[] = [];
  const silence = silenced((line) => log.push(line));
  try {
    const script = given ?? withForks(createDraw(-seed), drawPlay(simulation.draw));
    const outside = new OutsideWorld(simulation);
    const witness = new Witness(simulation);
    const version = (name: 'v1' | 'v2'): Deployed => {
      const app = createApp({ outside, version: name, log: (line) => log.push(line) });
      witness.knows(app.uses);
      return { version: name, ...app };
    };
    const platform = new SimulatedPlatform({
      simulation,
      ObjectClass: SessionObject,
      observer: witness,
      leaseMs: script.leaseMs,
      hasQueue: script.hasQueue,
      deployed: () => weatherman.deployed(),
      alarmDelay: () => weatherman.alarmDelay(),
    });
    platform.network.strike = strike;
    const at: Stormy = { simulation, platform, outside, versions: [version('v1'), version('v2')] };
    const weatherman = new Weatherman(at, script.storm);
    const evidence = await performed({ ...at, script, weatherman, witness, log });
    return { seed, findings: judge(evidence), lines: simulation.lines, figures: figuresOf(evidence) };
  } finally {
    silence();
    stop();
  }
}

interface Stage extends Stormy {
  readonly script: PlayScript;
  readonly weatherman: Weatherman;
  readonly witness: Witness;
  readonly log: readonly string[];
}

async function performed({
  simulation,
  platform,
  outside,
  script,
  weatherman,
  witness,
  log,
}: Stage): Promise<Evidence> {
  const isErasable = erasable(script);
  const place: Place = {
    simulation,
    platform,
    patience: { left: MOST_REQUESTS },
    durableHead: (session) =>
      isErasable(session)
        ? Number.POSITIVE_INFINITY
        : platform.hostOf(JSON.stringify(['player', 'player', session])).durableHead,
  };
  const sent: Sent[] = [];
  const forks: SentFork[] = [];
  const erasures: Erasure[] = [];
  const readers: Reader[] = [];
  const begin = simulation.now;
  const send = async (session: string, errand: Sent['errand']): Promise<void> => {
    const one: Sent = { session, errand, replies: [], streams: [] };
    sent.push(one);
    const retry = await deliver(place, one);
    if (retry) await send(session, retry);
  };
  /** Has everything happen to a session, which is known by another id if it is a fork without a name. */
  const visit = (one: SessionScript, session: string): readonly Promise<void>[] => [
    ...[...one.errands, ...(one.retries ?? [])].map((errand) => send(session, errand)),
    ...one.erasures.map((after) => {
      const erasure: Erasure = { session, sentAt: begin + after, doneAt: undefined };
      erasures.push(erasure);
      return erase(place, erasure, after);
    }),
    ...one.readers.map(async (reader) => {
      const shown = await readEvents(place, session, reader);
      readers.push({ session, shown, until: simulation.now });
    }),
    ...(one.forks ?? []).map((errand) => {
      const fork: SentFork = { session, errand, replies: [] };
      forks.push(fork);
      return makeFork(place, fork, async (id) => void (await Promise.all(visit(errand.inside, id))));
    }),
  ];
  const work = [weatherman.blow(), ...script.sessions.flatMap((one) => visit(one, one.name))];
  let isDone = false;
  const finish = (): void => {
    isDone = true;
  };
  Promise.all(work).then(finish, (error: unknown) => {
    witness.broken = error;
    isDone = true;
  });
  const stormEnd = begin + script.storm.lasts;
  const end = stormEnd + HORIZON;
  await simulation.run(() => isDone && witness.isQuiet(platform), end);
  const isOver = isDone && witness.isQuiet(platform);
  await simulation.run(() => false, simulation.now + AFTERWARDS);
  const objectCalls = platform.network.sent;
  const listed = await listForks(place, new Set(forks.map(({ session }) => session)));
  return {
    script,
    sent,
    objectCalls,
    forks,
    listed,
    erasures,
    readers,
    outside,
    platform,
    witness,
    log,
    stormEnd,
    isOver,
  };
}

/** Tells which sessions somebody may erase, or their sources: forks begin with the name of their source. */
export function erasable({ sessions }: PlayScript): (session: string) => boolean {
  const erased = sessions.filter(({ erasures }) => erasures.length > 0);
  return (session) => erased.some(({ name }) => session.startsWith(name));
}

const isAnswer = ({ came, to }: SentReply): boolean =>
  came === 'answer' && (to === 'message' || to === 'look');

function figuresOf({ sent, objectCalls, forks, outside, witness, platform }: Evidence): Figures {
  const { turns, retries, calls, takeOvers, unknown, longest } = witness.figures;
  const asked = forks.flatMap(({ replies }) => replies);
  const refused = sent
    .flatMap(({ replies }) => replies)
    .filter((reply) => reply.came === 'gone' && reply.why === 'nothing-to-retry');
  return {
    messages: sent.length,
    answered: sent.filter(({ replies }) => replies.some(isAnswer)).length,
    turns,
    calls,
    effects: outside.effects.length,
    forks: new Set(asked.flatMap((reply) => (reply.came === 'forked' ? reply.session : []))).size,
    retries,
    refusals: asked.filter(({ came }) => came === 'would-repeat').length + refused.length,
    sent: objectCalls,
    deaths: platform.deaths,
    takeOvers,
    unknown,
    longest,
  };
}

/** What objects say to the console goes to the play's log. */
function silenced(say: (line: string) => void): () => void {
  const { error, warn, log } = console;
  const told = (...words: readonly unknown[]): void => say(words.map(String).join(' '));
  Object.assign(console, { error: told, warn: told, log: told });
  return () => void Object.assign(console, { error, warn, log });
}
