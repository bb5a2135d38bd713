/** Opens and closes the nodes of a timeline while it is drawn. */
import type { EventOf, StoredEvent } from '../../journal/events.ts';
import type {
  AttemptNode,
  CallNode,
  InvocationNode,
  IterationNode,
  LoopNode,
  ModelNode,
  TurnTimeline,
  WaitNode,
} from './timeline.ts';

type OpenNode<Node> = {
  -readonly [Key in keyof Node]: Node[Key] extends readonly (infer Item)[] ? Item[] : Node[Key];
};

/** A model request or a call, with the attempts that invocations made. */
interface StartedAttempt<Node> {
  readonly node: Node;
  readonly iteration: OpenNode<IterationNode>;
  attempt?: { readonly node: OpenNode<AttemptNode>; isStarted?: boolean } | undefined;
}

/** A request to a model without a reply. */
export interface ModelAsk extends StartedAttempt<OpenNode<ModelNode>> {}

export interface DrawnCall extends StartedAttempt<OpenNode<CallNode>> {
  readonly loop: DrawnLoop;
  wait?: OpenNode<WaitNode> | undefined;
}

export interface DrawnLoop {
  readonly node: OpenNode<LoopNode>;
  ask: ModelAsk | undefined;
  /** The number of open calls in its last reply. */
  waitsFor: number;
  /** `true` after its answer. It then asks its model again only in exceptional cases. */
  isOver: boolean;
  /** The time of its last event, which is the assumed start of its next request. */
  since: number;
}

export interface TimelineDrawing {
  readonly turn: OpenNode<TurnTimeline>;
  readonly root: DrawnLoop;
  /** The nested loops, by the id of the call that opened each. */
  readonly loops: Map<string, DrawnLoop>;
  readonly calls: Map<string, DrawnCall>;
  /** The requests and calls that an invocation is attempting. */
  readonly open: Set<ModelAsk | DrawnCall>;
  invocation?: OpenNode<InvocationNode> | undefined;
  /** The requests and calls that the next invocation resumes, if the last invocation handed the turn over. */
  yielded: readonly (ModelAsk | DrawnCall)[];
  isCancelled: boolean;
}

interface NewLoop extends Pick<LoopNode, 'id' | 'start' | 'frame' | 'name'> {
  /** The event that opens it. */
  readonly seq?: number;
}

export function createLoopNode({ seq, ...given }: NewLoop): DrawnLoop {
  const seqs = seq === undefined ? [] : [seq];
  const node: DrawnLoop['node'] = { kind: 'loop', ...given, seqs, iterations: [], marks: [] };
  return { node, ask: undefined, waitsFor: 0, isOver: false, since: given.start };
}

interface NewInvocation extends Pick<InvocationNode, 'cause'> {
  readonly at: number;
  readonly seq?: number;
}

export function openInvocation(drawing: TimelineDrawing, { cause, at, seq }: NewInvocation): void {
  const { invocations } = drawing.turn;
  const number = invocations.length + 1;
  const seqs = seq === undefined ? [] : [seq];
  const place = { id: `invocation.${number}`, number, cause, seqs };
  drawing.invocation = { kind: 'invocation', ...place, start: at, lastSeen: at };
  invocations.push(drawing.invocation);
}

/** Ends the invocation that has the lease. */
export function endInvocation(
  drawing: TimelineDrawing,
  [outcome, end]: readonly [NonNullable<InvocationNode['outcome']>, number],
): void {
  if (drawing.invocation) Object.assign(drawing.invocation, { outcome, end });
  drawing.invocation = undefined;
}

/** Opens an iteration, with the request that begins it. */
export function openAsk(drawing: TimelineDrawing, loop: DrawnLoop, at: number): ModelAsk {
  const { iterations, id: of } = loop.node;
  const number = iterations.length + 1;
  const id = `${of}/${number}`;
  const model: ModelAsk['node'] = {
    ...{ kind: 'model', id: `${id}/model`, start: at, seqs: [], attempts: [] },
    ...{ planned: false, last: false },
  };
  const iteration: ModelAsk['iteration'] = {
    ...{ kind: 'iteration', id, start: at, seqs: [], number, model, calls: [] },
  };
  iterations.push(iteration);
  const ask: ModelAsk = { node: model, iteration };
  loop.ask = ask;
  openAttempt(drawing, ask, at);
  return ask;
}

