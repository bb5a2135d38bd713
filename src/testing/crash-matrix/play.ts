import type { Agent } from '../../agent/define-agent.ts';
import type { Principal, StoredEvent } from '../../journal/events.ts';
import type { Deferred, Leased, NotResumed, NotStarted, TurnStart } from '../../journal/session-port.ts';
import type { ChatModel, ModelRequest } from '../../model/chat-model.ts';
import type { Prices } from '../../model/prices.ts';
import { checkDecision, checkResult } from '../../session/check-answer.ts';
import { READER, readTurn } from '../../session/fold-session.ts';
import { runTurn, type TurnHost } from '../../session/run-turn.ts';
import { toTurnStart } from '../../session/start-turn.ts';
import type { Secrets } from '../../tools/secrets.ts';
import { ToolCallContext } from '../../tools/tool-call-context.ts';
import { sendAnswer } from '../send-answer.ts';
import { type Cast, castOf } from './cast.ts';
import { Course, type Disturbance, type Moment } from './course.ts';
import { journalOf } from './journal-of.ts';
import type { Line } from './line.ts';
import { withOrderlyHashes } from './orderly-hashes.ts';
import { type CrashKit, Outside, type ReportedEffect, type SeenRun, type Watcher } from './outside.ts';
import {
  type CrashScript,
  type CrashStep,
  type Exchange,
  exchangesOf,
  type Meanwhile,
  modelOf,
} from './script.ts';
import type { Stage } from './stage.ts';
import { throughLine } from './through-line.ts';

/** The agent that is talked to, and the others of its app. */
export type App = readonly [Agent, ...Agent[]];

/** Whatever is played: agents, and what is said to the first of them. */
export interface Production<World = unknown> {
  /** Made anew for every invocation, as code is; with their tool groups. */
  app(kit: CrashKit<World>): App;
  /** Gives tool groups to an agent that others bring along; as it is unless given. */
  resolve?(agent: Agent): Agent;
  readonly script: CrashScript;
  /** Who answers what became of a run that was cut off: the tools, or whoever saw them run. */
  readonly reconciles: 'own' | 'simulated';
  /** Made anew for every play. */
  world(): World;
  /** Of every message. */
  readonly context?: ToolCallContext | undefined;
  readonly secrets?: ((principal: Principal) => Secrets | Promise<Secrets>) | undefined;
  /** Of models, for agents with a cost limit whose own has none. */
  readonly prices?: Prices | undefined;
}

export interface PlayOptions {
  readonly disturbances?: readonly Disturbance[] | undefined;
  readonly watcher?: Watcher | undefined;
}

/** What came of a play. */
export interface Aftermath {
  readonly events: readonly StoredEvent[];
  /** Turns that were accepted, by id, before the last words. */
  readonly turns: readonly string[];
  readonly runs: readonly SeenRun[];
  readonly reported: readonly ReportedEffect[];
  /** What the model was shown, by every invocation. */
  readonly requests: readonly ModelRequest[];
  /** What the model was asked that the script has no reply to. */
  readonly missed: readonly string[];
  /** Those before the last words. */
  readonly moments: readonly Moment[];
  /** Every disturbance found somebody. */
  readonly disturbed: boolean;
  readonly timersLeft: number;
  /** Why it was not played to its end. */
  readonly broken?: Error;
}

/** What is sent when the script is over, to see that the session goes on, and what the model is shown next. */
export const LAST_WORDS = 'And now?';

const FAREWELL: Exchange = { to: LAST_WORDS, replies: ['Farewell.'] };

/** Somebody whose turn goes nowhere is let go after so many invocations. */
const MAX_INVOCATIONS = 12;

/**
 * Plays a production on a fresh stage. Whatever becomes of an invocation, another takes its turn over when the lease has
 * expired, and is disturbed by the next of the disturbances. One more message is sent at the end, undisturbed.
 */
export async function play<World>(
  production: Production<World>,
  stage: Stage,
  options: PlayOptions = {},
): Promise<Aftermath> {
  const play = new Play(production, stage, options);
  return withOrderlyHashes(async () => {
    try {
      for (const step of production.script.steps) await play.step(step);
      await play.farewell();
      return await play.aftermath();
    } catch (thrown) {
      const broken = thrown instanceof Error ? thrown : new Error(String(thrown));
      return { ...(await play.aftermath()), broken };
    }
  });
}

