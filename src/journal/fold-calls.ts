import { isStored } from '../tool/content.ts';
import type { JsonObject } from '../tool/json.ts';
import { isOutcomeUnknown, partsOfResult } from '../tool/tool-result.ts';
import { framesInside, lastBatch } from './conversation.ts';
import { type EventOf, ROOT } from './events.ts';
import { applyFacts, mustKnow } from './memories.ts';
import type { OfferedTool, ToolsChange } from './reply-data.ts';
import { type CallRecord, type Fold, type FrameState, frameOf, type OfferHistory } from './state.ts';
import { countStarted, replant } from './turn-tree.ts';

/** Marks a call as begun: whoever takes the turn over must ask what became of it. */
export function foldStarted(fold: Fold, event: EventOf<'tool-call-started'>): void {
  const call = findCall(fold, event);
  const { effect } = event;
  // Tools in plain JavaScript have had other words for it, such as 'Once': a call of theirs is not run again.
  if (call) call.started = effect === 'read' || effect === 'idempotent' ? effect : 'once';
  holdFacts(fold, call, event);
}

/** Notes what a call asks somebody outside. */
export function foldSuspended(fold: Fold, event: EventOf<'tool-call-suspended'>): void {
  const call = findCall(fold, event);
  // Code of a call that has ended may still ask, and nobody waits for it.
  if (!call || call.ended) return;
  call.waits = [...(call.waits ?? []), { wait: event.wait }];
  // Nothing of it has happened that could be noticed, whatever it was started as.
  if (event.wait.for === 'decision' && event.wait.checkpoint !== undefined) call.started = 'read';
}

/** Notes what a call's last question was answered with. Whoever has decided has seen what goes on in the turn. */
export function foldAnswered(fold: Fold, event: EventOf<'tool-call-answered'>): void {
  const { answer } = event;
  const last = findCall(fold, event)?.waits?.at(-1);
  if (last) last.answer = answer;
  if (answer.type === 'decision' && !answer.expired && !answer.inCall) replant(fold);
}

/** Settles a call whose outcome was unknown, or keeps the result of one that is still open. */
export function foldLate(fold: Fold, event: EventOf<'late-result-received'>): void {
  fold.state.inDoubt.delete(event.call);
  const call = event.open && findCall(fold, event);
  if (call && !call.ended) call.late = event.result;
}

/** Notes what a call has said to the user, for the answer of its turn. */
export function foldSaid({ turn }: Fold, { call, tool, text }: EventOf<'message-sent'>): void {
  turn.said.push({ call, tool, text });
}

/**
 * Closes what a call has opened. Memories that must not wait learn of it at once; all else that it changed takes effect when
 * the last call of its batch has ended.
 */
export function foldEnded(fold: Fold, event: EventOf<'tool-call-ended'>): void {
  const frame = frameOf(fold, event);
  if (!frame) return;
  const { state, turn } = fold;
  const { call, result, changes } = event;
  if (isOutcomeUnknown(result)) state.inDoubt.add(call);
  if (turn.frames.has(call)) for (const { id } of framesInside(turn, call)) turn.frames.delete(id);
  turn.limit ??= event.limit;
  if (changes?.scheduled ?? event.sent) countStarted(fold, changes?.scheduled, event.sent);
  const place = { turn: turn.id, frame: frame.id, path: frame.path, call, result };
  applyFacts(fold, { facts: changes?.facts, place, when: 'call' });
  const batch = lastBatch(frame.messages);
  if (batch.every(({ ended }) => ended)) settleBatch(fold, frame, batch);
}

/**
 * When the last call of a batch has ended, their changes take effect in source order, whatever order they
 * ended in.
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
      for (const { type: _, ...file } of partsOfResult(result).filter(isStored))
        turn.files.push({ call: id, tool: name, ...file });
    }
    if (!changes) continue;
    if (changes.state) state.callState.set(path, mergeCallState(state.callState.get(path), changes.state));
    if (changes.blackboard) frame.blackboard.push(...changes.blackboard);
    const place = { turn: turn.id, frame: frame.id, path, call: id, result };
    applyFacts(fold, { facts: changes.facts, place, when: 'batch' });
  }
}

/** Puts a call's writes on top of the call state; a hostile key such as `__proto__` stays an own property. */
export const mergeCallState = (callState: JsonObject | undefined, writes: JsonObject): JsonObject =>
  Object.fromEntries([...Object.entries(callState ?? {}), ...Object.entries(writes)]);

/** Facts for the end of a call, which whoever ends it may tell anew. */
export function holdFacts(
  fold: Fold,
  call: CallRecord | undefined,
  { atEnd }: EventOf<'tool-call-started' | 'frame-started'>,
): void {
  if (atEnd) mustKnow(fold, atEnd);
  if (call && !call.ended && atEnd) call.atEnd = atEnd;
}

/** Finds the call that an event is about; `undefined` when its loop or the call is not known. */
export const findCall = (
  fold: Fold,
  event: { readonly frame?: string; readonly call: string },
): CallRecord | undefined =>
  lastBatch(frameOf(fold, event)?.messages ?? []).find(({ id }) => id === event.call);

/** Moves the change of tools to its place in the conversation. */
export function taken(offered: OfferHistory): { readonly toolsChange?: ToolsChange } {
  const { change: toolsChange } = offered;
  offered.change = undefined;
  return toolsChange ? { toolsChange } : {};
}

/** Several changes before one reply are one. */
export function foldToolsChanged(
  offered: OfferHistory,
  { came = [], went = [], all }: EventOf<'tools-changed'>,
): void {
  offered.list = all ?? changed(offered.list ?? [], { came, went });
  const { change } = offered;
  const gone = new Set([...came, ...went].map(({ name }) => name));
  const back = new Set(change?.came.map(({ name }) => name));
  const allCame = [...(change?.came.filter(({ name }) => !gone.has(name)) ?? []), ...came];
  // What had come since the last reply was never told of.
  const allWent = [...(change?.went ?? []), ...went.filter(({ name }) => !back.has(name))];
  const merged = { came: without(allCame, allWent), went: without(allWent, allCame) };
  offered.change = merged.came.length + merged.went.length > 0 ? merged : undefined;
}

/** Notes for the answer of a turn which tools came and went in its own loop. One that was only replaced did neither. */
export function foldTurnTools({ turn: { tools } }: Fold, event: EventOf<'tools-changed'>): void {
  // What another turn was offered did not come late in this one.
  if (event.frame !== undefined || event.cause === 'turn') return;
  const came = (event.came ?? []).map(({ name }) => name);
  const went = (event.went ?? []).map(({ name }) => name);
  tools.late = [...new Set([...tools.late, ...came.filter((name) => !went.includes(name))])];
  tools.gone = [...new Set([...tools.gone, ...went])].filter((name) => !came.includes(name));
}

/** What is back as it was has not changed. */
const without = (tools: readonly OfferedTool[], others: readonly OfferedTool[]): readonly OfferedTool[] =>
  tools.filter(({ name, hash }) => !others.some((other) => other.name === name && other.hash === hash));

/** A tool that came in the place of one of its name keeps that place; others stand behind. */
function changed(list: readonly OfferedTool[], { came, went }: ToolsChange): readonly OfferedTool[] {
  const newOnes = new Map(came.map((tool) => [tool.name, tool]));
  const gone = new Set(went.map(({ name }) => name));
  const there = new Set(list.map(({ name }) => name));
  return [
    ...list.flatMap((tool) => newOnes.get(tool.name) ?? (gone.has(tool.name) ? [] : tool)),
    ...came.filter(({ name }) => !there.has(name)),
  ];
}
