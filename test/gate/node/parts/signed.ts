import type { ModelMessage, ModelRequest, ProviderData, ReplyPart } from '../../../../src/model/entry.ts';
import { type ScriptedModel, type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';

/** A reply of parts, and the provider data of the whole reply. */
export interface SignedReply {
  readonly parts: readonly ReplyPart[];
  readonly provider?: ProviderData;
}

interface SignedReplyOptions {
  readonly text?: string;
  readonly calls?: readonly (string | readonly [name: string, input: string])[];
  readonly provider?: ProviderData;
}

/** Makes a reply with reasoning, text and calls, each with a signature that contains `key`. */
export const createSignedReply = (
  key: string,
  { text, calls = [], provider }: SignedReplyOptions = {},
): SignedReply => ({
  parts: [
    { type: 'reasoning', text: `${key} thinks.`, provider: { maker: { signature: `${key}-`.repeat(20) } } },
    ...(text === undefined
      ? []
      : [
          {
            type: 'text',
            text,
            provider: { maker: { id: `msg_${key}`, z: 1, a: [null, 'é\u2028'] } },
          } as const,
        ]),
    ...calls.map((call, index) => {
      const [name, input] = typeof call === 'string' ? [call, '{"b": 1,  "a": 2}'] : call;
      const provider = { maker: { signature: `${key}/${index}` } };
      return { type: 'tool-call', id: `${key}_${index}`, name, input, provider } as const;
    }),
    { type: 'reasoning', text: '', provider: { maker: { redacted: `${key}==` } } },
  ],
  ...(provider && { provider }),
});

/** Returns the model that makes these replies. */
export const createSigningModel = (replies: readonly ScriptedReply[], name = 'signer'): ScriptedModel =>
  scriptedModel(replies, { name, provider: 'maker' });

/**
 * Returns a string for each reply in a request: its provider content, and the ids of the results directly
 * after it.
 */
function listGroups({ messages }: ModelRequest): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant' || !message.parts) return [];
    const { parts, provider } = message;
    const after = messages.slice(index + 1).findIndex(({ role }) => role !== 'tool');
    const results = messages.slice(index + 1, after < 0 ? undefined : index + 1 + after);
    return JSON.stringify({ parts, provider, results: results.map(getId) });
  });
}

const getId = (message: ModelMessage): string => (message.role === 'tool' ? message.id : message.role);

const formatGroup = ({ parts, provider }: SignedReply): string =>
  JSON.stringify({
    parts,
    provider,
    results: parts.flatMap((part) => (part.type === 'tool-call' ? part.id : [])),
  });

/**
 * Returns the index of each reply that a request contains byte for byte with its results, and the string of
 * any other reply.
 */
export function listHeldSignatures(
  requests: readonly ModelRequest[],
  replies: readonly SignedReply[],
): (number | string)[][] {
  const known = replies.map(formatGroup);
  return requests.map((request) =>
    listGroups(request).map((group) => (known.includes(group) ? known.indexOf(group) : group)),
  );
}