export function openAttempt({ turn, open }: TimelineDrawing, tried: ModelAsk | DrawnCall, at: number): void {
  const { id, attempts } = tried.node;
  const place = { id: `${id}/attempt.${attempts.length + 1}`, invocation: turn.invocations.length };
  const node: OpenNode<AttemptNode> = { kind: 'attempt', ...place, start: at, seqs: [] };
  attempts.push(node);
  tried.attempt = { node };
  open.add(tried);
}

interface AttemptEnd extends Required<Pick<AttemptNode, 'outcome'>> {
  readonly at: number;
}

export function closeAttempt(
  { open }: TimelineDrawing,
  tried: ModelAsk | DrawnCall,
  { at, outcome }: AttemptEnd,
): void {
  if (tried.attempt) Object.assign(tried.attempt.node, { end: at, outcome });
  tried.attempt = undefined;
  open.delete(tried);
}

/** Closes all attempts of the invocation that loses the turn. Returns their requests and calls. */
export function closeAll(
  drawing: TimelineDrawing,
  { at, outcome }: AttemptEnd,
): readonly (ModelAsk | DrawnCall)[] {
  const tried = [...drawing.open];
  for (const one of tried) closeAttempt(drawing, one, { at, outcome });
  return tried;
}

interface LoopEnd {
  readonly at: number;
  /** `true` if the loop may have asked its model. */
  readonly keepsAsk: boolean;
}

/** Closes a loop, and its open request and calls. */
export function closeLoop(drawing: TimelineDrawing, loop: DrawnLoop, { at, keepsAsk }: LoopEnd): void {
  const { node, ask } = loop;
  if (node.end !== undefined) return;
  node.end = at;
  if (ask && !keepsAsk && ask.node.attempts.length === 1) dropAsk(drawing, loop);
  else if (ask) {
    closeAttempt(drawing, ask, { at, outcome: 'unanswered' });
    ask.node.end = at;
    ask.iteration.end = at;
    loop.ask = undefined;
  }
  for (const { id } of node.iterations.at(-1)?.calls ?? []) closeUnread(drawing, id, at);
}

/** Removes a request that was not made, because its loop ended first. */
export function dropAsk({ open }: TimelineDrawing, loop: DrawnLoop): void {
  if (!loop.ask) return;
  open.delete(loop.ask);
  loop.node.iterations.pop();
  loop.ask = undefined;
}

/** Closes a call of a turn that ended as unreadable, as the fold does. */
function closeUnread(drawing: TimelineDrawing, id: string, at: number): void {
  const call = drawing.calls.get(id);
  if (!call || call.node.end !== undefined) return;
  const { node } = call;
  const mayHaveHappened = node.effect === 'once' || node.effect === 'idempotent';
  closeAttempt(drawing, call, { at, outcome: 'unanswered' });
  if (call.wait) call.wait.end = at;
  node.end = at;
  node.outcome = 'error';
  node.reason = mayHaveHappened || node.loop ? 'unknown-outcome' : 'cancelled';
  call.iteration.end = at;
}

type StoredEventOf<Type extends StoredEvent['type']> = EventOf<Type> & Pick<StoredEvent, 'seq' | 'at'>;

/** Opens the wait of a question. The call restarts after the answer, unless it keeps running. */
export function askWait(
  drawing: TimelineDrawing,
  call: DrawnCall,
  event: StoredEventOf<'tool-call-suspended'>,
): void {
  const { at, seq, wait } = event;
  const { waits, id } = call.node;
  call.wait = {
    ...{ kind: 'wait', id: `${id}#${waits.length}`, start: at, seqs: [seq] },
    ...{ for: wait.for, expired: false },
  };
  waits.push(call.wait);
  const hasCheckpoint = wait.for === 'decision' && wait.checkpoint !== undefined;
  const keepsRunning = call.node.effect === 'once' && !hasCheckpoint;
  if (!keepsRunning) closeAttempt(drawing, call, { at, outcome: 'suspended' });
}

/** Closes the wait of a question. A call that had started restarts. */
export function answerWait(
  drawing: TimelineDrawing,
  call: DrawnCall,
  event: StoredEventOf<'tool-call-answered'>,
): void {
  const { at, seq, answer } = event;
  const { node, wait } = call;
  if (!wait) return;
  wait.end = at;
  wait.seqs.push(seq);
  wait.answer = answer.type === 'decision' ? answer.decision : 'result';
  wait.expired = answer.expired === true;
  call.wait = undefined;
  if (node.attempts.length > 0 && !call.attempt) openAttempt(drawing, call, at);
}
