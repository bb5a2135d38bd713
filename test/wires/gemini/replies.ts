/** What the wire says at each place of its script, and the signatures of its thoughts. */
import { seal } from '../seal.ts';
import { fingerprint, type ScriptedReply } from '../wire.ts';
import type { GeminiPart } from './request.ts';

/** What replies hold beside the signature of their first call or of their words, at places that follow from the script. */
export type GeminiVariant =
  /** Calls have ids, as newer versions of the API give them. */
  | 'call-ids'
  /** The summary of every third reply's thoughts is signed as well. */
  | 'signed-thoughts'
  /** Streamed replies of every fourth place end, behind their calls, with an empty text that is signed. */
  | 'signed-end';

export interface Casting {
  readonly seed: string;
  readonly variants: ReadonlySet<GeminiVariant>;
}

/** What was given of the parts that a request may do without; each signature says it, so that nobody has to remember. */
export interface Given {
  readonly thoughts: boolean;
  readonly end: boolean;
}

export function callIdOf(seed: string, { at }: ScriptedReply, call: number): string {
  return fingerprint([seed, 'call', at, call], 8);
}

export function givenOf({ at, calls }: ScriptedReply, { variants }: Casting, asked: Asked): Given {
  return {
    thoughts: asked.thoughts,
    end: asked.streams && variants.has('signed-end') && calls.length > 0 && at % 4 === 2,
  };
}

export interface Asked {
  readonly thoughts: boolean;
  readonly streams: boolean;
}

/** The parts of a reply in their order, signed. */
export function partsOf(
  reply: ScriptedReply,
  { seed, variants }: Casting,
  given: Given,
): readonly GeminiPart[] {
  const { at, thinking, text, calls } = reply;
  const signature = (part: string) => seal(seed, { at, part, ...given });
  const parts: GeminiPart[] = [];
  if (given.thoughts) {
    const isSigned = variants.has('signed-thoughts') && at % 3 === 1;
    parts.push({
      text: thinking,
      thought: true,
      ...(isSigned && { thoughtSignature: signature('thought') }),
    });
  }
  if (calls.length === 0) return [...parts, { text, thoughtSignature: signature('text') }];
  if (text !== '') parts.push({ text });
  for (const [index, { name, input }] of calls.entries()) {
    const id = variants.has('call-ids') && { id: callIdOf(seed, reply, index) };
    parts.push({
      functionCall: { ...id, name, args: { ...input } },
      // One signature stands for all calls that are made at once.
      ...(index === 0 && { thoughtSignature: signature('call') }),
    });
  }
  if (given.end) parts.push({ text: '', thoughtSignature: signature('end') });
  return parts;
}

/**
 * Parts in the form in which they are compared: pieces of one text are one, and the signature of an empty text belongs
 * to the text before it. An empty text that is not signed says nothing.
 */
export function joined(parts: readonly GeminiPart[]): readonly GeminiPart[] {
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
