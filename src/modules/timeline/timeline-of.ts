import type { EventOf, EventType, StoredEvent } from '../../journal/events.ts';
import { addUsage, getToolName } from '../../journal/spending.ts';
import {
  answerWait,
  askWait,
  closeAll,
  closeAttempt,
  closeLoop,
  createLoopNode,
  type DrawnCall,
  type DrawnLoop,
  dropAsk,
  endInvocation,
  openAsk,
  openAttempt,
  openInvocation,
  type TimelineDrawing,
} from './nodes.ts';
import type { TurnTimeline } from './timeline.ts';

/**
 * Returns the timeline of a turn. The events can be those of the whole session or only of the turn, can end
 * at any event, and can come from a deployment with other modules. Pure, in linear time. Returns `undefined`
 * if the events do not contain the start of the turn.
 */
export function createTimeline(events: readonly StoredEvent[], turn: string): TurnTimeline | undefined {
  let drawing: TimelineDrawing | undefined;
  for (const event of events) {
    if (!('turn' in event) || event.turn !== turn) continue;
    if (drawing) draw(drawing, event);
    else if (event.type === 'turn-started') drawing = beginDrawing(event);
  }
  if (!drawing) return undefined;
  drawing.turn.status = getStatus(drawing);
  return drawing.turn;
}

function beginDrawing({ seq, at }: StoredEvent): TimelineDrawing {
  const root = createLoopNode({ id: 'loop', start: at });
  const turn: TimelineDrawing['turn'] = {
    ...{ kind: 'turn', id: 'turn', start: at, seqs: [seq], status: 'running' },
    ...{ loop: root.node, invocations: [], usage: { inputTokens: 0, outputTokens: 0 } },
  };
  const drawing: TimelineDrawing = {
    ...{ turn, root, loops: new Map(), calls: new Map(), open: new Set() },
    ...{ yielded: [], isCancelled: false },
  };
  openInvocation(drawing, { cause: 'started', at });
  openAsk(drawing, root, at);
  return drawing;
}

type StoredEventOf<Type extends EventType> = EventOf<Type> & Pick<StoredEvent, 'seq' | 'at'>;

type EventDrawers = {
  readonly [Type in EventType]?: (drawing: TimelineDrawing, event: StoredEventOf<Type>) => void;
};

/** The events that open and close nodes. Every other event is a mark. */
const DRAWER_BY_TYPE: EventDrawers = {
  'turn-resumed': drawResumed,
  'turn-yielded': drawYielded,
  'turn-ended': drawEnded,
  'cancel-requested': (drawing, { seq }) => {
    drawing.isCancelled = true;
    drawing.turn.seqs.push(seq);
  },
  'frame-started': drawFrame,
  'model-replied': drawReply,
  'tool-call-started': drawCallStart,
  'tool-call-suspended': drawQuestion,
  'tool-call-answered': drawAnswer,
  'tool-call-ended': drawCallEnd,
  'message-sent': (drawing, event) => {
    const call = drawing.calls.get(event.call);
    if (call) call.node.seqs.push(event.seq);
    else drawMark(drawing, event);
  },
};

function draw<Type extends EventType>(
  drawing: TimelineDrawing,
  event: { [T in Type]: StoredEventOf<T> }[Type],
): void {
  const { invocation, turn } = drawing;
  if (invocation && event.type !== 'turn-resumed') invocation.lastSeen = event.at;
  const drawer =
    turn.end === undefined && Object.hasOwn(DRAWER_BY_TYPE, event.type)
      ? DRAWER_BY_TYPE[event.type]
      : undefined;
  if (drawer) drawer(drawing, event);
  else drawMark(drawing, event);
}

