import { toTurnStart } from '../../journal/event-rows.ts';
import type { StoredEvent } from '../../journal/events.ts';
import type { TurnStart } from '../../journal/session-port.ts';
import type { ModelReply, ModelRequest } from '../../model/chat-model.ts';
import { readJournal, readTurn } from '../../session/read-session.ts';
import type { GivenEnv } from '../../tool/env.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import { withOrderedHashes } from '../clocks.ts';
import { sendAnswer, toSentDecision } from '../post-to-session.ts';
import { TESTER } from '../turn-steps.ts';
import type { CrashableSession } from './crashable-session.ts';
import type { Disturbance, Position } from './disturbances.ts';
import { Positions } from './disturbances.ts';
import { Effects, type ReportedEffect, type SeenRun, type Watcher } from './effects.ts';
import {
  type App,
  type ArrivalDuringRun,
  type CrashStep,
  createScriptModel,
  listExchanges,
  type ScriptedExchange,
  type Subject,
} from './script.ts';
import { TurnDriver } from './turn-driver.ts';

/** The disturbances and watchers of a play. */
export interface PlayOptions {
  readonly disturbances?: readonly Disturbance[] | undefined;
  readonly watcher?: Watcher | undefined;
}

/** The result of a play of the whole script. */
export interface PlayResult {
  readonly events: readonly StoredEvent[];
  /** The ids of the turns that were accepted before the last message. */
  readonly turns: readonly string[];
  readonly runs: readonly SeenRun[];
  readonly reported: readonly ReportedEffect[];
  /** The requests to the model, from all invocations. */
  readonly requests: readonly ModelRequest[];
  /** The model's replies, including those that were lost. */
  readonly replies: readonly ModelReply[];
  /** Descriptions of the requested replies that are not in the script. */
  readonly missed: readonly string[];
  /** The positions before the last message. */
  readonly positions: readonly Position[];
  readonly disturbed: boolean;
  readonly timersLeft: number;
  /** The error that stopped the play before its end. */
  readonly broken?: Error;
}

/** The message after the script. It shows whether the session still works, and what it sends to the model. */
export const LAST_MESSAGE = 'And now?';

const LAST_EXCHANGE: ScriptedExchange = { to: LAST_MESSAGE, replies: ['That was all.'] };

/**
 * Plays the script in a fresh session, with or without disturbances. At the end, sends one more message
 * without disturbances.
 */
export async function playScript<World>(
  subject: Subject<World>,
  session: CrashableSession,
  options: PlayOptions = {},
): Promise<PlayResult> {
  const play = new Play(subject, session, options);
  return withOrderedHashes(async () => {
    try {
      for (const step of subject.script.steps) await play.step(step);
      await play.finish();
      return await play.result();
    } catch (thrown) {
      const broken = thrown instanceof Error ? thrown : new Error(String(thrown));
      return { ...(await play.result()), broken };
    }
  });
}

type SendStep = Extract<CrashStep, { readonly send: string }>;

/** The user's actions in one play, and its results. */
class Play<World> {
  readonly #subject: Subject<World>;
  readonly #session: CrashableSession;
  readonly #positions: Positions;
  readonly #effects: Effects<World>;
  readonly #driver: TurnDriver<World>;
  readonly #missed: string[] = [];
  readonly #agent: string;
  readonly #env: GivenEnv;
  readonly #accepted: string[] = [];
  /** Messages and cancels that will arrive during a turn. */
  #meanwhile: readonly ArrivalDuringRun[] = [];
  /** The positions at the end of the script. */
  #before: readonly Position[] | undefined;
  #turns = 0;

