/**
 * Checks that the replies in a conversation equal those that the wire returned, including their parts and
 * signatures.
 */
import { type SealFields, unseal } from '../seal.ts';
import {
  createOwnRefusal,
  findScriptPlaces,
  formatCanonicalJson,
  RefusalError,
  type ScriptedReply,
} from '../wire.ts';
import { type Casting, createParts, formatCallId, joinTexts } from './replies.ts';
import type { GeminiContent, GeminiPart } from './request.ts';

/**
 * The signature that clients may send after they lost the original. The wire accepts it only for calls of other
 * models.
 */
const sentinel = 'skip_thought_signature_validator';

export interface HeldCheck {
  readonly replies: readonly ScriptedReply[];
  readonly casting: Casting;
  readonly contents: readonly GeminiContent[];
  /** If `true`, the current turn may omit its thought summaries. */
  readonly mayOmitThinking: boolean;
}

/** Checks every reply of the conversation. Returns how many positions of the script they fill. */
export function checkHeld(check: HeldCheck): number {
  const { replies, casting, contents } = check;
  const held = contents.flatMap((content, index) => (content.role === 'model' ? [{ content, index }] : []));
  const places = findPlaces(
    check,
    held.map(({ content }) => content),
  );
  const turn = contents.findLastIndex(
    ({ role, parts }) =>
      role !== 'model' && !parts.some(({ functionResponse }) => functionResponse !== undefined),
  );
  const earlier = { signed: 0, unsigned: 0 };
  for (const [nth, { content, index }] of held.entries()) {
    const reply = replies[places[nth] ?? 0];
    if (reply === undefined)
      throw createOwnRefusal(`contents[${index}] is a reply that the script does not have`);
    if (isForeign(content, check)) {
      if (index > turn) checkForeign(content, index);
      continue;
    }
    const tally = checkReply(content, reply, {
      casting,
      index,
      inTurn: index > turn,
      mayOmit: check.mayOmitThinking,
    });
    if (index > turn) continue;
    earlier.signed += tally.signed;
    earlier.unsigned += tally.unsigned;
  }
  if (earlier.signed > 0 && earlier.unsigned > 0) {
    throw createOwnRefusal('of the thought signatures of earlier turns some came back and some did not');
  }
  return (places.at(-1) ?? -1) + 1;
}

/**
 * Returns the script positions of the replies. If calls have no ids, the signature of the first reply shows
 * where a conversation without its beginning starts.
 */
function findPlaces({ replies, casting }: HeldCheck, held: readonly GeminiContent[]): readonly number[] {
  const firstSeal = held[0]?.parts
    .map((part) => findSeal(casting.seed, part))
    .find((fields) => fields !== undefined);
  const first = firstSeal === undefined ? undefined : replies[Number(firstSeal.at)];
  const computeCallId = (reply: ScriptedReply, call: number) => formatCallId(casting.seed, reply, call);
  const said = held.map(({ parts }, nth) => ({
    callIds: parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.id ?? ''])),
    text: parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join(''),
    start: nth === 0 && first !== undefined && first.calls.length > 0 ? computeCallId(first, 0) : undefined,
  }));
  return findScriptPlaces(
    replies,
    said.map(({ callIds, text, start }) => ({
      text,
      callIds: start === undefined ? callIds : [...callIds, start],
    })),
    computeCallId,
  );
}

/**
 * Returns `true` if another model made the calls. Only ids reveal this, so calls without ids are always
 * treated as the wire's own.
 */
function isForeign({ parts }: GeminiContent, { replies, casting }: HeldCheck): boolean {
  if (!casting.variants.has('call-ids')) return false;
  const own = new Set(
    replies.flatMap((reply) => reply.calls.map((_, call) => formatCallId(casting.seed, reply, call))),
  );
  const called = parts.flatMap(({ functionCall }) => functionCall ?? []);
  return called.length > 0 && !called.some(({ id = '' }) => own.has(id));
}

/** Checks that the calls of another model have the placeholder in place of a signature. */
function checkForeign({ parts }: GeminiContent, index: number): void {
  const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
  const [first] = calls;
  if (first?.functionCall && first.thoughtSignature === undefined)
    throw new RefusalError(400, formatMissingSignature(first.functionCall.name, index));
  const signed = parts.find(({ thoughtSignature = sentinel }) => thoughtSignature !== sentinel);
  if (signed) throw new RefusalError(400, 'Corrupted thought signature.');
  if (parts.some(({ thought }) => thought === true))
    throw createOwnRefusal(`contents[${index}] holds what another model has thought`);
}

