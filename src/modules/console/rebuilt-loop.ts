/**
 * Rebuilds the loops of a turn as they were before a model call, without effects: it calls no model, tool,
 * MCP server or database, and stores no event.
 */
import { ROOT, type SessionEvent, type StoredEvent } from '../../journal/events.ts';
import { TurnMemories } from '../../journal/memories.ts';
import { reduce } from '../../journal/reduce.ts';
import type { CallRecord, FrameState, SessionState } from '../../journal/state.ts';
import { OverheadTimer } from '../../loop/around-time.ts';
import { askModel } from '../../loop/ask-model.ts';
import { CallView } from '../../loop/batch.ts';
import { toCallRun } from '../../loop/call-run.ts';
import { type Holder, InterruptionError, NO_CREDENTIALS, Slots } from '../../loop/holder.ts';
import type { Loop, LoopSpec, ScopedUse } from '../../loop/loop.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { decideNextStep } from '../../loop/next-step.ts';
import { offerTools } from '../../loop/offer-tools.ts';
import { RunningCall } from '../../loop/running-call.ts';
import type { ModelRequest } from '../../model/chat-model.ts';
import { toLoopSpec } from '../../session/turn-host.ts';
import { computeSha256Hex } from '../../tool/async.ts';
import { parseToolInput, resolveRoute } from '../../tool/check-input.ts';
import { collectCredentials, envOfTools } from '../../tool/env.ts';
import type { JsonObject } from '../../tool/json.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { Secrets } from '../../tool/secrets.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { SessionRequest } from '../../worker/route.ts';
import { createTurnServices } from '../../worker/target.ts';

/** A rebuilt loop, or the reason why it cannot be rebuilt. */
export type RebuildResult =
  | { readonly loop: Loop; readonly opener?: LoopOpener }
  | { readonly unknown: string };

/** The call that opened a nested loop, with its tool behind all decorators. */
export interface LoopOpener {
  readonly tool: AnyTool;
  readonly input: JsonObject;
}

/** Thrown to stop a loop when the console has the requested data. The loop treats it like a hand-over. */
class InspectionInterrupt extends InterruptionError {
  readonly loop: Loop;
  readonly request: ModelRequest | undefined;

  constructor(loop: Loop, request?: ModelRequest) {
    super('handed-over', 'The console has seen what it looked for.');
    this.loop = loop;
    this.request = request;
  }
}

const SPY_MODULE = createModule({ name: 'console-spy', nested: true });

/** The first use of every rebuilt loop. It stops the loop before any other module prepares a model call. */
const PREPARE_SPY: ModuleUse = createUse(SPY_MODULE);
LOOPS.give(PREPARE_SPY, {
  async prepare(loop) {
    throw new InspectionInterrupt(loop);
  },
  watch(loop, moment) {
    if (moment.at === 'ask') throw new InspectionInterrupt(loop, moment.request);
  },
});

/**
 * Stops a loop when its request is complete. Other modules do not prepare the request, since that could use
 * the network.
 */
const REQUEST_SPY: ModuleUse = createUse(SPY_MODULE, 'watching');
LOOPS.give(REQUEST_SPY, {
  watch(loop, moment) {
    if (moment.at === 'ask') throw new InspectionInterrupt(loop, moment.request);
  },
});

/** A session at one moment, with the events up to it. */
export interface RebuildMoment {
  readonly asked: SessionRequest;
  readonly state: SessionState;
  readonly events: readonly StoredEvent[];
}

/** Returns the loop of a frame of the open turn. @throws ConfigurationError as a turn would. */
export async function rebuildLoop(moment: RebuildMoment, frame: string): Promise<RebuildResult> {
  const { turn } = moment.state;
  const target = turn?.frames.get(frame);
  if (!turn || !target) return { unknown: 'The loop is not open at this event.' };
  let rebuilt: RebuildResult = { loop: createRootLoop(moment) };
  for (const inner of listFramesTo(turn.frames, target)) {
    if ('unknown' in rebuilt) return rebuilt;
    rebuilt = await rebuildInnerLoop(rebuilt.loop, inner, inner === target);
  }
  return rebuilt;
}

/** Returns the nested loops from the outermost to this one. */
function listFramesTo(frames: ReadonlyMap<string, FrameState>, target: FrameState): readonly FrameState[] {
  if (target.id === ROOT) return [];
  const parent = target.parent === undefined ? undefined : frames.get(target.parent);
  return parent ? [...listFramesTo(frames, parent), target] : [target];
}

