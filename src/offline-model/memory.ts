import type { ModelMessage } from '../model/chat-model.ts';
import type { RequestedCall } from '../model/parts.ts';
import { isRecord, isScalar, parseJson, type Scalar } from '../model/untrusted-json.ts';
import { collectFacts, findMentions, type NamedValue, readAbsentFacts, readFacts } from './mentions.ts';
import { toWords } from './words.ts';

export interface PastCall {
  readonly tool: string;
  /** The tool and its input as text. Equal for equal calls. */
  readonly key: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Absent until there is a result. */
  readonly result: string | undefined;
  readonly failed: boolean;
  /** `true` if the tool was not available and did not run. */
  readonly refused: boolean;
  /** The facts in its result. */
  readonly facts: readonly NamedValue[];
  /** The names in its result that have no value. The values here are empty strings. */
  readonly absent: readonly NamedValue[];
  /** The facts in its input, if the call succeeded. They show what the conversation is about. */
  readonly given: readonly NamedValue[];
}

/** The part of the conversation that the planner reads. */
export interface ConversationMemory {
  /** The latest user message. */
  readonly task: string;
  /** The user's earlier messages, latest first. */
  readonly said: readonly string[];
  /** The calls since the latest user message, one list for each reply. */
  readonly turn: readonly (readonly PastCall[])[];
  /**
   * The calls of earlier turns, latest first, back to the turn in which the user last named a looked-up
   * value.
   */
  readonly earlier: readonly PastCall[];
  /** The prerequisites of tools, by tool name, as far as the instructions state them. */
  readonly needs: ReadonlyMap<string, Prerequisites>;
}

/** The prerequisites of one tool. */
export interface Prerequisites {
  /** The tools that must all have been used. */
  readonly used: readonly string[];
  /** `true` if there are other conditions, which only a call can test. */
  readonly isMore: boolean;
}

const maxText = 4_000;
const maxEarlier = 20;
const maxTurn = 60;

/** Returns a key that is equal for equal calls. */
export const callKey = (tool: string, input: unknown): string => JSON.stringify([tool, input]);

/** Reads a conversation. Giant messages and long histories are read only in part. Never throws. */
export function readMemory(messages: readonly ModelMessage[]): ConversationMemory {
  const latest = messages.findLastIndex((message) => message.role === 'user');
  const instructions = messages.find(({ role }) => role === 'system')?.text.slice(0, maxText) ?? '';
  const said = messages.flatMap((message) =>
    message.role === 'user' ? [readMessageText(message.text, instructions)] : [],
  );
  const [task = '', ...before] = said.slice(-6).reverse();
  return {
    task,
    said: before,
    turn: collectReplies(messages.slice(latest + 1), maxTurn),
    earlier: collectEarlierCalls(messages, latest),
    needs: parseNeeds(instructions),
  };
}

/** Matches a line in which a playbook states the prerequisites of a tool. */
const needPattern = /^- (?<tool>[\w-]+): first (?<needed>.+)$/gm;
const usePattern = /\buse (?<tool>[\w-]+)/g;

const parseNeeds = (instructions: string): ConversationMemory['needs'] =>
  new Map(
    [...instructions.matchAll(needPattern)].map(({ groups: { tool = '', needed = '' } = {} }) => {
      const used = [...needed.matchAll(usePattern)].map(({ groups }) => groups?.tool ?? '');
      const isChoice = / or /.test(needed);
      const isMore = isChoice || needed.replaceAll(usePattern, '').replaceAll(/ and /g, '').trim() !== '';
      return [tool, { used: isChoice ? [] : used, isMore }];
    }),
  );

/**
 * Returns the earlier calls, without those about an earlier subject, since "it" refers to the last object.
 */