  constructor(subject: Subject<World>, session: CrashableSession, options: PlayOptions) {
    this.#subject = subject;
    this.#session = session;
    const positions = new Positions(options.disturbances ?? [], session);
    const interrupting: Watcher = { before: ({ tool }) => this.#comes(tool) };
    const world = subject.world();
    const env = subject.env(world);
    const effects = new Effects(world, [interrupting, options.watcher ?? {}]);
    const exchanges = [...listExchanges(subject.script), LAST_EXCHANGE];
    const model = createScriptModel(exchanges, (what) => this.#missed.push(what));
    const onAccepted = (turn: string): void => this.#isAccepted(turn);
    this.#env = env;
    this.#driver = new TurnDriver({ subject, env, session, positions, effects, model, onAccepted });
    this.#positions = positions;
    this.#effects = effects;
    this.#agent = this.#app()[0].name;
  }

  /** Runs one action of the user, with all turns that it causes. */
  async step(step: CrashStep): Promise<void> {
    if ('send' in step) {
      this.#meanwhile = step.meanwhile ?? [];
      const turn = this.#nextTurn();
      await this.#driver.drive(turn, this.#startOf(turn, step));
    } else if ('wait' in step) await this.#session.wait(step.wait);
    else await this.#answer(step);
    for (let turn = await this.#running(); turn !== undefined; turn = await this.#running()) {
      await this.#driver.drive(turn);
    }
  }

  async #answer(step: Extract<CrashStep, { readonly as: unknown }>): Promise<void> {
    const { port } = this.#session;
    const app = this.#app();
    const [agent] = app;
    const page = await port.read({ from: 1, limit: 1 });
    const modules = this.#subject.modules(app);
    const place = { port, agent, modules, events: await readTurn(port, page?.openTurn?.id ?? '') };
    if ('decide' in step) {
      await sendAnswer(place, step.decide, toSentDecision(step.as));
    } else await sendAnswer(place, step.result, { for: 'result', body: step.as });
  }

  /** Returns the open turn if it does not wait for a person. */
  async #running(): Promise<string | undefined> {
    const page = await this.#session.port.read({ from: 1, limit: 1 });
    return page?.openTurn?.state === 'running' ? page.openTurn.id : undefined;
  }

  /**
   * Delivers the messages and cancels that arrive during the first run of this tool. Disturbances do not
   * affect their delivery.
   */
  async #comes(tool: string): Promise<void> {
    const comes = this.#meanwhile.filter(({ during }) => during === tool);
    this.#meanwhile = this.#meanwhile.filter(({ during }) => during !== tool);
    const { port } = this.#session;
    for (const one of comes) {
      if ('cancel' in one) {
        await port.post({ kind: 'cancel', turn: (await this.#running()) ?? '', body: '{}' });
        continue;
      }
      const start = { ...this.#startOf(this.#nextTurn(), one), whenBusy: one.whenBusy };
      await port.accept(start);
      this.#isAccepted(start.turn);
    }
  }

  /** Delivers all late calls, and sends the last message. */
  async finish(): Promise<void> {
    const { leaseMs } = this.#session;
    this.#before = [...this.#positions.passed];
    await this.#session.wait(leaseMs / 6);
    this.#positions.end();
    await this.step({ send: LAST_MESSAGE });
    await this.#session.wait(leaseMs / 20);
  }

  async result(): Promise<PlayResult> {
    const positions = this.#before ?? [...this.#positions.passed];
    this.#positions.end();
    return {
      positions,
      disturbed: this.#positions.hasStruck,
      events: await readJournal(this.#session.port),
      turns: this.#accepted,
      runs: this.#effects.runs,
      reported: this.#effects.reported,
      requests: this.#driver.requests,
      replies: this.#driver.replies,
      missed: this.#missed,
      timersLeft: this.#session.timersLeft(),
    };
  }

  #nextTurn(): string {
    this.#turns += 1;
    return `t${this.#turns}`;
  }

  #isAccepted(turn: string): void {
    if (this.#before === undefined && !this.#accepted.includes(turn)) this.#accepted.push(turn);
  }

  #startOf(turn: string, { send: message, principal }: Pick<SendStep, 'send' | 'principal'>): TurnStart {
    const { context = ToolCallContext.EMPTY, principal: usual = { id: TESTER } } = this.#subject;
    const ids = [turn, 'incarnation'].values();
    const start = { agent: this.#agent, message, context, from: principal ?? usual };
    return toTurnStart(start, () => ids.next().value ?? '');
  }

  /** Creates the agents for the user's operations, in a separate invocation. */
  #app(): App {
    return this.#subject.app(this.#effects.kit(this.#positions.invoke()), this.#env);
  }
}
