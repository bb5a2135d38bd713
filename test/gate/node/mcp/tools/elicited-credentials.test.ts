/**
 * Elicitations that a server may not make, and answers that are not journaled (MCP specification,
 * Elicitation).
 */

import type { ElicitRequestFormParams } from '@modelcontextprotocol/sdk/types.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CallContext, type JsonObject, Secrets } from '../../../../../src/index.ts';
import { mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import type { TestSession } from '../../../../../src/testing/entry.ts';
import { answerElicitation } from '../../../../doors/mcp.ts';
import { createConsoleLog } from '../../../../doors/tools.ts';
import { getLastResults } from '../../unfolding/scenes.ts';
import { createSayingTool, createScene, createSession, requestTool } from './scenes.ts';

const freeText = { type: 'string' };

interface ElicitationOptions {
  readonly properties: JsonObject;
  readonly message?: string;
  readonly idempotent?: boolean;
}

/** A session whose server asks this question while its tool runs. The tool returns the answer. */
function startAskingSession({
  properties,
  message = 'Please fill this in.',
  idempotent = true,
}: ElicitationOptions): TestSession {
  const params = { message, requestedSchema: { type: 'object', properties } } as ElicitRequestFormParams;
  const tool = createSayingTool('book', '', {
    annotations: { idempotentHint: idempotent },
    async run(_, { sendRequest }) {
      const answered = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
      return { content: [{ type: 'text', text: JSON.stringify(answered) }] };
    },
  });
  const { client } = createScene([tool]);
  return createSession([mcpToolProvider({ clients: [client] })], [requestTool('book'), 'Booked.']);
}

afterEach(() => vi.restoreAllMocks());

describe('an elicitation form that asks for a credential', () => {
  it.each<[string, ElicitationOptions]>([
    ['the name of a field', { properties: { people: { type: 'integer' }, password: freeText } }],
    ['a part of the name in another case', { properties: { githubAccessToken: freeText } }],
    ['the title of a field', { properties: { first: { ...freeText, title: 'API key' } } }],
    ['a number field for a PIN', { properties: { pin: { type: 'integer' } } }],
    [
      'a default that looks like a credential',
      { properties: { note: { ...freeText, default: `ghp_${'x1'.repeat(18)}` } } },
    ],
    [
      'the message above a field with a general name',
      { properties: { value: freeText }, message: 'Enter your GitHub password.' },
    ],
    [
      'the description of a field',
      { properties: { value: { ...freeText, description: 'The token of your account.' } } },
    ],
  ])('is declined before a person sees it, because of %s', async (_, asked) => {
    const { calls: logged } = vi.spyOn(console, 'warn').mockImplementation(() => undefined).mock;
    const desk = startAskingSession(asked);
    expect(await desk.send('Book a table')).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(desk)).toEqual(['{"action":"decline"}']);
    expect(logged).toEqual([
      [
        expect.stringMatching(
          /^holdfast: MCP server 'shop' asked for a credential while 'book' ran, in its field '[\w.]+', and was declined, because the journal stores what people answer\.$/,
        ),
      ],
    ]);
  });

  it.each<[string, JsonObject]>([
    ['a format', { first: { ...freeText, format: 'password' } }],
    ['a write-only value', { first: { ...freeText, writeOnly: true } }],
    ['a nested field', { login: { type: 'object', properties: { secret: freeText } } }],
  ])('is declined even if an SDK version lets it through: %s', async (_, properties) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { client } = createScene([]);
    // The parts of a call that are used before a person is asked.
    const told = { secrets: Secrets.NONE, log: createConsoleLog() };
    const call = { inSession: true, tool: 'book', ...told } as unknown as CallContext;
    const asked = { message: 'Please.', requestedSchema: { type: 'object', properties } };
    const params = asked as unknown as ElicitRequestFormParams;
    expect(await answerElicitation({ client, effect: 'read', call }, params)).toEqual({ action: 'decline' });
  });

  it('is also declined while a `once` call runs', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const desk = startAskingSession({ properties: { password: freeText }, idempotent: false });
    await desk.send('Book a table');
    expect(getLastResults(desk)).toEqual(['{"action":"decline"}']);
  });

  it.each<[string, ElicitationOptions]>([
    [
      'names that only begin like such a name',
      { properties: { secretary: freeText, passwordless: { type: 'boolean' } } },
    ],
    ['a choice of tokens', { properties: { token: { ...freeText, enum: ['ETH', 'USDC'] } } }],
    ['a number of tokens', { properties: { max_tokens: { type: 'integer' } } }],
    ['a boolean', { properties: { resetPassword: { type: 'boolean' } }, message: 'Reset your password?' }],
    [
      'a description that mentions a password, in a field with a specific name',
      { properties: { steps: { ...freeText, description: 'What was done about the password?' } } },
    ],
  ])('is shown to a person despite %s', async (_, asked) => {
    expect(await startAskingSession(asked).send('Book a table')).toMatchObject({ outcome: 'suspended' });
  });
});

describe('an answer that looks like a credential', () => {
  const KEY = `sk-${'planted7'.repeat(4)}`;
  const why = 'looks like a credential, which is not accepted here: the journal keeps answers';

  it('is rejected so that the person can answer again, and is not journaled', async () => {
    const desk = startAskingSession({ properties: { note: freeText } });
    await desk.send('Book a table');
    const decide = (input: JsonObject, reason?: string) =>
      desk.decide('book', { decision: 'edit', input, ...(reason !== undefined && { reason }) });
    await expect(decide({ note: `It is ${KEY}` })).rejects.toThrow(
      new Error(`The answer is not valid: input.note: ${why}.`),
    );
    await expect(decide({ note: 'a', more: { list: ['b', KEY] } })).rejects.toThrow(
      new Error(`The answer is not valid: input.more.list[1]: ${why}.`),
    );
    await expect(decide({ [KEY]: 'a' })).rejects.toThrow(
      new Error(`The answer is not valid: input: ${why}.`),
    );
    await expect(decide({ note: 'a' }, KEY)).rejects.toThrow(
      new Error(`The answer is not valid: reason: ${why}.`),
    );
    await expect(desk.decide('book', { decision: 'reject', reason: KEY })).rejects.toThrow(
      new Error(`The answer is not valid: reason: ${why}.`),
    );
    expect(await desk.pending()).toHaveLength(1);
    expect(await decide({ note: 'By the window.' })).toMatchObject({ text: 'Booked.' });
    expect(JSON.stringify(await desk.events())).not.toContain('planted7');
  });
});
