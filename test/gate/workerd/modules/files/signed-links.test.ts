/** Signed URLs of files, with which a page shows them without a token. */
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { a2a } from '../../../../../src/examples/a2a/a2a.ts';
import { agUi } from '../../../../../src/examples/ag-ui/ag-ui.ts';
import { content, defineAgent, defineTool, image } from '../../../../../src/index.ts';
import { defineModule, defineRoute } from '../../../../../src/module.ts';
import { type FilesConfig, files } from '../../../../../src/modules/files/entry.ts';
import { aiSdkUi } from '../../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { openAi } from '../../../../../src/surfaces/openai/entry.ts';
import { modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { getLastParts, loadMessages, openChat } from '../../../../fixtures/ui-chat.ts';
import { type AppConfig, createTestApp } from '../../http/app.ts';
import { readJson, type Send } from '../../http/client.ts';
import { MEDIA_TYPES } from '../../http/file-app.ts';
import { PIXEL_BYTES } from '../../surfaces/desk.ts';

const KEY = 'c0ffee00c0ffee11c0ffee22c0ffee33deadbeef';

const desk = defineAgent({
  name: 'desk',
  description: 'Draws.',
  instructions: 'Draw.',
  tools: [
    defineTool({
      name: 'draw',
      description: 'Draws.',
      effect: 'read',
      run: () => content(['A pixel:', image(PIXEL_BYTES, 'image/png', 'dot.png')]),
    }),
  ],
  model: { ...modelBySession, media: MEDIA_TYPES },
});

interface LinksConfig extends FilesConfig {
  readonly key?: string | undefined;
  readonly app?: AppConfig;
}

/** An app whose callers need a token, and one of its callers. */
function createApp({ key = KEY, app = {}, ...config }: LinksConfig = {}) {
  const open = createTestApp(
    {
      agents: [desk],
      use: [aiSdkUi(), openAi(), agUi(), a2a({ agents: ['desk'] }), files(config)],
      auth: ({ headers }) => {
        const id = /^Bearer (\w+)$/.exec(headers.get('authorization') ?? '')?.[1];
        return id === undefined ? null : id === 'acme' ? { id: 'ada', tenant: 'acme' } : { id };
      },
      ...app,
    },
    { ...env, HOLDFAST_FILES_KEY: key },
  );
  const as =
    (id: string): Send =>
    (path, init) => {
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Bearer ${id}`);
      return open(path, { ...init, headers });
    };
  return { open, as, ada: as('ada') };
}

const drawMessage = () => registerScript({ calls: [{ name: 'draw' }] }, 'There.').message();

/** Returns the URL that a page receives for a file created by a call. */
async function drawImage(via: Send, id: string = crypto.randomUUID()): Promise<string> {
  const { chat } = openChat({ version: 7, agent: 'desk', via, id });
  await chat.sendMessage({ text: drawMessage() });
  return String(getLastParts(chat).find(({ type }) => type === 'file')?.url);
}

const listHeaders = ({ headers }: Response, ...names: readonly string[]) =>
  names.map((name) => headers.get(name));

/** Returns the response to a changed URL. */
async function getChanged(via: Send, url: string, change: (url: URL) => void): Promise<unknown[]> {
  const other = new URL(url);
  change(other);
  const response = await via(other.href);
  const [cache, shared] = listHeaders(response, 'cache-control', 'cross-origin-resource-policy');
  expect([cache, shared]).toEqual(['no-store', 'same-origin']);
  const { type, detail } = await readJson(response);
  return [response.status, String(type).split(':').at(-1), detail];
}

const RELOAD_ADVICE = 'Load the messages again to get current URLs.';
const WRONG_SIGNATURE = [
  403,
  'invalid-signature',
  `The signature of this URL is not valid. ${RELOAD_ADVICE}`,
];

describe('a signed URL', () => {
  it('shows its file without a token, to the page of any site, until it expires', async () => {
    const { open, ada } = createApp();
    const url = await drawImage(ada);
    const response = await open(url);
    expect(response.status).toBe(200);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(PIXEL_BYTES);
    const names = ['cross-origin-resource-policy', 'content-type', 'x-content-type-options'];
    expect(listHeaders(response, ...names)).toEqual(['cross-origin', 'image/png', 'nosniff']);
    expect(listHeaders(response, 'content-security-policy')).toEqual(["default-src 'none'; sandbox"]);
    const [cache] = listHeaders(response, 'cache-control');
    const left = Number(/^private, max-age=(\d+)$/.exec(String(cache))?.[1]);
    expect(left).toBeGreaterThan(900 - 60);
    expect(left).toBeLessThanOrEqual(1800);
    const tag = String(response.headers.get('etag'));
    const known = await open(url, { headers: { 'if-none-match': tag } });
    expect([known.status, ...listHeaders(known, 'cross-origin-resource-policy')]).toEqual([
      304,
      'cross-origin',
    ]);
    expect((await open(url, { method: 'HEAD' })).status).toBe(200);
  });

  it('is the same in the stream and in the loaded messages, including the user’s files', async () => {
    const { open, ada } = createApp();
    const id = crypto.randomUUID();
    const { chat } = openChat({ version: 7, agent: 'desk', via: ada, id });
    const sent = {
      type: 'file',
      mediaType: 'image/png',
      filename: 'mine.png',
      url: `data:image/png;base64,${btoa('mine')}`,
    };
    await chat.sendMessage({ text: drawMessage(), files: [sent] });
    const [said, shown] = await loadMessages(ada, { agent: 'desk', id, version: 7 });
    expect(shown?.parts).toEqual(getLastParts(chat));
    const mine = said?.parts.find(({ type }) => type === 'file');
    expect(await (await open(String(mine?.url))).text()).toBe('mine');
  });

  it('works for a tenant’s session', async () => {
    const { open, as } = createApp();
    const url = await drawImage(as('acme'));
    expect(new URL(url).searchParams.get('tenant')).toBe('acme');
    expect((await open(url)).status).toBe(200);
  });

  it('grants no access to another file, session, agent, owner or time', async () => {
    const { open, ada, as } = createApp();
    const [first, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const url = await drawImage(ada, first);
    await drawImage(ada, other);
    await drawImage(as('eve'), first);
    const replaceInPath = (what: string | RegExp, instead: string) => (one: URL) => {
      one.pathname = one.pathname.replace(what, instead);
    };
    const setParam = (name: string, value: string) => (one: URL) => one.searchParams.set(name, value);
    expect(await getChanged(open, url, replaceInPath(first, other))).toEqual(WRONG_SIGNATURE);
    expect(await getChanged(open, url, setParam('owner', 'eve'))).toEqual(WRONG_SIGNATURE);
    expect(await getChanged(open, url, setParam('tenant', 'ada'))).toEqual(WRONG_SIGNATURE);
    expect(await getChanged(open, url, setParam('exp', '99999999999'))).toEqual(WRONG_SIGNATURE);
    expect(await getChanged(open, url, setParam('exp', 'never'))).toEqual(WRONG_SIGNATURE);
    expect(await getChanged(open, url, setParam('sig', ''))).toEqual(WRONG_SIGNATURE);
    expect(await getChanged(open, url, setParam('sig', 'ü'))).toEqual(WRONG_SIGNATURE);
    const file = 'f'.repeat(64);
    expect(await getChanged(open, url, replaceInPath(/[^/]+$/, file))).toEqual(WRONG_SIGNATURE);
    expect(await getChanged(open, url, (one) => one.searchParams.delete('sig'))).toEqual([
      401,
      'unauthorized',
      'Send valid credentials.',
    ]);
    // Another app has another key, or no key.
    const stranger = createApp({ key: 'another key of forty-two random characters' });
    expect(await getChanged(stranger.open, url, () => {})).toEqual(WRONG_SIGNATURE);
    expect(await getChanged(createApp({ key: '' }).open, url, () => {})).toEqual(WRONG_SIGNATURE);
    // The URL grants only read access.
    expect((await open(url, { method: 'DELETE' })).status).toBe(401);
  });

  it('is refused after it has expired, with the reason', async () => {
    const { open, ada } = createApp({ linkSeconds: 60 });
    const url = await drawImage(ada);
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + 121_000);
    try {
      expect(await getChanged(open, url, () => {})).toEqual([
        403,
        'invalid-signature',
        `This URL of the file has expired. ${RELOAD_ADVICE}`,
      ]);
    } finally {
      clock.mockRestore();
    }
  });

  it('reports that its file was deleted', async () => {
    const { open, ada } = createApp();
    const url = await drawImage(ada);
    await ada(new URL(url).pathname, { method: 'DELETE' });
    expect(await getChanged(open, url, () => {})).toEqual([404, 'unknown-file', expect.any(String)]);
  });
});

describe('an app without the key', () => {
  it('has URLs that need the token, and responses only for its own site', async () => {
    const { open, ada } = createApp({ key: '' });
    const url = await drawImage(ada);
    expect(new URL(url).search).toBe('');
    expect((await open(url)).status).toBe(401);
    const response = await ada(url);
    const names = ['cross-origin-resource-policy', 'cache-control'];
    expect([response.status, ...listHeaders(response, ...names)]).toEqual([200, 'same-origin', 'no-store']);
  });
});

describe('a key', () => {
  it.each(['secret', 'a'.repeat(40), ' 0101010101010101010101010101010101010101 '])(
    'is refused with an alternative if it can be guessed: %s',
    async (key) => {
      const response = await createApp({ key }).ada('/agents/desk/sessions/s1');
      expect(response.status).toBe(500);
      expect(await readJson(response)).toMatchObject({
        type: 'urn:holdfast:problem:misconfigured',
        detail:
          'HOLDFAST_FILES_KEY can be guessed. Use at least 32 random characters, such as those that `openssl rand -hex 32` prints, ' +
          'or remove it. File URLs then need the token.',
      });
    },
  );

  it('can be in the Secrets Store, and is read again after a failure', async () => {
    let isThere = false;
    const get = async (): Promise<string> => {
      if (!isThere) throw new Error('The store is unavailable.');
      return KEY;
    };
    const { ada, open } = createApp({ key: { get } as never });
    await drawImage(ada).catch(() => {});
    isThere = true;
    expect((await open(await drawImage(ada))).status).toBe(200);
  });
});

describe('files({ linkSeconds })', () => {
  it.each([59, 86_401, 90.5, Number.NaN, '900'])('refuses %s', (linkSeconds) => {
    expect(() => files({ linkSeconds: linkSeconds as number })).toThrow(
      /^files has .* as its 'linkSeconds'\. Use a whole number from 60 to 86400\.$/,
    );
  });
});

describe('signed URLs are in', () => {
  const post = async (via: Send, path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    return (await via(path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  };

  /** Returns the URL in an answer, which is JSON. */
  const findFileUrl = (text: string): string => /https?:[^"\\]+\/files\/[^"\\]+/.exec(text)?.[0] ?? '';

  it.each([
    ['the output of a call in a response', '/v1/responses', (input: string) => ({ model: 'desk', input })],
    [
      'a task of A2A',
      '/a2a/desk',
      (text: string) => {
        const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
        return { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
      },
    ],
    [
      'the stream of a task of A2A',
      '/a2a/desk',
      (text: string) => {
        const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
        return { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } };
      },
    ],
    [
      'a run of AG-UI',
      '/agents/desk/ag-ui',
      (text: string) => ({
        ...{
          threadId: crypto.randomUUID(),
          runId: 'r1',
          tools: [],
          context: [],
          state: {},
          forwardedProps: {},
        },
        messages: [{ id: 'm1', role: 'user', content: text }],
      }),
    ],
  ])('%s', async (_, path, bodyOf) => {
    const { ada, open } = createApp();
    const url = findFileUrl(await post(ada, path, bodyOf(drawMessage())));
    expect(new URL(url).searchParams.get('sig')).toMatch(/^[\w-]{43}$/);
    expect(new Uint8Array(await (await open(url)).arrayBuffer())).toEqual(PIXEL_BYTES);
  });

  it('the output of a call, next to the text of the tool', async () => {
    const answer = JSON.parse(
      await post(createApp().ada, '/v1/responses', { model: 'desk', input: drawMessage() }),
    );
    const { output } = Object(answer.output[0]);
    expect(output).toMatch(
      /^A pixel:\s+dot\.png: http:\/\/localhost\/agents\/desk\/sessions\/[^/]+\/files\/\w{64}\?owner=ada&exp=\d+&sig=/,
    );
  });

  it('content that an app’s surface creates on request', async () => {
    const mine = defineModule({ name: 'mine' }).use({
      routes: [
        defineRoute({
          method: 'GET',
          path: '/mine/{session}/{file}',
          handle: async (asked, { session, file }) =>
            new Response(await asked.fileUrl({ agent: 'desk', session, file })),
        }),
      ],
    });
    const { ada, open } = createApp({ app: { use: [aiSdkUi(), files(), mine] } });
    const url = new URL(await drawImage(ada));
    const [, , , , session, , file] = url.pathname.split('/');
    const made = await (await ada(`/mine/${session}/${file}`)).text();
    expect(made).toBe(url.href);
    expect((await open(made)).status).toBe(200);
  });
});
