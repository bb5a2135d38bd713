import type { Agent } from '../../../src/agent/define-agent.ts';
import { SLICES } from '../../../src/agent/kinds.ts';
import type { StoredEvent } from '../../../src/journal/events.ts';
import { parseEvent, toRow } from '../../../src/journal/parse-event.ts';
import { reduce } from '../../../src/journal/reduce.ts';
import type {
  EventPage,
  Leased,
  NotResumed,
  NotStarted,
  SessionPort,
  TurnStart,
} from '../../../src/journal/session-port.ts';
import { emptyState, type SessionState } from '../../../src/journal/state.ts';
import type { ChatModel, ModelRequest } from '../../../src/model/chat-model.ts';
import { checkDecision, checkResult } from '../../../src/session/check-answer.ts';
import { READER, readTurn } from '../../../src/session/fold-session.ts';
import { runTurn, type TurnHost } from '../../../src/session/run-turn.ts';
import { sendAnswer } from '../../../src/testing/send-answer.ts';
import { callNames } from './call-names.ts';
import { Course, type Deed, type Disturbance, type Line } from './course.ts';
import { kitOf, type SeenEffect } from './kit.ts';
import type { Sabotage } from './sabotage.ts';
import type { Scenario, Step } from './scenario.ts';
import { type Exchange, modelOf } from './script.ts';
import type { Stage } from './stage.ts';

/** What is sent when the scenario is over, to see what the model is shown next. */
export const LAST_WORDS = 'And now?';

const FAREWELL: Exchange = { to: LAST_WORDS, replies: ['Farewell.'] };

export interface PlayOptions {
  readonly disturbances?: readonly Disturbance[] | undefined;
  /** Calls, by `callNames`, that are in doubt without any disturbance. */
  readonly doubts?: ReadonlySet<string> | undefined;
  readonly sabotage?: Sabotage | undefined;
}

/** What came of a scenario. */
export interface Aftermath {
  readonly events: readonly StoredEvent[];
  /** The fold of all events. */
  readonly state: SessionState;
  readonly effects: readonly SeenEffect[];
  /** What the model was shown, by every invocation. */
  readonly requests: readonly ModelRequest[];
  /** The moments before the last words. */
  readonly moments: readonly Deed[];
  /** Every disturbance found somebody. */
  readonly disturbed: boolean;
  readonly timersLeft: number;
}

/** Somebody whose turn goes nowhere is let go after so many invocations. */
const MAX_INVOCATIONS = 12;

/**
 * Plays a scenario on a fresh stage. Whatever becomes of an invocation, another takes its turn over when the lease has
 * expired, and is disturbed by the next of the disturbances. One more message is sent at the end, undisturbed.
 */
export async function play(scenario: Scenario, stage: Stage, options: PlayOptions = {}): Promise<Aftermath> {
  const play = new Play(scenario, stage, options);
  for (const step of scenario.steps) await play.step(step);
  return play.end();
}

class Play {
  readonly #scenario: Scenario;
  readonly #stage: Stage;
  readonly #options: PlayOptions;
  readonly #course: Course;
  /** The session, as whoever sabotages it lets it be seen. */
  readonly #port: SessionPort;
  readonly #effects: SeenEffect[] = [];
  readonly #requests: ModelRequest[] = [];
  #turns = 0;
  #nonces = 0;

  constructor(scenario: Scenario, stage: Stage, options: PlayOptions) {
    this.#scenario = scenario;
    this.#stage = stage;
    this.#options = options;
    this.#course = new Course(options.disturbances ?? [], stage);
    this.#port = options.sabotage?.session?.(stage.port) ?? stage.port;
  }

