/**
 * The turns that calls start: in other sessions through messages, and in their own session through functions
 * of modules.
 */
import type { ScheduledMessage } from '../journal/events.ts';
import type { WaitingLoad } from '../journal/inbox-message.ts';
import type { CallRecord, SessionState, TurnState } from '../journal/state.ts';
import { getTree } from '../journal/turn-tree.ts';
import type { CallOrigin, TreePlace } from '../tool/call-origin.ts';
import type { CallLimit } from '../tool/frame.ts';
import { createWarningEntry, type Log } from '../tool/log.ts';

/** How many turns one tree can start before a person sends a message. The default of `maxScheduled`. */
export const DEFAULT_MAX_SCHEDULED = 20;

/**
 * How many turns in a row can start each other before a person sends a message. The default of
 * `maxGenerations`.
 */
export const DEFAULT_MAX_GENERATIONS = 8;

/** The turns that the calls of one turn start in one invocation. */
export interface TurnStarts {
  readonly journal: {
    readonly state: Pick<SessionState, 'turn' | 'trees' | 'recurring'>;
    /** The load that waits in the session: as last reported by the Durable Object, plus later emits. */
    readonly waiting: WaitingLoad;
  };
  /** The limits on turns in a row and on turns in one tree. */
  readonly agent: {
    readonly limits: { readonly maxGenerations: CallLimit; readonly maxScheduled: CallLimit };
  };
  readonly log: Log;
  /** Turns that running calls have started and that are not yet in an event. */
  started: readonly StartedTurn[];
  /** The limits that were already logged. */
  readonly named: Set<string>;
}

/** A turn that a running call scheduled or sent. */
export interface StartedTurn {
  readonly as: 'scheduled' | 'recurring' | 'sent';
  readonly by: Pick<CallRecord, 'ended'>;
  readonly bytes: number;
}

/** One run of a call, and the turns that it starts. */
export class CallStarts implements CallOrigin {
  readonly turns: TurnStarts;
  readonly #by: Pick<CallRecord, 'ended'>;
  /** Messages to this session, in order. They are stored with the end of the call if it succeeds. */
  readonly later: Promise<ScheduledMessage>[] = [];

  /**
   * After a restart of the call, only its sent messages count, since its scheduled ones were never stored.
   */
  constructor(turns: TurnStarts, by: Pick<CallRecord, 'ended'>) {
    this.turns = turns;
    this.#by = by;
    turns.started = turns.started.filter((one) => one.by !== by || one.as === 'sent');
  }

  send(): TreePlace {
    const turn = this.turns.journal.state.turn as TurnState; // calls only run in a turn
    const problem = this.treeProblem(turn);
    if (problem !== undefined) throw new Error(`Not sent: ${problem}`);
    this.count({ as: 'sent', bytes: 0 });
    return { root: turn.root, generation: turn.generation + 1, count: this.#inTree(turn) };
  }

  /** Counts a turn that the call has started. */
  count(one: Pick<StartedTurn, 'as' | 'bytes'>): void {
    const running = this.turns.started.filter(({ by }) => !by.ended);
    this.turns.started = [...running, { ...one, by: this.#by }];
  }

  /**
   * Returns the turns that running calls have started in these ways. Events contain those of calls that have
   * ended.
   */
  startedAs(...kinds: readonly StartedTurn['as'][]): readonly StartedTurn[] {
    return this.turns.started.filter(({ as, by }) => kinds.includes(as) && !by.ended);
  }

  /**
   * Returns why the tree of the turn cannot start more turns, or `undefined`. Logs each limit once per
   * invocation.
   */
  treeProblem(turn: TurnState): string | undefined {
    const { maxGenerations, maxScheduled } = this.turns.agent.limits;
    if (maxGenerations !== 'unlimited' && turn.generation >= maxGenerations) {
      const why = `${turn.generation} turns in a row, including this one, were scheduled by a turn`;
      return this.#limited('maxGenerations', why);
    }
    if (maxScheduled === 'unlimited' || this.#inTree(turn) < maxScheduled) return undefined;
    const why = `turns have started ${maxScheduled} turns since the last message of a person`;
    return this.#limited('maxScheduled', why);
  }

  #inTree(turn: TurnState): number {
    return getTree(this.turns.journal.state, turn).count + this.startedAs('scheduled', 'sent').length;
  }

  #limited(option: 'maxGenerations' | 'maxScheduled', why: string): string {
    const { log, named } = this.turns;
    if (!named.has(option))
      log(
        createWarningEntry(
          `the turn cannot schedule more turns: ${why}. Raise \`limits.${option}\` of its agent.`,
        ),
      );
    named.add(option);
    return `${why}, and no more can start before a person sends a message.`;
  }
}
