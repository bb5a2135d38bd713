/** What a turn shows, as AG-UI 1.0 has it. Nothing in here reads or writes. */
import type { Message as AgUiMessage, ContentPart as AgUiPart } from '@ag-ui/client';
import type { SessionView, ShownEvent, TurnItem, TurnStreamEnd } from '../../create-holdfast.ts';
import type { AgUiEvent } from './events.ts';
import { type FileUrls, partsOf } from './parts.ts';
import { attributed, close, newReply, type Reply, rest, say } from './reply.ts';
import { ended } from './run-end.ts';

/** What stands beside what a turn shows: the state of the session, and its messages for a client that may have none. */
export type SessionItem =
  | { readonly type: 'state'; readonly snapshot: Pick<SessionView, 'blackboard' | 'state' | 'memory'> }
  | { readonly type: 'history'; readonly messages: AgUiMessage[] };

/** What the run is, for whoever asked for it. */
export interface Run {
  readonly threadId: string;
  readonly runId: string;
  /** Names the messages of its replies; absent where no turn is shown. */
  readonly turn?: string | undefined;
  /** What the client has been shown of the turn before. Nothing is said of it again, but what it began may go on. */
  readonly past?: readonly ShownEvent[] | undefined;
  /** The calls that the client has run itself: it has their results already. */
  readonly ranByClient?: readonly string[] | undefined;
  readonly files: FileUrls;
}

type Events = Generator<AgUiEvent, void, undefined>;
type EventOf<Type extends ShownEvent['type']> = Extract<ShownEvent, { readonly type: Type }>;
type Delta = EventOf<'text-delta' | 'reasoning-delta'>;
type Result = EventOf<'tool-call-ended'>['result'];

/** The events of a run, in an order that the client of the protocol takes: it begins, and it ends once. */
export async function* toAgUi(
  items: AsyncIterable<TurnItem | SessionItem>,
  run: Run,
): AsyncGenerator<AgUiEvent, void, undefined> {
  const { threadId, runId } = run;
  const shown = new Shown(run);
  yield { type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' };
  for await (const item of items) yield* shown.events(item);
  if (!shown.isOver) yield { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success' } };
}

/** What a client has been told, from which follows what it can be told next. */
class Shown {
  readonly #run: Run;
  /** The replies that are being said, by their loops. */
  readonly #replies = new Map<string, Reply>();
  /** The nested loops that have begun, and whether this run has told of them. */
  readonly #frames = new Map<string, { readonly event: EventOf<'frame-started'>; isTold: boolean }>();
  /** The loop of each call. */
  readonly #frameOf = new Map<string, string>();
  /** What the turn's own loop said last. */
  #lastText = '';
  /** The end of the run was told. */
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
    const open = this.#replies.get(frame) ?? newReply(`${frame || this.#run.turn}/${reply}`);
    this.#replies.set(frame, open);
    yield* say(open, type === 'text-delta' ? 'text' : 'reasoning', text, attributed(frame));
  }

  /** What was said cannot be taken back: the client is told which message is void. */
  *#restarted({ frame = '' }: EventOf<'reply-restarted'>): Events {
    const void_ = this.#replies.get(frame);
    if (!void_) return;
    this.#replies.delete(frame);
    yield* close(void_, attributed(frame));
    yield { type: 'CUSTOM', name: 'holdfast.reply-restarted', value: { messageId: void_.id } };
  }

  *#replied({ seq, turn, frame = '', text, parts = [], toolCalls }: EventOf<'model-replied'>): Events {
    yield* this.#enter(frame);
    const of = attributed(frame);
    const reply = this.#replies.get(frame) ?? newReply(`${turn}.${seq}`);
    this.#replies.delete(frame);
    // Whoever fell behind was shown no more pieces: the rest is in the journal.
    const reasoning = parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
    yield* say(reply, 'reasoning', rest(reasoning, reply.reasoning), of);
    yield* say(reply, 'text', rest(text, reply.text), of);
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
    const content = contentOf(result, this.#run.files);
    const messageId = `${call}/result`;
    yield {
      type: 'TOOL_CALL_RESULT',
      messageId,
      toolCallId: call,
      role: 'tool',
      content,
      ...attributed(frame),
    };
  }

  *#said(
    messageId: string,
    text: string,
    { frame = '' }: InFrame,
    role: 'assistant' | 'user' = 'assistant',
  ): Events {
    if (text === '') return;
    yield* this.#enter(frame);
    const of = attributed(frame);
    yield { type: 'TEXT_MESSAGE_START', messageId, role, ...of };
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text, ...of };
    yield { type: 'TEXT_MESSAGE_END', messageId, ...of };
  }

  /** Tells of a nested loop before anything inside it is told, also when it began in a run before this one. */
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
    if (open) yield* close(open, attributed(frame));
  }

  *#stopped(stop: TurnStreamEnd): Events {
    for (const frame of [...this.#replies.keys()]) yield* this.#closeReply(frame);
    // What returned directly, or was changed on its way out, is no reply of the model.
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
    yield ended(stop, this.#run, (call) => attributed(this.#frameOf.get(call) ?? ''));
  }
}

interface InFrame {
  readonly frame?: string;
}

/** A result as a client is shown it, with its files as links. */
export function contentOf(result: Result, files: FileUrls): string | AgUiPart[] {
  if (result.type === 'error') return `Error: ${result.message}`;
  if (result.type !== 'text' && result.parts) return partsOf(result.parts, files);
  if (result.type === 'content') return '';
  return result.type === 'text' ? result.content : (result.content ?? JSON.stringify(result.value));
}
