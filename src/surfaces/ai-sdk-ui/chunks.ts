/** The chunks of the AI SDK's UI message stream, as far as a session has something to say in them. */
import type { TurnError } from '../../journal/events.ts';
import type { PendingCall } from '../../journal/wait.ts';
import type { Usage } from '../../model/prices.ts';
import type { TurnAnswer } from '../../session/watching/turn-outcome.ts';
import type { Json, JsonObject } from '../../tool/json.ts';

/** A version of the AI SDK. A client of version 6 fails on chunks that only version 7 has. */
export type UiVersion = 6 | 7;

/** What whoever takes chunks can be told. */
export interface Able {
  readonly is7: boolean;
  /** A step can be taken back, and an answer of somebody else be told: to version 7, and to what is no client. */
  readonly takes7: boolean;
}

/** What the metadata of an assistant's message says of its turn. */
export interface UiMetadata {
  readonly turn: string;
  /** The session of the turn, if it is a fork of the chat's: what the page sends goes there. */
  readonly session?: string;
  /** The last event that the message shows: what the page sends goes on behind it. */
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
  /** `false`: the page runs it. */
  readonly providerExecuted: boolean;
}

type Block = 'text' | 'reasoning';

/** One chunk of the stream. */
export type UiChunk =
  | {
      readonly type: 'start';
      readonly messageId: string;
      readonly messageMetadata?: Pick<UiMetadata, 'session'>;
    }
  | { readonly type: 'start-step' | 'finish-step' }
  | { readonly type: `${Block}-start` | `${Block}-end`; readonly id: string }
  | { readonly type: `${Block}-delta`; readonly id: string; readonly delta: string }
  | CallChunk
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      /** What is asked, and what may be decided; absent of a question that was answered. */
      readonly approvalDescriptor?: PendingCall;
      /** Version 7 alone reads it. */
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: unknown;
      /** Nobody is to run it any more, or to send what came of it. */
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

/** What only version 7 knows. */
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

/** What a call reports while it runs. */
export interface ProgressData {
  readonly call: string;
  readonly status: string;
}

/** What a call has said to the user. */
export interface MessageData {
  readonly text: string;
  readonly call: string;
  readonly tool?: string;
}

/** A part of what a user has said. */
export type UiUserPart = { readonly providerMetadata?: { readonly holdfast: JsonObject } } & (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly url: string; readonly filename?: string }
);
