/**
 * Plays sessions in one Worker, life after life: when each of them has come to where its life ends, or is over, the whole
 * process is killed, and started anew over the same storage.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKillable } from '../../full/process/killable-worker.ts';
import { buildWorker } from '../../full/process/start-worker.ts';
import { postedIn } from '../session/files.ts';
import { judge, type Verdict } from '../session/judge.ts';
import { mediaOf } from '../session/models.ts';
import type { Session } from '../session/names.ts';
import { MESSAGES } from '../session/script.ts';
import { answerTo, journalOf } from './client.ts';
import type { Place, World } from './world.ts';

const ENTRY = 'test/wires/session/worker.ts';

/** How long a holder may be silent, in ms: nobody on a slow machine is taken for dead. */
const LEASE_MS = 60_000;

/** How long a life may take before the run is given up, in ms, and how much longer for each of its sessions. */
const [PATIENCE, MORE] = [120_000, 10_000];

/** What came of one session. */
export interface Result {
  readonly session: Session;
  readonly verdict: Verdict;
  readonly kills: number;
}

export interface Run {
  readonly world: World;
  readonly sessions: readonly Session[];
  /** An empty folder. */
  readonly directory: string;
  /** Is told how it goes. */
  readonly say: (line: string) => void;
}

/** @throws Error when a session neither ends nor comes to the end of its life. */
export async function playLives({ world, sessions, directory, say }: Run): Promise<readonly Result[]> {
  const bundle = join(directory, 'worker.js');
  writeFileSync(bundle, await buildWorker(ENTRY));
  const patience = PATIENCE + MORE * sessions.length;
  const plays = sessions.map((session) => new Play(session, placeOf(world, session), patience));
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
    try {
      await Promise.all(plays.map((play) => play.live(worker.url)));
    } finally {
      await worker.kill();
      world.forgetStopped();
    }
    const over = plays.filter(({ isOver }) => isOver).length;
    say(lifeLine(life, { started, lasted: performance.now() - began, over, of: plays.length }));
    if (over === plays.length) return plays.map((play) => play.result());
  }
}

interface LifeTold {
  readonly started: number;
  readonly lasted: number;
  readonly over: number;
  readonly of: number;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const lifeLine = (life: number, { started, lasted, over, of }: LifeTold): string =>
  `life ${life}: started in ${seconds(started)}, killed after ${seconds(lasted)}; ${over} of ${of} sessions are over`;

function placeOf({ places }: World, { name }: Session): Place {
  const place = places.get(name);
  if (!place) throw new Error(`The world has no session '${name}'.`);
  return place;
}

/** One session across its lives. */
class Play {
  readonly #session: Session;
  readonly #place: Place;
  readonly #answers: string[] = [];
  readonly #patience: number;
  #kills = 0;
  #verdict: Verdict | undefined;

  constructor(session: Session, place: Place, patience: number) {
    this.#patience = patience;
    this.#session = session;
    this.#place = place;
  }

  get isOver(): boolean {
    return this.#verdict !== undefined;
  }

  /** Goes on until the session is over, or has come to where this life ends. @throws Error when neither comes. */
  async live(url: string): Promise<void> {
    if (this.isOver) return;
    const leave = new AbortController();
    const stopped = Promise.withResolvers<'stopped'>();
    this.#place.onStop = () => stopped.resolve('stopped');
    const talk = this.#talk(url, leave.signal);
    const late = setTimeout(() => stopped.reject(new Error(this.#stuck())), this.#patience);
    try {
      if ((await Promise.race([talk, stopped.promise])) === 'stopped') this.#kills += 1;
    } finally {
      clearTimeout(late);
      leave.abort();
      talk.catch(() => {}); // its connection is lost
    }
  }

  result(): Result {
    if (!this.#verdict) throw new Error(this.#stuck());
    return { session: this.#session, verdict: this.#verdict, kills: this.#kills };
  }

  /** Sends what is still to be sent, and reads the journal at the end. */
  async #talk(url: string, signal: AbortSignal): Promise<void> {
    const asked = { url, session: this.#session, signal };
    const { servers, effects } = this.#place;
    const { wire, name, change } = this.#session;
    for (const [turn, text] of MESSAGES.entries()) {
      if (turn < this.#answers.length) continue;
      const files = change ? [] : postedIn(turn, mediaOf(wire));
      const message = { text, files, form: turn === 0 ? 'json' : 'multipart' } as const;
      const answer = await answerTo(asked, message, `${name}-${turn}`);
      signal.throwIfAborted();
      this.#answers.push(answer);
    }
    const events = await journalOf(asked);
    signal.throwIfAborted();
    this.#verdict = await judge({
      wire,
      ...(change && { change }),
      events,
      answers: this.#answers,
      effects,
      servers,
    });
  }

  #stuck(): string {
    const last = this.#place.moments.at(-1);
    return `${this.#session.name} stands still after ${this.#kills} kills, behind ${JSON.stringify(last)}.`;
  }
}
