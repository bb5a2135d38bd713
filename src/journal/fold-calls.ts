import { isStoredFile } from '../tool/content.ts';
import type { JsonObject } from '../tool/json.ts';
import { isOutcomeUnknown, listResultParts } from '../tool/tool-result.ts';
import { getLastBatch, listInnerFrames } from './conversation.ts';
import { type EventOf, ROOT } from './events.ts';
import { applyFacts, assertKnownFacts } from './memories.ts';
import type { OfferedTool, ToolsChange } from './reply-data.ts';
import { type CallRecord, type Fold, type FrameState, findFrame, type OfferHistory } from './state.ts';
import { countStarted, startNewTree } from './turn-tree.ts';

/**
 * Marks a call as started. An invocation that takes the turn over must find out whether the call had its
 * effect.
 */
export function foldStarted(fold: Fold, event: EventOf<'tool-call-started'>): void {
  const call = findCall(fold, event);
  const { effect } = event;
  // Plain JavaScript tools can have an unknown effect, such as 'Once'. Their calls are not run again.
  if (call) call.started = effect === 'read' || effect === 'idempotent' ? effect : 'once';
  holdFacts(fold, call, event);
}

/** Records a call's question. */
export function foldSuspended(fold: Fold, event: EventOf<'tool-call-suspended'>): void {
  const call = findCall(fold, event);
  // Code of an ended call can still ask, but no longer receives the answer.
  if (!call || call.ended) return;
  call.waits = [...(call.waits ?? []), { wait: event.wait }];
  // At a checkpoint, the call has had no observable effect, even if it was started as `once`.
  if (event.wait.for === 'decision' && event.wait.checkpoint !== undefined) call.started = 'read';
}

/**
 * Records the answer to a call's last question. A person who decides has seen the turn, so it becomes the
 * root of a new tree.
 */
export function foldAnswered(fold: Fold, event: EventOf<'tool-call-answered'>): void {
  const { answer } = event;
  const last = findCall(fold, event)?.waits?.at(-1);
  if (last) last.answer = answer;
  if (answer.type === 'decision' && !answer.expired && !answer.inCall) startNewTree(fold);
}

/** Settles a call whose outcome was unknown, or keeps the result of a call that is still open. */
export function foldLateResult(fold: Fold, event: EventOf<'late-result-received'>): void {
  fold.state.inDoubt.delete(event.call);
  const call = event.open && findCall(fold, event);
  if (call && !call.ended) call.late = event.result;
}

/** Records a call's message to the user, for the answer of its turn. */
export function foldMessageSent({ turn }: Fold, { call, tool, text }: EventOf<'message-sent'>): void {
  turn.said.push({ call, tool, text });
}

/**
 * Closes the loops that a call opened. Memories with `when: 'call'` apply its facts at once. Its other
 * changes take effect when the last call of its batch has ended.
 */
export function foldEnded(fold: Fold, event: EventOf<'tool-call-ended'>): void {
  const frame = findFrame(fold, event);
  if (!frame) return;
  const { state, turn } = fold;
  const { call, result, changes } = event;
  if (isOutcomeUnknown(result)) state.inDoubt.add(call);
  if (turn.frames.has(call)) for (const { id } of listInnerFrames(turn, call)) turn.frames.delete(id);
  turn.limit ??= event.limit;
  if (changes?.scheduled ?? event.sent) countStarted(fold, changes?.scheduled, event.sent);
  const place = { turn: turn.id, frame: frame.id, path: frame.path, call, result };
  applyFacts(fold, { facts: changes?.facts, place, when: 'call' });
  const batch = getLastBatch(frame.messages);
  if (batch.every(({ ended }) => ended)) settleBatch(fold, frame, batch);
}

/**
 * Applies the changes of a batch when its last call has ended. They take effect in source order, regardless
 * of the order in which the calls ended.
 */
