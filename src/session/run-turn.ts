import type { Agent } from '../agent/define-agent.ts';
import { KINDS } from '../agent/kinds.ts';
import type { Outcome, TurnError } from '../journal/events.ts';
import { NewerEventError } from '../journal/parse-event.ts';
import { REDUCER_VERSION } from '../journal/reduce.ts';
import type { Leased, SessionPort } from '../journal/session-port.ts';
import { toSnapshot } from '../journal/snapshot.ts';
import { ROOT, type StateSlice, type TurnState } from '../journal/state.ts';
import { type ChatModel, ModelError } from '../model/chat-model.ts';
import { Interrupted } from '../tool-loop/interrupted.ts';
import type { Loop, LoopEnd } from '../tool-loop/loop.ts';
import { runToolLoop } from '../tool-loop/run-tool-loop.ts';
import { Slots } from '../tool-loop/slots.ts';
import { ToolCallContext } from '../tools/tool-call-context.ts';
import type { Clock } from './clock.ts';
import { closeOpenCalls } from './close-turn.ts';
import { foldLeased } from './fold-session.ts';
import { HeldSession } from './held-session.ts';
import { type FeedItem, LiveFeed } from './live-feed.ts';

/** What an invocation brings to a turn. */
export interface TurnHost {
  readonly port: SessionPort;
  readonly agent: Agent;
  /** Unless the agent has its own. */
  readonly model: ChatModel;
  readonly clock: Clock;
  /** Shows a client what happens; without it the model is not asked to stream. */
  readonly show?: ((item: FeedItem) => void) | undefined;
  /** Aborts when nobody waits for the answer here any more: the turn is handed over at its next boundary. */
  readonly leave?: AbortSignal | undefined;
}

/** Where a turn stands when its invocation stops. */
export type TurnEnd =
  | { readonly status: 'ended'; readonly turn: TurnState }
  /** Another invocation goes on, or a decision is waited for; `seq` is the last event that was shown. */
  | { readonly status: 'suspended' | 'handed-over' | 'lost'; readonly seq: number };

/** Take-overs in a row without progress after which a turn is given up (DESIGN 5, rule 4). */
const MAX_EXPIRATIONS = 3;
/** When a turn that this code cannot read is offered to a holder again, in ms. */
const NEWER_DEPLOYMENT = 5_000;
/** A snapshot is written when more events than this would have to be folded. */
const SNAPSHOT_AFTER = 200;

/**
 * Runs a leased turn to its end, or as far as this invocation may. Everything it did is durable or given up when it
 * returns, on every path.
 *
 * @throws NewerEventError when a newer version of this code wrote to the session, which is then left alone.
 */
export async function runTurn(host: TurnHost, leased: Leased, sentAt: number): Promise<TurnEnd> {
  const { port, clock } = host;
  const slices = KINDS.flatMap(({ slice }) => slice ?? []);
  const folded = await foldOrGiveBack(port, leased, slices);
  const { state } = folded;
  const feed = host.show && new LiveFeed(host.show, () => state.seq);
  feed?.stored(folded.turnEvents);
  const session = new HeldSession({
    port,
    clock,
    leased,
    sentAt,
    state,
    slices,
    stored: (events) => feed?.stored(events),
  });
  const leave = (): void => session.handOver('its client has gone');
  host.leave?.addEventListener('abort', leave);
  if (host.leave?.aborted) leave();
  try {
    return await drive(host, leased, session, feed, folded);
  } catch (failure) {
    if (failure instanceof Interrupted) return { status: 'lost', seq: session.outbox.acknowledged };
    throw failure;
  } finally {
    host.leave?.removeEventListener('abort', leave);
    await session.close();
  }
}

/** A session that this code is too old for is left to a newer deployment, unchanged. @throws NewerEventError then. */
async function foldOrGiveBack(
  port: SessionPort,
  leased: Leased,
  slices: readonly StateSlice[],
): Promise<Folded> {
  try {
    return await foldLeased(port, leased, slices);
  } catch (failure) {
    if (failure instanceof NewerEventError) {
      const from = leased.page.head + 1;
      await port.append(leased.epoch, from, {
        events: [],
        release: 'yielded',
        resumeAfter: NEWER_DEPLOYMENT,
      });
    }
    throw failure;
  }
}

type Folded = Awaited<ReturnType<typeof foldLeased>>;

