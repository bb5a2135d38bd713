import fc from 'fast-check';
import type { JsonObject, ResultData } from '../../../../src/index.ts';
import type { JournaledCall, SessionEvent } from '../../../../src/journal/entry.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import {
  type CallRecord,
  createEmptyState,
  type FrameState,
  isStart,
  listOuterFrames,
  type Message,
  openBatch,
  ROOT,
  reduce,
  toFrameField,
} from '../../../doors/journal.ts';
import { createWait } from '../../../fixtures/a-wait.ts';

/** Draws the next number below `size`. */
type Draw = (size: number) => number;

/**
 * Generates journals that the tool loop could have written: replies, batches, frames, take-overs and cancels.
 */
export const validJournal: fc.Arbitrary<SessionEvent[]> = fc
  .array(fc.nat({ max: 999_999 }), { minLength: 20, maxLength: 120 })
  .map((numbers) => {
    let next = 0;
    const draw: Draw = (size) => (numbers[next++ % numbers.length] ?? 0) % size;
    return drawJournal(draw, () => next < numbers.length);
  });

const NAMES = ['look', 'pay', '__proto__', 'constructor', 'dig'];
const KEYS = ['a', 'b', '__proto__', 'toString'];

function drawJournal(draw: Draw, goesOn: () => boolean): SessionEvent[] {
  const events: SessionEvent[] = [];
  const state = createEmptyState();
  const emit = (event: SessionEvent): void => {
    events.push(event);
    reduce(state, { ...JSON.parse(JSON.stringify(event)), seq: events.length });
  };
  emit({ type: 'session-opened', incarnation: 'i1', agent: 'tester' });
  for (let turn = 1; goesOn(); turn += 1) {
    const id = `t${turn}`;
    const principal = draw(2) === 0 ? { id: 'ann' } : { id: 'ann', tenant: 'acme' };
    emit({ type: 'turn-started', turn: id, loopId: id, message: `message ${turn}`, context: {}, principal });
    while (goesOn() && draw(12) > 0) emit(drawTurnEvent(draw, state, id));
    // A lease holder that cannot read the turn ends it without closing its calls.
    const isUnread = draw(5) === 0;
    for (const event of isUnread ? [] : drawClosingEvents(draw, state, id)) emit(event);
    const outcome = (['completed', 'failed', 'cancelled', 'limit-reached', 'returned-direct'] as const)[
      draw(5)
    ];
    const error = { type: 'internal', message: 'It broke.' } as const;
    emit({
      type: 'turn-ended',
      turn: id,
      outcome: outcome ?? 'completed',
      ...(outcome === 'failed' && { error }),
      ...(outcome === 'completed' && draw(2) === 0 && { object: { total: draw(9) } }),
    });
  }
  return events;
}

function drawTurnEvent(draw: Draw, state: SessionState, turn: string): SessionEvent {
  const frames = [...(state.turn?.frames.values() ?? [])];
  const frame = frames[draw(frames.length)];
  const open = frame ? openBatch(frame).filter((call) => !call.ended) : [];
  const call = open[draw(Math.max(1, open.length))];
  if (draw(9) === 0) return { type: 'turn-resumed', turn, cause: draw(2) === 0 ? 'expired' : 'handed-over' };
  if (draw(20) === 0) return { type: 'cancel-requested', turn };
  if (draw(20) === 0) return { type: 'turn-yielded', turn, reason: 'its client has gone' };
  if (draw(20) === 0) return drawSummaryDropped(draw, turn);
  if (draw(12) === 0) return drawInterjection(draw, state, turn);
  if (frame && draw(12) === 0) return drawToolsListed(draw, turn, frame.id);
  if (frame && openBatch(frame).length === 0 && draw(8) === 0) return drawLessShown(draw, turn, frame);
  if (frame && openBatch(frame).length === 0 && draw(3) === 0) return drawToolsChanged(draw, turn, frame);
  if (frame && isAnswered(frame) && draw(3) === 0) {
    const problems = ['total: must be a number', 'due: is missing'];
    return { type: 'answer-rejected', turn, ...toFrameField(frame.id), problems };
  }
  if (!frame || !call)
    return { ...drawReply(draw, turn, frame?.id ?? ROOT, state.seq + 1), ...drawUnseen(draw, frame) };
  const at = { turn, ...(frame.id === ROOT ? {} : { frame: frame.id }), call: call.id };
  if (draw(6) === 0)
    return { type: 'message-sent', ...at, text: `said ${state.seq}`, ...getSender(state, frame, call) };
  const waitsInside = state.turn?.frames.has(call.id);
  switch (draw(waitsInside ? 1 : 5)) {
    case 1:
      return {
        type: 'tool-call-started',
        ...at,
        effect: (['read', 'idempotent', 'once'] as const)[draw(3)] ?? 'read',
      };
    case 2:
      return { type: 'tool-call-suspended', ...at, wait: createWait() };
    case 3: {
      const parent = frame.id === ROOT ? {} : { parent: frame.id };
      const own = draw(2) === 0 ? { ownBlackboard: true as const } : {};
      const facts = draw(2) === 0 ? { facts: [{ slice: 'facts', fact: draw(100) }] } : {};
      const opening = { ...parent, ...own, ...facts, name: call.name, message: 'Dig.' };
      return { type: 'frame-started', turn, frame: call.id, ...opening };
    }
    default:
      return callEnded(draw, at);
  }
}

