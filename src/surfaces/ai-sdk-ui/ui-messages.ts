/** A session as the initial message list of a page, built from the same chunks as a stream. */
import type { StoredEvent } from '../../journal/events.ts';
import type { Json } from '../../tool/json.ts';
import type { ErrorWording } from '../../worker/tell.ts';
import type { TurnStreamEnd } from '../../worker/turn-feed.ts';
import { answerOfTurn } from '../../worker/turn-view.ts';
import type { UiChunk, UiMetadata, UiUserPart } from './chunks.ts';
import { type ChunkOptions, findMetadata, isAnswered, TurnChunks } from './turn-chunks.ts';

/** A message of a chat in the AI SDK's format. */
export type UiMessage =
  | {
      readonly id: string;
      readonly role: 'user';
      /**
       * The metadata from the page, and the turn. `unanswered` is set if the turn ended before the model
       * replied.
       */
      readonly metadata: {
        readonly turn: string;
        readonly unanswered?: true;
        readonly [key: string]: Json | undefined;
      };
      readonly parts: readonly UiUserPart[];
    }
  | {
      /** The id of the turn, as in its stream. */
      readonly id: string;
      readonly role: 'assistant';
      /** Contains only the session while the turn runs. */
      readonly metadata?: Partial<UiMetadata>;
      readonly parts: readonly UiPart[];
    };

/** A part of an assistant message, built from chunks. */
export interface UiPart {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The session whose messages are listed. */
export interface ListedChat {
  readonly agent: string;
  readonly session: string;
  /** The state of the last turn, if it has not ended and is not running. */
  readonly stop?: TurnStreamEnd | undefined;
  readonly teller: Pick<ErrorWording, 'item'>;
}

/** The suffix of a user message's id. The id of the turn precedes it. */
export const USER_ID_SUFFIX = ':user';

/** Returns two messages for each started turn: the user's message, and the answer so far. */
export function toUiMessages(
  events: readonly StoredEvent[],
  { agent, session, stop, teller }: ListedChat,
  options: ChunkOptions,
): UiMessage[] {
  const turns = Map.groupBy(events, (event) => ('turn' in event ? event.turn : ''));
  const retried = new Set(events.map((event) => event.type === 'turn-started' && event.retries));
  return [...turns].flatMap(([turn, ofTurn]): UiMessage[] => {
    const [started] = ofTurn;
    if (started?.type !== 'turn-started') return [];
    const chunks = new TurnChunks({ ...options, takesAll: true });
    const message = new TurnMessage(turn);
    for (const event of ofTurn) message.add(chunks.take(teller.item(event)));
    const answer = answerOfTurn(session, agent, ofTurn);
    if (answer) message.add(chunks.take(teller.item({ type: 'answer', answer })));
    else if (stop) message.add(chunks.take(stop));
    const shown = message.read();
    // The retry replaces an empty answer.
    const answers = retried.has(turn) && shown.parts.length === 0 ? [] : [shown];
    if (started.retries !== undefined) return answers;
    // The retry of a turn shows its outcome.
    const isUnanswered = answer && !isAnswered(answer) && !retried.has(turn) && !ofTurn.some(isReply);
    const unanswered = isUnanswered && { unanswered: true as const };
    // A turn that another turn started has its own message, but the context of that turn.
    const own = started.root === undefined ? findMetadata(started.context) : undefined;
    const metadata = { ...own, turn, ...unanswered };
    const said = { id: `${turn}${USER_ID_SUFFIX}`, role: 'user' as const, metadata };
    return [{ ...said, parts: chunks.userParts(started) }, ...answers];
  });
}

/** Returns `true` for a reply of the turn's own loop. */
const isReply = (event: StoredEvent): boolean => event.type === 'model-replied' && event.frame === undefined;

/** A message that applies chunks as a client does. */
class TurnMessage {
  readonly #turn: string;
  readonly #parts: UiPart[] = [];
  #metadata: Partial<UiMetadata> | undefined;

  constructor(turn: string) {
    this.#turn = turn;
  }

  add(chunks: readonly UiChunk[]): void {
    for (const chunk of chunks) this.#add(chunk);
  }

