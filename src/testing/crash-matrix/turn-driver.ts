import type { Agent } from '../../agent/define-agent.ts';
import type { DeferredTurn } from '../../journal/event-page.ts';
import type {
  LeaseGrant,
  ResumeRefusal,
  SessionPort,
  StartRefusal,
  TurnStart,
} from '../../journal/session-port.ts';
import { composeModules, type Modules } from '../../loop/modules.ts';
import type { ChatModel, ModelReply, ModelRequest } from '../../model/chat-model.ts';
import type { Prices } from '../../model/prices.ts';
import { toReader } from '../../session/fold-session.ts';
import { runTurn } from '../../session/run-turn.ts';
import type { TurnHost } from '../../session/turn-host.ts';
import { toLog, writeProblems } from '../../tool/console-log.ts';
import type { GivenEnv } from '../../tool/env.ts';
import type { LogEntry } from '../../tool/log.ts';
import type { CrashableSession } from './crashable-session.ts';
import type { CrashableInvocation, Positions } from './disturbances.ts';
import type { Effects } from './effects.ts';
import type { App, Subject } from './script.ts';

/** The shared settings of one play's invocations. */
interface TurnDriverOptions<World> {
  readonly subject: Subject<World>;
  readonly env: GivenEnv;
  readonly session: CrashableSession;
  readonly positions: Positions;
  readonly effects: Effects<World>;
  /** Replaces the model of every agent. */
  readonly model: ChatModel;
  /** Called when the session has stored the message of this turn. */
  readonly onAccepted: (turn: string) => void;
}

/** The number of invocations after which an endless turn is abandoned. */
const MAX_INVOCATIONS = 12;

/**
 * Runs the turns of one play. If an invocation is lost, another takes over its turn when the lease has
 * expired.
 */
export class TurnDriver<World> {
  /** The requests to the model, from all invocations. */
  readonly requests: ModelRequest[] = [];
  /** The model's replies, including those that were lost. */
  readonly replies: ModelReply[] = [];
  readonly #options: TurnDriverOptions<World>;
  readonly #apps = new WeakMap<CrashableInvocation, App>();
  #nonces = 0;

  constructor(options: TurnDriverOptions<World>) {
    this.#options = options;
  }

  /**
   * Runs one invocation after another until the turn has ended or waits for a person. With `start`, stores
   * the turn first.
   *
   * @throws Error if the turn does not stop.
   */
  async drive(turn: string, start?: TurnStart): Promise<void> {
    const { positions, session } = this.#options;
    for (let i = 0; i < MAX_INVOCATIONS; i += 1) {
      const invocation = positions.invoke();
      const leased = await session.until(this.#lease(invocation, turn, start), invocation);
      if (leased === 'stopped') return;
      if (leased === 'gone') continue;
      await this.#deliverHeldUp(invocation, leased);
      const end = await session.until(this.#run(invocation, leased), invocation);
      if (end === 'stopped') return;
    }
    throw new Error(`Turn ${turn} did not stop after ${MAX_INVOCATIONS} invocations.`);
  }

  /**
   * Delivers the delayed calls of former lease holders at the worst position. Drops calls that may already be
   * reconciled, since the guarantees do not cover calls that arrive so late.
   */
  async #deliverHeldUp(current: CrashableInvocation, { expiredFor }: LeaseGrant): Promise<void> {
    const { positions, session } = this.#options;
    const { clock, leaseMs } = session;
    for (const invocation of positions.held) {
      if (invocation === current) continue;
      if (expiredFor > leaseMs / 5) invocation.drop();
      if (invocation.mode === 'zombie-at-once') invocation.deliver();
      if (invocation.mode === 'zombie-amid') invocation.deliverAmid();
      clock.after(Math.max(0, leaseMs / 8 - expiredFor), () => invocation.deliver());
    }
    await session.wait(0);
  }

  /** Leases the turn. Returns `gone` if the invocation is lost before it has its lease. */
  async #lease(
    invocation: CrashableInvocation,
    turn: string,
    start: TurnStart | undefined,
  ): Promise<LeaseGrant | 'gone' | 'stopped'> {
    const { onAccepted, session } = this.#options;
    const { port, leaseMs } = session;
    this.#nonces += 1;
    const lease = { nonce: `n${this.#nonces}`, reader: toReader(this.#modulesOf(invocation)) };
    for (let isStored = start === undefined; ; ) {
      const ask = (): Promise<LeaseGrant | DeferredTurn | StartRefusal | ResumeRefusal> =>
        start === undefined || isStored ? port.resume({ ...lease, turn }) : port.begin({ ...lease, start });
      const sent = invocation.send('lease', ask);
      const answer = await Promise.race([sent, invocation.gone]).catch(() => 'gone' as const);
      if (answer === 'gone') return answer;
      if (answer.status === 'leased' || answer.status === 'known') onAccepted(turn);
      if (answer.status === 'leased') return answer;
      if (answer.status === 'known') isStored = true;
      else if (answer.status !== 'busy') return 'stopped';
      else await session.wait(leaseMs / 20);
    }
  }

  async #run(invocation: CrashableInvocation, leased: LeaseGrant): Promise<'gone' | 'stopped'> {
    const { session, subject, env } = this.#options;
    const { clock } = session;
    const { secrets } = subject;
    const honest = createCrashablePort(session.port, invocation);
    const port = session.outgoing?.(honest) ?? honest;
    const host = {
      port,
      clock,
      modules: this.#modulesOf(invocation),
      secrets,
      env,
      leave: invocation.leave,
      log: toLog(logUnexpected),
      ...this.#agents(invocation),
    };
    const end = await runTurn(host, leased, clock.now()).catch((failure: unknown) => {
      if (session.isUnreadable !== true) throw failure;
      return { status: 'lost' } as const;
    });
    return end.status === 'ended' || end.status === 'suspended' ? 'stopped' : 'gone';
  }

  /** Returns the agents of an invocation, created once. */
  #appOf(invocation: CrashableInvocation): App {
    const { effects, subject, env } = this.#options;
    const known = this.#apps.get(invocation) ?? subject.app(effects.kit(invocation), env);
    this.#apps.set(invocation, known);
    return known;
  }

