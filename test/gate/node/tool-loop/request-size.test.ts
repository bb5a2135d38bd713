import { describe, expect, it } from 'vitest';
import type { ModelMessage, ModelRequest, ToolDefinition } from '../../../../src/model/entry.ts';
import { sizeOf } from '../../../doors/loop.ts';
import { requestsAskedIn, scene } from './budget-scene.ts';
import { readingTool } from './scenes.ts';

const byteLengthOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

const system = (text: string): ModelMessage => ({ role: 'system', text });
const user = (text: string): ModelMessage => ({ role: 'user', text });
const tool = (name: string, description = 'Looks.'): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: 'object' },
});

/** Makes a request from messages. */
const request = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages,
  tools: [],
  ...more,
});

/** Returns the counted size of a message whose number of tokens is unknown. */
const countBytes = (message: ModelMessage): number => byteLengthOf(message) + 16;

const ASKED = [system('Work.'), user('Go.'), user('On.')];
const TOLD = 20;

/** Returns the counted size of a request that follows a request with known tokens. */
function sizeAfter(earlier: ModelRequest, later: ModelRequest, { model = 'm', told = TOLD } = {}): number {
  const { lengths } = sizeOf('m', earlier, undefined);
  return sizeOf(model, later, { request: lengths, inputTokens: told }).inputTokens;
}

const inputTokensOf = (asked: ModelRequest): number => sizeOf('m', asked, undefined).inputTokens;

describe('the stored size of a request', () => {
  it('contains its model, its number of messages, and lengths', () => {
    const { lengths, inputTokens } = sizeOf('m', request(ASKED), undefined);
    const text = ASKED.slice(1).reduce((sum, message) => sum + countBytes(message), 0);
    expect(lengths).toEqual({ model: 'm', system: 5, tools: 0, messages: 2, text });
    expect(inputTokens).toBe(64 + 5 + text);
  });

  it('is journaled as numbers', async () => {
    const session = scene(['Done.'], { budget: { tokens: 50_000 }, tools: [readingTool('look')] });
    await session.send('Go.');
    expect((await requestsAskedIn(session)).map(({ request: one }) => one)).toEqual([
      {
        model: 'scripted',
        system: 5,
        tools: expect.any(Number),
        messages: 1,
        text: countBytes(user('Go.')),
      },
    ]);
  });

  it('counts text in bytes, even if it is not Latin', () => {
    expect(sizeOf('m', request([system('你好')]), undefined).lengths.system).toBe(6);
  });
});

describe('a request that follows a request with known tokens', () => {
  it('counts the known tokens and the bytes that were added since', () => {
    const came = [user('More?'), user('And?')];
    const since = came.reduce((sum, message) => sum + countBytes(message), 0);
    expect(sizeAfter(request(ASKED), request([...ASKED, ...came]))).toBe(TOLD + since);
    expect(sizeAfter(request(ASKED), request(ASKED))).toBe(TOLD);
  });

  const tools = [tool('look'), tool('mail')];
  const offered = inputTokensOf(request([], { tools })) - 64;
  const output = { name: 'answer', schema: { type: 'object' } };
  const form = inputTokensOf(request([], { output })) - 64;
  const long = user('x'.repeat(9_000));
  const HEAVY = [system('Work.'), long];

  it.each([
    ['the system text', { messages: [system('Work on.'), long] }, 8],
    ['the added tools', { tools }, offered],
    ['the added answer format', { output }, form],
    [
      'the messages',
      { messages: [system('Work.'), user('y'.repeat(5_000))] },
      countBytes(user('y'.repeat(5_000))),
    ],
  ])('counts all bytes of a part whose length has changed: %s', (_, change, part) => {
    const earlier = request(HEAVY);
    expect(sizeAfter(earlier, { ...earlier, ...change })).toBe(TOLD + part);
  });

  it('counts no removed tools, and all of them if they return', () => {
    const [withTools, without] = [request(HEAVY, { tools }), request(HEAVY)];
    expect(sizeAfter(withTools, without)).toBe(TOLD);
    expect(sizeAfter(without, withTools)).toBe(TOLD + offered);
  });

  it('counts all messages if there are fewer, even if their total length is the same', () => {
    const earlier = [user('a'.repeat(500)), user('b'.repeat(500))];
    const sum = earlier.reduce((length, message) => length + countBytes(message), 0);
    const one = user('c'.repeat(sum - countBytes(user(''))));
    expect(countBytes(one)).toBe(sum);
    expect(sizeAfter(request(earlier), request([one]))).toBe(TOLD + sum);
  });

  it('never counts more than its bytes', () => {
    const later = request([system('Be quick.'), user('Go.')]);
    expect(sizeAfter(request(ASKED), later, { told: 9_000 })).toBe(inputTokensOf(later));
  });

  it('is counted in bytes if it goes to another model', () => {
    const later = request([...HEAVY, user('More?')]);
    expect(sizeAfter(request(HEAVY), later, { model: 'other' })).toBe(inputTokensOf(later));
  });

  it('does not notice a change that keeps the length of a part', () => {
    const [before, since] = [
      request([system('It is 12:59.'), long]),
      request([system('It is 13:00.'), long]),
    ];
    expect(sizeAfter(before, since)).toBe(TOLD);
  });
});
