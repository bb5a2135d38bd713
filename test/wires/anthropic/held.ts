/** Checks that the replies in a conversation equal those that the wire returned, block for block. */
import { createOwnRefusal, findScriptPlaces, RefusalError, type ScriptedReply } from '../wire.ts';
import {
  findCurrentTurn,
  isThinking,
  joinText,
  type PlacedBlock,
  type SaidMessage,
  withoutMarks,
  withoutPending,
} from './conversation.ts';
import { type Casting, createBlocks, findPause, formatCallId, indexThinking } from './replies.ts';
import type { AnthropicBlock, AnthropicBody } from './request.ts';
import { checkWords, createModifiedError, isDroppingBlocks, placeOfThinking } from './thinking.ts';

export interface HeldCheck {
  readonly replies: readonly ScriptedReply[];
  readonly casting: Casting;
  readonly body: AnthropicBody;
  readonly conversation: readonly SaidMessage[];
  /** `true` if the current turn can omit all of its thinking. */
  readonly mayOmitThinking: boolean;
}

/** The next position in the script. */
export interface NextPlace {
  readonly at: number;
  /** The number of blocks of that reply before its pause. 0 for a new reply. */
  readonly given: number;
}

/** Checks every reply of the conversation and returns the next place. */
export function checkHeld(check: HeldCheck): NextPlace {
  const { replies, casting, conversation } = check;
  const all = findHeld(conversation);
  const found = findScriptPlaces(
    replies,
    all.map((said) => ({
      callIds: said ? listCallIds(said) : ['in words'],
      text: said ? joinText(said) : '',
    })),
    (reply, call) => formatCallId(casting.seed, reply, call),
  );
  const held = all.filter((said) => said !== undefined);
  const places = found.filter((_, index) => all[index] !== undefined);
  const turn = findCurrentTurn(conversation);
  const summarized = (found[0] ?? 0) > 0;
  const mayOmitThinking = check.mayOmitThinking || summarized || isDroppingBlocks(check.body);
  let next: NextPlace = { at: (found.at(-1) ?? -1) + 1, given: 0 };
  for (const [index, said] of held.entries()) {
    const reply = replies[places[index] ?? 0];
    if (reply === undefined) throw createOwnRefusal(`${said.path} is a reply that the script does not have`);
    const inTurn = conversation.indexOf(said) > turn;
    const maker = findMaker(said, check);
    const last = said === held.at(-1);
    if (maker === undefined) {
      checkForeign(said, check, inTurn && last);
      continue;
    }
    const paused = said === conversation.at(-1);
    const blocks = createExpectedBlocks(said, reply, { casting: { ...casting, seed: maker }, paused });
    checkBlocks(said, { reply, blocks, casting, inTurn });
    if (paused) next = { at: reply.at, given: blocks.length };
    if (inTurn && !said.blocks.some(({ block }) => isThinking(block))) {
      checkLeftOut(said, check, { last, mayOmitThinking });
    }
  }
  return next;
}

/**
 * Returns the replies of a conversation. `undefined` is a reply of another model, which the conversation
 * reports as text.
 */
function findHeld(conversation: readonly SaidMessage[]): readonly (SaidMessage | undefined)[] {
  return conversation.flatMap((said, index) => {
    if (said.role === 'user') return said.blocks.filter(({ block }) => isTold(block)).map(() => undefined);
    if (said.role !== 'assistant') return [];
    const behind = conversation[index + 1]?.blocks.find(({ block }) => block.type !== 'tool_result')?.block;
    // This text belongs to another model's reply, whose calls the next message reports.
    return listCallIds(said).length === 0 && behind && isTold(behind) ? [] : [said];
  });
}

const isTold = (block: AnthropicBlock): boolean =>
  block.type === 'text' &&
  block.text.startsWith('You have called tools before this message, and they answered:');

/**
 * Returns the seed of the model that made a reply: this model, or one whose thinking it reads. Returns
 * `undefined` for any other model.
 */
function findMaker(
  said: SaidMessage,
  { replies, casting: { seed, kin = [] } }: HeldCheck,
): string | undefined {
  const ids = listCallIds(said);
  if (ids.length === 0) return seed;
  return [seed, ...kin].find((one) =>
    replies.some((reply) => reply.calls.some((_, call) => ids.includes(formatCallId(one, reply, call)))),
  );
}

/**
 * Checks that a reply of another model contains no thinking. It must not be the last reply of the turn if this
 * model thinks with a budget.
 */
function checkForeign(said: SaidMessage, { body, casting: { seed } }: HeldCheck, isLast: boolean): void {
  for (const { block, path } of said.blocks) if (isThinking(block)) placeOfThinking(seed, block, path);
  if (isLast && body.thinking?.type === 'enabled') throw withoutThinking(said);
}