  read(): UiMessage {
    const metadata = this.#metadata;
    return { id: this.#turn, role: 'assistant', ...(metadata && { metadata }), parts: this.#parts };
  }

  #add(chunk: UiChunk): void {
    switch (chunk.type) {
      case 'start-step':
        this.#parts.push({ type: 'step-start' });
        break;
      case 'reset-step':
        this.#parts.splice(this.#stepStart() + 1);
        break;
      case 'text-start':
        this.#parts.push({ type: 'text', text: '', state: 'streaming' });
        break;
      case 'reasoning-start':
        this.#parts.push({ type: 'reasoning', id: chunk.id, text: '', state: 'streaming' });
        break;
      case 'text-delta':
      case 'reasoning-delta':
        this.#changeLast((part) => ({ ...part, text: `${part.text}${chunk.delta}` }));
        break;
      case 'text-end':
      case 'reasoning-end':
        this.#changeLast((part) => ({ ...part, state: 'done' }));
        break;
      case 'file':
      case 'reasoning-file':
      case 'source-url':
      case 'source-document':
      case 'steering-message':
      case 'data-message':
      case 'data-steering':
        this.#parts.push({ ...chunk });
        break;
      case 'start':
      case 'finish':
      case 'message-metadata':
        this.#metadata = chunk.messageMetadata ?? this.#metadata;
        break;
      default:
        this.#addToTool(chunk);
    }
  }

  #addToTool(chunk: UiChunk): void {
    switch (chunk.type) {
      case 'tool-input-available': {
        const { type: _, toolName, ...call } = chunk;
        const state = 'input-available';
        const isThere = this.#parts.some(({ toolCallId }) => toolCallId === call.toolCallId);
        if (isThere) this.#changeTool(call.toolCallId, { ...call, state });
        else this.#parts.push({ type: `tool-${toolName}`, ...call, state });
        break;
      }
      case 'tool-approval-request': {
        const { approvalId: id, approvalDescriptor: descriptor, reason } = chunk;
        const asked = {
          id,
          ...(descriptor && { descriptor }),
          ...(reason !== undefined && { requestReason: reason }),
        };
        this.#changeTool(chunk.toolCallId, { state: 'approval-requested', approval: asked });
        break;
      }
      case 'tool-approval-response': {
        const { approvalId: id, approved, reason } = chunk;
        const part = this.#parts.find(({ approval }) => Object(approval).id === id);
        const approval = { id, approved, ...(reason !== undefined && { reason }) };
        if (part) this.#changeTool(part.toolCallId, { state: 'approval-responded', approval });
        break;
      }
      case 'tool-output-available':
      case 'tool-output-error': {
        const { type, ...ended } = chunk;
        const state = type === 'tool-output-available' ? 'output-available' : 'output-error';
        this.#changeTool(ended.toolCallId, { ...ended, state });
        break;
      }
      case 'tool-output-denied':
        this.#changeTool(chunk.toolCallId, { state: 'output-denied' });
        break;
    }
  }

  #stepStart(): number {
    return this.#parts.findLastIndex(({ type }) => type === 'step-start');
  }

  #changeLast(change: (part: UiPart) => UiPart): void {
    const last = this.#parts.pop();
    if (last) this.#parts.push(change(last));
  }

  #changeTool(call: unknown, change: Readonly<Record<string, unknown>>): void {
    const index = this.#parts.findLastIndex(({ toolCallId }) => toolCallId === call);
    const part = this.#parts[index];
    if (part) this.#parts[index] = withFittingApproval({ ...part, ...change });
  }
}

/**
 * Removes an approval that contradicts the state of its call. The AI SDK rejects messages that contain an
 * approval for a call that has not run yet, or that ran unapproved.
 */
function withFittingApproval(part: UiPart): UiPart {
  const { approval, ...rest } = part;
  const { state } = part;
  const hasRun = state === 'output-available' || state === 'output-error';
  const isRefused = hasRun && Object(approval).approved !== true;
  return isRefused || state === 'input-available' ? { ...rest, type: part.type } : part;
}