function drawResumed(drawing: TimelineDrawing, { seq, at, cause }: StoredEventOf<'turn-resumed'>): void {
  const isDeath = cause === 'expired';
  const former = drawing.invocation;
  // An invocation that releases a waiting turn stores no event about it.
  if (former) endInvocation(drawing, isDeath ? ['died', at] : ['suspended', former.lastSeen]);
  const left = closeAll(drawing, { at, outcome: isDeath ? 'lost' : 'handed-over' });
  openInvocation(drawing, { cause, at, seq });
  // Work that has ended since the turn was handed over is not tried again.
  const yielded = drawing.yielded.filter(({ node }) => node.end === undefined);
  for (const tried of [...left, ...yielded]) openAttempt(drawing, tried, at);
  drawing.yielded = [];
}

function drawYielded(drawing: TimelineDrawing, event: StoredEventOf<'turn-yielded'>): void {
  const { seq, at } = event;
  if (!drawing.invocation) return void drawMark(drawing, event);
  drawing.invocation.seqs.push(seq);
  drawing.yielded = closeAll(drawing, { at, outcome: 'handed-over' });
  endInvocation(drawing, ['handed-over', at]);
}

function drawEnded(drawing: TimelineDrawing, { seq, at, outcome, error }: StoredEventOf<'turn-ended'>): void {
  const { turn, root, loops, isCancelled } = drawing;
  const hasFailed = error?.type === 'model-failure' || error?.type === 'stuck';
  for (const loop of loops.values()) closeLoop(drawing, loop, { at, keepsAsk: true });
  closeLoop(drawing, root, { at, keepsAsk: hasFailed || isCancelled });
  Object.assign(turn, { end: at, outcome, ...(error && { error }) });
  turn.seqs.push(seq);
  endInvocation(drawing, ['done', at]);
}

function drawFrame(drawing: TimelineDrawing, event: StoredEventOf<'frame-started'>): void {
  const { seq, at, frame, name } = event;
  const call = drawing.calls.get(frame);
  if (!call || call.node.loop) return void drawMark(drawing, event);
  const loop = createLoopNode({ id: `${frame}/loop`, start: at, seq, frame, name });
  call.node.loop = loop.node;
  drawing.loops.set(frame, loop);
  if (!call.attempt) openAttempt(drawing, call, at);
  openAsk(drawing, loop, at);
}

function drawReply(drawing: TimelineDrawing, event: StoredEventOf<'model-replied'>): void {
  const loop = getLoop(drawing, event);
  const { seq, at, model, finish, usage, planned = false, last = false, tookOver, toolCalls } = event;
  const ask = loop.ask ?? openAsk(drawing, loop, loop.since);
  loop.ask = undefined;
  closeAttempt(drawing, ask, { at, outcome: 'done' });
  ask.node.seqs.push(seq);
  Object.assign(ask.node, { end: at, model, finish, planned, last, ...(usage && { usage }) });
  if (tookOver) ask.node.tookOverFrom = tookOver.from;
  if (event.servedBy) ask.node.provider = event.servedBy;
  if (usage) addUsage(drawing.turn.usage, usage);
  loop.since = at;
  loop.waitsFor = toolCalls.length;
  loop.isOver = toolCalls.length === 0;
  if (loop.isOver) ask.iteration.end = at;
  for (const asked of toolCalls) {
    const node: DrawnCall['node'] = {
      ...{ kind: 'call', id: asked.id, start: at, seqs: [], attempts: [], waits: [] },
      ...{ name: asked.name, tool: getToolName(asked) },
    };
    ask.iteration.calls.push(node);
    drawing.calls.set(asked.id, { node, loop, iteration: ask.iteration });
  }
}

function drawCallStart(drawing: TimelineDrawing, event: StoredEventOf<'tool-call-started'>): void {
  const call = drawing.calls.get(event.call);
  if (!call) return void drawMark(drawing, event);
  const { at, seq, effect } = event;
  call.node.seqs.push(seq);
  call.node.effect = effect;
  // The next invocation attempts a call again, and journals its start only if the call runs again.
  if (!call.attempt) openAttempt(drawing, call, at);
  else if (!call.attempt.isStarted) call.attempt.node.start = at;
  if (call.attempt) call.attempt.isStarted = true;
}

