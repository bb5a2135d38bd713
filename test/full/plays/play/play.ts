import type { ModuleUse } from '../../../../src/index.ts';
import type { AppOptions } from '../app/port.ts';
import { type Finding, judge } from '../judge/judge.ts';
import { Witness } from '../judge/witness.ts';
import { simulate } from '../machine/globals.ts';
import type { Deployment } from '../machine/invocations.ts';
import type { Strike } from '../machine/network.ts';
import type { ObjectClass } from '../machine/object-host.ts';
import { SimulatedPlatform } from '../machine/platform.ts';
import { createDraw, Simulation } from '../machine/simulation.ts';
import { drawPlay, type PlayScript, type SessionScript } from './draw.ts';
import { withForks } from './draw-forks.ts';
import { type ListedFork, listForks, makeFork, type SentFork } from './forks.ts';
import { OutsideWorld } from './outside.ts';
import type { ShownEvent } from './reply.ts';
import { FaultInjector, type StormTargets } from './storm.ts';
import {
  deliver,
  type Erasure,
  erase,
  type Place,
  readEvents,
  type SentMessage,
  type SentReply,
} from './user.ts';

/** The parts of the library that a play uses. */
export interface Library {
  readonly SessionObject: ObjectClass;
  createApp(options: AppOptions): Omit<Deployment, 'version'> & { readonly uses: readonly ModuleUse[] };
}

/** The result of a play. */
export interface PlayOutcome {
  readonly seed: number;
  readonly findings: readonly Finding[];
  readonly lines: readonly string[];
  readonly figures: Figures;
}

/** The counts of a play. */
export interface Figures {
  readonly messages: number;
  /** The number of senders who received the outcome of their turn. */
  readonly answered: number;
  readonly turns: number;
  readonly calls: number;
  readonly effects: number;
  readonly forks: number;
  readonly retries: number;
  /** The number of refused requests: forks that would repeat effects, and retries of answered turns. */
  readonly refusals: number;
  /** The number of calls that were sent to objects. */
  readonly sent: number;
  /** The number of invocations that died during their work. */
  readonly deaths: number;
  readonly takeOvers: number;
  readonly unknown: number;
  /** The longest duration of a turn after the storm, in ms. */
  readonly longest: number;
}

/** The events that a client read from a session up to a time, in simulated ms. */
export interface Reader {
  readonly session: string;
  readonly shown: readonly ShownEvent[];
  readonly until: number;
}

/** All data at the end of a play. */
export interface Evidence {
  readonly script: PlayScript;
  readonly sent: readonly SentMessage[];
  /** The number of calls to objects before the fork lists were read. */
  readonly objectCalls: number;
  readonly forks: readonly SentFork[];
  /** The final fork list of each forked session, or `undefined` if the session does not exist. */
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

/** The maximum time from the end of the storm to the end of the play, in ms. */
const HORIZON_MS = 3 * 60 * 60_000;
const MAX_REQUESTS = 20_000;
/** The time for late events after all senders are done, in ms: zombies, duplicated messages and alarms. */
const SETTLE_MS = 200_000;

/** The inputs of one play. */
export interface PlayOptions {
  readonly seed: number;
  readonly isTraced?: boolean;
  /** Defaults to a script that is drawn from the seed. */
  readonly script?: PlayScript;
  readonly strike?: Strike;
}

/** Runs one play. */
export async function play(
  { SessionObject, createApp }: Library,
  { seed, isTraced = false, script: given, strike }: PlayOptions,
): Promise<PlayOutcome> {
  const simulation = new Simulation(seed, isTraced);
  const stop = simulate(simulation, seed + 1);
  const log: string[] = [];
  const silence = silenceConsole((line) => log.push(line));
  try {
    const script = given ?? withForks(createDraw(-seed), drawPlay(simulation.draw));
    const outside = new OutsideWorld(simulation);
    const witness = new Witness(simulation);
    const deployVersion = (name: 'v1' | 'v2'): Deployment => {
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
    const at: StormTargets = {
      simulation,
      platform,
      outside,
      versions: [deployVersion('v1'), deployVersion('v2')],
    };
    const weatherman = new FaultInjector(at, script.storm);
    const evidence = await perform({ ...at, script, weatherman, witness, log });
    return { seed, findings: judge(evidence), lines: simulation.lines, figures: computeFigures(evidence) };
  } finally {
    silence();
    stop();
  }
}

interface Stage extends StormTargets {
  readonly script: PlayScript;
  readonly weatherman: FaultInjector;
  readonly witness: Witness;
  readonly log: readonly string[];
}

async function perform({
  simulation,
  platform,
  outside,
  script,
  weatherman,
  witness,
  log,
}: Stage): Promise<Evidence> {
  const isErasable = isErasableIn(script);
  const place: Place = {
    simulation,
    platform,
    patience: { left: MAX_REQUESTS },
    durableHead: (session) =>
      isErasable(session)
        ? Number.POSITIVE_INFINITY
        : platform.hostOf(JSON.stringify(['player', 'player', session])).durableHead,
  };
  const sent: SentMessage[] = [];
  const forks: SentFork[] = [];
  const erasures: Erasure[] = [];
  const readers: Reader[] = [];
  const begin = simulation.now;
  const send = async (session: string, errand: SentMessage['errand']): Promise<void> => {
    const one: SentMessage = { session, errand, replies: [], streams: [] };
    sent.push(one);
    const retry = await deliver(place, one);
    if (retry) await send(session, retry);
  };
  /** Runs all actions on a session. The id of an unnamed fork differs from the id in its script. */
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
  const end = stormEnd + HORIZON_MS;
  await simulation.run(() => isDone && witness.isQuiet(platform), end);
  const isOver = isDone && witness.isQuiet(platform);
  await simulation.run(() => false, simulation.now + SETTLE_MS);
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

/**
 * Returns a function that checks whether a session or its source may be erased. The name of a fork begins with
 * the name of its source.
 */
export function isErasableIn({ sessions }: PlayScript): (session: string) => boolean {
  const erased = sessions.filter(({ erasures }) => erasures.length > 0);
  return (session) => erased.some(({ name }) => session.startsWith(name));
}

const isAnswer = ({ came, to }: SentReply): boolean =>
  came === 'answer' && (to === 'message' || to === 'look');

function computeFigures({ sent, objectCalls, forks, outside, witness, platform }: Evidence): Figures {
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

/** Redirects console output to the play's log. */
function silenceConsole(say: (line: string) => void): () => void {
  const { error, warn, log } = console;
  const logWords = (...words: readonly unknown[]): void => say(words.map(String).join(' '));
  Object.assign(console, { error: logWords, warn: logWords, log: logWords });
  return () => void Object.assign(console, { error, warn, log });
}