interface ReplyCheck {
  readonly casting: Casting;
  /** The index of the reply in the contents. */
  readonly index: number;
  readonly inTurn: boolean;
  readonly mayOmit: boolean;
}

/**
 * Compares a reply with its original, and counts returned and missing signatures. Errors number the parts
 * after text pieces are joined.
 */
function checkReply(
  { parts }: GeminiContent,
  reply: ScriptedReply,
  check: ReplyCheck,
): { readonly signed: number; readonly unsigned: number } {
  const { casting, index, inTurn, mayOmit } = check;
  const got = joinTexts(parts);
  const sealed = got.map((part) => findSeal(casting.seed, part)).find((fields) => fields?.at === reply.at);
  const thinks = got.some(({ thought }) => thought === true);
  const thoughts = sealed === undefined ? thinks : sealed.thoughts === true;
  const all = joinTexts(createParts(reply, casting, { thoughts, end: sealed?.end === true }));
  const given = thinks || (inTurn && !mayOmit) ? all : all.filter(({ thought }) => thought !== true);
  const tally = { signed: 0, unsigned: 0 };
  for (let at = 0; at < Math.max(given.length, got.length); at += 1) {
    const path = `contents[${index}].parts[${at}]`;
    const [was, is] = [given[at], got[at]];
    if (was === undefined || is === undefined || serializePart(was, was) !== serializePart(is, was)) {
      throw createOwnRefusal(
        `${path}: ${describePart(was)} was given here and ${describePart(is)} came back`,
      );
    }
    checkSignature(was, is, { ...check, path, reply });
    if (was.thoughtSignature === undefined) continue;
    tally[is.thoughtSignature === undefined ? 'unsigned' : 'signed'] += 1;
  }
  return tally;
}

function checkSignature(
  was: GeminiPart,
  is: GeminiPart,
  { casting, index, inTurn, path }: ReplyCheck & { readonly path: string; readonly reply: ScriptedReply },
): void {
  if (is.thoughtSignature === was.thoughtSignature) return;
  if (is.thoughtSignature !== undefined && is.thoughtSignature !== sentinel) {
    const ours = unseal(casting.seed, is.thoughtSignature) !== undefined;
    throw new RefusalError(400, ours ? 'Invalid thought signature.' : 'Corrupted thought signature.');
  }
  if (is.thoughtSignature === sentinel) {
    throw createOwnRefusal(`${path}: the sentinel stands where a signature was given`);
  }
  if (!inTurn) return;
  if (was.functionCall !== undefined)
    throw new RefusalError(400, formatMissingSignature(was.functionCall.name, index));
  throw createOwnRefusal(`${path}: the thought signature that was given here did not come back`);
}

function formatMissingSignature(name: string, index: number): string {
  return (
    'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
    'correctly, and missing thought_signature may lead to degraded model performance. Additional data, function ' +
    `call \`default_api:${name}\` , position ${index + 1}. Please refer to ` +
    'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.'
  );
}

function findSeal(seed: string, { thoughtSignature }: GeminiPart): SealFields | undefined {
  return thoughtSignature === undefined ? undefined : unseal(seed, thoughtSignature);
}

/**
 * Serializes a part without its signature. The id of a call is compared only if the wire assigned one,
 * because clients invent missing ids.
 */
function serializePart(
  { thoughtSignature: _, functionCall, ...rest }: GeminiPart,
  given: GeminiPart,
): string {
  if (functionCall === undefined) return formatCanonicalJson(rest);
  const id = given.functionCall?.id === undefined ? {} : { id: functionCall.id };
  return JSON.stringify([functionCall.name, functionCall.args ?? {}, id]);
}

function describePart(part: GeminiPart | undefined): string {
  if (part === undefined) return 'nothing';
  if (part.functionCall !== undefined) return `the call ${JSON.stringify(part.functionCall)}`;
  return `${part.thought === true ? 'the thought' : 'the text'} ${JSON.stringify(part.text)}`;
}