  #modulesOf(invocation: CrashableInvocation): Modules {
    const { effects, subject } = this.#options;
    const { appWide, uses } = subject.modules(this.#appOf(invocation));
    return composeModules([...appWide, effects.watching(invocation, subject.reconciles)], [], uses);
  }

  #agents(invocation: CrashableInvocation): ScriptedAgents {
    const { model, subject, env } = this.#options;
    const { prices } = subject;
    const resolve = (one: Agent): Agent => subject.resolve?.(one, env) ?? one;
    const ask: ChatModel['ask'] = (request, options) =>
      invocation.through('model', async () => {
        this.requests.push(request);
        const reply = await model.ask(request, options);
        this.replies.push(reply);
        return reply;
      });
    return createScriptedAgents(this.#appOf(invocation), { name: model.name, ask, prices, resolve });
  }
}

/** Returns the session port for one invocation. */
const createCrashablePort = (port: SessionPort, invocation: CrashableInvocation): SessionPort => ({
  ...port,
  append: (epoch, from, change) => invocation.send('append', () => port.append(epoch, from, change)),
  renew: (...renewal) => invocation.through('renew', () => port.renew(...renewal)),
  async watch(watcher) {
    const line = await port.watch(watcher);
    const ping = (): void => {
      if (!invocation.isCutOff) line.ping();
    };
    return { ...line, ping };
  },
});

/** The agents of one invocation, and their model. */
type ScriptedAgents = Pick<TurnHost, 'agent' | 'agents' | 'model'>;

interface AgentScript extends Pick<ChatModel, 'name' | 'ask'> {
  /** The prices for agents whose own model has no prices. */
  readonly prices?: Prices | undefined;
  /** Adds tool groups to an agent that another agent delegates to. By default, the agent stays unchanged. */
  readonly resolve?: ((agent: Agent) => Agent) | undefined;
}

/** Replaces the models of all agents with one script. Each agent keeps its model's prices. */
function createScriptedAgents(
  app: readonly Agent[],
  { name, ask, prices, resolve }: AgentScript,
): ScriptedAgents {
  const createScriptedModel = (own: Prices | undefined): ChatModel => ({
    name,
    ask,
    ...(own && { prices: own }),
  });
  const scriptAgent = (agent: Agent): Agent => ({
    ...agent,
    model: createScriptedModel(agent.model?.prices ?? prices),
  });
  const [agent, ...others] = app.map(scriptAgent);
  if (!agent) throw new Error('The app has no agent.');
  const all = [agent, ...others];
  const model = createScriptedModel(prices);
  return {
    agent,
    model,
    agents: {
      names: all.map((one) => one.name).toSorted(),
      model,
      find: (sought) => all.find((one) => one.name === sought),
      resolve: (one: Agent) => scriptAgent(resolve?.(one) ?? one),
    },
  };
}

/** The log events that disturbances cause in tools and models. */
const EXPECTED_EVENTS: readonly LogEntry['event'][] = ['tool-threw', 'model-failed'];

const logUnexpected = (entry: LogEntry): void => {
  if (!EXPECTED_EVENTS.includes(entry.event)) writeProblems(entry);
};
