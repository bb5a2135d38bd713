/** The calls of a turn as parts of a message: what they ask, what was decided about them, and what came of them. */

import type { EventOf, StoredEvent } from '../../journal/events.ts';
import type { PendingCall } from '../../journal/wait.ts';
import type { Decision } from '../../tool/call.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import type { CallAnswer } from '../../worker/session.ts';
import { wordsOfResult } from '../../worker/tell.ts';
import type { PendingView } from '../../worker/turn-view.ts';
import type { Able, UiChunk } from './chunks.ts';

/** What a client has of a call that a stream goes on with. */
export interface KnownCall {
  /** Its part has an approval. */
  readonly isAsked: boolean;
}

/** Whatever a method answers is to be told next. */
export class CallChunks {
  readonly #able: Able;
  readonly #pendingIn: (events: readonly StoredEvent[]) => readonly PendingCall[];
  readonly #known: Map<string, KnownCall>;
  /** What this stream has shown since the last reply of the turn's own loop. */
  #events: StoredEvent[] = [];
  /** What a call has asked last. */
  readonly #asked = new Map<string, PendingCall>();
  /** What was decided last about a call, where this stream has shown it. */
  readonly #decided = new Map<string, Decision>();

  /** `known`: the calls that the client has parts of already. */
  constructor(
    able: Able,
    known: Iterable<readonly [string, KnownCall]>,
    pending: (events: readonly StoredEvent[]) => readonly PendingCall[],
  ) {
    this.#pendingIn = pending;
    this.#able = able;
    this.#known = new Map(known);
  }

  /** Tells whether the client has a part of a call. */
  has(call: string): boolean {
    return this.#known.has(call);
  }

  /** What an event tells of calls, behind what it tells of their reply. */
  take(event: StoredEvent): UiChunk[] {
    this.#events.push(event);
    switch (event.type) {
      case 'turn-started':
        this.#known.clear();
        return [];
      case 'model-replied':
        if (event.frame !== undefined) return [];
        // All calls before it have ended.
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

  /** What was open as the turn went on: calls of inner loops among it were shown to whoever was asked. */
  reopened(): UiChunk[] {
    return this.nested(this.#pending());
  }

  /** The parts of calls of inner loops, which are shown when they wait. */
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

  /** What a call waits for. */
  waiting(asked: PendingView): UiChunk[] {
    const { links: _, ...pending } = asked;
    const { call: toolCallId, tool: toolName, input, message } = pending;
    if (pending.for === 'result')
      // Only now is it the page's to run.
      return [{ type: 'tool-input-available', toolCallId, toolName, input, providerExecuted: false }];
    this.#known.set(toolCallId, { isAsked: true });
    return [
      {
        type: 'tool-approval-request',
        approvalId: approvalId(asked),
        toolCallId,
        approvalDescriptor: pending,
        ...(this.#able.is7 && { reason: message }),
      },
    ];
  }

  /** A question and its answer, for whoever sees both at once. Those who answer have told their own client. */
  #answered({ call, answer }: EventOf<'tool-call-answered'>): UiChunk[] {
    // Its call may end much later, when others have been answered too: a client counts the calls that have no result.
    if (answer.type === 'result') return this.has(call) ? [this.#cameOf(call, answer.result)] : [];
    this.#decided.set(call, answer);
    return this.#able.takes7 ? this.#askedAndAnswered(call) : [];
  }

  #isApproved(call: string): boolean {
    const decision = this.#decided.get(call)?.decision;
    return decision === 'approve' || decision === 'edit';
  }

  /** The question that a call asked in this stream, if somebody decides about it, and what was decided, for a client that takes it. */
  #askedAndAnswered(call: string): UiChunk[] {
    const asked = this.#asked.get(call);
    if (asked?.for !== 'decision' || !this.has(call)) return [];
    const of = { approvalId: approvalId(asked), toolCallId: call };
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
    // Also of a call that the page has run: a client sends results again as long as it takes their calls for its own.
    const of = { toolCallId, providerExecuted: true } as const;
    if (result.type === 'error') return { type: 'tool-output-error', ...of, errorText: result.message };
    const output = result.type === 'artifact' ? result.value : wordsOfResult(result);
    return { type: 'tool-output-available', ...of, output };
  }
}

/** Names a question of a call for a client, which sends it back with the answer. */
const approvalId = ({ call, question }: PendingCall): string =>
  question === 1 ? call : `${call}?question=${question}`;

/** Reads the id of an approval back, which a client may have changed. */
export function readApprovalId(id: string): Required<Pick<CallAnswer, 'call' | 'question'>> {
  const [, call = '', question = '1'] = APPROVAL_ID.exec(id) ?? [];
  return { call, question: Number(question) };
}

const APPROVAL_ID = /^(.*?)(?:\?question=(\d{1,9}))?$/s;
