/** Translates the items of a turn into the chunks of a UI message stream. It does no I/O. */
import type { EventOf, StoredEvent } from '../../journal/events.ts';
import type { PendingCall } from '../../journal/wait.ts';
import type { SuspendedTurn, TurnAnswer } from '../../session/watching/turn-outcome.ts';
import { type ContentPart, isFile, isStoredFile } from '../../tool/content.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import { listResultParts, type ResultData } from '../../tool/tool-result.ts';
import type { TurnItem, TurnStreamEnd } from '../../worker/turn-feed.ts';
import type { SuspendedView } from '../../worker/turn-view.ts';
import { CallChunks, type KnownCall } from './call-chunks.ts';
import type { UiChunk, UiMetadata, UiUserPart, UiVersion } from './chunks.ts';
import { MessageSteps } from './message-steps.ts';

/** The turn to show, and how to show it. */
export interface ChunkOptions {
  readonly version: UiVersion;
  /** `true` if the reader is not a client, and so can drop a step and receive answers in either version. */
  readonly takesAll?: true | undefined;
  /** Returns the URL of a file of the session. */
  fileUrl(id: string): string;
  /** Returns the pending calls of a turn, derived from its events. */
  pending(events: readonly StoredEvent[]): readonly PendingCall[];
  /** The calls for which the client already has parts, in a resumed stream. */
  readonly known?: ReadonlyMap<string, KnownCall> | undefined;
  /** The id of the message, if the stream starts within its turn and needs a message of its own. */
  readonly messageId?: string | undefined;
  /** The session of the turn, if it is a fork of the chat's session. The message's metadata includes it. */
  readonly branch?: string | undefined;
}

/**
 * Yields the chunks of a turn. A turn shown from its first event starts a message with the id of the turn.
 * The rest of a turn joins the message that the client has.
 */
export async function* uiChunks(
  items: AsyncIterable<TurnItem>,
  options: ChunkOptions,
): AsyncGenerator<UiChunk, void, undefined> {
  const turn = new TurnChunks(options);
  yield* turn.begin();
  for await (const item of items) yield* turn.take(item);
}

/** The key of the tool-call context that holds the metadata of a message. */
export const METADATA_KEY = 'holdfast.metadata';

/** Returns the metadata that a page sent with a message. */
export function findMetadata({ [METADATA_KEY]: metadata }: JsonObject = {}): JsonObject | undefined {
  return isJsonObject(metadata) ? metadata : undefined;
}

/** Returns `true` if a turn with this outcome has an answer. */
export const isAnswered = ({ outcome }: Pick<TurnAnswer, 'outcome'>): boolean =>
  outcome !== 'cancelled' && outcome !== 'failed';

/** Translates one turn into a message. */
export class TurnChunks {
  readonly #options: ChunkOptions;
  readonly #steps: MessageSteps;
  readonly #calls: CallChunks;
  /** Sent at once, because a page that disconnects early also needs the session. */
  readonly #named: { readonly messageMetadata?: Pick<UiMetadata, 'session'> };
  #seq = 0;

  constructor(options: ChunkOptions) {
    const { version, takesAll = false, known = [], branch: session } = options;
    this.#options = options;
    this.#named = session === undefined ? {} : { messageMetadata: { session } };
    const is7 = version === 7;
    const able = { is7, takes7: is7 || takesAll };
    this.#steps = new MessageSteps(able);
    this.#calls = new CallChunks(able, known, (events) => options.pending(events));
  }

