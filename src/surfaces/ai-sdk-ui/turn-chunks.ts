/** Translates what a turn shows into the chunks of a UI message stream. It reads and writes nothing. */
import type { EventOf, StoredEvent } from '../../journal/events.ts';
import type { Wait } from '../../journal/wait.ts';
import type { SuspendedTurn, TurnAnswer } from '../../session/watching/turn-outcome.ts';
import { type ContentPart, isFile, isStored } from '../../tool/content.ts';
import { modelText, partsOfResult, type ResultData } from '../../tool/tool-result.ts';
import type { TurnItem, TurnStreamEnd } from '../../worker/turn-feed.ts';
import { type PendingView, questionOf, type SuspendedView } from '../../worker/turn-view.ts';
import type { UiChunk, UiMetadata, UiUserPart, UiVersion } from './chunks.ts';
import { MessageSteps } from './message-steps.ts';

/** What a client has of a call that a stream goes on with. */
export interface KnownCall {
  /** Its part has an approval. */
  readonly isAsked: boolean;
}

/** Of whom a turn is told, and how. */
export interface ChunkOptions {
  readonly version: UiVersion;
  /** Whoever takes the chunks can begin a step anew, and be told of answers, whatever the version: what is no client. */
  readonly takesAll?: true | undefined;
  /** Where the bytes of a file of the session are. */
  fileUrl(id: string): string;
  /** The calls that the client has parts of already, in a stream that goes on. */
  readonly known?: ReadonlyMap<string, KnownCall> | undefined;
  /** The id of the message, where the stream does not begin with its turn and is to be a message of its own. */
  readonly messageId?: string | undefined;
}

/**
 * The chunks of what a turn shows. A turn from its first event on begins a message, which has the id of the turn; the rest of one
 * joins the message that the client has.
 */
export async function* uiChunks(
  items: AsyncIterable<TurnItem>,
  options: ChunkOptions,
): AsyncGenerator<UiChunk, void, undefined> {
  const turn = new TurnChunks(options);
  yield* turn.begin();
  for await (const item of items) yield* turn.take(item);
}

/** The outcomes that come with an answer. */
const ANSWERED: readonly TurnAnswer['outcome'][] = ['completed', 'returned-direct', 'limit-reached'];

/** One turn, as it becomes a message. */
export class TurnChunks {
  readonly #options: ChunkOptions;
  readonly #is7: boolean;
  readonly #answers: boolean;
  readonly #steps: MessageSteps;
  readonly #known: Map<string, KnownCall>;
  /** What calls ask by the id of the call, where this stream has shown it. */
  readonly #waits = new Map<string, { readonly wait: Wait; readonly number: number }>();
  #seq = 0;

  constructor(options: ChunkOptions) {
    const { version, takesAll = false, known = [] } = options;
    this.#options = options;
    this.#is7 = version === 7;
    this.#answers = this.#is7 || takesAll;
    this.#steps = new MessageSteps({ is7: this.#is7, resets: this.#answers });
    this.#known = new Map(known);
  }

  /** What stands before all items. */
  begin(): UiChunk[] {
    const { messageId } = this.#options;
    return messageId === undefined ? [] : [{ type: 'start', messageId }];
  }

