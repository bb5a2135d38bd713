import { type Agent, type AgentConfig, defineAgent } from '../../src/agent/define-agent.ts';
import type { StoredEvent } from '../../src/journal/events.ts';
import { toRow } from '../../src/journal/parse-event.ts';
import type { Leased, SessionPort } from '../../src/journal/session-port.ts';
import type { SessionState } from '../../src/journal/state.ts';
import { type Clock, systemClock } from '../../src/session/clock.ts';
import { foldAll, READER, readTurn } from '../../src/session/fold-session.ts';
import { runTurn, type TurnEnd, type TurnHost } from '../../src/session/run-turn.ts';
import { createMemorySessions, type MemorySessions } from '../../src/testing/memory-session.ts';
import { type ScriptedModel, type ScriptedReply, scriptedModel } from '../../src/testing/scripted-model.ts';

/** One agent with a scripted model over one in-memory session. */
export interface MemoryApp {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly port: SessionPort;
  readonly sessions: MemorySessions;
  /** Turns that the session's alarm handed to a runner so far. */
  readonly dispatched: readonly string[];
  /** Runs a turn for a message. */
  say(message: string, options?: Partial<TurnHost>): Promise<TurnEnd>;
  /** Stores a turn and leases it, without running it. */
  lease(message: string): Promise<Leased>;
  /** Leases the open turn for another invocation. */
  resume(turn: string): Promise<Leased>;
  run(leased: Leased, options?: Partial<TurnHost>): Promise<TurnEnd>;
  state(): Promise<SessionState>;
  events(turn: string): Promise<readonly StoredEvent[]>;
}

interface Options extends Partial<Omit<AgentConfig<'tester'>, 'name' | 'model'>> {
  readonly replies: readonly ScriptedReply[];
  readonly clock?: Clock;
  readonly leaseMs?: number;
  readonly wrap?: (port: SessionPort) => SessionPort;
}

let turns = 0;

export function memoryApp(options: Options): MemoryApp {
  const { replies, clock = systemClock, leaseMs = 20_000, wrap = (port) => port, ...config } = options;
  const model = scriptedModel(replies);
  const agent = defineAgent({
    name: 'tester',
    description: 'Tests.',
    instructions: '',
    tools: [],
    ...config,
    model,
  });
  const dispatched: string[] = [];
  const sessions = createMemorySessions({ clock, leaseMs, dispatch: ({ turn }) => dispatched.push(turn) });
  const port = wrap(sessions.session('["owner","tester","s1"]'));
  const app: MemoryApp = {
    agent,
    model,
    port,
    sessions,
    dispatched,
    async say(message, more) {
      return app.run(await app.lease(message), more);
    },
    async lease(message) {
      turns += 1;
      const turn = `turn${turns}`;
      const leased = await port.begin({
        nonce: `nonce-${turn}`,
        start: {
          turn,
          opening: toRow({ type: 'session-opened', incarnation: 'i', agent: 'tester' }),
          started: toRow({
            type: 'turn-started',
            turn,
            loopId: turn,
            message,
            context: {},
            principal: { id: 'owner' },
          }),
        },
        reader: READER,
      });
      return expectLease(leased);
    },
    async resume(turn) {
      turns += 1;
      return expectLease(await port.resume({ nonce: `resume-${turns}`, turn, reader: READER }));
    },
    run: (leased, more = {}) => runTurn({ port, agent, model, clock, ...more }, leased, clock.now()),
    async state() {
      const folded = await foldAll(port, []);
      if (!folded) throw new Error('There is no session.');
      return folded.state;
    },
    events: (turn) => readTurn(port, turn),
  };
  return app;
}

function expectLease(answer: Leased | NotStarted | NotResumed): Leased {
  if (answer.status !== 'leased') throw new Error(`The lease was refused: ${answer.status}.`);
  return answer;
}
