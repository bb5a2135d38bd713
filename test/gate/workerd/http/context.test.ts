import { describe, expect, it, vi } from 'vitest';
import { LOOP_ID_KEY } from '../../../../src/index.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { recordings, scripted } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, failingAgent } from './app.ts';
import {
  createSessionPath,
  followToEnd,
  post,
  readAllEvents,
  readJournal,
  readJson,
  SSE_HEADERS,
  send,
} from './client.ts';

const createRecordReply = (note: string) => ({ calls: [{ name: 'record', input: { note } }] });
/** Returns the context of the tool without the loop's id, which every turn has. */
function findContext(note: string): unknown {
  const { [LOOP_ID_KEY]: loopId, ...rest } = Object(recordings.find((one) => one.note === note)?.context);
  expect(loopId).toMatch(/^[0-9a-f]{16}$/);
  return rest;
}

describe('the context of a message', () => {
  it('reaches the tools from the body, and mapped headers override it, so a body cannot choose a tenant', async () => {
    const { message } = registerScript(createRecordReply('both'), 'Done.');
    const body = { message: message(), context: { tenant: 'from the body', nested: { a: [1, null] } } };
    const headers = { 'X-Locale': 'nl', 'x-tenant': 'from the header', 'x-other': 'not mapped' };
    await post(createSessionPath(), body, { headers });
    expect(findContext('both')).toEqual({
      locale: 'nl',
      tenant: 'from the header',
      nested: { a: [1, null] },
    });
  });

  it('reaches the tools of a turn in the background', async () => {
    const session = createSessionPath();
    const { message } = registerScript(createRecordReply('bg-context'), 'Done.');
    const headers = { prefer: 'respond-async', 'x-locale': 'nl' };
    await post(session, { message: message(), context: { a: 1 } }, { headers });
    await followToEnd(session);
    expect(findContext('bg-context')).toEqual({ locale: 'nl', a: 1 });
  });

  it('applies only to its turn', async () => {
    const session = createSessionPath();
    const { message } = registerScript('One.', createRecordReply('of its turn'), 'Two.');
    await post(session, { message: message(), context: { a: 1 } });
    await post(session, { message: 'Next', context: { b: 2 } });
    expect(findContext('of its turn')).toEqual({ b: 2 });
  });

  it('is never shown to the model', async () => {
    const { message, model } = registerScript(createRecordReply('hidden'), 'Done.');
    const body = { message: message(), context: { a: 'hidden-value' } };
    await post(createSessionPath(), body, { headers: { 'x-locale': 'hidden-locale' } });
    expect(model.requests.length).toBe(2);
    expect(JSON.stringify(model.requests)).not.toMatch(/hidden-value|hidden-locale/);
  });
});

describe('a credential', () => {
  it('appears in no event, state, problem or line of output', async () => {
    const lines: unknown[] = [];
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((...said) => void lines.push(...said)),
    );
    const app = createTestApp(
      { agents: [scripted, failingAgent], http: { contextHeaders: { 'x-locale': 'locale' } } },
      { HOLDFAST_TOKEN: 'tok-zq4711' },
    );
    const headers = {
      authorization: 'Bearer tok-zq4711',
      cookie: 'sid=cookie-zq4711',
      'proxy-authorization': 'proxy-zq4711',
      'x-locale': 'nl',
    };
    const via: typeof app = (path, init) =>
      app(path, { ...init, headers: { ...headers, ...Object(init?.headers) } });
    const session = createSessionPath();
    const { message } = registerScript(createRecordReply('secret'), 'Done.', () => {
      throw new Error('inside');
    });
    const said = [
      await readJson(await post(session, { message: message() }, { via })),
      await readJson(await post(session, { message: 'Fail' }, { via })),
      await readJson(await post(createSessionPath('broken'), { message: 'Hello' }, { via })),
      await readJson(await post(session, { message: 7 }, { via })),
      await readJson(await post(session, '{', { via })),
      await readJson(await via('/agents/tok/sessions/s1')),
      await readJson(await app(session, { headers: { ...headers, authorization: 'Bearer tok-zq4711x' } })),
      await readAllEvents(await post(session, { message: 'More' }, { headers: SSE_HEADERS, via })),
      await readJournal(session, via),
      await readJson(await via(session)),
      findContext('secret'),
    ];
    for (const spy of spies) spy.mockRestore();
    expect(lines.length).toBeGreaterThan(0);
    const output = lines.map((line) => (line instanceof Error ? `${line.stack}` : JSON.stringify(line)));
    expect(JSON.stringify([said, output])).not.toContain('zq4711');
  });
});

describe('an app without a usable model', () => {
  it.each([{}, { prefer: 'respond-async' }])(
    'refuses a message and stores no events: %j',
    async (headers) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      const agent = { ...scripted, model: undefined };
      const app = createTestApp({ agents: [agent], model: openaiCompatible() }, { MODEL: 'gpt-5' });
      const session = createSessionPath();
      const response = await post(session, { message: 'Hello' }, { headers, via: app });
      expect(response.status).toBe(500);
      expect(await readJson(response)).toEqual({
        type: 'urn:holdfast:problem:misconfigured',
        title: 'misconfigured',
        status: 500,
        detail:
          "MODEL is 'gpt-5', but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. Set OPENAI_API_KEY or OPENAI_BASE_URL, and MODEL to " +
          'the name of the model there. To develop without a language model, set MODEL = "offline", and use orOffline(openaiCompatible()) from \'holdfast/models/offline\'.',
      });
      expect(log).toHaveBeenCalledOnce();
      expect((await send(session)).status).toBe(404);
      log.mockRestore();
    },
  );
});