  /** What the next item adds. */
  take(item: TurnItem): UiChunk[] {
    if ('seq' in item) {
      this.#seq = item.seq;
      return this.#event(item);
    }
    switch (item.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const type = item.type === 'text-delta' ? 'text' : 'reasoning';
        return item.frame === undefined ? this.#steps.piece({ type, text: item.text }, item.from) : [];
      }
      case 'reply-restarted':
        return item.frame === undefined ? this.#steps.restarted() : [];
      case 'progress': {
        const { call, status } = item;
        return [{ type: 'data-progress', data: { call, status }, transient: true }];
      }
      default:
        return this.#stopped(item);
    }
  }

  #event(event: StoredEvent): UiChunk[] {
    switch (event.type) {
      case 'turn-started':
        this.#known.clear();
        return [...this.#steps.end(), { type: 'start', messageId: event.turn }];
      case 'model-replied':
        if (event.frame !== undefined) return [];
        for (const { id } of event.toolCalls) this.#known.set(id, { isAsked: false });
        return this.#steps.replied(event);
      case 'tool-call-suspended': {
        const number = (this.#waits.get(event.call)?.number ?? 0) + 1;
        this.#waits.set(event.call, { wait: event.wait, number });
        return [];
      }
      case 'tool-call-answered':
        return this.#answers ? this.#answered(event) : [];
      case 'tool-call-ended':
        return this.#known.has(event.call) ? this.#ended(event) : [];
      case 'message-sent': {
        const { seq, text, call, tool } = event;
        return [
          { type: 'data-message', id: `${seq}`, data: { text, call, ...(tool !== undefined && { tool }) } },
        ];
      }
      case 'turn-steered':
        return [this.#steered(event)];
      default:
        return [];
    }
  }

  /** A question and its answer, for whoever sees both at once. Those who answer have told their own client. */
  #answered({ call, answer }: EventOf<'tool-call-answered'>): UiChunk[] {
    const asked = this.#asked(call);
    if (!asked || answer.type !== 'decision') return [];
    const { approvalId } = asked;
    const approved = answer.decision === 'approve' || answer.decision === 'edit';
    const { reason } = answer;
    return [
      asked,
      { type: 'tool-approval-response', approvalId, approved, ...(reason !== undefined && { reason }) },
    ];
  }

  /** The question that a call asked in this stream, if somebody decides about it. */
  #asked(call: string): Extract<UiChunk, { type: 'tool-approval-request' }> | undefined {
    const asked = this.#waits.get(call);
    if (asked?.wait.for !== 'decision' || !this.#known.has(call)) return undefined;
    this.#known.set(call, { isAsked: true });
    return { type: 'tool-approval-request', approvalId: approvalId(call, asked.number), toolCallId: call };
  }

  #ended({ call, result, frame }: EventOf<'tool-call-ended'>): UiChunk[] {
    // The page has run it, whoever sees only now that it has.
    const byPage = this.#waits.get(call)?.wait.for === 'result' && { providerExecuted: false as const };
    const of = { toolCallId: call, dynamic: true, ...byPage } as const;
    if (result.type !== 'error') {
      const output = result.type === 'artifact' ? result.value : modelText(result);
      const files = frame === undefined ? this.#files(result) : [];
      return [{ type: 'tool-output-available', ...of, output }, ...files];
    }
    const { message: errorText, reason } = result;
    if (reason === 'declined') {
      const asked = this.#known.get(call)?.isAsked ? [] : this.#asked(call);
      if (asked) return [...[asked].flat(), { type: 'tool-output-denied', toolCallId: call }];
    }
    return [{ type: 'tool-output-error', ...of, errorText }];
  }

  #files(result: ResultData): UiChunk[] {
    return partsOfResult(result).flatMap((part): UiChunk[] => {
      if (!isFile(part)) return [];
      const url = this.#urlOf(part);
      return url === undefined ? [] : [{ type: 'file', url, mediaType: part.mediaType }];
    });
  }

  #urlOf(file: ContentPart): string | undefined {
    if ('url' in file) return file.url;
    return isFile(file) && isStored(file) ? this.#options.fileUrl(file.id) : undefined;
  }

  #steered(event: EventOf<'turn-steered'>): UiChunk {
    const { as: id, message: text } = event;
    if (!this.#is7) return { type: 'data-steering', id, data: { text } };
    return { type: 'steering-message', id, parts: this.userParts(event) };
  }

  /** What a user has said, as the parts of a message. */
  userParts({
    message,
    parts = [{ type: 'text', text: message }],
  }: Pick<EventOf<'turn-started'>, 'message' | 'parts'>): UiUserPart[] {
    return parts.flatMap((part): UiUserPart[] => {
      if (!isFile(part)) return [{ type: 'text', text: part.text }];
      const url = this.#urlOf(part);
      const { mediaType, name } = part;
      return url === undefined
        ? []
        : [{ type: 'file', mediaType, url, ...(name !== undefined && { filename: name }) }];
    });
  }

  #stopped(stop: TurnStreamEnd): UiChunk[] {
    switch (stop.type) {
      case 'suspended':
        return this.#suspended(stop.view);
      case 'answer':
        return this.#end(stop.answer);
      case 'erased':
        return [...this.#steps.end(), { type: 'error', errorText: 'This chat was erased.' }];
      default:
        return [...this.#steps.end(), { type: 'error', errorText: GOES_ON }];
    }
  }

  /** What waits is asked when all else of the turn has settled: by then nobody else has answered it. */
  #suspended(view: SuspendedView): UiChunk[] {
    const isKnown = ({ call }: PendingView): boolean => this.#known.has(call);
    const nested = view.pending.filter((one) => !isKnown(one));
    const chunks = view.pending.filter(isKnown).flatMap((one) => this.#waiting(one));
    // Clients send answers by themselves when all calls of the last step have one, and the call around these has not ended.
    if (nested.length > 0) chunks.push(...this.#steps.begin());
    for (const one of nested) {
      const { call: toolCallId, tool: toolName, input } = one;
      this.#known.set(toolCallId, { isAsked: false });
      const of = { toolCallId, toolName, input, dynamic: true, providerExecuted: true } as const;
      chunks.push({ type: 'tool-input-available', ...of }, ...this.#waiting(one));
    }
    const messageMetadata = this.#metadata(view);
    return [...chunks, ...this.#steps.end(), { type: 'finish', finishReason: 'tool-calls', messageMetadata }];
  }

  #waiting({ links, ...pending }: PendingView): UiChunk[] {
    const { call: toolCallId, tool: toolName, input, message } = pending;
    if (pending.for === 'result')
      // Only now is it the page's to run.
      return [
        { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true, providerExecuted: false },
      ];
    this.#known.set(toolCallId, { isAsked: true });
    return [
      {
        type: 'tool-approval-request',
        approvalId: approvalId(toolCallId, questionOf({ links })),
        toolCallId,
        approvalDescriptor: pending,
        ...(this.#is7 && { reason: message }),
      },
    ];
  }

  #end(answer: TurnAnswer): UiChunk[] {
    const { outcome, signal, error } = answer;
    const messageMetadata = this.#metadata(answer);
    const told = { type: 'message-metadata', messageMetadata } as const;
    const chunks = [
      ...this.#steps.answered(ANSWERED.includes(outcome) ? answer.text : ''),
      ...this.#steps.end(),
    ];
    if (outcome === 'cancelled')
      return [...chunks, told, { type: 'abort', reason: signal?.reason ?? 'The turn was cancelled.' }];
    if (outcome === 'failed')
      return [
        ...chunks,
        told,
        { type: 'error', errorText: error?.message ?? 'The turn failed.' },
        { type: 'finish', finishReason: 'error' },
      ];
    const finishReason = outcome === 'limit-reached' ? 'length' : 'stop';
    return [...chunks, { type: 'finish', finishReason, messageMetadata }];
  }

  #metadata({ turn, outcome, usage, artifacts, object, error }: TurnAnswer | SuspendedTurn): UiMetadata {
    return {
      turn,
      seq: this.#seq,
      outcome,
      usage,
      ...(artifacts.length > 0 && { artifacts }),
      ...(object !== undefined && { object }),
      ...(error && { error }),
    };
  }
}

/** What a client is told whose stream ends before its turn. */
const GOES_ON = 'The answer goes on, and this stream of it has to end: resume the chat to see the rest.';

/** Names a question of a call for a client, which sends it back with the answer. */
const approvalId = (call: string, number: number): string =>
  number === 1 ? call : `${call}?question=${number}`;