/** Returns the tool that sends a message, and the enclosing call of the turn's own loop. */
function getSender({ turn }: SessionState, frame: FrameState, { name }: CallRecord) {
  const under = turn && frame.id !== ROOT && listOuterFrames(turn, frame).at(-2)?.id;
  return { tool: name, ...(under && { under }) };
}

const drawSummaryDropped = (draw: Draw, turn: string): SessionEvent => ({
  type: 'module-event',
  turn,
  module: 'compaction',
  facts: [{ slice: 'compaction', fact: { from: draw(1_000) } }],
  ...(draw(2) === 0 && { usage: { inputTokens: draw(90), outputTokens: draw(9) } }),
});

/** Shows less to a model that has refused a request: fewer turns, or less of the last results. */
function drawLessShown(draw: Draw, turn: string, frame: FrameState): SessionEvent {
  const turns = 1 + draw(frame.messages.filter(isStart).length);
  const bare = draw(3) === 0 ? { summary: ['', 'Short.'][draw(2)] ?? '' } : {};
  const left = frame.id === ROOT ? { turns, ...bare } : {};
  const type = 'conversation-cut';
  const results = turns === 1 && draw(2) === 0 ? { results: 1 + draw(90) } : {};
  return { type, turn, ...toFrameField(frame.id), ...left, ...results };
}

/** Records facts from tool sources before a reply, including facts of an unknown kind. */
const drawToolsListed = (draw: Draw, turn: string, frame: string): SessionEvent => ({
  type: 'tools-listed',
  turn,
  ...toFrameField(frame),
  facts: ['facts', 'unknown'].slice(0, 1 + draw(2)).map((slice) => ({ slice, fact: draw(100) })),
});

/**
 * Changes the offered tools. There are few names, so that tools return, or are replaced by others of the same
 * name.
 */
function drawToolsChanged(draw: Draw, turn: string, { id, offered: { list } }: FrameState): SessionEvent {
  const now = NAMES.flatMap((name) => (draw(2) === 0 ? [{ name, hash: `h${draw(2)}` }] : []));
  const [was, is] = [list ?? [], now].map((tools) => new Set(tools.map(({ name, hash }) => name + hash)));
  const came = now.filter(({ name, hash }) => !was?.has(name + hash));
  const went = (list ?? []).filter(({ name, hash }) => !is?.has(name + hash));
  const change = list || draw(2) === 0 ? { came, went } : {};
  const cause = (['session', 'turn', 'deploy'] as const)[draw(3)] ?? 'session';
  return { type: 'tools-changed', turn, ...toFrameField(id), ...change, ...(!list && { all: now }), cause };
}

/** Interrupts a running turn with a message, or with the late result of a call that is open or in doubt. */
function drawInterjection(draw: Draw, state: SessionState, turn: string): SessionEvent {
  const at = state.seq + 1;
  if (draw(3) > 0)
    return { type: 'turn-steered', turn, as: `s${at}`, message: `and ${at}`, principal: { id: 'ann' } };
  const open = [...(state.turn?.frames.values() ?? [])].flatMap(({ id: frame, messages }) =>
    openBatch({ messages }).flatMap((call) =>
      call.started && !call.ended ? { ...toFrameField(frame), call: call.id, open: true as const } : [],
    ),
  );
  const awaited = [...open, ...[...state.inDoubt].map((call) => ({ call }))];
  const late = awaited[draw(Math.max(1, awaited.length))] ?? { call: `${turn}.1.0` };
  const result = { type: 'text', content: 'paid' } as const;
  return { type: 'late-result-received', turn, tool: 'pay', input: `{"amount":${at}}`, ...late, result };
}