function createRootLoop({ asked, state, events }: RebuildMoment): Loop {
  const { host, env, target, requestId } = asked;
  const { turn } = state;
  const frame = turn?.frames.get(ROOT);
  if (!turn || !frame) throw new Error('The turn is not open.');
  const services = createTurnServices({ host, env, requestId }, { ...target, agent: target.agent.name });
  const { modules } = host;
  const log = (): void => {};
  const started = events.findLast(({ type }) => type === 'turn-started');
  return {
    spec: withSpy(toLoopSpec(services, turn), PREPARE_SPY),
    frame,
    session: target.session,
    agent: target.agent.name,
    turn: turn.id,
    startedAt: started?.at ?? 0,
    startsBefore: new Map(),
    takeOvers: 0,
    inSession: true,
    journal: {
      state,
      changed: new Promise(() => {}),
      emit(...emitted: SessionEvent[]) {
        for (const event of emitted) reduce(state, { ...event, seq: state.seq + 1 }, modules.memories);
      },
      durable: async () => {},
    },
    holder: createInspectionHolder(target.name, state),
    live: { restarted: () => {}, progress: () => {} },
    secrets: Secrets.NONE.hidingToo(collectCredentials(env)),
    env: envOfTools(env),
    log,
    slots: new Slots(),
    locks: { passed: new Set() },
    memories: new TurnMemories({ state, memories: modules.memories, log }),
    madeTools: new Map(),
    modules,
    agents: services.agents,
  };
}

/** Returns the spec with the spy as its first module. */
const withSpy = (spec: LoopSpec, use: ModuleUse): LoopSpec => ({
  ...spec,
  uses: [{ use, frame: ROOT, isAppWide: true }, ...spec.uses.filter((one) => one.use.module !== SPY_MODULE)],
});

/** Returns a lease holder without a session. It never waits, and rejects work that needs a connection. */
function createInspectionHolder(name: string, { incarnation }: SessionState): Holder {
  const { signal } = new AbortController();
  return {
    ...{ signal, modelSignal: signal, checkpoint: () => {}, count: () => {}, assertHeld: () => {} },
    claim: () => {
      throw new InterruptionError('handed-over', 'The console runs nothing.');
    },
    after: () => () => {},
    now: () => Date.now(),
    formerHolderGone: async () => {},
    digest: (id) => computeSha256Hex(JSON.stringify([name, incarnation, id])),
    ...{ takeSteers: () => false, late: () => {}, atEnd: () => {}, credentials: NO_CREDENTIALS },
  };
}

/** Returns the loop that an open call has opened. Runs the tool's code up to its first model call. */
async function rebuildInnerLoop(outer: Loop, inner: FrameState, isTarget: boolean): Promise<RebuildResult> {
  const { frame } = outer;
  const record = frame.messages
    .flatMap((message) => (message.role === 'assistant' ? message.calls : []))
    .find(({ id }) => id === inner.id);
  const offer = offerTools(outer, 'asked');
  const offered = record && offer.byName.get(record.name);
  if (!record || !offered)
    return { unknown: `This code offers no tool '${record?.name}' that opens the loop.` };
  const opener = findOpener(offered, record);
  if (!opener) return { unknown: `The loop of '${record.name}' cannot be rebuilt without running the tool.` };
  const { tool, input } = opener;
  const time = new OverheadTimer(outer.holder, { tool: tool.name, log: outer.log });
  const running = new RunningCall({
    ...{ loop: outer, record, tool, input, time },
    view: new CallView(outer, record, []),
  });
  // An outer loop has already received its last reply. It is removed here, since the loop would otherwise not
  // ask a model.
  const reply = isTarget ? undefined : inner.messages.pop();
  try {
    await tool.call(input, toCallRun(running, offer, ''));
  } catch (thrown) {
    if (thrown instanceof InspectionInterrupt) return { loop: { ...thrown.loop, frame: inner }, opener };
    return { unknown: `The loop of '${record.name}' cannot be rebuilt: its code threw.` };
  } finally {
    if (reply) inner.messages.push(reply);
  }
  return { unknown: `The call to '${record.name}' opens no loop in this code.` };
}

/** Returns the tool of a call behind its decorators, if its kind has no effect of its own. */
function findOpener(offered: AnyTool, record: CallRecord): LoopOpener | undefined {
  const target = resolveRoute(offered, record);
  let { tool } = target;
  while (tool.delegate) tool = tool.delegate;
  const parsed = target.input
    ? { ok: true as const, input: target.input }
    : parseToolInput(tool.name, record.input);
  return tool.effect === 'none' && parsed.ok ? { tool, input: parsed.input } : undefined;
}

/** Returns the next request of a loop as this code builds it, or the reason why there is no request. */
export async function rebuildRequest(loop: Loop): Promise<ModelRequest | string> {
  const step = decideNextStep(loop.frame, loop.spec, loop.journal.state.turn);
  if (step.do !== 'ask') return 'This code would not ask a model here.';
  const uses = loop.spec.uses.map(withoutPrepare);
  try {
    await askModel({ ...loop, spec: withSpy({ ...loop.spec, uses }, REQUEST_SPY) }, step.last);
  } catch (thrown) {
    if (thrown instanceof InspectionInterrupt && thrown.request) return thrown.request;
    return 'This code could not make the request.';
  }
  return 'This code would not ask a model here.';
}

/** Returns the use without its `prepare`, which may make requests. */
function withoutPrepare(scoped: ScopedUse): ScopedUse {
  const seam = LOOPS.of(scoped.use);
  if (!seam?.prepare) return scoped;
  const use = createUse(scoped.use.module, scoped.use.key);
  LOOPS.give(use, Object.create(seam, { prepare: { value: undefined } }));
  return { ...scoped, use };
}
