import type { ModelMessage } from '../model/chat-model.ts';
import type { RequestedCall } from '../model/parts.ts';
import { isRecord, isScalar, parseJson, type Scalar } from '../model/untrusted-json.ts';
import { absentIn, type Fact, factsIn, factsOf, mentionsIn } from './mentions.ts';
import { wordsOf } from './words.ts';

/** A call that was made, with what came of it. */
export interface PastCall {
  readonly tool: string;
  /** Tool and input; equal for equal calls. */
  readonly key: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Absent while there is no result. */
  readonly result: string | undefined;
  readonly failed: boolean;
  /** Its tool was not available, and did nothing. */
  readonly refused: boolean;
  /** What its result says. */
  readonly facts: readonly Fact[];
  /** What its result names and leaves empty; the values are empty strings. */
  readonly absent: readonly Fact[];
  /** What its input said, when it worked: it tells what the conversation is about. */
  readonly given: readonly Fact[];
}

/** What the conversation holds, as far as the planner looks back. */
export interface Memory {
  /** The latest user message. */
  readonly task: string;
  /** The user's earlier messages, latest first. */
  readonly said: readonly string[];
  /** The calls since the latest user message, one list for each reply. */
  readonly turn: readonly (readonly PastCall[])[];
  /** The calls of earlier turns, latest first, back to the turn in which the user last named something that was looked up. */
  readonly earlier: readonly PastCall[];
  /** What tools need before they can be used, as far as the instructions say so, by their names. */
  readonly needs: ReadonlyMap<string, Needs>;
}

/** What must have happened before a tool can be used. */
export interface Needs {
  /** All of these tools must have been used. */
  readonly used: readonly string[];
  /** There is more to it, which only trying can tell. */
  readonly isMore: boolean;
}

const maxText = 4_000;
const maxEarlier = 20;
const maxTurn = 60;

/** Names a call so that it can be compared with another. */
export const callKey = (tool: string, input: unknown): string => JSON.stringify([tool, input]);

/** Reads a conversation. Giant messages and long pasts are read in part. Never throws. */
export function memoryOf(messages: readonly ModelMessage[]): Memory {
  const latest = messages.findLastIndex((message) => message.role === 'user');
  const instructions = messages.find(({ role }) => role === 'system')?.text.slice(0, maxText) ?? '';
  const said = messages.flatMap((message) =>
    message.role === 'user' ? [messageText(message.text, instructions)] : [],
  );
  const [task = '', ...before] = said.slice(-6).reverse();
  return {
    task,
    said: before,
    turn: callsIn(messages.slice(latest + 1), maxTurn),
    earlier: earlierCalls(messages, latest),
    needs: needsIn(instructions),
  };
}

/** A line of what a playbook says of its tools, and what it says of those that are to be used. */
const needIn = /^- (?<tool>[\w-]+): first (?<needed>.+)$/gm;
const useIn = /\buse (?<tool>[\w-]+)/g;

const needsIn = (instructions: string): Memory['needs'] =>
  new Map(
    [...instructions.matchAll(needIn)].map(({ groups: { tool = '', needed = '' } = {} }) => {
      const used = [...needed.matchAll(useIn)].map(({ groups }) => groups?.tool ?? '');
      const isChoice = / or /.test(needed);
      const isMore = isChoice || needed.replaceAll(useIn, '').replaceAll(/ and /g, '').trim() !== '';
      return [tool, { used: isChoice ? [] : used, isMore }];
    }),
  );

/** What was said of an earlier subject is left out: "it" is what was named last. */
function earlierCalls(messages: readonly ModelMessage[], latest: number): PastCall[] {
  const earlier: PastCall[] = [];
  let end = latest;
  for (let at = latest - 1; at >= 0 && earlier.length < maxEarlier; at -= 1) {
    const message = messages[at];
    if (message?.role !== 'user') continue;
    const calls = callsIn(messages.slice(at + 1, end), maxEarlier)
      .flat()
      .reverse();
    earlier.push(...calls);
    const inputs = new Set(calls.flatMap(({ input }) => Object.values(input).map(String)));
    if (mentionsIn(message.text.slice(0, maxText)).some(({ value }) => inputs.has(value))) break;
    end = at;
  }
  return earlier.slice(0, maxEarlier);
}

/** The calls of the last `limit` assistant messages, each with the result that followed it. */
function callsIn(messages: readonly ModelMessage[], limit: number): PastCall[][] {
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
    replies.unshift(message.toolCalls.map((call) => pastCall(call, results.get(call.id))));
  }
  return replies;
}

function pastCall(call: RequestedCall, result: string | undefined): PastCall {
  const json = parseJson(call.input);
  const input = isRecord(json) ? json : {};
  const failed = result !== undefined && /^\s*error\b/i.test(result);
  const refused = !failed && saysUnavailable(result ?? '');
  const owner = wordsOf(call.name);
  return {
    tool: call.name,
    key: callKey(call.name, json),
    input,
    result,
    failed,
    refused,
    facts: result === undefined || failed || refused ? [] : factsIn(result, owner),
    absent: result === undefined ? [] : absentIn(result, owner),
    given: failed || refused ? [] : factsOf(input, owner),
  };
}

/** Tells whether a description, or an answer, says that the tool cannot be used yet. */
export const saysUnavailable = (text: string): boolean =>
  /\bnot (?:yet|currently) available\b/i.test(text.slice(0, 1_000));

/** What instructions say after this is what is to be done with the data of a message. */
const taskIn = /\bfollowing task:\s*(?<task>[^\n]+)/i;
/** A quotation holds no more of a value than this. */
const maxValue = 500;

/**
 * Answers what a message asks for, in words. A nested loop is asked with the JSON of its tool's input, and a webhook
 * hands over what it was sent: what is asked then is what the instructions call the task, of the values that the JSON
 * holds. Whatever these say, they are values: none of them begins a step of its own. Giant messages are read in part.
 */
export function messageText(message: string, instructions: string): string {
  const data = message.startsWith('{') ? parseJson(message) : undefined;
  if (!isRecord(data)) return message.slice(0, maxText);
  const values = Object.entries(data).flatMap(([name, value]) =>
    isScalar(value) ? [`${spaced(name)} ${quoted(value)}`] : [],
  );
  const task = taskIn.exec(instructions)?.groups?.task ?? '';
  return [joined(values), task].filter((part) => part !== '').join('\n');
}

/** Joins as many as there is room for, none of them in part: half a quotation is none. */
function joined(values: readonly string[]): string {
  let text = '';
  for (const value of values) {
    if (text.length + value.length > maxText) break;
    text += text === '' ? value : `, ${value}`;
  }
  return text;
}

/** `orderId` and `order_id` as a person writes them. */
const spaced = (name: string): string => name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_-]+/gu, ' ').toLowerCase();

/** Words, and whatever else could be read as more than one value, are marked as one; an id, a date or a number stands as it is. */
const quoted = (value: Scalar): string =>
  typeof value === 'string' && (/^\p{L}+$/u.test(value) || !/^[\p{L}\p{N}_.@:/#+-]+$/u.test(value))
    ? `"${value.slice(0, maxValue).replaceAll(/["“”]/g, "'")}"`
    : String(value);