async function drive(
  host: TurnHost,
  leased: Leased,
  session: HeldSession,
  feed: LiveFeed | undefined,
  folded: Folded,
): Promise<TurnEnd> {
  const { outbox } = session;
  const { turn } = folded.state;
  if (!turn || turn.outcome) throw new Error('A lease was given for a session without an open turn.');
  if (leased.cause !== 'started') outbox.emit({ type: 'turn-resumed', turn: turn.id, cause: leased.cause });
  session.takeIn(leased.inbox);
  if (turn.cancelRequested) session.cancel();
  const end = await stopOf(() => loopEnd(host, leased, session, feed, turn));
  // Decided after the last wait: a cancel that came while the loop stopped is not left to a holder that may never come.
  const stopped = turn.cancelRequested && end.why !== 'lost' && end.why !== 'ended' ? CANCELLED : end;
  switch (stopped.why) {
    case 'suspended':
      await outbox.release('suspended');
      return { status: 'suspended', seq: outbox.acknowledged };
    case 'handed-over':
      outbox.emit({ type: 'turn-yielded', turn: turn.id, reason: stopped.detail });
      await outbox.release('yielded');
      return { status: 'handed-over', seq: outbox.acknowledged };
    case 'lost':
      return { status: 'lost', seq: outbox.acknowledged };
    case 'ended':
      await endTurn(session, leased, folded, turn, stopped);
      return { status: 'ended', turn };
  }
}

type Stopped =
  | { readonly why: 'suspended' | 'handed-over' | 'lost'; readonly detail: string }
  | { readonly why: 'ended'; readonly outcome: Outcome; readonly error?: TurnError; readonly open: string };

const CANCELLED: Stopped = { why: 'ended', outcome: 'cancelled', open: 'was cancelled before it ran' };

/** Every way in which a loop can stop, as data. */
async function stopOf(run: () => Promise<LoopEnd>): Promise<Stopped> {
  try {
    const { outcome, error } = await run();
    if (outcome === 'suspended') return { why: outcome, detail: '' };
    return { why: 'ended', outcome, ...(error && { error }), open: 'was not run' };
  } catch (thrown) {
    if (!(thrown instanceof Interrupted)) return { why: 'ended', ...failed(thrown), open: 'was not run' };
    if (thrown.why !== 'cancelled') return { why: thrown.why, detail: thrown.message };
    return CANCELLED;
  }
}

function failed(thrown: unknown): { outcome: 'failed'; error: TurnError } {
  if (thrown instanceof ModelError) {
    return { outcome: 'failed', error: { type: 'model-failure', message: thrown.message } };
  }
  console.error('holdfast: a turn failed', thrown);
  return { outcome: 'failed', error: { type: 'internal', message: 'The turn failed inside the Worker.' } };
}

async function loopEnd(
  host: TurnHost,
  leased: Leased,
  session: HeldSession,
  feed: LiveFeed | undefined,
  turn: TurnState,
): Promise<LoopEnd> {
  if (leased.expirations >= MAX_EXPIRATIONS) return stuck(turn);
  const { agent } = host;
  const root = turn.frames.get(ROOT);
  if (!root) throw new Error('An open turn has no loop.');
  const loop: Loop = {
    turn: turn.id,
    frame: ROOT,
    instructions: agent.instructions,
    tools: agent.tools,
    limits: agent.limits,
    model: agent.model ?? host.model,
    strategies: KINDS.flatMap(({ strategy }) => strategy ?? []),
    context: agent.context.merge(ToolCallContext.of(turn.context)),
    journal: session.outbox,
    live: feed ?? unwatched,
    slots: new Slots(),
    invocation: session,
    run: runToolLoop,
  };
  const end = await runToolLoop(loop, root);
  return end.outcome === 'completed' && turn.limited ? { outcome: 'limit-reached' } : end;
}

const unwatched = { restarted: () => {}, progress: () => {} };

const stuck = (turn: TurnState): LoopEnd => ({
  outcome: 'failed',
  error: {
    type: 'stuck',
    message: `The turn was taken over ${MAX_EXPIRATIONS} times without progress; its last event is ${turn.lastEvent}.`,
  },
});

async function endTurn(
  { outbox }: HeldSession,
  leased: Leased,
  { state, tailBytes }: Folded,
  turn: TurnState,
  { outcome, error, open }: Extract<Stopped, { why: 'ended' }>,
): Promise<void> {
  outbox.emit(...closeOpenCalls(turn, open), {
    type: 'turn-ended',
    turn: turn.id,
    outcome,
    ...(error && { error }),
  });
  const covered = leased.snapshot?.seq ?? 0;
  const isLong = state.seq - covered > SNAPSHOT_AFTER;
  const isHeavy = tailBytes + outbox.bytes > (leased.snapshot?.body.length ?? 0);
  const snapshot =
    isLong && isHeavy ? { seq: state.seq, reducer: REDUCER_VERSION, body: toSnapshot(state) } : undefined;
  await outbox.release('ended', snapshot);
}
