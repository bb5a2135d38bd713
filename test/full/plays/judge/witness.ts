import type { ModuleUse } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { parseEvent } from '../../../doors/journal.ts';
import type { Observer } from '../machine/network.ts';
import type { LiveObject, ObjectHost } from '../machine/object-host.ts';
import type { SimulatedPlatform } from '../machine/platform.ts';
import type { Simulation } from '../machine/simulation.ts';
import { Folds, type StoredSnapshot } from './folds.ts';

/** Something that must not be. */
export interface Finding {
  /** The rule that is broken. */
  readonly rule: string;
  /** The message, call or session that breaks it. */
  readonly where: string;
  readonly what: string;
}

/** A page of the journal, as an object answers it. */
interface Page {
  readonly rows: readonly {
    readonly seq: number;
    readonly at: number;
    readonly type: string;
    readonly turn: string;
    readonly body: string;
  }[];
  readonly next: number | null;
}

/** Looks at every call to an object while a play goes on. */
export class Witness implements Observer {
  readonly findings: Finding[] = [];
  readonly folds = new Folds();
  /** Turns of sessions that were erased, by the session. */
  readonly erasedTurns = new Map<string, Set<string>>();
  /** Journals of sessions that were erased, by the session and the incarnation. */
  readonly erasedJournals = new Map<string, Map<string, readonly StoredEvent[]>>();
  /** When the end of each turn was committed, in ms of the simulation, by the session's object and the turn. */
  readonly ends = new Map<string, number>();
  readonly figures = { turns: 0, retries: 0, calls: 0, takeOvers: 0, unknown: 0, longest: 0 };
  /** What a user's code threw: a mistake of the play itself. */
  broken: unknown;
  readonly #simulation: Simulation;
  readonly #epochs = new Map<string, { readonly epoch: number; readonly nonce: unknown }>();
  readonly #heads = new Map<string, { readonly time: number; readonly head: number }[]>();
  #turnsBefore: readonly string[] = [];

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  knows(uses: readonly ModuleUse[]): void {
    this.folds.knows(uses);
  }

  calling(host: ObjectHost, method: string): void {
    if (method !== 'erase') return;
    this.#turnsBefore = turnsAreIn(host);
    const events = journalOf(host);
    const journals = this.erasedJournals.get(host.name) ?? new Map();
    this.erasedJournals.set(host.name, journals.set(incarnationOf(events), events));
  }

  called(host: ObjectHost, { method, args, answer }: Parameters<Observer['called']>[1]): void {
    if (!answer.ok) {
      this.#find('object threw', host.name, `${method}: ${answer.error.stack ?? answer.error.message}`);
      return;
    }
    const value = Object(answer.value) as { readonly status?: string; readonly epoch?: number };
    this.#looked(host);
    if (method === 'erase') this.#erased(host);
    if (method.startsWith('append') && value.status === 'appended') this.#appended(host, args);
    if (value.status === 'leased')
      this.#leased(host, { epoch: value.epoch ?? 0, nonce: Object(args[0]).nonce });
  }

  /** Returns the last event of an object that was committed at a time, in ms of the simulation, as far as was looked. */
  headAt(name: string, time: number): number {
    return this.#heads.get(name)?.findLast((one) => one.time <= time)?.head ?? 0;
  }

  #looked(host: ObjectHost): void {
    const heads = this.#heads.get(host.name) ?? [];
    this.#heads.set(host.name, heads);
    const head = host.database.head();
    host.output(() => {
      if (heads.at(-1)?.head !== head) heads.push({ time: this.#simulation.now, head });
    });
  }

  #erased(host: ObjectHost): void {
    const turns = this.#turnsBefore;
    host.output(() => {
      const all = this.erasedTurns.get(host.name) ?? new Set();
      for (const turn of turns) all.add(turn);
      this.erasedTurns.set(host.name, all);
      this.#epochs.delete(host.name);
    });
  }