function settleBatch(fold: Fold, frame: FrameState, batch: readonly CallRecord[]): void {
  const { state, turn } = fold;
  const { path } = frame;
  for (const { id, name, ended } of batch) {
    const { result, changes } = ended ?? {};
    const reason = result?.type === 'error' ? result.reason : undefined;
    frame.unknownTools = reason === 'unknown-tool' ? frame.unknownTools + 1 : 0;
    turn.limited ||= reason === 'limit';
    if (frame.id === ROOT && result?.type === 'artifact') {
      const { artifactType: type, artifactTypes: types, value } = result;
      const typed = { ...(type !== undefined && { type }), ...(types && { types }) };
      turn.artifacts.push({ call: id, tool: name, ...typed, value });
    }
    if (result) {
      for (const { type: _, ...file } of listResultParts(result).filter(isStoredFile))
        turn.files.push({ call: id, tool: name, ...file });
    }
    if (!changes) continue;
    if (changes.state) state.callState.set(path, mergeCallState(state.callState.get(path), changes.state));
    if (changes.blackboard) frame.blackboard.push(...changes.blackboard);
    const place = { turn: turn.id, frame: frame.id, path, call: id, result };
    applyFacts(fold, { facts: changes.facts, place, when: 'batch' });
  }
}

/** Merges a call's writes into the call state. A hostile key such as `__proto__` stays an own property. */
export const mergeCallState = (callState: JsonObject | undefined, writes: JsonObject): JsonObject =>
  Object.fromEntries([...Object.entries(callState ?? {}), ...Object.entries(writes)]);

/** Keeps the facts for the end of a call. The code that ends it can replace them. */
export function holdFacts(
  fold: Fold,
  call: CallRecord | undefined,
  { atEnd }: EventOf<'tool-call-started' | 'frame-started'>,
): void {
  if (atEnd) assertKnownFacts(fold, atEnd);
  if (call && !call.ended && atEnd) call.atEnd = atEnd;
}

/** Finds the call of an event. Returns `undefined` if its loop or the call is not known. */
export const findCall = (
  fold: Fold,
  event: { readonly frame?: string; readonly call: string },
): CallRecord | undefined =>
  getLastBatch(findFrame(fold, event)?.messages ?? []).find(({ id }) => id === event.call);

/** Removes the pending change of tools, to be placed in the conversation. */
export function takeToolsChange(offered: OfferHistory): { readonly toolsChange?: ToolsChange } {
  const { change: toolsChange } = offered;
  offered.change = undefined;
  return toolsChange ? { toolsChange } : {};
}

/** Merges several changes before one reply into one. */
export function foldToolsChanged(
  offered: OfferHistory,
  { came = [], went = [], all }: EventOf<'tools-changed'>,
): void {
  offered.list = all ?? applyToolsChange(offered.list ?? [], { came, went });
  const { change } = offered;
  const gone = new Set([...came, ...went].map(({ name }) => name));
  const back = new Set(change?.came.map(({ name }) => name));
  const allCame = [...(change?.came.filter(({ name }) => !gone.has(name)) ?? []), ...came];
  // A tool added since the last reply was never reported, so its removal is not reported either.
  const allWent = [...(change?.went ?? []), ...went.filter(({ name }) => !back.has(name))];
  const merged = { came: excludeTools(allCame, allWent), went: excludeTools(allWent, allCame) };
  offered.change = merged.came.length + merged.went.length > 0 ? merged : undefined;
}

/**
 * Records, for the answer of a turn, which tools were added to or removed from its own loop. A replaced tool
 * counts as neither.
 */
export function foldTurnTools({ turn: { tools } }: Fold, event: EventOf<'tools-changed'>): void {
  // A change since an earlier turn is not late in this one.
  if (event.frame !== undefined || event.cause === 'turn') return;
  const came = (event.came ?? []).map(({ name }) => name);
  const went = (event.went ?? []).map(({ name }) => name);
  tools.late = [...new Set([...tools.late, ...came.filter((name) => !went.includes(name))])];
  tools.gone = [...new Set([...tools.gone, ...went])].filter((name) => !came.includes(name));
}

/**
 * Returns the tools that are not among the others. A tool that was removed and added back unchanged is not a
 * change.
 */
const excludeTools = (
  tools: readonly OfferedTool[],
  others: readonly OfferedTool[],
): readonly OfferedTool[] =>
  tools.filter(({ name, hash }) => !others.some((other) => other.name === name && other.hash === hash));

/**
 * Returns the list after a change. A tool that replaces one of the same name keeps its place. Other new tools
 * come last.
 */
function applyToolsChange(list: readonly OfferedTool[], { came, went }: ToolsChange): readonly OfferedTool[] {
  const newOnes = new Map(came.map((tool) => [tool.name, tool]));
  const gone = new Set(went.map(({ name }) => name));
  const there = new Set(list.map(({ name }) => name));
  return [
    ...list.flatMap((tool) => newOnes.get(tool.name) ?? (gone.has(tool.name) ? [] : tool)),
    ...came.filter(({ name }) => !there.has(name)),
  ];
}
