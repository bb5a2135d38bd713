import { describe, expect, it, vi } from 'vitest';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { ConfigurationError, chooseModel, type ModelEnvironment } from '../../../doors/model.ts';

const OFFLINE =
  'To run without a language model, set MODEL = "offline" and give the planner to createHoldfast: ' +
  "createHoldfast({ offline: offlineModel, ... }), with offlineModel from 'holdfast/models/offline'.";

const NO_MODEL =
  'This Worker has no model: none of MODEL, OPENAI_API_KEY and OPENAI_BASE_URL is set. Set OPENAI_API_KEY or ' +
  `OPENAI_BASE_URL, and MODEL to the name of the model there; or give createHoldfast a \`model\`. ${OFFLINE}`;

describe('chooseModel', () => {
  it.each<[ModelEnvironment, string]>([
    [{ MODEL: 'offline' }, offlineModel().name],
    [{ MODEL: 'offline', OPENAI_API_KEY: 'sk-1' }, offlineModel().name],
    [{ OPENAI_API_KEY: 'sk-1' }, 'gpt-5-mini'],
    [{ OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'gpt-5-mini'],
    [{ MODEL: 'llama', OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'llama'],
  ])('follows %j to %s', (env, name) => {
    expect(chooseModel(env, offlineModel).name).toBe(name);
  });

  it.each<[ModelEnvironment, string]>([
    [{}, NO_MODEL],
    [{ MODEL: '', OPENAI_API_KEY: ' ', OPENAI_BASE_URL: '' }, NO_MODEL],
    [
      { MODEL: 'gpt-5' },
      `MODEL is 'gpt-5', but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. Set one of them. ${OFFLINE}`,
    ],
    [
      { OPENAI_BASE_URL: 'localhost:11434/hunter2' },
      'OPENAI_BASE_URL is not an http or https URL. Set it to one such as https://api.openai.com/v1.',
    ],
    [
      { OPENAI_BASE_URL: 'https://me:hunter2@host.test/v1' },
      "OPENAI_BASE_URL or OPENAI_API_KEY cannot be used: 'baseURL' holds a user name or password; give credentials as 'apiKey' or 'headers'.",
    ],
    [
      { OPENAI_API_KEY: 'hunter\n2' },
      "OPENAI_BASE_URL or OPENAI_API_KEY cannot be used: 'apiKey' or 'headers' holds a character that HTTP does not allow in a header.",
    ],
  ])('refuses %j by the name of the setting', (env, message) => {
    expect(() => chooseModel(env, offlineModel)).toThrow(new ConfigurationError(message));
  });

  it('asks the Secrets Store for the key, with the first request', async () => {
    let asked = 0;
    const get = async () => {
      asked += 1;
      return 'sk-stored\n';
    };
    const model = chooseModel({ OPENAI_API_KEY: { get }, OPENAI_BASE_URL: 'http://server.test/v1' });
    expect([model.name, model.provider, asked]).toEqual(['gpt-5-mini', 'server.test', 0]);
    const sent: (string | null)[] = [];
    vi.stubGlobal('fetch', async (_: string, { headers }: RequestInit) => {
      sent.push(new Headers(headers).get('authorization'));
      return Response.json({ choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] });
    });
    const request = { messages: [{ role: 'user' as const, text: 'Hello' }], tools: [] };
    for (const _ of [1, 2]) await model.ask(request, { signal: new AbortController().signal });
    vi.unstubAllGlobals();
    expect([sent, asked]).toEqual([['Bearer sk-stored', 'Bearer sk-stored'], 1]);
  });

  it('names the key that the Secrets Store does not give', async () => {
    const get = () => Promise.reject(new Error('Secret "x" not found'));
    const model = chooseModel({ OPENAI_API_KEY: { get } });
    const request = { messages: [{ role: 'user' as const, text: 'Hello' }], tools: [] };
    await expect(model.ask(request, { signal: new AbortController().signal })).rejects.toThrow(
      new ConfigurationError('The Secrets Store did not give OPENAI_API_KEY.'),
    );
  });

  it('asks no planner that it was not given', () => {
    expect(() => chooseModel({ MODEL: 'offline', OPENAI_API_KEY: 'sk-1' })).toThrow(
      new ConfigurationError(
        "MODEL is 'offline', but this Worker has no planner. Give it to createHoldfast: createHoldfast({ offline: offlineModel, " +
          "... }), with offlineModel from 'holdfast/models/offline'. For a language model, set OPENAI_API_KEY or OPENAI_BASE_URL, " +
          'and MODEL to the name of the model there.',
      ),
    );
  });
});
