/** Translates the items of a turn to AG-UI 1.0. All functions in this file are pure. */
import type { Message as AgUiMessage, ContentPart as AgUiPart } from '@ag-ui/client';
import type { SessionView, ShownEvent, TurnItem, TurnStreamEnd } from '../../create-holdfast.ts';
import type { AgUiEvent } from './events.ts';
import { type FileUrls, toAgUiParts } from './parts.ts';
import { close, createPieceEvents, createReply, getAttribution, getUnsaidText, type Reply } from './reply.ts';
import { createLastEvent } from './run-end.ts';

/**
 * The items that a stream adds to a turn: the session's state, and its messages for a client without a
 * history.
 */
export type SessionItem =
  | { readonly type: 'state'; readonly snapshot: Pick<SessionView, 'blackboard' | 'state' | 'memory'> }
  | { readonly type: 'history'; readonly messages: AgUiMessage[] };

export interface Run {
  readonly threadId: string;
  readonly runId: string;
  /** The turn, whose id is part of its message ids. Absent if the run shows no turn. */
  readonly turn?: string | undefined;
  /**
   * The events of the turn that the client has seen before. They are not repeated, but open spans continue.
   */
  readonly past?: readonly ShownEvent[] | undefined;
  /** The calls that the client has run itself. It already has their results. */
  readonly ranByClient?: readonly string[] | undefined;
  readonly files: FileUrls;
}

type Events = Generator<AgUiEvent, void, undefined>;
type EventOf<Type extends ShownEvent['type']> = Extract<ShownEvent, { readonly type: Type }>;
type Delta = EventOf<'text-delta' | 'reasoning-delta'>;
type Result = EventOf<'tool-call-ended'>['result'];