/**
 * Returns the original blocks of a reply: all, or only those before the pause if the request continues the
 * reply.
 */
function createExpectedBlocks(
  said: SaidMessage,
  reply: ScriptedReply,
  { casting, paused }: { readonly casting: Casting; readonly paused: boolean },
): readonly AnthropicBlock[] {
  const searches = said.blocks.some(({ block }) => block.type === 'server_tool_use');
  const blocks = createBlocks(reply, searches ? casting : withoutSearch(casting));
  if (!paused) return blocks;
  const pause = findPause(blocks, casting);
  if (pause !== undefined) return blocks.slice(0, pause);
  throw new RefusalError(
    400,
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
}

interface ExpectedBlocks {
  readonly reply: ScriptedReply;
  readonly blocks: readonly AnthropicBlock[];
  readonly casting: Casting;
  readonly inTurn: boolean;
}

/**
 * Compares a reply with its original. If the reply contains no thinking, the thinking of the original is
 * ignored.
 */
function checkBlocks(said: SaidMessage, { reply, blocks, casting, inTurn }: ExpectedBlocks): void {
  const got = withoutPending(said.blocks, ({ block }) => block);
  const gotNames = got.map((placed) => describeHeldBlock(placed, casting, inTurn));
  const thinks = got.some(({ block }) => isThinking(block));
  const indexes = indexThinking(blocks);
  const given = withoutPending(
    blocks.map((block, at) => ({ block, name: formatBlockKey(block, reply.at, indexes[at]) })),
    ({ block }) => block,
  ).filter(({ block }) => thinks || !isThinking(block));
  const length = Math.max(given.length, got.length);
  for (let at = 0; at < length; at += 1) {
    if (given[at]?.name === gotNames[at]) continue;
    throw createMismatchError(
      got[at] ?? { path: `${said.path}.content.${at}`, block: undefined },
      given[at]?.block,
      inTurn,
    );
  }
}

function createMismatchError(
  { path, block }: { readonly path: string; readonly block: AnthropicBlock | undefined },
  given: AnthropicBlock | undefined,
  inTurn: boolean,
): RefusalError {
  const ofThinking = [block, given].some((each) => each !== undefined && isThinking(each));
  if (ofThinking && inTurn) return createModifiedError(path);
  if (block?.type === 'web_search_tool_result' && given?.type === block.type) {
    return new RefusalError(
      400,
      `${path}.content.0: Invalid \`encrypted_content\` in \`search_result\` block`,
    );
  }
  const was = given === undefined ? 'nothing' : `\`${given.type}\``;
  const is = block === undefined ? 'nothing' : `\`${block.type}\``;
  return createOwnRefusal(
    `${path}: ${was} was given here and ${is}${was === is ? ' with other content' : ''} came back`,
  );
}

/** Checks that the thinking of the current turn is complete, unless the conversation shows a valid reason. */
function checkLeftOut(
  said: SaidMessage,
  { body }: HeldCheck,
  { last, mayOmitThinking }: { readonly last: boolean; readonly mayOmitThinking: boolean },
): void {
  const type = body.thinking?.type;
  if (type === undefined || type === 'disabled') return;
  if (type === 'enabled' && last) throw withoutThinking(said);
  if (!mayOmitThinking) throw createModifiedError(`${said.path}.content.0`);
}

function withoutThinking(said: SaidMessage): RefusalError {
  const found = said.blocks[0]?.block.type ?? 'text';
  return new RefusalError(
    400,
    `${said.path}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. ` +
      'When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the ' +
      'lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous ' +
      'turns. To avoid this requirement, disable `thinking`. Please consult our documentation at ' +
      'https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
  );
}

function describeHeldBlock(
  { block, path }: PlacedBlock,
  { seed, kin = [] }: Casting,
  inTurn: boolean,
): string {
  if (!isThinking(block)) return formatBlockKey(block, 0, undefined);
  const place = placeOfThinking([seed, ...kin], block, path);
  if (inTurn) checkWords(block, place, path);
  return `thinking ${String(place.at)}.${String(place.index)}`;
}

function formatBlockKey(block: AnthropicBlock, at: number, index: number | undefined): string {
  return index === undefined ? JSON.stringify(sortKeys(withoutMarks(block))) : `thinking ${at}.${index}`;
}

/** Sorts the fields of a block recursively. The input of a call is compared in its original form. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, key === 'input' ? inner : sortKeys(inner)]));
}

function withoutSearch({ variants, ...casting }: Casting): Casting {
  return { ...casting, variants: new Set([...variants].filter((variant) => variant !== 'server-tools')) };
}

function listCallIds({ blocks }: SaidMessage): readonly string[] {
  return blocks.flatMap(({ block }) => (block.type === 'tool_use' ? [block.id] : []));
}