  async step(step: Step): Promise<void> {
    if ('send' in step) {
      this.#turns += 1;
      return this.#conduct(step.send);
    }
    const port = this.#port;
    const agent = this.#scenario.agent(kitOf(this.#course.open(), this.#world));
    const events = await readTurn(port, this.#turn);
    await ('decide' in step
      ? sendAnswer({ port, agent, events }, step.decide, ({ wait }) => checkDecision(wait, step.as, 'tester'))
      : sendAnswer({ port, agent, events }, step.result, ({ call }) =>
          checkResult(call.name, step.as, 'tester'),
        ));
    await this.#conduct();
  }

  async end(): Promise<Aftermath> {
    const moments = [...this.#course.moments];
    await this.#stage.wait(this.#stage.leaseMs / 6); // whoever is late has arrived
    this.#course.end();
    await this.step({ send: LAST_WORDS });
    await this.#stage.wait(this.#stage.leaseMs / 20);
    const events = await journalOf(this.#stage.port);
    return {
      moments,
      disturbed: this.#course.hasStruck,
      state: stateOf(events),
      events,
      effects: this.#effects,
      requests: this.#requests,
      timersLeft: this.#stage.timersLeft(),
    };
  }

  get #turn(): string {
    return `t${this.#turns}`;
  }

  readonly #world = {
    effects: this.#effects,
    breaksOff: async (call: string): Promise<boolean> => {
      const { doubts } = this.#options;
      if (!doubts || doubts.size === 0) return false;
      const name = callNames(await journalOf(this.#stage.port)).get(call);
      return name !== undefined && doubts.has(name);
    },
  };

  /** One invocation after another, until the turn has ended or waits for somebody. `message`: it is to be started first. */
  async #conduct(message?: string): Promise<void> {
    for (let i = 0; i < MAX_INVOCATIONS; i += 1) {
      const line = this.#course.open();
      const leased = await this.#stage.until(this.#lease(line, message), () => line.moves);
      if (leased === 'stopped') return;
      if (leased === 'gone') continue;
      await this.#deliverHeldUp(line, leased);
      const end = await this.#stage.until(this.#run(line, leased), () => line.moves);
      if (end === 'stopped') return;
    }
    throw new Error(`The turn does not stop: ${MAX_INVOCATIONS} invocations have gone.`);
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
  async #lease(line: Line, message: string | undefined): Promise<Leased | 'gone' | 'stopped'> {
    this.#nonces += 1;
    const lease = { nonce: `n${this.#nonces}`, reader: READER };
    const turn = this.#turn;
    const start = message === undefined ? undefined : startOf(turn, message);
    for (let isStored = start === undefined; ; ) {
      const ask = (): Promise<Leased | NotStarted | NotResumed> =>
        start === undefined || isStored
          ? this.#port.resume({ ...lease, turn })
          : this.#port.begin({ ...lease, start });
      const answer = await Promise.race([line.send('lease', ask), line.gone]).catch(() => 'gone' as const);
      if (answer === 'gone' || answer.status === 'leased') return answer;
      if (answer.status === 'known') isStored = true;
      else if (answer.status !== 'busy') return 'stopped';
      else await this.#stage.wait(this.#stage.leaseMs / 20);
    }
  }

  async #run(line: Line, leased: Leased): Promise<'gone' | 'stopped'> {
    const { clock } = this.#stage;
    const script = modelOf([...this.#scenario.script, FAREWELL]);
    const model: ChatModel = {
      name: script.name,
      ask: (request, options) =>
        line.through('model', () => {
          this.#requests.push(request);
          return script.ask(request, options);
        }),
    };
    const kit = kitOf(line, this.#world);
    const agent = this.#scenario.agent(kit);
    const agents = appOf(this.#scenario.agents?.(kit) ?? [], model);
    const honest = throughLine(this.#port, line);
    const port = this.#options.sabotage?.outgoing?.(honest, clock) ?? honest;
    const host = { port, agent, agents, model, clock, leave: line.leave };
    const end = await runTurn(host, leased, clock.now());
    return end.status === 'ended' || end.status === 'suspended' ? 'stopped' : 'gone';
  }
}

const appOf = (agents: readonly Agent[], model: ChatModel): TurnHost['agents'] => ({
  names: agents.map(({ name }) => name),
  model,
  find: (sought) => agents.find(({ name }) => name === sought),
  resolve: (agent) => agent,
});

const throughLine = (port: SessionPort, line: Line): SessionPort => ({
  ...port,
  append: (epoch, from, change) => line.send('append', () => port.append(epoch, from, change)),
  renew: (epoch) => line.through('renew', () => port.renew(epoch)),
});

const startOf = (turn: string, message: string): TurnStart => ({
  turn,
  opening: toRow({ type: 'session-opened', incarnation: 'i', agent: 'survivor' }),
  started: toRow({
    type: 'turn-started',
    turn,
    loopId: turn,
    message,
    context: {},
    principal: { id: 'owner' },
  }),
});

const stateOf = (events: readonly StoredEvent[]): SessionState =>
  events.reduce((state, { seq, event }) => reduce(state, seq, event, SLICES), emptyState());

async function journalOf(port: SessionPort): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const page: EventPage | null = await port.read({ from });
    events.push(...(page?.rows ?? []).map(parseEvent));
    from = page?.next ?? null;
  }
  return events;
}
