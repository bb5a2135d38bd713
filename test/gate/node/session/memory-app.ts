import { type Agent, type AgentConfig, defineAgent, type InputDeclaration } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import {
  type Clock,
  createManualClock,
  createMemorySessions,
  type ManualClock,
  type MemorySessions,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type SessionPort,
  type SessionState,
  scriptedModel,
} from '../../../../src/testing/entry.ts';
import { collectAppModules } from '../../../doors/agent.ts';
import type { DeferredTurn, LeaseGrant, ResumeRefusal, StartRefusal } from '../../../doors/journal.ts';
import { type Meter, readTurn, systemClock, type TurnEnd, type TurnHost } from '../../../doors/session.ts';
import { createTurnSteps } from '../../../doors/testing.ts';

/** One agent with a scripted model over one in-memory session. */
export interface MemoryApp {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly port: SessionPort;
  readonly sessions: MemorySessions;
  /** The modules of the agent, and those that every app of these tests uses. */
  readonly modules: ReturnType<typeof collectAppModules>;
  /** The turns that the session's alarm has handed to a runner. */
  readonly dispatched: readonly string[];
  /** Runs a turn for a message. */
  say(message: string, options?: Partial<TurnHost>): Promise<TurnEnd>;
  /** Stores a turn and leases it, without running it. */
  lease(message: string): Promise<LeaseGrant>;
  /** Leases the open turn for another invocation. */
  resume(turn: string): Promise<LeaseGrant>;
  run(leased: LeaseGrant, options?: Partial<TurnHost>): Promise<TurnEnd>;
  state(): Promise<SessionState>;
  events(turn: string): Promise<readonly StoredEvent[]>;
}

interface MemoryAppOptions extends Partial<Omit<AgentConfig<'tester', InputDeclaration>, 'name' | 'model'>> {
  readonly replies: readonly ScriptedReply[];
  /** Options of the scripted model. */
  readonly modelOptions?: ScriptedModelOptions;
  readonly clock?: Clock;
  readonly leaseMs?: number;
  /** The maximum size of the session in bytes. */
  readonly mostBytes?: number;
  readonly wrap?: (port: SessionPort) => SessionPort;
}

export function createMemoryApp(options: MemoryAppOptions): MemoryApp {
  const {
    replies,
    modelOptions,
    clock = systemClock,
    leaseMs = 20_000,
    mostBytes,
    wrap = (port) => port,
    ...config
  } = options;
  const model = scriptedModel(replies, modelOptions);
  const agent = defineAgent({
    name: 'tester',
    description: 'Tests.',
    instructions: '',
    tools: [],
    ...config,
    model,
  });
  const dispatched: string[] = [];
  const dispatch = ({ turn }: { readonly turn: string }) => dispatched.push(turn);
  const sessions = createMemorySessions({ clock, leaseMs, mostBytes, dispatch });
  const port = wrap(sessions.session('["owner","tester","s1"]'));
  const modules = collectAppModules({ use: [files(), answers], agents: [agent] });
  const { begin, resume, run, state } = createTurnSteps({ port, agent, model, clock, modules });
  // As in the Worker: the meter of the invocation counts every message to the session.
  const runMetered: MemoryApp['run'] = (leased, more = {}) =>
    run(leased, more.meter ? { ...more, port: countCalls(more.port ?? port, more.meter) } : more);
  const lease = async (message: string): Promise<LeaseGrant> => expectLease(await begin({ message }));
  return {
    agent,
    model,
    port,
    sessions,
    modules,
    dispatched,
    say: async (message, more) => runMetered(await lease(message), more),
    lease,
    resume: async (turn) => expectLease(await resume(turn)),
    run: runMetered,
    state,
    events: (turn) => readTurn(port, turn),
  };
}

const countCalls = (port: SessionPort, meter: Meter): SessionPort =>
  new Proxy(port, {
    get(target, key, self) {
      meter.spendInternal(); // Every read of a method is a call.
      return Reflect.get(target, key, self);
    },
  });

/** An app whose time is only that of its own clock. */
export interface ClockedApp extends MemoryApp {
  readonly clock: ManualClock;
}

export function createClockedApp(options: Omit<MemoryAppOptions, 'clock'>): ClockedApp {
  const clock = createManualClock(1_000_000);
  return { ...createMemoryApp({ ...options, clock }), clock };
}

function expectLease(answer: LeaseGrant | DeferredTurn | StartRefusal | ResumeRefusal): LeaseGrant {
  if (answer.status !== 'leased') throw new Error(`The lease was refused: ${answer.status}.`);
  return answer;
}
