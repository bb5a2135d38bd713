/** Translates the items of a turn to the stream of an A2A 1.0 task. All functions in this file are pure. */
import type { ShownEvent, TurnItem, TurnStreamEnd } from '../../create-holdfast.ts';
import type { JsonObject } from '../../index.ts';
import {
  ANSWER,
  createAgentMessage,
  type FileUrls,
  type TurnView,
  toAnswerArtifact,
  toArtifacts,
  toMetadata,
  toStatus,
  toTaskId,
} from './task.ts';
import type { Part, StreamEvent, Task, TaskStatus } from './wire.ts';

type Events = Generator<StreamEvent, void, undefined>;
type EventOf<Type extends ShownEvent['type']> = Extract<ShownEvent, { readonly type: Type }>;

export interface Run {
  readonly session: string;
  readonly turn: string;
  /** The task at the start of the stream. */
  readonly task: Task;
  readonly files: FileUrls;
}

/** Yields the events of a stream: the task first, and its status last. */
export async function* toA2a(
  items: AsyncIterable<TurnItem>,
  run: Run,
): AsyncGenerator<StreamEvent, void, undefined> {
  yield { task: run.task };
  const shown = new ClientState(run);
  for await (const item of items) yield* shown.events(item);
}

/** Tracks the part of the answer that the client has received. */
class ClientState {
  readonly #run: Run;
  /** The text of the current reply. The next reply replaces it, since only the last one is the answer. */
  #text = '';
  /** `true` if the reply has ended, so that the next text starts a new one. */
  #isOver = false;

  constructor(run: Run) {
    this.#run = run;
  }

  *events(item: TurnItem): Events {
    // A2A has no event for a loop inside a call. The loop's messages to the user are shown.
    if ('frame' in item && item.frame !== undefined && item.type !== 'message-sent') return;
    switch (item.type) {
      case 'text-delta':
        return yield* this.#delta(item);
      case 'reply-restarted':
        this.#begin();
        return;
      case 'model-replied':
        return yield* this.#replied(item);
      case 'tool-call-ended': {
        const { call, seq, at, result } = item;
        const data: JsonObject =
          result.type === 'error' ? { call, error: result.message } : { call, ended: true };
        return yield* this.#working(seq, at, { data, mediaType: 'application/json' });
      }
      case 'message-sent':
        return yield* this.#working(item.seq, item.at, { text: item.text });
      case 'progress':
        return yield* this.#working(`${item.call}/progress`, undefined, { text: item.status });
      case 'answer':
        return yield* this.#stopped(item.answer);
      case 'suspended':
        return yield* this.#stopped(item.view);
      case 'later':
        return yield* this.#status(toStatus({ ...item.view, outcome: undefined }), item.view);
      case 'continues':
      case 'erased':
        return yield* this.#status(createBrokenOffStatus(item, this.#run));
    }
  }

  *#delta({ text }: EventOf<'text-delta' | 'reasoning-delta'>): Events {
    if (this.#isOver) this.#begin();
    yield* this.#say(text);
  }

  /** Starts a new reply, which replaces the previous text. */
  #begin(): void {
    this.#text = '';
    this.#isOver = false;
  }

  *#say(text: string, isLast = false): Events {
    if (text === '') return;
    const append = this.#text !== '';
    this.#text += text;
    yield this.#answer([{ text }], append, isLast);
  }

  *#replied({ seq, at, text, toolCalls }: EventOf<'model-replied'>): Events {
    if (this.#isOver || !text.startsWith(this.#text)) this.#begin();
    yield* this.#say(text.slice(this.#text.length));
    this.#isOver = true;
    // The next reply would replace a text with calls, so a message repeats the text.
    if (toolCalls.length > 0 && text !== '') yield* this.#working(seq, at, { text });
    for (const { id: call, name: tool } of toolCalls)
      yield* this.#working(call, at, { data: { call, tool }, mediaType: 'application/json' });
  }

  *#working(name: string | number, at: number | undefined, part: Part): Events {
    const message = createAgentMessage(this.#run, String(name), [part]);
    const timestamp = at === undefined ? {} : { timestamp: new Date(at).toISOString() };
    yield* this.#status({ state: 'TASK_STATE_WORKING', message, ...timestamp });
  }

  *#stopped(standing: Exclude<TurnView, { readonly outcome?: undefined }>): Events {
    const { files, session, turn } = this.#run;
    const of = { taskId: toTaskId({ session, turn }), contextId: session };
    for (const artifact of toArtifacts(standing, files))
      yield { artifactUpdate: { ...of, artifact, append: false, lastChunk: true } };
    const whole = toAnswerArtifact(standing);
    const { text, object } = standing;
    // If the stream has sent the same text, only closes it. A text that a transformer changed replaces it.
    const isSaid = text === this.#text && text !== '';
    const rest: readonly Part[] = object === undefined ? [{ text: '' }] : (whole?.parts.slice(1) ?? []);
    if (whole && standing.outcome !== 'suspended')
      yield isSaid ? this.#answer(rest, true, true) : this.#answer(whole.parts, false, true);
    yield* this.#status(toStatus(standing), standing);
  }

  #answer(parts: readonly Part[], append: boolean, lastChunk: boolean): StreamEvent {
    const { session, turn } = this.#run;
    const artifact = { artifactId: ANSWER, name: ANSWER, parts };
    return {
      artifactUpdate: {
        taskId: toTaskId({ session, turn }),
        contextId: session,
        artifact,
        append,
        lastChunk,
      },
    };
  }

  *#status(status: TaskStatus, standing?: TurnView): Events {
    const { session, turn } = this.#run;
    const metadata = standing && toMetadata(standing);
    const of = { taskId: toTaskId({ session, turn }), contextId: session };
    yield { statusUpdate: { ...of, status, ...(metadata && { metadata }) } };
  }
}

/** Returns the last status of a stream that ends before its turn has stopped. */
function createBrokenOffStatus(
  { type }: Extract<TurnStreamEnd, { readonly type: 'continues' | 'erased' }>,
  { session, turn }: Run,
): TaskStatus {
  const isGone = type === 'erased';
  const text = isGone ? 'The session was erased.' : 'The task continues: SubscribeToTask streams the rest.';
  return {
    state: isGone ? 'TASK_STATE_FAILED' : 'TASK_STATE_WORKING',
    message: createAgentMessage({ session, turn }, type, [{ text }]),
  };
}
