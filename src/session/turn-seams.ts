import type { AgendaRow } from '../journal/agenda.ts';
import type { Change, Leased } from '../journal/session-port.ts';
import { attempt } from '../tool/async.ts';
import { type Log, mistake } from '../tool/log.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';

/**
 * How a turn has stopped. `suspended`: it waits for someone outside, as for an approval. `failed`: it ended without an answer, by an
 * error. `ended`: it ended in any other way, also as cancelled.
 */
export type TurnStop = 'suspended' | 'ended' | 'failed';

/** A turn that stops with the append that is about to be stored. Its session may be unreadable. */
export interface StoppedTurn {
  readonly id: string;
  readonly stop: TurnStop;
  /** The last event of the turn when it stopped. */
  readonly seq: number;
  /** The name of its session, as in a `DueRow`: it says the owner, the agent and the id. */
  readonly name: string;
}

/** What is stored with the stop of a turn, in the same commit. */
export interface StoredWithStop {
  /** Work that the module does later, by its seam `due`, in this order. Each `ref` is unique within the session. */
  readonly agenda?: readonly Pick<AgendaRow, 'ref'>[] | undefined;
}

/**
 * The seam `ended`: asked with every append that ends or suspends a turn, by whatever writes it. Synchronous. Nothing is stored if the
 * append is refused, or if the turn suspends and resumes at once. If the function throws, the turn stops without it.
 */
export const ENDED = defineSeam<(turn: StoppedTurn) => StoredWithStop | undefined>();

/** An invocation that stops the turn of its lease. */
export interface Stopping {
  /** Of the modules in scope. */
  readonly uses: readonly ModuleUse[];
  readonly leased: Pick<Leased, 'name' | 'page'>;
  readonly log: Log;
}

/** Returns what modules store with the stop of the leased turn, whose last event is `seq`. */
export function storedWithStop(
  { uses, leased, log }: Stopping,
  { stop, seq }: Pick<StoppedTurn, 'stop' | 'seq'>,
): Pick<Change, 'agenda'> {
  const agenda: AgendaRow[] = [];
  for (const use of uses) {
    const ended = ENDED.of(use);
    if (!ended) continue;
    const { module, key } = use;
    const { name, page } = leased;
    const asked = attempt(() => ended({ id: page.openTurn?.id ?? '', stop, seq, name }));
    if (asked.ok)
      for (const { ref } of asked.value?.agenda ?? []) agenda.push({ module: module.name, key, ref });
    else {
      const message = `module '${module.name}' failed at the stop of a turn`;
      log(mistake(message, asked.thrown));
    }
  }
  return agenda.length > 0 ? { agenda } : {};
}

/** How a turn stops that ends with this outcome. */
export const stopOfEnd = (outcome: string | undefined): TurnStop =>
  outcome === 'failed' ? 'failed' : 'ended';
