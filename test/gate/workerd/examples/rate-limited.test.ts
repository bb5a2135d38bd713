/** A Worker with a custom kind of tool, as in the example, over HTTP. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, onTestFinished, vi } from 'vitest';
import worker from '../../../../src/examples/rate-limited/worker.ts';
import { checkResponses } from '../http/as-described.ts';
import { createSessionPath, ORIGIN, post, readJson, type Send } from '../http/client.ts';

/** Each turn stays in its invocation, because the tests' Worker, which would resume it, lacks the agent. */
const vars = {
  MODEL: 'scribe',
  OPENAI_BASE_URL: 'https://models.example/v1',
  OPENAI_API_KEY: 'sk-scribe',
  SUBREQUESTS: '10000',
};

const via: Send = checkResponses(async (path, init) => {
  const request = new Request(ORIGIN + path, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
  return worker.fetch(request, { ...env, ...vars }, createExecutionContext());
});

/** A message from the model in the chat-completions protocol. */
const createLetterCall = (to: string) => ({
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

const createAssistantMessage = (content: string) => ({ role: 'assistant', content });

/** Serves these messages at the model's address, and returns the requests. */
function serveModel(
  ...messages: readonly object[]
): readonly { readonly messages: readonly ShownMessage[] }[] {
  const asked: { messages: ShownMessage[] }[] = [];
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

interface ShownMessage {
  readonly role: string;
  readonly content: string;
}

it('a rate-limited tool counts its calls across turns, and shows the remaining calls to the model and the counts to the owner', async () => {
  const session = createSessionPath('courier');
  const asked = serveModel(
    createLetterCall('ada'),
    createAssistantMessage('Sent.'),
    createLetterCall('ada'),
    createLetterCall('ada'),
    createLetterCall('ada'),
    createAssistantMessage('No more.'),
  );
  const listResults = () =>
    asked.at(-1)?.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));

  const first = await post(session, { message: 'Write to Ada.' }, { via });
  expect([first.status, (await readJson(first)).text]).toEqual([200, 'Sent.']);
  expect(listResults()).toEqual([
    expect.stringMatching(
      /^Letter \S{8} to ada is on its way to ada\.\n\n2 of 3 calls an hour are left for 'ada'\.$/,
    ),
  ]);

  const second = await post(session, { message: 'Write to her thrice.' }, { via });
  expect([second.status, (await readJson(second)).text]).toEqual([200, 'No more.']);
  expect(listResults()?.slice(-3)).toEqual([
    expect.stringMatching(/\n\n1 of 3 calls an hour are left for 'ada'\.$/),
    expect.stringMatching(/\n\n0 of 3 calls an hour are left for 'ada'\.$/),
    expect.stringMatching(
      /^Error: Not run: all 3 calls an hour for 'ada' are used up\. The next one is possible in \d+ min\.$/,
    ),
  ]);

  const { memory } = await readJson(await via(session));
  expect(Object(memory)['app:rate-limits']).toEqual({
    ada: [expect.any(Number), expect.any(Number), expect.any(Number)],
  });
});
