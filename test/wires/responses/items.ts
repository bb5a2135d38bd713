/** What the wire of the Responses API gives: the items of each reply, and the ledger by which it knows them again. */
import { spacedJson } from '../calls.ts';
import { fingerprint, type ScriptedReply } from '../wire.ts';

/** What a request asked of its reply. Ids tell it, so that an item is known again with what it was given with. */
export interface ItemMode {
  /** Whether items are kept by the provider, to be referred to. */
  readonly stored: boolean;
  /** Whether reasoning was asked for with its encrypted content. */
  readonly encrypted: boolean;
  /** Whether summaries of the reasoning were asked for. */
  readonly summaries: boolean;
}

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id: string;
  readonly encrypted_content?: string;
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
}

export interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly status: 'completed';
  readonly role: 'assistant';
  readonly phase: 'commentary' | 'final_answer';
  readonly content: readonly OutputText[];
}

/** The text of a message; the lists are empty in all that this wire gives. */
export interface OutputText {
  readonly type: 'output_text';
  readonly annotations: readonly [];
  readonly logprobs: readonly [];
  readonly text: string;
}

export interface CallItem {
  readonly type: 'function_call';
  readonly id: string;
  readonly status: 'completed';
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export type Item = ReasoningItem | MessageItem | CallItem;

/** What items follow from beside their reply. */
export interface Casting {
  readonly seed: string;
  readonly mode: ItemMode;
}

/** An item that was given, by whom and how. */
export interface Given {
  readonly item: Item;
  readonly reply: ScriptedReply;
  readonly mode: ItemMode;
}

/** All items that a script can have given, by what they are known by. */
export interface Ledger {
  readonly byId: ReadonlyMap<string, Given>;
  readonly byBlob: ReadonlyMap<string, Given>;
  /** Ids of calls do not depend on how they were given. */
  readonly byCallId: ReadonlyMap<string, Given>;
}

/** The items of a reply: one reasoning item, then what is said, then the calls. */
export function itemsOf(reply: ScriptedReply, { seed, mode }: Casting): readonly Item[] {
  const idOf = (kind: string, index = 0) => `${kind}_${fingerprint([kind, seed, reply.at, index, mode], 48)}`;
  const reasoning: ReasoningItem = {
    type: 'reasoning',
    id: idOf('rs'),
    ...(mode.encrypted && {
      encrypted_content: `gAAAAAB${fingerprint(['blob', seed, reply.at, mode], 393)}`,
    }),
    summary: mode.summaries ? summaryOf(reply) : [],
  };
  const message: MessageItem = {
    type: 'message',
    id: idOf('msg'),
    status: 'completed',
    role: 'assistant',
    phase: reply.calls.length > 0 ? 'commentary' : 'final_answer',
    content: [{ type: 'output_text', annotations: [], logprobs: [], text: reply.text }],
  };
  const calls = reply.calls.map(
    ({ name, input }, index): CallItem => ({
      type: 'function_call',
      id: idOf('fc', index),
      status: 'completed',
      call_id: callIdOf(seed, reply, index),
      name,
      arguments: spacedJson(input),
    }),
  );
  return [reasoning, ...(reply.text === '' ? [] : [message]), ...calls];
}

export function callIdOf(seed: string, { at }: ScriptedReply, index: number): string {
  return `call_${fingerprint(['call', seed, at, index], 24)}`;
}

/** Every second reply has its thinking in two summaries, which adapters read as two parts. */
function summaryOf({ at, thinking }: ScriptedReply): ReasoningItem['summary'] {
  if (thinking === '') return [];
  const first = { type: 'summary_text', text: thinking } as const;
  return at % 2 === 0 ? [first] : [first, { ...first, text: `**Summing up** ${thinking}` }];
}

/** The encrypted content that a stream announces a reasoning item with; the one to give back comes at the item's end. */
export function partialBlob({ at }: ScriptedReply): string {
  return `gAAAAAB${fingerprint(['partial', at], 93)}`;
}

export function ledgerOf(replies: readonly ScriptedReply[], seed: string): Ledger {
  const byId = new Map<string, Given>();
  const byBlob = new Map<string, Given>();
  const byCallId = new Map<string, Given>();
  const both = [false, true];
  const modes = both.flatMap((stored) =>
    both.flatMap((encrypted) => both.map((summaries) => ({ stored, encrypted, summaries }))),
  );
  for (const reply of replies) {
    for (const mode of modes) {
      for (const item of itemsOf(reply, { seed, mode })) {
        const given = { item, reply, mode };
        byId.set(item.id, given);
        if (item.type === 'function_call') byCallId.set(item.call_id, given);
        if (item.type === 'reasoning' && item.encrypted_content !== undefined)
          byBlob.set(item.encrypted_content, given);
      }
    }
  }
  return { byId, byBlob, byCallId };
}
