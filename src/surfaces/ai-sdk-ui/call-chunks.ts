/** The calls of a turn as parts of a message: their inputs, decisions and results. */

import type { EventOf, StoredEvent } from '../../journal/events.ts';
import type { PendingCall } from '../../journal/wait.ts';
import type { Decision } from '../../tool/call.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import type { CallAnswer } from '../../worker/session.ts';
import { formatResult } from '../../worker/tell.ts';
import type { PendingView } from '../../worker/turn-view.ts';
import type { ReaderCapabilities, UiChunk } from './chunks.ts';

/** The client's view of a call when a stream resumes. */
export interface KnownCall {
  /** `true` if the part of the call has an approval. */
  readonly isAsked: boolean;
}

/** Builds the chunks for calls. Each method returns the chunks to send next. */
export class CallChunks {
  readonly #able: ReaderCapabilities;
  readonly #pendingIn: (events: readonly StoredEvent[]) => readonly PendingCall[];
  readonly #known: Map<string, KnownCall>;
  /** The events in this stream since the last reply of the turn's own loop. */
  #events: StoredEvent[] = [];
  /** The last question of each call. */
  readonly #asked = new Map<string, PendingCall>();
  /** The last decision about each call that this stream has shown. */
  readonly #decided = new Map<string, Decision>();

  /** `known`: the calls for which the client already has parts. */
  constructor(
    able: ReaderCapabilities,
    known: Iterable<readonly [string, KnownCall]>,
    pending: (events: readonly StoredEvent[]) => readonly PendingCall[],
  ) {
    this.#pendingIn = pending;
    this.#able = able;
    this.#known = new Map(known);
  }

  /** Returns `true` if the client has a part for the call. */
  has(call: string): boolean {
    return this.#known.has(call);
  }

  /** Returns the chunks for calls in an event, to send after the chunks for their reply. */
  take(event: StoredEvent): UiChunk[] {
    this.#events.push(event);
    switch (event.type) {
      case 'turn-started':
        this.#known.clear();
        return [];
      case 'model-replied':
        if (event.frame !== undefined) return [];
        // All calls of earlier replies have ended.
        this.#events = [event];
        for (const { id } of event.toolCalls) this.#known.set(id, { isAsked: false });
        return [];
      case 'tool-call-suspended':
        for (const one of this.#pending()) this.#asked.set(one.call, one);
        return [];
      case 'tool-call-answered':
        return this.#answered(event);
      case 'tool-call-ended':
        return this.has(event.call) ? this.#ended(event) : [];
      default:
        return [];
    }
  }

  /**
   * Shows the open calls when a turn resumes. The stream has already shown the calls of nested loops that ask
   * questions.
   */
  reopened(): UiChunk[] {
    return this.nested(this.#pending());
  }

  /** Returns the parts for calls of nested loops. They appear only if the calls wait. */
  nested(pending: readonly PendingCall[]): UiChunk[] {
    const nested = pending.filter(({ call }) => !this.has(call));
    return nested.map(({ call: toolCallId, tool: toolName, input }) => {
      this.#known.set(toolCallId, { isAsked: false });
      const of = { toolCallId, toolName, input, providerExecuted: true } as const;
      return { type: 'tool-input-available', ...of };
    });
  }

  #pending(): readonly PendingCall[] {
    return this.#pendingIn(this.#events);
  }

  /** Returns the chunks for a waiting call. */
  waiting(asked: PendingView): UiChunk[] {
    const { links: _, ...pending } = asked;
    const { call: toolCallId, tool: toolName, input, message } = pending;
    if (pending.for === 'result')
      // This chunk lets the page run the call.
      return [{ type: 'tool-input-available', toolCallId, toolName, input, providerExecuted: false }];
    this.#known.set(toolCallId, { isAsked: true });
    return [
      {
        type: 'tool-approval-request',
        approvalId: toApprovalId(asked),
        toolCallId,
        approvalDescriptor: pending,
        ...(this.#able.is7 && { reason: message }),
      },
    ];
  }

  /**
   * Shows an answered question to other clients. The client that answered has already updated its own
   * message.
   */
  #answered({ call, answer }: EventOf<'tool-call-answered'>): UiChunk[] {
    // Send the result now: the call can end much later, and clients count the calls without a result.
    if (answer.type === 'result') return this.has(call) ? [this.#cameOf(call, answer.result)] : [];
    this.#decided.set(call, answer);
    return this.#able.takes7 ? this.#askedAndAnswered(call) : [];
  }

  #isApproved(call: string): boolean {
    const decision = this.#decided.get(call)?.decision;
    return decision === 'approve' || decision === 'edit';
  }

  /**
   * Returns a call's question, if it asks for a decision, and the decision, if the client supports that
   * chunk.
   */
  #askedAndAnswered(call: string): UiChunk[] {
    const asked = this.#asked.get(call);
    if (asked?.for !== 'decision' || !this.has(call)) return [];
    const of = { approvalId: toApprovalId(asked), toolCallId: call };
    const reason = this.#decided.get(call)?.reason;
    const approved = this.#isApproved(call);
    this.#known.set(call, { isAsked: true });
    const request: UiChunk = { type: 'tool-approval-request', ...of };
    const response: UiChunk = {
      type: 'tool-approval-response',
      approvalId: of.approvalId,
      approved,
      ...(reason !== undefined && { reason }),
    };
    return this.#able.takes7 ? [request, response] : [request];
  }

  #ended({ call, result }: EventOf<'tool-call-ended'>): UiChunk[] {
    const isDeclined = result.type === 'error' && result.reason === 'declined';
    if (isDeclined && !this.#isApproved(call)) {
      const asked = this.#known.get(call)?.isAsked ? [] : this.#askedAndAnswered(call);
      if (this.#known.get(call)?.isAsked) return [...asked, { type: 'tool-output-denied', toolCallId: call }];
    }
    return [this.#cameOf(call, result)];
  }

  #cameOf(toolCallId: string, result: ResultData): UiChunk {
    // Also set for a call that the page ran: a client resends results while it considers the call its own.
    const of = { toolCallId, providerExecuted: true } as const;
    if (result.type === 'error') return { type: 'tool-output-error', ...of, errorText: result.message };
    const output = result.type === 'artifact' ? result.value : formatResult(result);
    return { type: 'tool-output-available', ...of, output };
  }
}

/** Returns the approval id of a question. The client sends it back with the answer. */
const toApprovalId = ({ call, question }: PendingCall): string =>
  question === 1 ? call : `${call}?question=${question}`;

/** Parses an approval id, which a client may have changed. */
export function readApprovalId(id: string): Required<Pick<CallAnswer, 'call' | 'question'>> {
  const [, call = '', question = '1'] = APPROVAL_ID.exec(id) ?? [];
  return { call, question: Number(question) };
}

const APPROVAL_ID = /^(.*?)(?:\?question=(\d{1,9}))?$/s;