/**
 * Returns how many of the latest messages the model had not seen when it replied. Only the turn's own loop
 * counts them.
 */
function drawUnseen(draw: Draw, frame: FrameState | undefined): { readonly unseen?: number } {
  if (frame?.id !== ROOT) return {};
  const trailing = [...frame.messages].reverse();
  // A message of the loop itself was shown, because it caused the reply.
  const isUnheard = (message: Message): boolean =>
    message.role === 'user' && (message.by === 'steer' || message.by === 'late');
  const heard = trailing.findIndex((message) => !isUnheard(message));
  const count = draw(1 + Math.max(0, heard));
  return count > 0 ? { unseen: count } : {};
}

/** Returns `true` if the loop has an answer, which the model can be asked to correct. */
const isAnswered = ({ messages }: FrameState): boolean => {
  const last = messages.at(-1);
  return last?.role === 'assistant' && last.calls.length === 0;
};

function drawReply(draw: Draw, turn: string, frame: string, seq: number): SessionEvent {
  const toolCalls = Array.from({ length: draw(4) }, (_, index): JournaledCall => {
    const name = NAMES[draw(NAMES.length)] ?? 'look';
    return { id: `${turn}.${seq}.${index}`, providerId: `call_${index}`, name, input: '{"x":1}' };
  });
  return {
    type: 'model-replied',
    turn,
    ...(frame === ROOT ? {} : { frame }),
    model: 'scripted',
    text: draw(3) === 0 ? '' : `words ${seq}`,
    toolCalls,
    finish: 'stop',
    ...(draw(3) > 0 && { asked: { instructions: 'i', tools: `t${draw(3)}` } }),
    ...(draw(2) === 0 && { usage: { inputTokens: draw(50), outputTokens: draw(50) } }),
    ...(draw(8) === 0 && { last: true as const }),
  };
}

type CallPlace = { readonly turn: string; readonly frame?: string; readonly call: string };

function callEnded(draw: Draw, at: CallPlace): SessionEvent {
  const results: readonly ResultData[] = [
    { type: 'text', content: 'fine' },
    { type: 'artifact', value: { n: draw(9) } },
    { type: 'artifact', value: [draw(9)], content: 'a list', artifactType: 'List' },
    { type: 'error', message: 'No.' },
    { type: 'error', message: 'No such tool.', reason: 'unknown-tool' },
    { type: 'error', message: 'Enough.', reason: 'limit' },
    { type: 'error', message: 'Perhaps.', reason: 'unknown-outcome' },
  ];
  const result = results[draw(results.length)] ?? { type: 'text', content: 'fine' };
  const state: JsonObject = Object.fromEntries([[KEYS[draw(KEYS.length)] ?? 'a', draw(100)]]);
  const blackboard = [{ name: 'note', value: draw(100) }];
  const facts = [{ slice: draw(5) === 0 ? 'unknown' : 'facts', fact: draw(100) }];
  const more = draw(3) === 0 ? { facts } : {};
  const changes = draw(2) === 0 ? { state, ...more } : { state, blackboard, ...more };
  return {
    type: 'tool-call-ended',
    ...at,
    result,
    ...(draw(2) === 0 && { ms: draw(100) }),
    ...(result.type !== 'error' && draw(3) === 0 && { direct: true as const }),
    ...(result.type !== 'error' && draw(2) === 0 && { changes }),
  };
}

/** Ends all open calls, innermost frames first, as the end of a turn does. */
const drawClosingEvents = (draw: Draw, state: SessionState, turn: string): SessionEvent[] =>
  [...(state.turn?.frames.values() ?? [])].reverse().flatMap((frame: FrameState) =>
    openBatch(frame)
      .filter((call) => !call.ended)
      .map((call) =>
        callEnded(draw, { turn, ...(frame.id === ROOT ? {} : { frame: frame.id }), call: call.id }),
      ),
  );
