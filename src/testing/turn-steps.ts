import type { DeferredTurn } from '../journal/event-page.ts';
import { toTurnStart } from '../journal/event-rows.ts';
import type { StoredEvent } from '../journal/events.ts';
import type {
  AcceptedTurn,
  LeaseGrant,
  ResumeRefusal,
  StartRefusal,
  TurnStart,
} from '../journal/session-port.ts';
import type { SessionState } from '../journal/state.ts';
import { type Modules, NO_MODULES } from '../loop/modules.ts';
import { toReader } from '../session/fold-session.ts';
import { foldAll, readJournal } from '../session/read-session.ts';
import { runTurn, type TurnEnd } from '../session/run-turn.ts';
import type { TurnHost } from '../session/turn-host.ts';
import type { TurnPrincipal } from '../tool/call.ts';
import type { ContentPart } from '../tool/content.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';

/** The default id of the person who sends, decides and cancels. */
export const TESTER = 'tester';

interface NewMessage {
  readonly message: string;
  readonly parts?: readonly ContentPart[] | undefined;
  readonly blobs?: TurnStart['blobs'];
  readonly room?: TurnStart['room'];
  readonly context?: ToolCallContext | undefined;
  /** Defaults to `tester`. */
  readonly from?: TurnPrincipal | undefined;
  readonly loopId?: string | undefined;
  readonly base?: string | undefined;
  readonly whenBusy?: TurnStart['whenBusy'];
  readonly delayMs?: number | undefined;
}

/**
 * The operations of a Worker's invocations on one session, as single steps. Ids are numbered, so they are the
 * same in every run.
 */
export interface TurnSteps {
  /** Creates the turn of a message. */
  startOf(start: NewMessage): TurnStart;
  /** Stores a turn and leases it, without running it. */
  begin(start: NewMessage): Promise<LeaseGrant | DeferredTurn | StartRefusal>;
  /** Stores a turn for the background. */
  accept(start: NewMessage): Promise<AcceptedTurn | DeferredTurn | StartRefusal>;
  /** Leases the open turn for another invocation. */
  resume(turn: string): Promise<LeaseGrant | ResumeRefusal>;
  /** Runs a leased turn until it stops or its invocation must leave. */
  run(leased: LeaseGrant, change?: Partial<TurnHost>): Promise<TurnEnd>;
  /** Returns the fold of the journal. @throws Error if the session does not exist yet. */
  state(): Promise<SessionState>;
  /** Returns the whole journal, in order. */
  events(): Promise<readonly StoredEvent[]>;
}

/**
 * Creates the steps for one session's turns. `host`: the defaults for each step. `modulesNow`: returns the
 * modules of the current code.
 */
export function createTurnSteps(
  host: TurnHost,
  modulesNow = (): Modules => host.modules ?? NO_MODULES,
): TurnSteps {
  const { port, agent, clock } = host;
  const createReader = () => toReader(modulesNow());
  let ids = 0;
  const createId = (): string => {
    ids += 1;
    return `id${ids}`;
  };
  const createTurnStart = ({
    context = ToolCallContext.EMPTY,
    from = { id: TESTER },
    whenBusy,
    delayMs,
    ...more
  }: NewMessage): TurnStart => {
    const start = { agent: agent.name, context, from, ...more };
    return { ...toTurnStart(start, createId), whenBusy, delayMs };
  };
  return {
    startOf: createTurnStart,
    begin: (start) =>
      port.begin({ nonce: createId(), start: createTurnStart(start), reader: createReader() }),
    accept: (start) => port.accept(createTurnStart(start)),
    resume: (turn) => port.resume({ nonce: createId(), turn, reader: createReader() }),
    run: (leased, change = {}) => runTurn({ ...host, modules: modulesNow(), ...change }, leased, clock.now()),
    async state() {
      const folded = await foldAll(port, modulesNow().memories);
      if (!folded) throw new Error('No message has been sent to the session yet.');
      return folded.state;
    },
    events: () => readJournal(port),
  };
}

/** Runs the turns of one session in invocations that can be killed. */
export interface KillableTurnWorker {
  /** Runs a leased turn in successive invocations, until one stops without being killed. */
  drive(turn: string, leased: LeaseGrant): Promise<void>;
  /** Leases a turn, and runs it in the same way. Returns without running it if it cannot be leased. */
  resumeAndRun(turn: string): Promise<void>;
  /**
   * Drops further operations of the running invocation, and another invocation resumes the turn. Has no
   * effect if no invocation runs.
   */
  kill(): void;
}

/**
 * Creates a worker that can be killed. `expireLease` expires the current lease synchronously. It also
 * advances the time by the given milliseconds, since the object delays a turn that repeatedly loses its lease
 * holder.
 */
export function createKillableWorker(
  { resume, run }: Pick<TurnSteps, 'resume' | 'run'>,
  expireLease: (more: number) => void,
): KillableTurnWorker {
  let die: (() => void) | undefined;

  async function drive(turn: string, first: LeaseGrant): Promise<void> {
    let leased: LeaseGrant | undefined = first;
    let deaths = 0;
    while (leased) {
      const successor = Promise.withResolvers<LeaseGrant | ResumeRefusal>();
      const killInvocation = (): void => {
        die = undefined;
        deaths += 1;
        expireLease(deaths < 2 ? 0 : 1_000 * 2 ** (deaths - 2));
        // The lease changes hands synchronously, so that later writes of the killed invocation are not
        // stored.
        successor.resolve(resume(turn));
      };
      die = killInvocation;
      const end: TurnEnd | LeaseGrant | ResumeRefusal = await Promise.race([run(leased), successor.promise]);
      // Resume here: the session's alarm would dispatch the next turn, but a test's clock may never reach it.
      const next: TurnEnd | LeaseGrant | ResumeRefusal =
        end.status === 'handed-over' ? await resume(turn) : end;
      leased = next.status === 'leased' ? next : undefined;
      // The session's next turn may already run.
      if (die === killInvocation) die = undefined;
    }
  }

  return {
    drive,
    async resumeAndRun(turn) {
      const leased = await resume(turn);
      if (leased.status === 'leased') await drive(turn, leased);
    },
    kill: () => die?.(),
  };
}
