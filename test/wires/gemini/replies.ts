/** The replies at each position of the script, and the signatures of their thoughts. */
import { seal } from '../seal.ts';
import { computeFingerprint, type ScriptedReply } from '../wire.ts';
import type { GeminiPart } from './request.ts';

/**
 * Content of replies beyond the signature of their first call or text. The script determines its positions.
 */
export type GeminiVariant =
  /** Calls have ids, as in newer versions of the API. */
  | 'call-ids'
  /** The thought summary of every third reply is also signed. */
  | 'signed-thoughts'
  /** Every fourth streamed reply ends with a signed empty text after its calls. */
  | 'signed-end';

export interface Casting {
  readonly seed: string;
  readonly variants: ReadonlySet<GeminiVariant>;
}

/** The optional parts that a reply contained, as stored in its signature, so the wire needs no state. */
export interface ReplyExtras {
  readonly thoughts: boolean;
  readonly end: boolean;
}

export function formatCallId(seed: string, { at }: ScriptedReply, call: number): string {
  return computeFingerprint([seed, 'call', at, call], 8);
}

export function createReplyExtras(
  { at, calls }: ScriptedReply,
  { variants }: Casting,
  asked: ReplyOptions,
): ReplyExtras {
  return {
    thoughts: asked.thoughts,
    end: asked.streams && variants.has('signed-end') && calls.length > 0 && at % 4 === 2,
  };
}

export interface ReplyOptions {
  readonly thoughts: boolean;
  readonly streams: boolean;
}

/** Returns the signed parts of a reply, in order. */
export function createParts(
  reply: ScriptedReply,
  { seed, variants }: Casting,
  given: ReplyExtras,
): readonly GeminiPart[] {
  const { at, thinking, text, calls } = reply;
  const createSignature = (part: string) => seal(seed, { at, part, ...given });
  const parts: GeminiPart[] = [];
  if (given.thoughts) {
    const isSigned = variants.has('signed-thoughts') && at % 3 === 1;
    parts.push({
      text: thinking,
      thought: true,
      ...(isSigned && { thoughtSignature: createSignature('thought') }),
    });
  }
  if (calls.length === 0) return [...parts, { text, thoughtSignature: createSignature('text') }];
  if (text !== '') parts.push({ text });
  for (const [index, { name, input }] of calls.entries()) {
    const id = variants.has('call-ids') && { id: formatCallId(seed, reply, index) };
    parts.push({
      functionCall: { ...id, name, args: { ...input } },
      // One signature covers all parallel calls.
      ...(index === 0 && { thoughtSignature: createSignature('call') }),
    });
  }
  if (given.end) parts.push({ text: '', thoughtSignature: createSignature('end') });
  return parts;
}

/**
 * Normalizes parts for a comparison. Joins text pieces, moves the signature of an empty text to the text before
 * it, and drops unsigned empty texts.
 */
export function joinTexts(parts: readonly GeminiPart[]): readonly GeminiPart[] {
  const result: GeminiPart[] = [];
  for (const part of parts) {
    if (part.text === '' && part.thoughtSignature === undefined) continue;
    const last = result.at(-1);
    if (part.text !== undefined && last?.text !== undefined && last.thought === part.thought) {
      result[result.length - 1] = { ...last, ...part, text: last.text + part.text };
    } else {
      result.push(part);
    }
  }
  return result;
}
