/** The chunks of the AI SDK's UI message stream that a session uses. */
import type { TurnError } from '../../journal/events.ts';
import type { PendingCall } from '../../journal/wait.ts';
import type { Usage } from '../../model/prices.ts';
import type { TurnAnswer } from '../../session/watching/turn-outcome.ts';
import type { Json, JsonObject } from '../../tool/json.ts';

/** A version of the AI SDK. A client of version 6 fails on chunks that only version 7 has. */
export type UiVersion = 6 | 7;

/** The capabilities of a stream's reader. */
export interface ReaderCapabilities {
  readonly is7: boolean;
  /**
   * `true` if the reader can drop a step and receive answers from other clients: version 7, or not a client.
   */
  readonly takes7: boolean;
}

/** The turn's data in the metadata of an assistant message. */
export interface UiMetadata {
  readonly turn: string;
  /**
   * The session of the turn, if it is a fork of the chat's session. The page sends its next request there.
   */
  readonly session?: string;
  /** The last event that the message shows. The page's next request continues after it. */
  readonly seq: number;
  readonly outcome: TurnAnswer['outcome'] | 'suspended';
  readonly usage: Usage;
  readonly artifacts?: TurnAnswer['artifacts'];
  readonly object?: Json;
  readonly error?: TurnError;
}

interface CallChunk {
  readonly type: 'tool-input-available';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** `false` if the page runs the call. */
  readonly providerExecuted: boolean;
}

type BlockType = 'text' | 'reasoning';

/** One chunk of the stream. */
export type UiChunk =
  | {
      readonly type: 'start';
      readonly messageId: string;
      readonly messageMetadata?: Pick<UiMetadata, 'session'>;
    }
  | { readonly type: 'start-step' | 'finish-step' }
  | { readonly type: `${BlockType}-start` | `${BlockType}-end`; readonly id: string }
  | { readonly type: `${BlockType}-delta`; readonly id: string; readonly delta: string }
  | CallChunk
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      /** The question and its possible decisions. Absent if the question is answered. */
      readonly approvalDescriptor?: PendingCall;
      /** Only version 7 reads it. */
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: unknown;
      /** Keeps the client from running the call or sending its result. */
      readonly providerExecuted?: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly providerExecuted?: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: 'source-document';
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
    }
  | { readonly type: 'data-progress'; readonly data: ProgressData; readonly transient: true }
  | { readonly type: 'data-message'; readonly id: string; readonly data: MessageData }
  | {
      readonly type: 'data-steering';
      readonly id: string;
      readonly data: { readonly text: string; readonly metadata?: JsonObject };
    }
  | {
      readonly type: 'finish';
      readonly finishReason: 'stop' | 'length' | 'tool-calls' | 'error';
      readonly messageMetadata?: UiMetadata;
    }
  | { readonly type: 'message-metadata'; readonly messageMetadata: UiMetadata }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'error'; readonly errorText: string }
  | UiChunkOf7;

/** Chunks that only version 7 knows. */
export type UiChunkOf7 =
  | { readonly type: 'reset-step' }
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | { readonly type: 'reasoning-file'; readonly url: string; readonly mediaType: string }
  | { readonly type: 'steering-message'; readonly id: string; readonly parts: readonly UiUserPart[] };

/** The progress of a running call. */
export interface ProgressData {
  readonly call: string;
  readonly status: string;
}

/** A message from a call to the user. */
export interface MessageData {
  readonly text: string;
  readonly call: string;
  readonly tool?: string;
}

/** A part of a user message. */
export type UiUserPart = { readonly providerMetadata?: { readonly holdfast: JsonObject } } & (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly url: string; readonly filename?: string }
);