class Play<World> {
  readonly #production: Production<World>;
  readonly #stage: Stage;
  readonly #course: Course;
  readonly #outside: Outside<World>;
  readonly #requests: ModelRequest[] = [];
  readonly #missed: string[] = [];
  readonly #script: ChatModel;
  readonly #name: string;
  readonly #accepted: string[] = [];
  /** What is still to come while a turn runs. */
  #meanwhile: readonly Meanwhile[] = [];
  #moments: readonly Moment[] | undefined;
  #turns = 0;
  #nonces = 0;

  constructor(production: Production<World>, stage: Stage, options: PlayOptions) {
    this.#production = production;
    this.#stage = stage;
    this.#course = new Course(options.disturbances ?? [], stage);
    const interrupting: Watcher = { before: ({ tool }) => this.#comes(tool) };
    this.#outside = new Outside(production.world(), [interrupting, options.watcher ?? {}]);
    this.#script = modelOf([...exchangesOf(production.script), FAREWELL], (what) => this.#missed.push(what));
    this.#name = this.#app(this.#course.open())[0].name;
  }

  /** What the user does, and all turns that run because of it. */
  async step(step: CrashStep): Promise<void> {
    if ('send' in step) {
      this.#meanwhile = step.meanwhile ?? [];
      await this.#conduct(this.#nextTurn(), step.send);
    } else if ('wait' in step) await this.#stage.wait(step.wait);
    else await this.#answer(step);
    for (let turn = await this.#running(); turn !== undefined; turn = await this.#running()) {
      await this.#conduct(turn);
    }
  }

  async #answer(step: Extract<CrashStep, { readonly as: unknown }>): Promise<void> {
    const { port } = this.#stage;
    const [agent] = this.#app(this.#course.open());
    const page = await port.read({ from: 1, limit: 1 });
    const place = { port, agent, events: await readTurn(port, page?.openTurn?.id ?? '') };
    if ('decide' in step) {
      const sent = typeof step.as === 'string' ? { decision: step.as } : step.as;
      await sendAnswer(place, step.decide, ({ wait }) => checkDecision(wait, sent, 'tester'));
    } else await sendAnswer(place, step.result, ({ call }) => checkResult(call.name, step.as, 'tester'));
  }

