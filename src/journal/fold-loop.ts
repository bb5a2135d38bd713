import { isFile } from '../tool/content.ts';
import { DEFAULT_RESULT_CHARACTERS, listResultParts, toModelText } from '../tool/tool-result.ts';
import { getLastBatch } from './conversation.ts';
import { foldCutMessages } from './cut.ts';
import { CUT_OFF, type EventOf, ROOT, type SessionEvent } from './events.ts';
import { findCall, foldToolsChanged, holdFacts, takeToolsChange } from './fold-calls.ts';
import { applyFacts } from './memories.ts';
import { listOuterFrames } from './spending.ts';
import {
  createOfferHistory,
  type Fold,
  type FrameState,
  type KeptReply,
  type Message,
  type OfferHistory,
  type SessionState,
  type TurnState,
} from './state.ts';
import { enterTree } from './turn-tree.ts';

/** Returns the state of a turn that has just started, with its own loop. */
export function startTurn(state: SessionState, event: EventOf<'turn-started'>): TurnState {
  const { agent: path, messages, blackboard, offered } = state;
  const place = enterTree(state, event);
  const root: FrameState = {
    ...NEW_LOOP,
    id: ROOT,
    path,
    messages,
    blackboard,
    offered,
  };
  return {
    id: event.turn,
    loopId: event.loopId,
    context: event.context,
    principal: event.principal,
    frames: new Map([[ROOT, root]]),
    artifacts: [],
    files: [],
    said: [],
    tools: { late: [], gone: [], sourcesAsked: 0 },
    stoppedBy: [],
    callsByTool: new Map(),
    usage: { inputTokens: 0, outputTokens: 0 },
    model: undefined,
    iterations: 0,
    toolCalls: 0,
    limited: false,
    limit: undefined,
    scheduled: 0,
    ...place,
    cancelRequested: false,
    resumedSinceReply: 0,
    resumedIdly: 0,
    lastEvent: event.type,
    text: '',
    outcome: undefined,
    error: undefined,
    signal: undefined,
    object: undefined,
  };
}

const NEW_LOOP = {
  seen: { callState: {}, entries: 0, memories: new Map() },
  planned: false,
  iterations: 0,
  blankReplies: 0,
  unknownTools: 0,
  rejected: false,
  shortened: false,
  refused: undefined,
};

/** Opens the nested loop of a call, under the loop that the call belongs to. */
export function openFrame(fold: Fold, event: EventOf<'frame-started'>): void {
  const { state, turn } = fold;
  const { frame: id, facts } = event;
  const opener = { call: id, ...(event.parent !== undefined && { frame: event.parent }) };
  holdFacts(fold, findCall(fold, opener), event);
  const parent = turn.frames.get(event.parent ?? ROOT);
  const path = parent ? `${parent.path}/${event.name}` : event.name;
  const around = parent?.blackboard ?? state.blackboard;
  // Copies only the entries that the call could see, without later ones.
  const copied = event.ownBlackboard && around.slice(0, parent?.seen.entries);
  const board = copied ? { blackboard: copied, inherited: copied.length } : { blackboard: around };
  const inParent = parent && parent.id !== ROOT && { parent: parent.id };
  const messages: Message[] = [];
  foldMessage(messages, event);
  const own = { offered: createOfferHistory(), messages };
  turn.frames.set(id, { ...NEW_LOOP, ...own, ...board, ...inParent, id, path });
  applyFacts(fold, { facts, place: { turn: turn.id, frame: id, path, call: id } });
}

/** Folds an event into its conversation: the session's, or an open nested loop's. */
export function foldConversation(state: SessionState, event: SessionEvent): void {
  const { turn } = state;
  if (event.type === 'message-sent' && turn) foldInOuterCalls(turn, event);
  const frame = 'frame' in event ? event.frame : undefined;
  const loop = frame === undefined ? state : turn?.frames.get(frame);
  if (loop) foldMessage(loop.messages, event, { turn, offered: loop.offered });
}

/**
 * Adds a message to the user to all outer calls, since their models should know about it. The session's own
 * conversation uses the event's `under`, since it is read again when the loops are gone.
 */
function foldInOuterCalls(turn: TurnState, event: EventOf<'message-sent'>): void {
  const { frame, under } = event;
  const inner = frame === undefined ? undefined : turn.frames.get(frame);
  for (const { id, parent = ROOT } of inner ? listOuterFrames(turn, inner) : []) {
    const call = parent === ROOT ? under : id;
    if (id !== ROOT) addSentMessage(turn.frames.get(parent)?.messages, call, event);
  }
}

/** Adds a message to the user to the call of the last reply under which it was sent. */
function addSentMessage(
  messages: readonly Message[] | undefined,
  under: string | undefined,
  { call, tool, text }: EventOf<'message-sent'>,
): void {
  const record = getLastBatch(messages ?? []).find(({ id }) => id === under);
  if (record) record.said = [...(record.said ?? []), { call, tool, text }];
}

/** The data that a message is folded into, in addition to the conversation. */
interface FoldContext {
  readonly turn?: TurnState | undefined;
  readonly offered?: OfferHistory;
}

/**
 * Folds an event into the conversation of its loop. The rules are the same for the turn's own loop and nested
 * ones. Without `turn`, it is still correct for the session's messages, provided that all of their calls have
 * ended.
 */
