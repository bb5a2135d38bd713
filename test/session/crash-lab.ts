import { type Agent, defineAgent } from '../../src/agent/define-agent.ts';
import type { StoredEvent } from '../../src/journal/events.ts';
import { toRow } from '../../src/journal/parse-event.ts';
import type { BeginRequest, Leased, ResumeRequest, SessionPort } from '../../src/journal/session-port.ts';
import type { ChatModel, ModelMessage } from '../../src/model/chat-model.ts';
import type { Clock } from '../../src/session/clock.ts';
import { READER, readTurn } from '../../src/session/fold-session.ts';
import { runTurn, type TurnEnd } from '../../src/session/run-turn.ts';
import { createManualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { createMemorySessions } from '../../src/testing/memory-session.ts';
import type { InputDeclaration } from '../../src/tools/input-schema.ts';
import type { AnyTool } from '../../src/tools/tool.ts';
import { type Disturbance, Line } from './disturbed-line.ts';

export const LEASE_MS = 20_000;
const NAME = '["owner","tester","s1"]';

/** What a scenario is made of; `line` goes between the loop and the world. */
export interface Scenario {
  tools(line: Line, world: World): readonly AnyTool[];
  readonly model: ChatModel;
  /** The form of the agent's answers. */
  readonly output?: InputDeclaration;
}

/** What happened outside: the only witness of effects. */
export interface World {
  readonly effects: { readonly tool: string; readonly call: string; readonly key: string }[];
}

/** What came of a turn and of the message after it. */
export interface Aftermath {
  readonly events: readonly StoredEvent[];
  readonly effects: World['effects'];
  /** What the model is shown with the next message. */
  readonly shown: readonly ModelMessage[];
  /** Port calls of the first invocation, each counted before and after. */
  readonly positions: number;
  /** Timers that some invocation left on the clock. */
  readonly timersLeft: number;
}

/**
 * Runs a turn under one disturbance an invocation, is taken over whenever the lease has expired, and then sends one
 * more message undisturbed.
 */
export async function runDisturbed(
  scenario: Scenario,
  disturbances: readonly Disturbance[],
): Promise<Aftermath> {
  const clock = createManualClock(1_000_000);
  const timers = new Set<object>();
  const counted = countTimers(clock, timers);
  const sessions = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} });
  const port = sessions.session(NAME);
  const world: World = { effects: [] };
  let shown: readonly ModelMessage[] = [];
  const lines: Line[] = [];

  async function invoke(
    request: BeginRequest | ResumeRequest,
    disturbance?: Disturbance,
  ): Promise<TurnEnd | 'not-open'> {
    const line = new Line(disturbance, () => sessions.restart(NAME));
    lines.push(line);
    const ask = () => ('start' in request ? port.begin(request) : port.resume(request));
    let leased = await ask();
    for (; leased.status === 'busy'; leased = await ask()) await clock.advance(LEASE_MS / 20);
    if (leased.status === 'not-open') return 'not-open';
    if (leased.status !== 'leased') throw new Error(`No lease: ${leased.status}.`);
    // What was on its way when the former holder fell silent arrives at the worst moment: now.
    for (const former of lines.slice(0, -1)) {
      if (former.isZombie) clock.after(LEASE_MS / 8, () => former.deliver());
      else former.deliver();
    }
    await clock.advance(0);
    return settled(clock, line, run(line, leased));
  }

  function run(line: Line, leased: Leased): Promise<TurnEnd> {
    const model: ChatModel = {
      name: 'by the conversation',
      ask: (request, options) =>
        line.through(() => {
          shown = request.messages;
          return scenario.model.ask(request, options);
        }),
    };
    const agent: Agent = defineAgent({
      name: 'tester',
      description: 'Tests.',
      instructions: '',
      tools: scenario.tools(line, world),
      output: scenario.output,
    });
    return runTurn({ port: throughLine(port, line), agent, model, clock: counted }, leased, clock.now());
  }

  let end = await invoke({ nonce: 'n0', start: startOf('t1', 'Go.'), reader: READER }, disturbances[0]);
  for (let i = 1; end !== 'not-open' && end.status !== 'ended'; i += 1) {
    end = await invoke({ nonce: `n${i}`, turn: 't1', reader: READER }, disturbances[i]);
    if (i > disturbances.length) throw new Error(`The turn does not end: ${JSON.stringify(end)}.`);
  }
  for (const line of lines) line.deliver();
  await clock.advance(LEASE_MS);
  const events = await readTurn(port, 't1');
  await invoke({ nonce: 'next', start: startOf('t2', 'And now?'), reader: READER });
  const [first] = lines;
  return { events, effects: world.effects, shown, positions: first?.position ?? 0, timersLeft: timers.size };
}

/** The invocation's answer. It must come: an invocation whose calls are never answered ends with its lease. */
async function settled<T>(clock: ManualClock, line: Line, promise: Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  let failure: { readonly thrown: unknown } | undefined;
  promise.then(
    (value) => {
      result = { value };
    },
    (thrown: unknown) => {
      failure = { thrown };
    },
  );
  // Time passes only where nothing happens without it.
  for (let idle = 0, at = line.position; idle < 60 && !result && !failure; at = line.position) {
    await clock.advance(idle < 6 ? 0 : LEASE_MS / 10);
    idle = line.position === at ? idle + 1 : 0;
  }
  if (failure) throw failure.thrown;
  if (!result) throw new Error('The invocation hangs.');
  return result.value;
}

const throughLine = (port: SessionPort, line: Line): SessionPort => ({
  ...port,
  append: (epoch, from, change) => line.append(() => port.append(epoch, from, change)),
  renew: (epoch) => line.through(() => port.renew(epoch)),
});

const startOf = (turn: string, message: string) => ({
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
});

const countTimers = (clock: Clock, timers: Set<object>): Clock => ({
  now: () => clock.now(),
  after(ms, run) {
    const timer = {};
    timers.add(timer);
    const cancel = clock.after(ms, () => {
      timers.delete(timer);
      run();
    });
    return () => {
      timers.delete(timer);
      cancel();
    };
  },
});
