import { expect, it, vi } from 'vitest';
import { appWith, objectsWith } from './app.ts';
import { json } from './client.ts';

it('an object is asked until one has answered, and no more', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const answers = [
    () => Promise.reject(Object.assign(new Error('no'), { overloaded: true })),
    async () => null,
  ];
  const read = vi.fn(() => answers.shift()?.());
  const via = appWith({}, { SESSIONS: objectsWith(() => ({ read })) });
  const asked = [await via('/health'), await via('/health'), await via('/health')];
  expect(asked.map(({ status }) => status)).toEqual([503, 200, 200]);
  expect(await Promise.all(asked.map(json))).toEqual([
    {
      type: 'urn:holdfast:problem:session-unavailable',
      title: 'session unavailable',
      status: 503,
      detail: 'The session cannot be reached now. Send the request again.',
    },
    { status: 'ok' },
    { status: 'ok' },
  ]);
  expect(read).toHaveBeenCalledTimes(2);
  log.mockRestore();
});