export function foldMessage(
  messages: Message[],
  event: SessionEvent,
  { turn, offered }: FoldContext = {},
): void {
  const last = messages.at(-1);
  switch (event.type) {
    case 'turn-started':
      if (event.retries) {
        if (event.line) messages.push({ role: 'user', text: event.line, by: 'loop' });
        break;
      }
      if (last?.role === 'user' && last.by !== 'summary')
        // The turn of that message ended without a reply.
        messages.push({ role: 'user', text: '[The last message was not answered.]', by: 'loop' });
      addStart(messages, event, offered);
      break;
    case 'frame-started':
      addStart(messages, event, offered);
      break;
    case 'model-replied':
      messages.splice(messages.length - (event.unseen ?? 0), 0, {
        role: 'assistant',
        text: event.text,
        calls: event.toolCalls.map((call) => ({ ...call })),
        ...getKeptReply(event),
        ...(event.cut && { cut: true }),
        ...(event.finish === CUT_OFF && { cutOff: true }),
        ...(offered && takeToolsChange(offered)),
        last: event.last ?? false,
      });
      // A planned reply is offered no tools, and a reply that was cut off does not depend on the offered
      // tools.
      if (offered && event.asked) offered.asked = event.asked;
      break;
    case 'tools-changed':
      if (offered) foldToolsChanged(offered, event);
      break;
    case 'tool-call-ended':
      // A snapshot does not record which of the session's own calls opened a loop.
      endCall(messages, event, event.frame === undefined ? undefined : turn?.frames.get(event.call));
      break;
    case 'message-sent':
      addSentMessage(messages, event.call, event);
      break;
    case 'answer-rejected':
      messages.push({ role: 'user', text: formatRejection(event), by: 'loop' });
      break;
    case 'turn-steered':
      messages.push({ role: 'user', ...getContent(event), by: 'steer' });
      break;
    case 'late-result-received':
      if (!event.open) messages.push({ role: 'user', ...createLateContent(event), by: 'late' });
      break;
    case 'conversation-cut':
      foldCutMessages(messages, event);
      break;
  }
}

/**
 * Adds the first message of a turn. That message includes a change of tools that the previous turn did not
 * report.
 */
const addStart = (messages: Message[], event: StartEvent, offered: OfferHistory | undefined): void =>
  void messages.push({ role: 'user', ...getContent(event), ...(offered && takeToolsChange(offered)) });

type StartEvent = Pick<EventOf<'turn-started'>, 'message' | 'parts'>;

const getContent = ({ message: text, parts }: StartEvent): Pick<UserMessage, 'text' | 'parts'> => ({
  text,
  ...(parts && { parts }),
});

type UserMessage = Extract<Message, { role: 'user' }>;

function getKeptReply({ parts, provider, model, servedBy = '', asked }: EventOf<'model-replied'>): {
  readonly kept?: KeptReply;
} {
  if (!parts) return {};
  const { prefix } = asked ?? {};
  const madeBy = { provider: servedBy, model };
  return { kept: { parts, ...(provider && { provider }), ...(prefix && { prefix }), madeBy } };
}

/**
 * Folds an event that the state's snapshot covers. Messages cut off by then are not read, and the first
 * message says so.
 */
export function foldCoveredEvent(
  { messages, closedUnread, offered }: SessionState,
  event: SessionEvent,
): void {
  // The nested loops of those turns are gone, but their messages to the user remain.
  if (event.type === 'message-sent') addSentMessage(messages, event.under, event);
  if ('frame' in event) return;
  if (event.type === 'conversation-cut') {
    if (event.results !== undefined) foldCutMessages(messages, { results: event.results });
    return;
  }
  // The snapshot has the last offer, but not its place in the conversation.
  const { list, asked } = offered;
  foldMessage(messages, event, { offered });
  Object.assign(offered, { list, asked });
  if (event.type !== 'model-replied') return;
  for (const { id } of event.toolCalls) {
    const result = closedUnread.get(id);
    if (result) endCall(messages, { call: id, result });
  }
}

/** Returns the text of a late result, followed by its files. */
function createLateContent(event: EventOf<'late-result-received'>): Pick<UserMessage, 'text' | 'parts'> {
  const text = formatLateResult(event);
  const files = listResultParts(event.result).filter(isFile);
  return { text, ...(files.length > 0 && { parts: [{ type: 'text', text }, ...files] }) };
}

/** Includes the call's input, since two calls of one tool can both be in doubt. */
const formatLateResult = ({ tool, input, result }: EventOf<'late-result-received'>): string =>
  `The call of '${tool}' with the input ${input}, whose outcome was unknown, has answered after all: ` +
  toModelText(result, DEFAULT_RESULT_CHARACTERS);

/** Returns the message to a model whose answer did not have the requested form, with all problems. */
const formatRejection = ({ problems }: EventOf<'answer-rejected'>): string =>
  `Your answer does not have the form that was asked for:\n- ${problems.join('\n- ')}\n` +
  'Answer again with the corrected JSON text, and nothing else.';

/** Records the end of a call of the last reply. `opened`: the loop that it opened. */
function endCall(
  messages: readonly Message[],
  event: Pick<EventOf<'tool-call-ended'>, 'call' | 'result' | 'direct' | 'changes'>,
  opened?: FrameState,
): void {
  const call = getLastBatch(messages).find(({ id }) => id === event.call);
  if (!call || call.ended) return;
  delete call.started;
  delete call.atEnd;
  delete call.waits;
  delete call.late;
  call.ended = {
    result: event.result,
    direct: event.direct ?? false,
    changes: event.changes,
    ...(opened && !opened.planned && { nested: true }),
  };
}