function drawQuestion(drawing: TimelineDrawing, event: StoredEventOf<'tool-call-suspended'>): void {
  const call = drawing.calls.get(event.call);
  if (call?.node.end === undefined && call && !call.wait) askWait(drawing, call, event);
  else drawMark(drawing, event);
}

function drawAnswer(drawing: TimelineDrawing, event: StoredEventOf<'tool-call-answered'>): void {
  const call = drawing.calls.get(event.call);
  if (call?.wait) answerWait(drawing, call, event);
  else drawMark(drawing, event);
}

function drawCallEnd(drawing: TimelineDrawing, event: StoredEventOf<'tool-call-ended'>): void {
  const call = drawing.calls.get(event.call);
  if (!call || call.node.end !== undefined) return void drawMark(drawing, event);
  const { at, seq, result, ms, direct } = event;
  const { node, loop, iteration } = call;
  const inside = drawing.loops.get(node.id);
  const isError = result.type === 'error';
  if (inside) closeLoop(drawing, inside, { at, keepsAsk: isError && !result.signal });
  const reason = isError ? result.reason : undefined;
  const isCut = reason === 'unknown-outcome' || reason === 'cancelled';
  closeAttempt(drawing, call, { at, outcome: isCut ? 'unanswered' : 'done' });
  if (call.wait) call.wait.end = at;
  call.wait = undefined;
  node.seqs.push(seq);
  node.end = at;
  node.outcome = isError ? 'error' : result.withheld ? 'withheld' : 'success';
  if (reason) node.reason = reason;
  if (ms !== undefined) node.ms = ms;
  loop.waitsFor -= 1;
  loop.since = at;
  loop.isOver ||= result.signal !== undefined || direct === true;
  if (loop.waitsFor > 0) return;
  iteration.end = at;
  if (!loop.isOver && !drawing.isCancelled) openAsk(drawing, loop, at);
}

/** The events that a loop can store before it asks its model. */
const PREPARATION_EVENT_TYPES: readonly EventType[] = ['tools-changed', 'tools-listed', 'conversation-cut'];
/** The events after which a loop asks again, even if it had an answer. */
const REPEATED_ASK_TYPES: readonly EventType[] = ['answer-rejected', 'turn-steered'];

function drawMark(drawing: TimelineDrawing, event: StoredEvent): void {
  const { type, at, seq } = event;
  const loop = getLoop(drawing, event);
  loop.node.marks.push({ type, at, seq });
  if ('usage' in event && event.usage) addUsage(drawing.turn.usage, event.usage);
  if (loop.node.end !== undefined) return;
  loop.since = at;
  if (REPEATED_ASK_TYPES.includes(type) && !loop.ask && loop.waitsFor === 0) openAsk(drawing, loop, at);
  if (type === 'model-refused') dropAsk(drawing, loop);
  if (PREPARATION_EVENT_TYPES.includes(type)) startLater(loop, at);
}

/** Returns the loop of an event, or the turn's own loop if the event has none. */
function getLoop({ root, loops }: TimelineDrawing, event: StoredEvent): DrawnLoop {
  const frame = 'frame' in event ? event.frame : undefined;
  return (frame === undefined ? undefined : loops.get(frame)) ?? root;
}

function startLater({ ask }: DrawnLoop, at: number): void {
  if (!ask?.attempt) return;
  ask.attempt.node.start = at;
  if (ask.node.attempts.length === 1) ask.node.start = at;
}

function getStatus({ turn, open, calls, invocation }: TimelineDrawing): TurnTimeline['status'] {
  if (turn.end !== undefined) return 'ended';
  if (!invocation) return 'handed-over';
  // The state of a call with a nested loop is that of the loop.
  for (const { node } of open) if (node.kind === 'model' || !node.loop) return 'running';
  for (const { wait } of calls.values()) if (wait) return 'suspended';
  return 'running';
}