  #appended(host: ObjectHost, [, , change]: readonly unknown[]): void {
    const { events, snapshot } = change as {
      readonly events: readonly { readonly type: string; readonly turn: string }[];
      readonly snapshot?: StoredSnapshot;
    };
    const { now } = this.#simulation;
    host.output(() => {
      for (const { type, turn } of events)
        if (type === 'turn-ended') this.ends.set(`${host.name} ${turn}`, now);
    });
    if (!snapshot) return;
    const journal = journalOf(host);
    const fault = this.folds.snapshotFault(snapshot, journal);
    if (fault) this.#find('warm is not cold', host.name, `the snapshot at ${snapshot.seq}: ${fault}`);
  }

  /** Each lease has an epoch above the one before; the same request is given the same one. */
  #leased(host: ObjectHost, given: { readonly epoch: number; readonly nonce: unknown }): void {
    host.output(() => {
      const last = this.#epochs.get(host.name);
      this.#epochs.set(host.name, given);
      if (last === undefined) return;
      const isSame = last.nonce === given.nonce && last.epoch === given.epoch;
      if (!isSame && given.epoch <= last.epoch) {
        this.#find('epoch', host.name, `${given.epoch} was given after ${last.epoch}`);
      }
    });
  }

  #find(rule: string, where: string, what: string): void {
    this.findings.push({ rule, where, what });
  }

  /** Nothing is going on in any session, and nothing will by itself. */
  isQuiet(platform: SimulatedPlatform): boolean {
    return [...platform.hosts.values()].every((host) => leftIn(host).length === 0);
  }
}

/** What a session still has to do, in words. */
export function leftIn(host: ObjectHost): readonly string[] {
  const { database } = host;
  if (!database.tables().includes('lease')) return [];
  const rows = (query: string) => database.exec(query, []).toArray();
  return [
    ...rows('SELECT turn, state FROM lease WHERE turn IS NOT NULL').map(
      ({ turn, state }) => `turn ${turn} is ${state}`,
    ),
    ...rows(`SELECT kind, turn FROM inbox WHERE kind <> 'late'`).map(
      ({ kind, turn }) => `${kind} for ${turn} in the inbox`,
    ),
    ...rows('SELECT turn FROM lease WHERE due IS NOT NULL').map(({ turn }) => `turn ${turn} is due`),
    ...rows(`SELECT kind, ref FROM agenda WHERE kind IN ('start', 'expiry')`).map(
      ({ kind, ref }) => `${kind} of ${ref} in the agenda`,
    ),
  ];
}

/** Every turn that a session knows of, those included whose messages wait, or went into another turn. */
export function turnsAreIn(host: ObjectHost): readonly string[] {
  if (!host.database.tables().includes('inbox')) return [];
  const waiting = host.database
    .exec('SELECT turn FROM inbox', [])
    .toArray()
    .map(({ turn }) => String(turn));
  const ofEvents = journalOf(host).flatMap((event) =>
    'turn' in event ? [event.turn, ...('as' in event ? [event.as] : [])] : [],
  );
  return [...new Set([...waiting, ...ofEvents])];
}

/** Names the session that a journal is of among all that have had its id. */
export function incarnationOf([opened]: readonly StoredEvent[]): string {
  const isFirst = opened?.type === 'session-opened' || opened?.type === 'session-forked';
  return isFirst ? (opened.incarnation ?? '') : '';
}

/** The journal of a session, as its object reads it. */
export function journalOf(host: ObjectHost): readonly StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const page = host.look((object) => read(object, from ?? 1));
    if (page === null) return [];
    events.push(...page.rows.map((row) => parseEvent(row)));
    from = page.next;
  }
  return events;
}

const read = (object: LiveObject, from: number): Page | null => {
  const { read: method } = object;
  if (typeof method !== 'function') throw new Error('The object has no method `read`.');
  return method.call(object, { from });
};
