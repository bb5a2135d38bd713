import type { ModuleUse } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { parseEvent } from '../../../doors/journal.ts';
import type { Observer } from '../machine/network.ts';
import type { LiveObject, ObjectHost } from '../machine/object-host.ts';
import type { SimulatedPlatform } from '../machine/platform.ts';
import type { Simulation } from '../machine/simulation.ts';
import { Folds, type StoredSnapshot } from './folds.ts';

/** A violation of a guarantee. */
export interface Finding {
  /** The violated rule. */
  readonly rule: string;
  /** The message, call or session that violates it. */
  readonly where: string;
  readonly what: string;
}

/** A page of the journal, as an object returns it. */
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

/** Checks every call to an object during a play. */
export class Witness implements Observer {
  readonly findings: Finding[] = [];
  readonly folds = new Folds();
  /** The turns of erased sessions, by session. */
  readonly erasedTurns = new Map<string, Set<string>>();
  /** The journals of erased sessions, by session and incarnation. */
  readonly erasedJournals = new Map<string, Map<string, readonly StoredEvent[]>>();
  /** The commit time of each turn's end in simulated ms, by object and turn. */
  readonly ends = new Map<string, number>();
  readonly figures = { turns: 0, retries: 0, calls: 0, takeOvers: 0, unknown: 0, longest: 0 };
  /** An error in the play's own code. */
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
    this.#turnsBefore = listInboxTurns(host);
    const events = readJournal(host);
    const journals = this.erasedJournals.get(host.name) ?? new Map();
    this.erasedJournals.set(host.name, journals.set(getIncarnation(events), events));
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

  /** Returns the last observed event of an object that was committed at a time, in simulated ms. */
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
    const journal = readJournal(host);
    const fault = this.folds.snapshotFault(snapshot, journal);
    if (fault) this.#find('warm is not cold', host.name, `the snapshot at ${snapshot.seq}: ${fault}`);
  }

  /**
   * Checks that each lease has a higher epoch than the previous one, and that a repeated request receives the
   * same lease.
   */
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

  /** Returns `true` if all sessions are idle and will stay idle. */
  isQuiet(platform: SimulatedPlatform): boolean {
    return [...platform.hosts.values()].every((host) => listWaiting(host).length === 0);
  }
}

/** Returns the pending work of a session. */
export function listWaiting(host: ObjectHost): readonly string[] {
  const { database } = host;
  if (!database.tables().includes('lease')) return [];
  const readRows = (query: string) => database.exec(query, []).toArray();
  return [
    ...readRows('SELECT turn, state FROM lease WHERE turn IS NOT NULL').map(
      ({ turn, state }) => `turn ${turn} is ${state}`,
    ),
    ...readRows(`SELECT kind, turn FROM inbox WHERE kind <> 'late'`).map(
      ({ kind, turn }) => `${kind} for ${turn} in the inbox`,
    ),
    ...readRows('SELECT turn FROM lease WHERE due IS NOT NULL').map(({ turn }) => `turn ${turn} is due`),
    ...readRows(`SELECT kind, ref FROM agenda WHERE kind IN ('start', 'expiry')`).map(
      ({ kind, ref }) => `${kind} of ${ref} in the agenda`,
    ),
  ];
}

/**
 * Returns every turn in the inbox of a session, including turns whose messages wait or were accepted by another
 * turn.
 */
export function listInboxTurns(host: ObjectHost): readonly string[] {
  if (!host.database.tables().includes('inbox')) return [];
  const waiting = host.database
    .exec('SELECT turn FROM inbox', [])
    .toArray()
    .map(({ turn }) => String(turn));
  const ofEvents = readJournal(host).flatMap((event) =>
    'turn' in event ? [event.turn, ...('as' in event ? [event.as] : [])] : [],
  );
  return [...new Set([...waiting, ...ofEvents])];
}

/** Returns the incarnation that a journal belongs to. Over time, several sessions can have the same id. */
export function getIncarnation([opened]: readonly StoredEvent[]): string {
  const isFirst = opened?.type === 'session-opened' || opened?.type === 'session-forked';
  return isFirst ? (opened.incarnation ?? '') : '';
}

/** Reads the journal of a session through its object. */
export function readJournal(host: ObjectHost): readonly StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const page = host.look((object) => readPage(object, from ?? 1));
    if (page === null) return [];
    events.push(...page.rows.map((row) => parseEvent(row)));
    from = page.next;
  }
  return events;
}

const readPage = (object: LiveObject, from: number): Page | null => {
  const { read: method } = object;
  if (typeof method !== 'function') throw new Error('The object has no method `read`.');
  return method.call(object, { from });
};
