/** Creates the items of each reply, and recognizes items that were sent. */
import { formatSpacedJson } from '../calls.ts';
import { computeFingerprint, type ScriptedReply } from '../wire.ts';

/** The settings of a request. Item ids contain them, so that a recognized item reveals its settings. */
export interface ItemMode {
  /** `true` if the provider stores items, so that they can be referenced. */
  readonly stored: boolean;
  /** `true` if encrypted reasoning content was requested. */
  readonly encrypted: boolean;
  /** `true` if reasoning summaries were requested. */
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

/** The text of a message. This wire always sends empty lists in it. */
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

/** The data that determines the items of a reply, in addition to the reply itself. */
export interface Casting {
  readonly seed: string;
  readonly mode: ItemMode;
}

/** An item that was sent, with its reply and settings. */
export interface WireItem {
  readonly item: Item;
  readonly reply: ScriptedReply;
  readonly mode: ItemMode;
}

/** All items that the wire can have sent for a script, by their identifiers. */
export interface Ledger {
  readonly byId: ReadonlyMap<string, WireItem>;
  readonly byBlob: ReadonlyMap<string, WireItem>;
  /** Call ids do not depend on the settings. */
  readonly byCallId: ReadonlyMap<string, WireItem>;
}

/** Returns the items of a reply: a reasoning item, the text, and the calls. */
export function createItems(reply: ScriptedReply, { seed, mode }: Casting): readonly Item[] {
  const createItemId = (kind: string, index = 0) =>
    `${kind}_${computeFingerprint([kind, seed, reply.at, index, mode], 48)}`;
  const reasoning: ReasoningItem = {
    type: 'reasoning',
    id: createItemId('rs'),
    ...(mode.encrypted && {
      encrypted_content: `gAAAAAB${computeFingerprint(['blob', seed, reply.at, mode], 393)}`,
    }),
    summary: mode.summaries ? createSummary(reply) : [],
  };
  const message: MessageItem = {
    type: 'message',
    id: createItemId('msg'),
    status: 'completed',
    role: 'assistant',
    phase: reply.calls.length > 0 ? 'commentary' : 'final_answer',
    content: [{ type: 'output_text', annotations: [], logprobs: [], text: reply.text }],
  };
  const calls = reply.calls.map(
    ({ name, input }, index): CallItem => ({
      type: 'function_call',
      id: createItemId('fc', index),
      status: 'completed',
      call_id: formatCallId(seed, reply, index),
      name,
      arguments: formatSpacedJson(input),
    }),
  );
  return [reasoning, ...(reply.text === '' ? [] : [message]), ...calls];
}

export function formatCallId(seed: string, { at }: ScriptedReply, index: number): string {
  return `call_${computeFingerprint(['call', seed, at, index], 24)}`;
}

/** Returns the summary. Every second reply has two summaries, which adapters read as two parts. */
function createSummary({ at, thinking }: ScriptedReply): ReasoningItem['summary'] {
  if (thinking === '') return [];
  const first = { type: 'summary_text', text: thinking } as const;
  return at % 2 === 0 ? [first] : [first, { ...first, text: `**Summing up** ${thinking}` }];
}

/**
 * Returns the encrypted content in the announcement of a reasoning item. Clients must send back the one at the
 * item's end.
 */
export function createPartialBlob({ at }: ScriptedReply): string {
  return `gAAAAAB${computeFingerprint(['partial', at], 93)}`;
}

export function createLedger(replies: readonly ScriptedReply[], seed: string): Ledger {
  const byId = new Map<string, WireItem>();
  const byBlob = new Map<string, WireItem>();
  const byCallId = new Map<string, WireItem>();
  const both = [false, true];
  const modes = both.flatMap((stored) =>
    both.flatMap((encrypted) => both.map((summaries) => ({ stored, encrypted, summaries }))),
  );
  for (const reply of replies) {
    for (const mode of modes) {
      for (const item of createItems(reply, { seed, mode })) {
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
