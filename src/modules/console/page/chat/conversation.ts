/** Converts the journal to a conversation: messages in order, their parts, and the outcome of each call. */
import type { EventOf, StoredEvent } from '../../../../journal/events.ts';
import type { JournaledPart } from '../../../../journal/reply-data.ts';
import type { ContentPart } from '../../../../tool/content.ts';
import type { ResultData } from '../../../../tool/tool-result.ts';

export interface ShownCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  effect?: string;
  starts: number;
  isWaiting: boolean;
  /** The decision of a person, if any. */
  decision?: string;
  result?: ResultData;
  ms?: number;
  /** The number of replies in loops that it opened. */
  nested: number;
}

export type ShownPart =
  | Exclude<JournaledPart, { readonly type: 'tool-call' }>
  | (Extract<JournaledPart, { readonly type: 'tool-call' }> & { readonly ranBy: 'provider' })
  | { readonly type: 'call'; readonly call: ShownCall };

interface EntryPlace {
  readonly seq: number;
  readonly at: number;
  readonly turn: string;
}

/** An entry of the conversation. A `note` is not a message. */
export type ConversationEntry =
  | (EntryPlace & {
      readonly kind: 'user';
      readonly parts: readonly ContentPart[];
      readonly by: string;
      readonly isSteered: boolean;
    })
  | (EntryPlace & {
      readonly kind: 'reply';
      readonly parts: readonly ShownPart[];
      readonly isCutOff: boolean;
    })
  | (EntryPlace & { readonly kind: 'said'; readonly text: string; readonly tool: string })
  | (EntryPlace & { readonly kind: 'note'; readonly text: string })
  | (EntryPlace & { readonly kind: 'end'; readonly event: EventOf<'turn-ended'> });

export interface Conversation {
  readonly entries: readonly ConversationEntry[];
  /** The turn that has not ended. */
  readonly openTurn: string | undefined;
  /** `true` if a call of the open turn waits for a person. */
  readonly isWaiting: boolean;
}

export function toConversation(events: readonly StoredEvent[]): Conversation {
  const entries: ConversationEntry[] = [];
  const calls = new Map<string, ShownCall>();
  let openTurn: string | undefined;
  for (const event of events) {
    if (event.type === 'turn-started') openTurn = event.turn;
    if (event.type === 'turn-ended') openTurn = undefined;
    foldCall(calls, event);
    const entry = toEntry(event, calls);
    if (entry) entries.push(entry);
  }
  const isWaiting = openTurn !== undefined && [...calls.values()].some((call) => call.isWaiting);
  return { entries, openTurn, isWaiting };
}

function toEntry(event: StoredEvent, calls: Map<string, ShownCall>): ConversationEntry | undefined {
  const placed = { seq: event.seq, at: event.at, turn: 'turn' in event ? event.turn : '' };
  switch (event.type) {
    case 'turn-started':
      if (event.retries !== undefined) return { ...placed, kind: 'note', text: 'Retried' };
      return toUserEntry(placed, event);
    case 'turn-steered':
      return toUserEntry(placed, event);
    case 'model-replied':
      if (event.frame !== undefined) return undefined;
      return {
        ...placed,
        kind: 'reply',
        parts: toShownParts(event, calls),
        isCutOff: event.finish === 'cut-off',
      };
    case 'message-sent':
      return { ...placed, kind: 'said', text: event.text, tool: event.tool };
    case 'turn-ended':
      return { ...placed, kind: 'end', event };
    default: {
      const text = findNote(event);
      return text === undefined ? undefined : { ...placed, kind: 'note', text };
    }
  }
}

const toUserEntry = (
  placed: EntryPlace,
  event: EventOf<'turn-started' | 'turn-steered'>,
): ConversationEntry => ({
  ...placed,
  kind: 'user',
  parts: event.parts ?? [{ type: 'text', text: event.message }],
  by: event.principal.id,
  isSteered: event.type === 'turn-steered',
});

function findNote(event: StoredEvent): string | undefined {
  switch (event.type) {
    case 'session-forked':
      return `Branch of ${event.from}, from its event ${event.upTo}`;
    case 'turn-resumed':
      return event.cause === 'expired' ? 'Resumed after the invocation before it ended' : undefined;
    case 'model-refused':
      return `The model was not asked: ${event.used} of ${event.most} ${event.limit} are used, and ${event.needed} were needed`;
    case 'answer-rejected':
      return `The answer does not have its form: ${event.problems.join('; ')}`;
    case 'late-result-received':
      return event.open ? undefined : `A late result of ${event.tool} arrived`;
    case 'conversation-cut':
      return 'From here on, the model is shown less of the conversation';
    default:
      return undefined;
  }
}

/** Returns the parts of a reply. A reply without parts consists of its text, followed by its calls. */
function toShownParts(
  event: EventOf<'model-replied'>,
  calls: ReadonlyMap<string, ShownCall>,
): readonly ShownPart[] {
  const parts: readonly JournaledPart[] = event.parts ?? [
    { type: 'text', text: event.text },
    ...event.toolCalls.map((call) => ({ type: 'tool-call', ...call }) as const),
  ];
  return parts.flatMap((part): ShownPart[] => {
    if (part.type !== 'tool-call') return part.type === 'text' && part.text === '' ? [] : [part];
    if (part.ranBy === 'provider') return [{ ...part, ranBy: part.ranBy }];
    const call = calls.get(part.id);
    return call ? [{ type: 'call', call }] : [];
  });
}

/** Updates the calls. An entry refers to the same call objects, so it shows their outcome. */
function foldCall(calls: Map<string, ShownCall>, event: StoredEvent): void {
  if (event.type === 'model-replied') {
    const outer = event.frame === undefined ? undefined : calls.get(event.frame);
    if (outer) outer.nested += 1;
    const asked = event.parts?.flatMap((part) =>
      part.type === 'tool-call' && part.ranBy !== 'provider' ? [part] : [],
    );
    for (const { id, name, input } of asked ?? event.toolCalls)
      calls.set(id, { id, name, input, starts: 0, isWaiting: false, nested: 0 });
    return;
  }
  const call = 'call' in event ? calls.get(event.call) : undefined;
  if (!call) return;
  switch (event.type) {
    case 'tool-call-started':
      call.effect = event.effect;
      call.starts += 1;
      break;
    case 'tool-call-suspended':
      call.isWaiting = true;
      break;
    case 'tool-call-answered':
      call.isWaiting = false;
      if (event.answer.type === 'decision') call.decision = event.answer.decision;
      break;
    case 'tool-call-ended':
      call.isWaiting = false;
      call.result = event.result;
      if (event.ms !== undefined) call.ms = event.ms;
  }
}
