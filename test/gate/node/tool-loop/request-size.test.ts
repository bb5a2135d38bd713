import { describe, expect, it } from 'vitest';
import type { ModelMessage, ModelRequest, ToolDefinition } from '../../../../src/model/entry.ts';
import { estimateSize } from '../../../doors/loop.ts';
import { createScene, readReservations } from './budget-scene.ts';
import { createReadingTool } from './scenes.ts';

const countJsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

const createSystemMessage = (text: string): ModelMessage => ({ role: 'system', text });
const createUserMessage = (text: string): ModelMessage => ({ role: 'user', text });
const createToolDefinition = (name: string, description = 'Looks.'): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: 'object' },
});

/** Makes a request from messages. */
const createRequest = (
  messages: readonly ModelMessage[],
  more: Partial<ModelRequest> = {},
): ModelRequest => ({
  messages,
  tools: [],
  ...more,
});

/** Returns the size estimated for a message with an unknown number of tokens. */
const countBytes = (message: ModelMessage): number => countJsonBytes(message) + 16;

const FIRST_MESSAGES = [createSystemMessage('Work.'), createUserMessage('Go.'), createUserMessage('On.')];
const REPORTED_TOKENS = 20;

/** Returns the size estimated for a request that follows one with a known number of tokens. */
function computeSizeAfter(
  earlier: ModelRequest,
  later: ModelRequest,
  { model = 'm', told = REPORTED_TOKENS } = {},
): number {
  const { lengths } = estimateSize('m', earlier, undefined);
  return estimateSize(model, later, { request: lengths, inputTokens: told }).inputTokens;
}

const countInputTokens = (asked: ModelRequest): number => estimateSize('m', asked, undefined).inputTokens;

describe('the stored size of a request', () => {
  it('contains the model, the number of messages, and the lengths of the parts', () => {
    const { lengths, inputTokens } = estimateSize('m', createRequest(FIRST_MESSAGES), undefined);
    const text = FIRST_MESSAGES.slice(1).reduce((sum, message) => sum + countBytes(message), 0);
    expect(lengths).toEqual({ model: 'm', system: 5, tools: 0, messages: 2, text });
    expect(inputTokens).toBe(64 + 5 + text);
  });

  it('is journaled as numbers', async () => {
    const session = createScene(['Done.'], {
      budget: { tokens: 50_000 },
      tools: [createReadingTool('look')],
    });
    await session.send('Go.');
    expect((await readReservations(session)).map(({ request: one }) => one)).toEqual([
      {
        model: 'scripted',
        system: 5,
        tools: expect.any(Number),
        messages: 1,
        text: countBytes(createUserMessage('Go.')),
      },
    ]);
  });

  it('counts text in bytes, even if it is not Latin', () => {
    expect(estimateSize('m', createRequest([createSystemMessage('你好')]), undefined).lengths.system).toBe(6);
  });
});

describe('a request that follows a request with known tokens', () => {
  it('counts the known tokens and the bytes that were added since', () => {
    const came = [createUserMessage('More?'), createUserMessage('And?')];
    const since = came.reduce((sum, message) => sum + countBytes(message), 0);
    expect(computeSizeAfter(createRequest(FIRST_MESSAGES), createRequest([...FIRST_MESSAGES, ...came]))).toBe(
      REPORTED_TOKENS + since,
    );
    expect(computeSizeAfter(createRequest(FIRST_MESSAGES), createRequest(FIRST_MESSAGES))).toBe(
      REPORTED_TOKENS,
    );
  });

  const tools = [createToolDefinition('look'), createToolDefinition('mail')];
  const offered = countInputTokens(createRequest([], { tools })) - 64;
  const output = { name: 'answer', schema: { type: 'object' } };
  const form = countInputTokens(createRequest([], { output })) - 64;
  const long = createUserMessage('x'.repeat(9_000));
  const HEAVY = [createSystemMessage('Work.'), long];

  it.each([
    ['the system text', { messages: [createSystemMessage('Work on.'), long] }, 8],
    ['the added tools', { tools }, offered],
    ['the added answer format', { output }, form],
    [
      'the messages',
      { messages: [createSystemMessage('Work.'), createUserMessage('y'.repeat(5_000))] },
      countBytes(createUserMessage('y'.repeat(5_000))),
    ],
  ])('counts all bytes of a part whose length has changed: %s', (_, change, part) => {
    const earlier = createRequest(HEAVY);
    expect(computeSizeAfter(earlier, { ...earlier, ...change })).toBe(REPORTED_TOKENS + part);
  });

  it('does not count removed tools, and counts all tools again if they return', () => {
    const [withTools, without] = [createRequest(HEAVY, { tools }), createRequest(HEAVY)];
    expect(computeSizeAfter(withTools, without)).toBe(REPORTED_TOKENS);
    expect(computeSizeAfter(without, withTools)).toBe(REPORTED_TOKENS + offered);
  });

  it('counts all messages if there are fewer, even if their total length is the same', () => {
    const earlier = [createUserMessage('a'.repeat(500)), createUserMessage('b'.repeat(500))];
    const sum = earlier.reduce((length, message) => length + countBytes(message), 0);
    const one = createUserMessage('c'.repeat(sum - countBytes(createUserMessage(''))));
    expect(countBytes(one)).toBe(sum);
    expect(computeSizeAfter(createRequest(earlier), createRequest([one]))).toBe(REPORTED_TOKENS + sum);
  });

  it('is never counted as more than its bytes', () => {
    const later = createRequest([createSystemMessage('Be quick.'), createUserMessage('Go.')]);
    expect(computeSizeAfter(createRequest(FIRST_MESSAGES), later, { told: 9_000 })).toBe(
      countInputTokens(later),
    );
  });

  it('is counted in bytes if it goes to another model', () => {
    const later = createRequest([...HEAVY, createUserMessage('More?')]);
    expect(computeSizeAfter(createRequest(HEAVY), later, { model: 'other' })).toBe(countInputTokens(later));
  });

  it('does not detect a change that keeps the length of a part', () => {
    const [before, since] = [
      createRequest([createSystemMessage('It is 12:59.'), long]),
      createRequest([createSystemMessage('It is 13:00.'), long]),
    ];
    expect(computeSizeAfter(before, since)).toBe(REPORTED_TOKENS);
  });
});
