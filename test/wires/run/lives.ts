/**
 * Plays sessions in one Worker, one life after another. When each session has ended or has reached the end of
 * its life, the process is killed and restarted on the same storage.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKillable } from '../../full/process/killable-worker.ts';
import { buildWorker } from '../../full/process/start-worker.ts';
import { getPostedSamples } from '../session/files.ts';
import { judge, type Verdict } from '../session/judge.ts';
import { getMedia } from '../session/models.ts';
import type { Session } from '../session/names.ts';
import { MESSAGES } from '../session/script.ts';
import { readJournal, sendUntilAnswered } from './client.ts';
import type { Place, World } from './world.ts';

const ENTRY = 'test/wires/session/worker.ts';

/** The lease in ms. It is long enough that the lease of a holder on a slow machine does not expire. */
const LEASE_MS = 60_000;

/** The timeout of a session in one life in ms, and the time that is added for each other session. */
const [PATIENCE, MORE] = [120_000, 6_000];

/** The interval between progress reports, in ms. */
const PROGRESS_MS = 20_000;

/** The outcome of one session. */
export interface SessionResult {
  readonly session: Session;
  readonly kills: number;
  readonly outcome: { readonly verdict: Verdict } | { readonly failed: string };
}

export interface LivesRun {
  readonly world: World;
  readonly sessions: readonly Session[];
  /** The path of an empty folder for the run. */
  readonly directory: string;
  /** Receives progress lines. */
  readonly say: (line: string) => void;
  /** The timeout of a session in one life, in ms. Defaults to several minutes, and longer for many sessions. */
  readonly patience?: number;
}

/**
 * Plays all sessions. A session that does not reach the end of a life in time fails, and the others continue.
 */
export async function playLives(run: LivesRun): Promise<readonly SessionResult[]> {
  const { world, sessions, directory, say, patience = PATIENCE + MORE * sessions.length } = run;
  const bundle = join(directory, 'worker.js');
  writeFileSync(bundle, await buildWorker(ENTRY));
  const plays = sessions.map((session) => new Play(session, getPlace(world, session), patience));
  for (let life = 1; ; life += 1) {
    const began = performance.now();
    const vars = {
      WIRES_URL: world.url,
      MCP_URL: world.mcpUrl,
      LEASE_MS: String(LEASE_MS),
      LIFE: String(life),
      PLAYED: sessions.map(({ name }) => name).join(),
    };
    const worker = await startKillable(ENTRY, { bundle, vars, storage: join(directory, 'storage') });
    const started = performance.now() - began;
    const progress = setInterval(() => say(formatProgress(life, plays)), PROGRESS_MS);
    try {
      await Promise.all(plays.map((play) => play.live(worker.url)));
    } finally {
      clearInterval(progress);
      await worker.kill();
      world.forgetStopped();
    }
    const left = plays.filter(({ isOver }) => !isOver).length;
    say(formatLife(life, { started, lasted: performance.now() - began, over: plays.length - left, plays }));
    if (left === 0) return plays.map((play) => play.result());
  }
}

interface LifeReport {
  readonly started: number;
  readonly lasted: number;
  readonly over: number;
  readonly plays: readonly Play[];
}

const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const formatLife = (life: number, { started, lasted, over, plays }: LifeReport): string =>
  `life ${life}: started in ${formatSeconds(started)}, killed after ${formatSeconds(lasted)}; ${over} of ${plays.length} sessions are over`;

const formatProgress = (life: number, plays: readonly Play[]): string => {
  const [first, ...more] = plays.filter(({ isLiving }) => isLiving);
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return `life ${life}: ${plays.length - more.length - (first ? 1 : 0)} of ${plays.length} sessions are done with it; waits for ${first?.where()}${others}`;
};

function getPlace({ places }: World, { name }: Session): Place {
  const place = places.get(name);
  if (!place) throw new Error(`The session '${name}' is not part of this run.`);
  return place;
}

/** One session across its lives. */
class Play {
  readonly #session: Session;
  readonly #place: Place;
  readonly #answers: string[] = [];
  readonly #patience: number;
  #kills = 0;
  #isLiving = false;
  /** The reason for the last repeat of its message. */
  #again = '';
  #outcome: SessionResult['outcome'] | undefined;

  constructor(session: Session, place: Place, patience: number) {
    this.#patience = patience;
    this.#session = session;
    this.#place = place;
  }

  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /** `true` while this life waits for the session. */
  get isLiving(): boolean {
    return this.#isLiving;
  }

  /** Plays until the session ends, reaches the end of this life, or times out. */
  async live(url: string): Promise<void> {
    if (this.isOver) return;
    this.#isLiving = true;
    this.#again = '';
    const leave = new AbortController();
    const stopped = Promise.withResolvers<'stopped'>();
    this.#place.onStop = () => stopped.resolve('stopped');
    const talk = this.#talk(url, leave.signal);
    const late = setTimeout(() => stopped.reject(new Error(this.#late())), this.#patience);
    try {
      if ((await Promise.race([talk, stopped.promise])) === 'stopped') this.#kills += 1;
    } catch (failure) {
      this.#outcome = { failed: failure instanceof Error ? failure.message : String(failure) };
    } finally {
      this.#isLiving = false;
      clearTimeout(late);
      leave.abort();
      talk.catch(() => {}); // the kill breaks the connection, which rejects the promise
    }
  }

  /** @throws Error if the session has not ended. */
  result(): SessionResult {
    if (!this.#outcome) throw new Error(`The session has not ended: ${this.where()}.`);
    return { session: this.#session, kills: this.#kills, outcome: this.#outcome };
  }

  /** Returns the session's name and its last append. */
  where(): string {
    const { side, seq, types } = this.#place.moments.at(-1) ?? { side: 'before', seq: 1, types: [] };
    return `${this.#session.name}, ${side} ${types.join(' and ') || 'anything'} at ${seq}`;
  }

  /** Sends the remaining messages, and reads the journal at the end. */
  async #talk(url: string, signal: AbortSignal): Promise<void> {
    const onAgain = (why: string): void => {
      this.#again = why;
    };
    const asked = { url, session: this.#session, signal, onAgain };
    const { servers, effects } = this.#place;
    const { wire, name, change } = this.#session;
    for (const [turn, text] of MESSAGES.entries()) {
      if (turn < this.#answers.length) continue;
      const files = change ? [] : getPostedSamples(turn, getMedia(wire));
      const message = { text, files, form: turn === 0 ? 'json' : 'multipart' } as const;
      const answer = await sendUntilAnswered(asked, message, `${name}-${turn}`);
      signal.throwIfAborted();
      this.#answers.push(answer);
    }
    const events = await readJournal(asked);
    signal.throwIfAborted();
    const verdict = await judge({
      wire,
      ...(change && { change }),
      events,
      answers: this.#answers,
      effects,
      servers,
    });
    this.#outcome = { verdict };
  }

  #late(): string {
    const again = this.#again && ` Its client was last answered: ${this.#again}`;
    return `stood still for ${this.#patience / 1000} s after ${this.#kills} kills: ${this.where()}.${again}`;
  }
}
