/**
 * The calls of a turn as output items. Their type depends on whether Holdfast or the client runs the call, or
 * a person decides about it.
 */
import type { StoredEvent } from '../../journal/events.ts';
import type { JournaledCall } from '../../journal/reply-data.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import { formatResult } from '../../worker/tell.ts';
import type { NumberedOutput } from './numbered-output.ts';
import type { IdPrefix } from './response-object.ts';
import type { McpCallItem } from './response-types.ts';

/**
 * The server label of all tools. A client supports our questions if it declares a tool of type `mcp` with
 * this label.
 */
export const SERVER_LABEL = 'holdfast';

interface CallQuestion {
  readonly call: string;
  /** The number of the question, from 1. */
  readonly number: number;
  readonly for: 'decision' | 'result';
}

/** Returns the id of an object in the session. */
export type IdFactory = (prefix: IdPrefix, what: string, place?: number) => string;

type CallEventOf<Type extends StoredEvent['type']> = Extract<StoredEvent, { readonly type: Type }>;

export class CallItems {
  readonly #out: NumberedOutput;
  readonly #id: IdFactory;
  readonly #fileUrl: (id: string) => string;
  /** All requested calls, including those of nested loops, which can also ask questions. */
  readonly #calls = new Map<string, JournaledCall & { readonly isInner: boolean }>();
  /** The number of questions that each call has asked. */
  readonly #questions = new Map<string, number>();
  /** The open questions, by call. */
  readonly #open = new Map<string, CallQuestion>();
  /** The calls that the client runs. */
  readonly #given = new Set<string>();
  /** The output indexes of the running calls. */
  #running = new Map<string, number>();
  /** The questions that this response has shown. */
  #told = new Set<CallQuestion>();

  constructor(out: NumberedOutput, id: IdFactory, fileUrl: (id: string) => string) {
    this.#fileUrl = fileUrl;
    this.#out = out;
    this.#id = id;
  }

  /** Clears the state that belongs to one response. */
  restart(): void {
    this.#running = new Map();
    this.#told = new Set();
  }

  /** `true` if a question is open. */
  get isWaiting(): boolean {
    return this.#open.size > 0;
  }

  /** Returns the number of questions that a call has asked. An answer belongs to the last question. */
  asked(call: string): number {
    return this.#questions.get(call) ?? 0;
  }

  event(event: StoredEvent): void {
    switch (event.type) {
      case 'model-replied':
        for (const call of event.toolCalls)
          this.#calls.set(call.id, { ...call, isInner: event.frame !== undefined });
        return;
      case 'tool-call-started':
        this.#begin(event.call);
        return;
      case 'frame-started':
        this.#begin(event.frame);
        return;
      case 'tool-call-suspended':
        this.#ask(event);
        return;
      case 'tool-call-answered':
        this.#open.delete(event.call);
        return;
      case 'tool-call-ended':
        this.#open.delete(event.call);
        this.#end(event);
        return;
    }
  }

  /**
   * Ends the response. Each response shows the open questions again. Calls that still run are no longer
   * shown.
   */
  close(isWaiting: boolean): void {
    if (isWaiting) for (const asked of this.#open.values()) this.#tell(asked);
    for (const [call, index] of this.#running)
      this.#out.close(index, this.#item(call, { status: 'incomplete' }));
    this.#running.clear();
  }

  #begin(id: string): void {
    const call = this.#calls.get(id);
    if (!call || call.isInner || this.#running.has(id)) return;
    const index = this.#out.open(this.#item(id, { status: 'in_progress' }));
    this.#running.set(id, index);
    const at = { output_index: index, item_id: this.#id('mcp', id) };
    this.#out.emit({ type: 'response.mcp_call_arguments.done', ...at, arguments: call.input });
    this.#out.emit({ type: 'response.mcp_call.in_progress', ...at });
  }

  #ask({ call, wait }: CallEventOf<'tool-call-suspended'>): void {
    const number = this.asked(call) + 1;
    this.#questions.set(call, number);
    if (wait.for === 'result') this.#given.add(call);
    const asked = { call, number, for: wait.for };
    this.#open.set(call, asked);
    this.#tell(asked);
  }

  #tell(asked: CallQuestion): void {
    const call = this.#calls.get(asked.call);
    if (!call || this.#told.has(asked)) return;
    this.#told.add(asked);
    const { id, name, input } = call;
    if (asked.for === 'decision') {
      this.#out.add({
        type: 'mcp_approval_request',
        id: this.#id('mcpr', id, asked.number),
        server_label: SERVER_LABEL,
        name,
        arguments: input,
      });
      return;
    }
    const item = {
      type: 'function_call',
      id: this.#id('fc', id, asked.number),
      call_id: this.#id('call', id, asked.number),
      name,
      arguments: input,
    } as const;
    const index = this.#out.open({ ...item, arguments: '', status: 'in_progress' });
    const at = { output_index: index, item_id: item.id };
    // The whole input is one delta, for clients that read only deltas.
    this.#out.emit({ type: 'response.function_call_arguments.delta', ...at, delta: input });
    this.#out.emit({ type: 'response.function_call_arguments.done', ...at, arguments: input });
    this.#out.close(index, { ...item, status: 'completed' });
  }

  #end({ call, result }: CallEventOf<'tool-call-ended'>): void {
    const known = this.#calls.get(call);
    if (!known || known.isInner || this.#given.has(call)) return;
    this.#begin(call);
    const index = this.#running.get(call);
    if (index === undefined) return;
    this.#running.delete(call);
    const failed = result.type === 'error';
    const at = { output_index: index, item_id: this.#id('mcp', call) };
    this.#out.emit({ type: failed ? 'response.mcp_call.failed' : 'response.mcp_call.completed', ...at });
    this.#out.close(index, this.#item(call, { status: failed ? 'failed' : 'completed', result }));
  }

  #item(
    id: string,
    { status, result }: { readonly status: McpCallItem['status']; readonly result?: ResultData },
  ): McpCallItem {
    const { name = '', input = '' } = this.#calls.get(id) ?? {};
    const questions = this.asked(id);
    const isError = result?.type === 'error';
    return {
      type: 'mcp_call',
      id: this.#id('mcp', id),
      server_label: SERVER_LABEL,
      name,
      arguments: input,
      approval_request_id: questions === 0 ? null : this.#id('mcpr', id, questions),
      output: result && !isError ? formatResult(result, this.#fileUrl) : null,
      error: isError
        ? { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: result.message }] }
        : null,
      status,
    };
  }
}
