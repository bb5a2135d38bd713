import type { Deferred } from '../journal/event-page.ts';
import { toTurnStart } from '../journal/event-rows.ts';
import type { StoredEvent } from '../journal/events.ts';
import type { Accepted, Leased, NotResumed, NotStarted, TurnStart } from '../journal/session-port.ts';
import type { SessionState } from '../journal/state.ts';
import { type Modules, NO_MODULES } from '../loop/modules.ts';
import { readerOf } from '../session/fold-session.ts';
import { foldAll, readJournal } from '../session/read-session.ts';
import { runTurn, type TurnEnd } from '../session/run-turn.ts';
import type { TurnHost } from '../session/turn-host.ts';
import type { TurnPrincipal } from '../tool/call.ts';
import type { ContentPart } from '../tool/content.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';

/** The id of whoever sends, decides and cancels, unless a test says otherwise. */
export const TESTER = 'tester';

/** A message as a test sends it. */
interface NewMessage {
  readonly message: string;
  readonly parts?: readonly ContentPart[] | undefined;
  readonly blobs?: TurnStart['blobs'];
  readonly room?: TurnStart['room'];
  readonly context?: ToolCallContext | undefined;
  /** `tester` unless given. */
  readonly from?: TurnPrincipal | undefined;
  readonly loopId?: string | undefined;
  readonly base?: string | undefined;
  readonly whenBusy?: TurnStart['whenBusy'];
  readonly delayMs?: number | undefined;
}

/** What invocations of a Worker do with one session, one step at a time. Ids are counted: the same in every run. */
export interface TurnSteps {
  /** Makes the turn that a message asks for. */
  startOf(start: NewMessage): TurnStart;
  /** Stores a turn and leases it, without running it. */
  begin(start: NewMessage): Promise<Leased | Deferred | NotStarted>;
  /** Stores a turn for the background. */
  accept(start: NewMessage): Promise<Accepted | Deferred | NotStarted>;
  /** Leases the open turn for another invocation. */
  resume(turn: string): Promise<Leased | NotResumed>;
  /** Runs a leased turn as far as its invocation may. */
  run(leased: Leased, change?: Partial<TurnHost>): Promise<TurnEnd>;
  /** @throws Error when the session is not there yet. */
  state(): Promise<SessionState>;
  /** The whole journal, in order. */
  events(): Promise<readonly StoredEvent[]>;
}

/** The steps of one session's turns, as `host` takes them unless a step changes it. `modulesNow`: those of the code of now. */
export function turnSteps(host: TurnHost, modulesNow = (): Modules => host.modules ?? NO_MODULES): TurnSteps {
  const { port, agent, clock } = host;
  const readerNow = () => readerOf(modulesNow());
  let ids = 0;
  const newId = (): string => {
    ids += 1;
    return `id${ids}`;
  };
  const startOf = ({
    context = ToolCallContext.EMPTY,
    from = { id: TESTER },
    whenBusy,
    delayMs,
    ...more
  }: NewMessage): TurnStart => {
    const start = { agent: agent.name, context, from, ...more };
    return { ...toTurnStart(start, newId), whenBusy, delayMs };
  };
  return {
    startOf,
    begin: (start) => port.begin({ nonce: newId(), start: startOf(start), reader: readerNow() }),
    accept: (start) => port.accept(startOf(start)),
    resume: (turn) => port.resume({ nonce: newId(), turn, reader: readerNow() }),
    run: (leased, change = {}) => runTurn({ ...host, modules: modulesNow(), ...change }, leased, clock.now()),
    async state() {
      const folded = await foldAll(port, modulesNow().memories);
      if (!folded) throw new Error('Nothing was sent to the session yet.');
      return folded.state;
    },
    events: () => readJournal(port),
  };
}

/** Runs the turns of one session in invocations that can be killed. */
export interface MortalWorker {
  /** Runs a leased turn: invocations of the Worker, one after another, until one stops that was not killed. */
  drive(turn: string, leased: Leased): Promise<void>;
  /** The same for a turn that is leased first; nothing when it is not to be had. */
  goOn(turn: string): Promise<void>;
  /** Whatever the invocation that runs still does is lost, and another goes on; nothing when none runs. */
  kill(): void;
}

/**
 * `expireLease` makes the lease of the session's holder run out within the call, and so many ms more pass: the object leaves a turn
 * alone for a while whose holders die one after another.
 */
export function mortalWorker(
  { resume, run }: Pick<TurnSteps, 'resume' | 'run'>,
  expireLease: (more: number) => void,
): MortalWorker {
  let die: (() => void) | undefined;

  async function drive(turn: string, first: Leased): Promise<void> {
    let leased: Leased | undefined = first;
    let deaths = 0;
    while (leased) {
      const successor = Promise.withResolvers<Leased | NotResumed>();
      const dies = (): void => {
        die = undefined;
        deaths += 1;
        expireLease(deaths < 2 ? 0 : 1_000 * 2 ** (deaths - 2));
        // The session changes hands within this call, so nothing that the dead one still sends is stored.
        successor.resolve(resume(turn));
      };
      die = dies;
      const end: TurnEnd | Leased | NotResumed = await Promise.race([run(leased), successor.promise]);
      // The session would dispatch it by its alarm, which a test's clock may never reach.
      const next: TurnEnd | Leased | NotResumed = end.status === 'handed-over' ? await resume(turn) : end;
      leased = next.status === 'leased' ? next : undefined;
      // The next turn of the session may run already.
      if (die === dies) die = undefined;
    }
  }

  return {
    drive,
    async goOn(turn) {
      const leased = await resume(turn);
      if (leased.status === 'leased') await drive(turn, leased);
    },
    kill: () => die?.(),
  };
}
