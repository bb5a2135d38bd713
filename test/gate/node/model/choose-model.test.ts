import { describe, expect, it } from 'vitest';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { ConfigurationError, chooseModel, type ModelEnvironment } from '../../../doors/model.ts';

describe('chooseModel', () => {
  it.each<[ModelEnvironment, string]>([
    [{}, offlineModel().name],
    [{ MODEL: '', OPENAI_API_KEY: ' ', OPENAI_BASE_URL: '' }, offlineModel().name],
    [{ MODEL: 'offline' }, offlineModel().name],
    [{ MODEL: 'offline', OPENAI_API_KEY: 'sk-1' }, offlineModel().name],
    [{ OPENAI_API_KEY: 'sk-1' }, 'gpt-5-mini'],
    [{ OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'gpt-5-mini'],
    [{ MODEL: 'llama', OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'llama'],
  ])('follows %j to %s', (env, name) => {
    expect(chooseModel(env).name).toBe(name);
  });

  it.each<[ModelEnvironment, string]>([
    [
      { MODEL: 'gpt-5' },
      "MODEL is 'gpt-5', but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. Set one of them, or set MODEL to 'offline'.",
    ],
    [
      { OPENAI_BASE_URL: 'localhost:11434/hunter2' },
      'OPENAI_BASE_URL is not an http or https URL. Set it to one such as https://api.openai.com/v1.',
    ],
    [
      { OPENAI_BASE_URL: 'https://me:hunter2@host.test/v1' },
      "OPENAI_BASE_URL or OPENAI_API_KEY cannot be used: 'baseUrl' holds a user name or password; give credentials as 'apiKey' or 'headers'.",
    ],
    [
      { OPENAI_API_KEY: 'hunter\n2' },
      "OPENAI_BASE_URL or OPENAI_API_KEY cannot be used: 'apiKey' or 'headers' holds a character that HTTP does not allow in a header.",
    ],
  ])('refuses %j by the name of the setting', (env, message) => {
    expect(() => chooseModel(env)).toThrow(new ConfigurationError(message));
  });
});
