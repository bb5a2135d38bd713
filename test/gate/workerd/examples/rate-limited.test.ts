/** A Worker with a custom kind of tool, as in the example, over HTTP. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, onTestFinished, vi } from 'vitest';
import worker from '../../../../src/examples/rate-limited/worker.ts';
import { checkingResponses } from '../http/as-described.ts';
import { json, newSession, ORIGIN, post, type Send } from '../http/client.ts';

/**
 * Each turn stays in its invocation, because the tests' Worker, which would run the next one, lacks the
 * agent.
 */
const vars = {
  MODEL: 'scribe',
  OPENAI_BASE_URL: 'https://models.example/v1',
  OPENAI_API_KEY: 'sk-scribe',
  SUBREQUESTS: '10000',
};

const via: Send = checkingResponses(async (path, init) => {
  const request = new Request(ORIGIN + path, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
  return worker.fetch(request, { ...env, ...vars }, createExecutionContext());
});

/** A message of the model in the chat-completions protocol. */
const letter = (to: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [
    {
      id: `to-${to}`,
      type: 'function',
      function: { name: 'send_letter', arguments: JSON.stringify({ to, text: 'Hello.' }) },
    },
  ],
});

const assistantMessage = (content: string) => ({ role: 'assistant', content });

/** Serves these messages at the model's address, and returns the requests. */
function serveModel(...messages: readonly object[]): readonly { readonly messages: readonly Shown[] }[] {
  const asked: { messages: Shown[] }[] = [];
  const left = [...messages];
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    expect(request.url).toBe(`${vars.OPENAI_BASE_URL}/chat/completions`);
    asked.push(await request.json());
    const message = left.shift();
    const finish_reason = message && 'tool_calls' in message ? 'tool_calls' : 'stop';
    return Response.json({ id: 'c', model: vars.MODEL, choices: [{ index: 0, message, finish_reason }] });
  });
  onTestFinished(() => fetching.mockRestore());
  return asked;
}

interface Shown {
  readonly role: string;
  readonly content: string;
}

it('a rate-limited tool counts its calls across turns, and shows the remaining calls to the model and the counts to the owner', async () => {
  const session = newSession('courier');
  const asked = serveModel(
    letter('ada'),
    assistantMessage('Sent.'),
    letter('ada'),
    letter('ada'),
    letter('ada'),
    assistantMessage('No more.'),
  );
  const results = () =>
    asked.at(-1)?.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));

  const first = await post(session, { message: 'Write to Ada.' }, { via });
  expect([first.status, (await json(first)).text]).toEqual([200, 'Sent.']);
  expect(results()).toEqual([
    expect.stringMatching(
      /^Letter \S{8} to ada is on its way to ada\.\n\n2 of 3 calls an hour are left for 'ada'\.$/,
    ),
  ]);

  const second = await post(session, { message: 'Write to her thrice.' }, { via });
  expect([second.status, (await json(second)).text]).toEqual([200, 'No more.']);
  expect(results()?.slice(-3)).toEqual([
    expect.stringMatching(/\n\n1 of 3 calls an hour are left for 'ada'\.$/),
    expect.stringMatching(/\n\n0 of 3 calls an hour are left for 'ada'\.$/),
    expect.stringMatching(
      /^Error: Not run: all 3 calls an hour for 'ada' are used up\. The next one is possible in \d+ min\.$/,
    ),
  ]);

  const { memory } = await json(await via(session));
  expect(Object(memory)['app:rate-limits']).toEqual({
    ada: [expect.any(Number), expect.any(Number), expect.any(Number)],
  });
});
