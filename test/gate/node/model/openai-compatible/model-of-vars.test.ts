import { afterEach, describe, expect, it, vi } from 'vitest';
import { openaiCompatible } from '../../../../../src/model/openai-compatible/entry.ts';
import { ConfigurationError } from '../../../../doors/model.ts';

const SETUP_HINT = 'Set OPENAI_API_KEY or OPENAI_BASE_URL, and MODEL to the name of the model there.';

const NO_SERVER_TEXT = `neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. ${SETUP_HINT} To develop without a language model, set MODEL = "offline", and use orOffline(openaiCompatible()) from 'holdfast/models/offline'.`;

const createModelOfVars = openaiCompatible();
const request = { messages: [{ role: 'user' as const, text: 'Hello' }], tools: [] };
const options = { signal: new AbortController().signal };

/**
 * Returns a secret with these successive values, and the authorization headers that a server received. The
 * server refuses `sk-old`.
 */
function createStoredSecret(...values: readonly (string | Error)[]) {
  const left = [...values];
  const get = vi.fn(async () => {
    const value = left.shift();
    if (value instanceof Error) throw value;
    return value;
  });
  const sent: (string | null)[] = [];
  vi.stubGlobal('fetch', async (_: string, { headers }: RequestInit) => {
    const authorization = new Headers(headers).get('authorization');
    sent.push(authorization);
    if (authorization === 'Bearer sk-old') return Response.json({ error: 'no' }, { status: 401 });
    return Response.json({ choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] });
  });
  return { get, sent };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('`openaiCompatible` without options', () => {
  it.each<[object, string]>([
    [{ OPENAI_API_KEY: 'sk-1' }, 'gpt-5-mini'],
    [{ OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'gpt-5-mini'],
    [{ MODEL: 'llama', OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'llama'],
  ])('reads %j as the model %s', (env, name) => {
    expect(createModelOfVars(env).name).toBe(name);
  });

  it.each<[object, string]>([
    [{}, `This Worker has no model: ${NO_SERVER_TEXT}`],
    [{ MODEL: '', OPENAI_API_KEY: ' ', OPENAI_BASE_URL: '' }, `This Worker has no model: ${NO_SERVER_TEXT}`],
    [{ MODEL: 'gpt-5' }, `MODEL is 'gpt-5', but ${NO_SERVER_TEXT}`],
    [
      { OPENAI_BASE_URL: 'localhost:11434/hunter2' },
      "OPENAI_BASE_URL or OPENAI_API_KEY cannot be used: 'baseURL' must be an http or https URL.",
    ],
    [
      { OPENAI_BASE_URL: 'https://me:hunter2@host.test/v1' },
      "OPENAI_BASE_URL or OPENAI_API_KEY cannot be used: 'baseURL' contains a user name or password. Pass credentials as 'apiKey' or 'headers'.",
    ],
    [
      { OPENAI_API_KEY: 'hunter\n2' },
      "OPENAI_BASE_URL or OPENAI_API_KEY cannot be used: 'apiKey' or 'headers' contains a character that HTTP does not allow in a header.",
    ],
  ])('throws an error for %j that includes the setting', (env, message) => {
    expect(() => createModelOfVars(env)).toThrow(new ConfigurationError(message));
  });

  it('identifies OpenAI as its server if no base URL is set', () => {
    expect(createModelOfVars({ OPENAI_API_KEY: 'sk-1' }).caches).toBe(true);
    expect(createModelOfVars({ OPENAI_BASE_URL: 'http://localhost:11434/v1' }).caches).toBeUndefined();
  });

  it('reads the key from the Secrets Store before the first request', async () => {
    const { get, sent } = createStoredSecret('sk-stored\n');
    const model = createModelOfVars({ OPENAI_API_KEY: { get }, OPENAI_BASE_URL: 'http://server.test/v1' });
    expect([model.name, model.provider, get.mock.calls.length]).toEqual(['gpt-5-mini', 'server.test', 0]);
    for (const _ of [1, 2]) await model.ask(request, options);
    expect([sent, get.mock.calls.length]).toEqual([['Bearer sk-stored', 'Bearer sk-stored'], 1]);
  });

  it('reads the key again after a failure, because it may have been rotated', async () => {
    const { get, sent } = createStoredSecret('sk-old', 'sk-new');
    const model = createModelOfVars({ OPENAI_API_KEY: { get } });
    await expect(model.ask(request, options)).rejects.toThrow('401');
    await model.ask(request, options);
    expect(sent).toEqual(['Bearer sk-old', 'Bearer sk-new']);
  });

  it('reports a key that is missing in the Secrets Store, and reads it again for the next request', async () => {
    const { get, sent } = createStoredSecret(new Error('Secret "x" not found'), 'sk-new');
    const model = createModelOfVars({ OPENAI_API_KEY: { get } });
    await expect(model.ask(request, options)).rejects.toThrow(
      new ConfigurationError('The Secrets Store did not return OPENAI_API_KEY.'),
    );
    await model.ask(request, options);
    expect(sent).toEqual(['Bearer sk-new']);
  });

  it.each([{ MODEL: 'offline' }, { MODEL: ' offline ', OPENAI_API_KEY: 'sk-1' }])(
    'does not use the offline model for %j',
    (env) => {
      expect(() => createModelOfVars(env)).toThrow(
        new ConfigurationError(
          "MODEL is 'offline', which runs in development only, as orOffline(openaiCompatible()) from 'holdfast/models/offline'." +
            ` ${SETUP_HINT}`,
        ),
      );
    },
  );

  it('can be checked at deployment, because it only reads settings', () => {
    expect(createModelOfVars.isChecked).toBe(true);
  });
});
