/** The turns that calls start: in other sessions by a message, and in their own by functions of modules. */
import type { ScheduledMessage } from '../journal/events.ts';
import type { WaitingLoad } from '../journal/inbox-message.ts';
import type { CallRecord, SessionState, TurnState } from '../journal/state.ts';
import { treeOf } from '../journal/turn-tree.ts';
import type { CallOrigin, TreePlace } from '../tool/call-origin.ts';
import type { CallLimit } from '../tool/frame.ts';
import { type Log, warning } from '../tool/log.ts';

/** The turns of one tree that turns may start, before a person says something again. The default of `maxScheduled`. */
export const MOST_IN_TREE = 20;

/** Turns that turns may start one after another before a person says something again. The default of `maxGenerations`. */
export const MOST_GENERATIONS = 8;

/** What the calls of one turn start while one invocation runs it. */
export interface TurnStarts {
  readonly journal: {
    readonly state: Pick<SessionState, 'turn' | 'trees' | 'recurring'>;
    /** What waits in the session: as the object reported it last, and what was emitted since. */
    readonly waiting: WaitingLoad;
  };
  /** How many turns in a row turns may start, and how many in one tree. */
  readonly agent: {
    readonly limits: { readonly maxGenerations: CallLimit; readonly maxScheduled: CallLimit };
  };
  readonly log: Log;
  /** Turns that running calls have started and no event names yet. */
  started: readonly StartedTurn[];
  /** The limits that the log has named. */
  readonly named: Set<string>;
}

/** A turn that a running call has scheduled or sent. */
export interface StartedTurn {
  readonly as: 'scheduled' | 'recurring' | 'sent';
  readonly by: Pick<CallRecord, 'ended'>;
  readonly bytes: number;
}

/** One run of a call, and the turns that it starts. */
export class CallStarts implements CallOrigin {
  readonly turns: TurnStarts;
  readonly #by: Pick<CallRecord, 'ended'>;
  /** Messages to this session that are stored with the end of the call, if it succeeds. In their order. */
  readonly later: Promise<ScheduledMessage>[] = [];

  /** A call that begins again: what it had scheduled is never stored, but messages that it has sent are. */
  constructor(turns: TurnStarts, by: Pick<CallRecord, 'ended'>) {
    this.turns = turns;
    this.#by = by;
    turns.started = turns.started.filter((one) => one.by !== by || one.as === 'sent');
  }

  send(): TreePlace {
    const turn = this.turns.journal.state.turn as TurnState; // a call runs in a turn
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

  /** Returns the turns that running calls have started in these ways. Events name those of calls that have ended. */
  startedAs(...kinds: readonly StartedTurn['as'][]): readonly StartedTurn[] {
    return this.turns.started.filter(({ as, by }) => kinds.includes(as) && !by.ended);
  }

  /** Returns why the tree of the turn may have no more turns, or `undefined`. The log names the limit once an invocation. */
  treeProblem(turn: TurnState): string | undefined {
    const { maxGenerations, maxScheduled } = this.turns.agent.limits;
    if (maxGenerations !== 'unlimited' && turn.generation >= maxGenerations) {
      const why = `${turn.generation} turns in a row were scheduled by the turn before them, this one the last`;
      return this.#limited('maxGenerations', why);
    }
    if (maxScheduled === 'unlimited' || this.#inTree(turn) < maxScheduled) return undefined;
    const why = `turns have started ${maxScheduled} turns since the last message of a person`;
    return this.#limited('maxScheduled', why);
  }

  #inTree(turn: TurnState): number {
    return treeOf(this.turns.journal.state, turn).count + this.startedAs('scheduled', 'sent').length;
  }

  #limited(option: 'maxGenerations' | 'maxScheduled', why: string): string {
    const { log, named } = this.turns;
    if (!named.has(option))
      log(warning(`the turn may schedule no further turn: ${why}. Raise \`limits.${option}\` of its agent.`));
    named.add(option);
    return `${why}, and no more may be before a person has sent a message.`;
  }
}