  /** Returns the chunks that precede all items. */
  begin(): UiChunk[] {
    const { messageId } = this.#options;
    return messageId === undefined ? [] : [{ type: 'start', messageId, ...this.#named }];
  }

  /** Returns the chunks for the next item. */
  take(item: TurnItem): UiChunk[] {
    if ('seq' in item) {
      this.#seq = item.seq;
      return this.#event(item);
    }
    switch (item.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const type = item.type === 'text-delta' ? 'text' : 'reasoning';
        return item.frame === undefined ? this.#steps.addText({ type, text: item.text }) : [];
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
    const ofCalls = this.#calls.take(event);
    switch (event.type) {
      case 'turn-started':
        return [...this.#steps.end(), { type: 'start', messageId: event.turn, ...this.#named }];
      case 'model-replied':
        return event.frame === undefined ? this.#steps.replied(event) : [];
      case 'turn-resumed':
        return this.#inStep(this.#calls.reopened());
      case 'tool-call-answered':
        return ofCalls;
      case 'tool-call-ended': {
        const isShown = this.#calls.has(event.call) && event.frame === undefined;
        return [...ofCalls, ...(isShown ? this.#files(event.result) : [])];
      }
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

  #files(result: ResultData): UiChunk[] {
    return listResultParts(result).flatMap((part): UiChunk[] => {
      if (!isFile(part)) return [];
      const url = this.#urlOf(part);
      return url === undefined ? [] : [{ type: 'file', url, mediaType: part.mediaType }];
    });
  }

  #urlOf(file: ContentPart): string | undefined {
    if ('url' in file) return file.url;
    return isFile(file) && isStoredFile(file) ? this.#options.fileUrl(file.id) : undefined;
  }

  #steered(event: EventOf<'turn-steered'>): UiChunk {
    const { as: id, message: text, context } = event;
    const metadata = findMetadata(context);
    if (this.#options.version === 6)
      return { type: 'data-steering', id, data: { text, ...(metadata && { metadata }) } };
    const [first, ...others] = this.userParts(event);
    // The part itself has no field for metadata.
    const said = metadata && first ? { ...first, providerMetadata: { holdfast: metadata } } : first;
    return { type: 'steering-message', id, parts: said ? [said, ...others] : [] };
  }

  /** Converts a user's message to the parts of a UI message. */
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
        return [...this.#steps.end(), { type: 'error', errorText: STREAM_ENDED_NOTICE }];
    }
  }

  /**
   * Shows the questions only after the rest of the turn, so that it skips those that another client has
   * already answered.
   */
  #suspended(view: SuspendedView): UiChunk[] {
    const shown = view.pending.filter(({ call }) => this.#calls.has(call));
    const hidden = view.pending.filter(({ call }) => !this.#calls.has(call));
    const chunks = [
      ...shown.flatMap((one) => this.#calls.waiting(one)),
      ...this.#inStep(this.#calls.nested(hidden)),
      ...hidden.flatMap((one) => this.#calls.waiting(one)),
    ];
    const messageMetadata = this.#metadata(view);
    return [...chunks, ...this.#steps.end(), { type: 'finish', finishReason: 'tool-calls', messageMetadata }];
  }

  /**
   * Puts calls of nested loops in a separate step. Clients send answers automatically once all calls of the
   * last step have one, but the enclosing call has not ended.
   */
  #inStep(calls: readonly UiChunk[]): UiChunk[] {
    return calls.length === 0 ? [] : [...this.#steps.begin(), ...calls];
  }

  #end(answer: TurnAnswer): UiChunk[] {
    const { outcome, signal, error } = answer;
    const messageMetadata = this.#metadata(answer);
    const told = { type: 'message-metadata', messageMetadata } as const;
    const text = outcome === 'cancelled' || outcome === 'failed' ? '' : answer.text;
    const chunks = [...this.#steps.answered(text), ...this.#steps.end()];
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
      ...this.#named.messageMetadata,
      seq: this.#seq,
      outcome,
      usage,
      ...(artifacts.length > 0 && { artifacts }),
      ...(object !== undefined && { object }),
      ...(error && { error }),
    };
  }
}

/** The message for a client whose stream ends before its turn does. */
const STREAM_ENDED_NOTICE =
  'The answer continues, but this stream must end. Resume the chat to see the rest.';
