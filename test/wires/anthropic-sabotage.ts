/** Recorded requests to Anthropic's Messages API, and functions that corrupt them. */
import { anthropic, createAnthropic } from '@ai-sdk/anthropic';
import { expect } from 'vitest';
import { type AnthropicWireOptions, createAnthropicWire } from './anthropic.ts';
import { playTurn, rehearsalScript, rehearsalTools } from './rehearsal.ts';
import { post, type ReplayAnswer } from './replay.ts';
import { createFetch } from './wire.ts';

export type SabotagedBlock = Record<string, unknown>;

export interface Body {
  system: SabotagedBlock[];
  tools: SabotagedBlock[];
  thinking: SabotagedBlock;
  messages: { role: string; content: SabotagedBlock[] }[];
}

/**
 * Indexes of recorded requests: the fifth request of the first turn (after four replies), the first request of
 * the second turn (after eleven replies), and the last request.
 */
export const [midTurn, nextTurn, last] = [4, 11, 14];

const recordings: Record<string, readonly unknown[]> = {};

async function recordRequests(kind: 'adaptive' | 'enabled', preserved: boolean): Promise<readonly unknown[]> {
  const wire = createAnthropicWire({ script: rehearsalScript, preserved });
  const model = createAnthropic({ apiKey: 'key', fetch: createFetch(wire) })('claude-sonnet-4-5');
  const thinking = kind === 'enabled' ? { type: kind, budgetTokens: 2000 } : { type: kind };
  const tools = { ...rehearsalTools, web_search: anthropic.tools.webSearch_20250305({}) };
  const rehearsal = { model, stream: false, tools, providerOptions: { anthropic: { thinking } } };
  await playTurn(rehearsal, await playTurn(rehearsal, [], 'Begin.'), 'Go on.');
  return wire.requests;
}

/** Returns the recorded requests of a run, which is recorded once for each kind of thinking. */
async function loadRecording(of: Sabotage['of']): Promise<readonly unknown[]> {
  recordings[of] ??= await recordRequests(of === 'budget' ? 'enabled' : 'adaptive', of === 'preserved');
  return recordings[of];
}

export interface Sabotage {
  readonly of: 'plain' | 'budget' | 'preserved';
  readonly at?: number;
  readonly options?: Partial<AnthropicWireOptions>;
  readonly beta?: string;
}

/** Returns a copy of a recorded request that tests can modify. */
export async function loadBody({ of, at = midTurn }: Sabotage): Promise<Body> {
  // The wire has accepted the recorded requests, so they are valid.
  return structuredClone((await loadRecording(of))[at] as Body);
}

/** Returns a recorded request with these changes. */
export async function sendSabotaged(change: (body: Body) => void, sabotage: Sabotage): Promise<ReplayAnswer> {
  const { of, options, beta } = sabotage;
  const body = await loadBody(sabotage);
  change(body);
  const wire = createAnthropicWire({ script: rehearsalScript, preserved: of === 'preserved', ...options });
  const headers = {
    'x-api-key': 'key',
    'anthropic-version': '2023-06-01',
    ...(beta !== undefined && { 'anthropic-beta': beta }),
  };
  const answered = await post(wire, 'https://api.anthropic.com/v1/messages', {
    body: { ...body, stream: false },
    headers,
  });
  expect(wire.refused.map(({ message }) => message)).toEqual(
    answered.status === 200 ? [] : [answered.message],
  );
  return answered;
}

/** Returns the block at index `at` of a message. The recordings contain it. */
export const getBlock = ({ messages }: Body, message: number, at: number): SabotagedBlock =>
  messages[message]?.content[at] ?? {};
export const cutLastCharacter = (field: string, target: SabotagedBlock) => {
  target[field] = String(target[field]).slice(0, -1);
};
const isThought = ({ type }: SabotagedBlock) => type === 'thinking' || type === 'redacted_thinking';
export const forget = (body: Body, from: number, to: number) => {
  for (const message of body.messages.slice(from, to))
    message.content = message.content.filter((each) => !isThought(each));
};
export const swap = (content: SabotagedBlock[] | undefined, a: number, b: number) => {
  const [first, second] = [content?.[a], content?.[b]];
  if (content === undefined || first === undefined || second === undefined)
    throw new Error(`The message has no blocks ${a} and ${b} to swap.`);
  [content[a], content[b]] = [second, first];
};

export const newTool = { name: 'new', description: 'New.', input_schema: { type: 'object', properties: {} } };