/** Yields the events of a run in the order that the protocol requires, with one start and one end. */
export async function* toAgUi(
  items: AsyncIterable<TurnItem | SessionItem>,
  run: Run,
): AsyncGenerator<AgUiEvent, void, undefined> {
  const { threadId, runId } = run;
  const shown = new ClientState(run);
  yield { type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' };
  for await (const item of items) yield* shown.events(item);
  if (!shown.isOver) yield { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success' } };
}

/** Tracks the events that the client has received, which determine what may follow. */
class ClientState {
  readonly #run: Run;
  /** The replies that are being streamed, by their loops. */
  readonly #replies = new Map<string, Reply>();
  /** The nested loops that have started, and whether this run has reported each. */
  readonly #frames = new Map<string, { readonly event: EventOf<'frame-started'>; isTold: boolean }>();
  readonly #frameOf = new Map<string, string>();
  /** The last text of the turn's own loop. */
  #lastText = '';
  /** `true` after the end of the run was sent. */
  isOver = false;

  constructor(run: Run) {
    this.#run = run;
    for (const event of run.past ?? []) for (const _ of this.events(event));
    for (const frame of this.#frames.values()) frame.isTold = false;
  }

  *events(item: TurnItem | SessionItem): Events {
    switch (item.type) {
      case 'state':
        yield { type: 'STATE_SNAPSHOT', snapshot: item.snapshot };
        break;
      case 'history':
        yield { type: 'MESSAGES_SNAPSHOT', messages: item.messages };
        break;
      case 'text-delta':
      case 'reasoning-delta':
        yield* this.#delta(item);
        break;
      case 'reply-restarted':
        yield* this.#restarted(item);
        break;
      case 'model-replied':
        yield* this.#replied(item);
        break;
      case 'frame-started':
        this.#frames.set(item.frame, { event: item, isTold: false });
        yield* this.#enter(item.frame);
        break;
      case 'tool-call-ended':
        yield* this.#callEnded(item);
        break;
      case 'message-sent':
        yield* this.#said(`${item.call}/said/${item.seq}`, item.text, item);
        break;
      case 'turn-steered':
        yield* this.#said(item.as, item.message, {}, 'user');
        break;
      case 'progress': {
        const { call, status } = item;
        yield { type: 'CUSTOM', name: 'holdfast.progress', value: { call, status } };
        break;
      }
      case 'answer':
      case 'suspended':
      case 'later':
      case 'continues':
      case 'erased':
        yield* this.#stopped(item);
    }
  }

  *#delta({ type, text, reply, frame = '' }: Delta): Events {
    if (text === '') return;
    yield* this.#enter(frame);
    const open = this.#replies.get(frame) ?? createReply(`${frame || this.#run.turn}/${reply}`);
    this.#replies.set(frame, open);
    yield* createPieceEvents(open, type === 'text-delta' ? 'text' : 'reasoning', text, getAttribution(frame));
  }

  /** AG-UI cannot withdraw streamed text, so an event contains the void message's id. */
  *#restarted({ frame = '' }: EventOf<'reply-restarted'>): Events {
    const void_ = this.#replies.get(frame);
    if (!void_) return;
    this.#replies.delete(frame);
    yield* close(void_, getAttribution(frame));
    yield { type: 'CUSTOM', name: 'holdfast.reply-restarted', value: { messageId: void_.id } };
  }

  *#replied({ seq, turn, frame = '', text, parts = [], toolCalls }: EventOf<'model-replied'>): Events {
    yield* this.#enter(frame);
    const of = getAttribution(frame);
    const reply = this.#replies.get(frame) ?? createReply(`${turn}.${seq}`);
    this.#replies.delete(frame);
    // A slow reader receives no partial text, so the missing text comes from the journal.
    const reasoning = parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
    yield* createPieceEvents(reply, 'reasoning', getUnsaidText(reasoning, reply.reasoning), of);
    yield* createPieceEvents(reply, 'text', getUnsaidText(text, reply.text), of);
    yield* close(reply, of);
    if (frame === '') this.#lastText = text;
    for (const { id: toolCallId, name: toolCallName, input } of toolCalls) {
      this.#frameOf.set(toolCallId, frame);
      yield { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId: reply.id, ...of };
      if (input !== '') yield { type: 'TOOL_CALL_ARGS', toolCallId, delta: input, ...of };
      yield { type: 'TOOL_CALL_END', toolCallId, ...of };
    }
  }

  *#callEnded({ call, frame = '', result }: EventOf<'tool-call-ended'>): Events {
    yield* this.#leave(call, result);
    if (this.#run.ranByClient?.includes(call)) return;
    yield* this.#enter(frame);
    const content = toContent(result, this.#run.files);
    const messageId = `${call}/result`;
    yield {
      type: 'TOOL_CALL_RESULT',
      messageId,
      toolCallId: call,
      role: 'tool',
      content,
      ...getAttribution(frame),
    };
  }

  *#said(
    messageId: string,
    text: string,
    { frame = '' }: FramePlace,
    role: 'assistant' | 'user' = 'assistant',
  ): Events {
    if (text === '') return;
    yield* this.#enter(frame);
    const of = getAttribution(frame);
    yield { type: 'TEXT_MESSAGE_START', messageId, role, ...of };
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text, ...of };
    yield { type: 'TEXT_MESSAGE_END', messageId, ...of };
  }

  /** Announces a nested loop before its first event, even if the loop started in an earlier run. */
  *#enter(frame: string): Events {
    const known = this.#frames.get(frame);
    if (!known || known.isTold) return;
    const { parent, name } = known.event;
    if (parent !== undefined) yield* this.#enter(parent);
    known.isTold = true;
    yield {
      type: 'SUBAGENT_STARTED',
      subagentRunId: frame,
      name,
      parentToolCallId: frame,
      ...(parent !== undefined && this.#frames.has(parent) && { parentSubagentRunId: parent }),
    };
  }

  *#leave(frame: string, result: Result): Events {
    const isTold = this.#frames.get(frame)?.isTold === true;
    this.#frames.delete(frame);
    if (!isTold) return;
    yield* this.#closeReply(frame);
    if (result.type === 'error')
      yield { type: 'SUBAGENT_ERROR', subagentRunId: frame, message: result.message };
    else yield { type: 'SUBAGENT_FINISHED', subagentRunId: frame };
  }

  *#closeReply(frame: string): Events {
    const open = this.#replies.get(frame);
    this.#replies.delete(frame);
    if (open) yield* close(open, getAttribution(frame));
  }

  *#stopped(stop: TurnStreamEnd): Events {
    for (const frame of [...this.#replies.keys()]) yield* this.#closeReply(frame);
    // An answer by direct return, or one that a transformer changed, was not streamed as a reply.
    const answer = stop.type === 'answer' ? stop.answer : undefined;
    if (answer && answer.text !== this.#lastText && answer.outcome !== 'failed')
      yield* this.#said(`${answer.turn}/answer`, answer.text, {});
    const waiting = stop.type === 'suspended' ? stop.view.pending.map(({ call }) => call) : [];
    for (const [frame, { isTold }] of [...this.#frames].toReversed()) {
      if (!isTold) continue;
      const interruptIds = waiting.filter((call) => this.#frameOf.get(call) === frame);
      const outcome = { type: 'suspended' as const, interruptIds };
      yield {
        type: 'SUBAGENT_FINISHED',
        subagentRunId: frame,
        ...(stop.type === 'suspended' && { outcome }),
      };
    }
    this.isOver = true;
    yield createLastEvent(stop, this.#run, (call) => getAttribution(this.#frameOf.get(call) ?? ''));
  }
}

interface FramePlace {
  readonly frame?: string;
}

/** Returns a result for a client, with its files as links. */
export function toContent(result: Result, files: FileUrls): string | AgUiPart[] {
  if (result.type === 'error') return `Error: ${result.message}`;
  if (result.type !== 'text' && result.parts) return toAgUiParts(result.parts, files);
  if (result.type === 'content') return '';
  return result.type === 'text' ? result.content : (result.content ?? JSON.stringify(result.value));
}
