import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as v from 'valibot';

const call = v.strictObject({
  id: v.string(),
  type: v.literal('function'),
  function: v.strictObject({ name: v.string(), arguments: v.string() }),
});

/** A message in the format of OpenAI chat completions. */
const message = v.variant('role', [
  v.strictObject({ role: v.literal('system'), content: v.string() }),
  v.strictObject({ role: v.literal('user'), content: v.string() }),
  v.strictObject({
    role: v.literal('assistant'),
    content: v.nullable(v.string()),
    tool_calls: v.optional(v.array(call)),
  }),
  v.strictObject({
    role: v.literal('tool'),
    content: v.string(),
    tool_call_id: v.string(),
    name: v.optional(v.string()),
  }),
]);

const recordingSchema = v.object({
  system: v.string(),
  conversations: v.array(
    v.object({ id: v.pipe(v.number(), v.transform(String)), messages: v.array(message) }),
  ),
});

export type Recording = v.InferOutput<typeof recordingSchema>;
export type Conversation = Recording['conversations'][number];
export type Message = v.InferOutput<typeof message>;
export type AssistantMessage = Extract<Message, { role: 'assistant' }>;

/** A message of a customer, with the text of the final answer. */
export interface Exchange {
  readonly message: string;
  readonly answer: string;
}

/** The counts of all conversations. */
export interface RecordingTotals {
  readonly exchanges: number;
  readonly replies: number;
  readonly calls: number;
}

/** The file is outside the checkout. */
const RECORDING_FILE = resolve(import.meta.dirname, '../../../../shared/data/airline-conversations.json');

/** Returns the recorded conversations, or `undefined` if the file does not exist. */
export function readRecording(): Recording | undefined {
  if (!existsSync(RECORDING_FILE)) return undefined;
  return v.parse(recordingSchema, JSON.parse(readFileSync(RECORDING_FILE, 'utf8')));
}

/**
 * Returns the answered messages of the customer, in order. The answer is a text or the output of the last tool.
 */
export function listExchanges({ messages }: Conversation): Exchange[] {
  return messages.flatMap((said, index) => {
    if (said.role !== 'user' || messages[index + 1] === undefined) return [];
    const next = messages.findIndex(({ role }, later) => later > index && role === 'user');
    const last = messages.at(next === -1 ? -1 : next - 1);
    return [{ message: said.content, answer: last?.content ?? '' }];
  });
}

/** Returns the replies of the model, in order. */
export const listReplies = ({ messages }: Conversation): AssistantMessage[] =>
  messages.filter((said) => said.role === 'assistant');

/** Counts the exchanges, replies and calls to replay. */
export const countTotals = (conversations: readonly Conversation[]): RecordingTotals => ({
  exchanges: conversations.flatMap(listExchanges).length,
  replies: conversations.flatMap(listReplies).length,
  calls: conversations.flatMap(listReplies).flatMap(({ tool_calls = [] }) => tool_calls).length,
});