  /** The turn that is open and waits for nobody. */
  async #running(): Promise<string | undefined> {
    const page = await this.#stage.port.read({ from: 1, limit: 1 });
    return page?.openTurn?.state === 'running' ? page.openTurn.id : undefined;
  }

  /** Everything that comes in the first run of this tool. Its senders are cut off by nothing. */
  async #comes(tool: string): Promise<void> {
    const comes = this.#meanwhile.filter(({ during }) => during === tool);
    this.#meanwhile = this.#meanwhile.filter(({ during }) => during !== tool);
    const { port } = this.#stage;
    for (const one of comes) {
      if ('cancel' in one) {
        await port.post('cancel', (await this.#running()) ?? '', '{}');
        continue;
      }
      const start = { ...this.#startOf(this.#nextTurn(), one.send), whenBusy: one.whenBusy };
      await port.accept(start);
      this.#isAccepted(start.turn);
    }
  }

  /** Whoever is late arrives, and then the last words are said. */
  async farewell(): Promise<void> {
    this.#moments = [...this.#course.moments];
    await this.#stage.wait(this.#stage.leaseMs / 6);
    this.#course.end();
    await this.step({ send: LAST_WORDS });
    await this.#stage.wait(this.#stage.leaseMs / 20);
  }

  async aftermath(): Promise<Aftermath> {
    const moments = this.#moments ?? [...this.#course.moments];
    this.#course.end();
    return {
      moments,
      disturbed: this.#course.hasStruck,
      events: await journalOf(this.#stage.port),
      turns: this.#accepted,
      runs: this.#outside.runs,
      reported: this.#outside.reported,
      requests: this.#requests,
      missed: this.#missed,
      timersLeft: this.#stage.timersLeft(),
    };
  }

  #nextTurn(): string {
    this.#turns += 1;
    return `t${this.#turns}`;
  }

  /** One invocation after another, until the turn has ended or waits for somebody. `message`: it is to be started first. */
  async #conduct(turn: string, message?: string): Promise<void> {
    const start = message === undefined ? undefined : this.#startOf(turn, message);
    for (let i = 0; i < MAX_INVOCATIONS; i += 1) {
      const line = this.#course.open();
      const leased = await this.#stage.until(this.#lease(line, turn, start), line);
      if (leased === 'stopped') return;
      if (leased === 'gone') continue;
      await this.#deliverHeldUp(line, leased);
      const end = await this.#stage.until(this.#run(line, leased), line);
      if (end === 'stopped') return;
    }
    throw new Error(`Turn ${turn} does not stop: ${MAX_INVOCATIONS} invocations have gone.`);
  }

  /**
   * What was on its way when a former holder fell silent arrives at the worst moment; but not when it may already have
   * been asked what became of it, since whoever acts then is beyond every guarantee.
   */
  async #deliverHeldUp(current: Line, { expiredFor }: Leased): Promise<void> {
    const { clock, leaseMs } = this.#stage;
    for (const line of this.#course.held) {
      if (line === current) continue;
      if (expiredFor > leaseMs / 5) line.drop();
      if (line.mode === 'zombie-at-once') line.deliver();
      if (line.mode === 'zombie-amid') line.deliverAmid();
      clock.after(Math.max(0, leaseMs / 8 - expiredFor), () => line.deliver());
    }
    await this.#stage.wait(0);
  }

  /** `gone`: the invocation died before it had its lease. */
  async #lease(line: Line, turn: string, start: TurnStart | undefined): Promise<Leased | 'gone' | 'stopped'> {
    const { port } = this.#stage;
    this.#nonces += 1;
    const lease = { nonce: `n${this.#nonces}`, reader: READER };
    for (let isStored = start === undefined; ; ) {
      const ask = (): Promise<Leased | Deferred | NotStarted | NotResumed> =>
        start === undefined || isStored ? port.resume({ ...lease, turn }) : port.begin({ ...lease, start });
      const answer = await Promise.race([line.send('lease', ask), line.gone]).catch(() => 'gone' as const);
      if (answer === 'gone') return answer;
      if (answer.status === 'leased' || answer.status === 'known') this.#isAccepted(turn);
      if (answer.status === 'leased') return answer;
      if (answer.status === 'known') isStored = true;
      else if (answer.status !== 'busy') return 'stopped';
      else await this.#stage.wait(this.#stage.leaseMs / 20);
    }
  }

  #isAccepted(turn: string): void {
    if (this.#moments === undefined && !this.#accepted.includes(turn)) this.#accepted.push(turn);
  }

  #startOf(turn: string, message: string): TurnStart {
    const { context = ToolCallContext.EMPTY } = this.#production;
    const ids = [turn, 'incarnation'].values();
    const start = { agent: this.#name, message, context, from: { id: 'tester' } };
    return toTurnStart(start, () => ids.next().value ?? '');
  }

  async #run(line: Line, leased: Leased): Promise<'gone' | 'stopped'> {
    const { clock, port: session } = this.#stage;
    const { reconciles, secrets } = this.#production;
    const honest = throughLine(session, line);
    const port = this.#stage.outgoing?.(honest) ?? honest;
    const leaf: TurnHost['leaf'] = (own) => this.#outside.seen(own, line, reconciles);
    const host = { port, clock, secrets, leaf, leave: line.leave, ...this.#cast(line) };
    const end = await runTurn(host, leased, clock.now());
    return end.status === 'ended' || end.status === 'suspended' ? 'stopped' : 'gone';
  }

  #app(line: Line): App {
    return this.#production.app(this.#outside.kit(line));
  }

  /** Who acts in one invocation. The script speaks for the model of every agent. */
  #cast(line: Line): Cast {
    const { prices, resolve } = this.#production;
    const ask: ChatModel['ask'] = (request, options) =>
      line.through('model', () => {
        this.#requests.push(request);
        return this.#script.ask(request, options);
      });
    return castOf(this.#app(line), { name: this.#script.name, ask, prices, resolve });
  }
}