function collectEarlierCalls(messages: readonly ModelMessage[], latest: number): PastCall[] {
  const earlier: PastCall[] = [];
  let end = latest;
  for (let at = latest - 1; at >= 0 && earlier.length < maxEarlier; at -= 1) {
    const message = messages[at];
    if (message?.role !== 'user') continue;
    const calls = collectReplies(messages.slice(at + 1, end), maxEarlier)
      .flat()
      .reverse();
    earlier.push(...calls);
    const inputs = new Set(calls.flatMap(({ input }) => Object.values(input).map(String)));
    if (findMentions(message.text.slice(0, maxText)).some(({ value }) => inputs.has(value))) break;
    end = at;
  }
  return earlier.slice(0, maxEarlier);
}

/** Returns the calls of the last `limit` assistant messages, each with its result. */
function collectReplies(messages: readonly ModelMessage[], limit: number): PastCall[][] {
  const replies: PastCall[][] = [];
  for (let at = messages.length - 1; at >= 0 && replies.length < limit; at -= 1) {
    const message = messages[at];
    if (message?.role !== 'assistant' || message.toolCalls.length === 0) continue;
    const results = new Map<string, string>();
    for (let next = at + 1; next < messages.length; next += 1) {
      const result = messages[next];
      if (result?.role !== 'tool') break;
      results.set(result.id, result.text);
    }
    replies.unshift(message.toolCalls.map((call) => toPastCall(call, results.get(call.id))));
  }
  return replies;
}

function toPastCall(call: RequestedCall, result: string | undefined): PastCall {
  const json = parseJson(call.input);
  const input = isRecord(json) ? json : {};
  const failed = result !== undefined && /^\s*error\b/i.test(result);
  const refused = !failed && isUnavailableText(result ?? '');
  const owner = toWords(call.name);
  return {
    tool: call.name,
    key: callKey(call.name, json),
    input,
    result,
    failed,
    refused,
    facts: result === undefined || failed || refused ? [] : readFacts(result, owner),
    absent: result === undefined ? [] : readAbsentFacts(result, owner),
    given: failed || refused ? [] : collectFacts(input, owner),
  };
}

/** Returns whether a description or a result says that the tool cannot be used yet. */
export const isUnavailableText = (text: string): boolean =>
  /\bnot (?:yet|currently) available\b/i.test(text.slice(0, 1_000));

/** Matches the words after which instructions state the task for a message's data. */
const taskPattern = /\bfollowing task:\s*(?<task>[^\n]+)/i;
/** The maximum length of a quoted value. */
const maxValue = 500;

/**
 * Returns the request in a message, as text. A nested loop gets the JSON of its tool's input, and a webhook
 * passes on its payload. Both result in the task from the instructions, followed by the values in the JSON.
 * The values are quoted, so that they cannot begin a step. Giant messages are read in part.
 */
export function readMessageText(message: string, instructions: string): string {
  const data = message.startsWith('{') ? parseJson(message) : undefined;
  if (!isRecord(data)) return message.slice(0, maxText);
  const values = Object.entries(data).flatMap(([name, value]) =>
    isScalar(value) ? [`${toSpacedWords(name)} ${quoteValue(value)}`] : [],
  );
  const task = taskPattern.exec(instructions)?.groups?.task ?? '';
  return [joinValues(values), task].filter((part) => part !== '').join('\n');
}

/** Joins as many values as fit. It never cuts a value, because half a quotation would not be read as one. */
function joinValues(values: readonly string[]): string {
  let text = '';
  for (const value of values) {
    if (text.length + value.length > maxText) break;
    text += text === '' ? value : `, ${value}`;
  }
  return text;
}

/** Returns `orderId` or `order_id` as separate words. */
const toSpacedWords = (name: string): string =>
  name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_-]+/gu, ' ').toLowerCase();

/** Quotes a value that could be read as several. Leaves an id, a date or a number unchanged. */
const quoteValue = (value: Scalar): string =>
  typeof value === 'string' && (/^\p{L}+$/u.test(value) || !/^[\p{L}\p{N}_.@:/#+-]+$/u.test(value))
    ? `"${value.slice(0, maxValue).replaceAll(/["“”]/g, "'")}"`
    : String(value);
