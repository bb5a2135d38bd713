/** The client's input to the responses of a turn, as items. */
import type { StoredEvent } from '../../../journal/events.ts';
import { type ContentPart, isFile, isNewFile, isStoredFile } from '../../../tool/content.ts';
import type { RouteSession } from '../../../worker/module-request.ts';
import { formatResult } from '../../../worker/tell.ts';
import { type IdPrefix, toId } from '../response-object.ts';
import type { InputContent, InputItem, UserMessageItem } from './list-types.ts';

type AnsweredEvent = Extract<StoredEvent, { readonly type: 'tool-call-answered' }>;

/** The place in the ids of user messages. Messages of the model have other places. */
const MESSAGE_PLACE = 4;
const STEERED_PLACE = 5;

/** The input of each response of a turn, in the order of its events. */
export class InputItems {
  readonly responses: InputItem[][] = [[]];
  readonly #of: RouteSession;
  readonly #fileUrl: (id: string) => string;
  /** The calls with an open question. */
  readonly #open = new Set<string>();
  /** The number of questions that each call has asked. */
  readonly #questions = new Map<string, number>();

  constructor(of: RouteSession, fileUrl: (id: string) => string) {
    this.#of = of;
    this.#fileUrl = fileUrl;
  }

  get isWaiting(): boolean {
    return this.#open.size > 0;
  }

  /** Starts the next response. */
  next(): void {
    this.responses.push([]);
  }

  event(event: StoredEvent): void {
    switch (event.type) {
      case 'turn-started':
        this.#add(this.#message(event, this.#id('msg', event.turn, MESSAGE_PLACE)));
        return;
      case 'turn-steered':
        this.#add(this.#message(event, this.#id('msg', `${event.turn}.${event.seq}.0`, STEERED_PLACE)));
        return;
      case 'tool-call-suspended':
        this.#open.add(event.call);
        this.#questions.set(event.call, (this.#questions.get(event.call) ?? 0) + 1);
        return;
      case 'tool-call-answered':
        this.#open.delete(event.call);
        this.#answer(event);
        return;
      case 'tool-call-ended':
        this.#open.delete(event.call);
        return;
    }
  }

  #add(item: InputItem): void {
    this.responses.at(-1)?.push(item);
  }

  #id(prefix: IdPrefix, what: string, place: number): string {
    const { agent, session } = this.#of;
    return toId(prefix, { agent, session, what, place });
  }

  #message(
    { message, parts }: { readonly message: string; readonly parts?: readonly ContentPart[] | undefined },
    id: string,
  ): UserMessageItem {
    const said = parts ?? [{ type: 'text', text: message } as const];
    const content = said.map((part) => this.#content(part));
    return { type: 'message', id, role: 'user', status: 'completed', content };
  }

  #content(part: ContentPart): InputContent {
    if (!isFile(part)) return { type: 'input_text', text: part.text };
    // The journal never contains a file without a URL.
    const url = isStoredFile(part) ? this.#fileUrl(part.id) : isNewFile(part) ? '' : part.url;
    if (part.mediaType.startsWith('image/')) return { type: 'input_image', detail: 'auto', image_url: url };
    return { type: 'input_file', file_url: url, ...(part.name !== undefined && { filename: part.name }) };
  }

  /** Skips answers that no client sent, such as those of a time limit. */
  #answer({ call, answer }: AnsweredEvent): void {
    const question = this.#questions.get(call) ?? 1;
    if (answer.expired) return;
    if (answer.type === 'result') {
      const { result } = answer;
      const output = result.type === 'error' ? result.message : formatResult(result);
      this.#add({
        type: 'function_call_output',
        id: this.#id('fco', call, question),
        call_id: this.#id('call', call, question),
        output,
        status: 'completed',
      });
      return;
    }
    if (answer.inCall) return;
    const { decision, reason = null } = answer;
    this.#add({
      type: 'mcp_approval_response',
      id: this.#id('mcpa', call, question),
      approval_request_id: this.#id('mcpr', call, question),
      approve: decision === 'approve' || decision === 'edit',
      reason,
    });
  }
}
