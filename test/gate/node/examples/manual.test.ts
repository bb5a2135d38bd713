/**
 * Tests the agent of docs/models.md with its own model: Claude, with GPT as a fallback. The fake servers
 * refuse requests that do not send their reasoning back.
 */
import { afterEach, expect, it, vi } from 'vitest';
import { manual } from '../../../../src/examples/manual/manual.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createAnthropicWire } from '../../../wires/anthropic.ts';
import { createResponsesWire } from '../../../wires/responses.ts';
import { createJsonResponse, type Script } from '../../../wires/wire.ts';

const createReadReply = (chapter: number) => ({ calls: [{ name: 'read_chapter', input: { chapter } }] });
const script: Script = {
  turns: [{ steps: [createReadReply(1), createReadReply(2)], answer: 'By the lever (chapter 2).' }],
};

const LONG_TEXT = 'The lever is below the seat. '.repeat(4_000);

/** The handlers of the agent's requests, by host. */
type Servers = Readonly<Record<string, (request: Request) => Promise<Response>>>;

/** Returns a session of the agent whose API keys are set, and whose network has these servers. */
function startSessionAt(servers: Servers) {
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const { host } = new URL(request.url);
    return host === 'manual.example' ? new Response(LONG_TEXT) : servers[host]?.(request);
  });
  const model = manual.modelOf?.({ ANTHROPIC_API_KEY: 'sk-ant-1', OPENAI_API_KEY: 'sk-1' });
  if (!model) throw new Error('The agent must have its own model.');
  return createTestSession(manual, { model });
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('the manual agent calls Claude, sends its reasoning back, and can continue in a long chapter', async () => {
  const claude = createAnthropicWire({ script, variants: [] });
  const session = startSessionAt({ 'api.anthropic.com': (request) => claude.handle(request) });
  const answer = await session.send('How is it adjusted?');
  expect([answer.outcome, answer.text, answer.model]).toEqual([
    'completed',
    'By the lever (chapter 2).',
    'claude-sonnet-4-5',
  ]);
  expect(claude.refused).toEqual([]);
  expect(claude.requests).toHaveLength(3);
  expect(JSON.stringify(claude.requests[1])).toContain('read on with read_result(');
  const kept = claude.requests.map(
    (body) => JSON.stringify(body).split('{"type":"ephemeral","ttl":"1h"}').length - 1,
  );
  expect(kept).toEqual([3, 3, 3]);
});

it('the manual agent calls GPT while Claude is overloaded, sends its reasoning back, and computes the price', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const gpt = createResponsesWire({ script });
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const session = startSessionAt({
    'api.anthropic.com': async () => createJsonResponse(overloaded, 529),
    'api.openai.com': (request) => gpt.handle(request),
  });
  const answer = await session.send('How is it adjusted?');
  expect([answer.outcome, answer.text, answer.model]).toEqual([
    'completed',
    'By the lever (chapter 2).',
    'gpt-5-mini',
  ]);
  expect(gpt.refused).toEqual([]);
  expect(gpt.requests).toHaveLength(3);
  const key = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(gpt.requests).toEqual(gpt.requests.map(() => expect.objectContaining({ prompt_cache_key: key })));
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = answer.usage;
  const usd = ((inputTokens - cachedInputTokens) * 0.25 + cachedInputTokens * 0.025 + outputTokens * 2) / 1e6;
  expect(answer.usage).toMatchObject({ cost: expect.closeTo(usd, 10) });
  expect(warned.mock.calls[0]?.[0]).toContain("the model 'claude-sonnet-4-5' failed (server-error)");
});
