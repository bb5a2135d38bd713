/** The contents of published agents' sessions: files and artifacts, for the session's owner. */
import { describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../../../src/create-holdfast.ts';
import {
  type Agent,
  artifact,
  content,
  defineAgent,
  defineTool,
  file,
  image,
} from '../../../../../src/index.ts';
import { mcpResult } from '../../../../../src/mcp/server/entry.ts';
import { type FileStore, files } from '../../../../../src/modules/files/entry.ts';
import { modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { computeFileId } from '../../http/file-app.ts';
import { connectNewest, REVISIONS } from './both-revisions.ts';
import {
  callTool,
  connectClient,
  createEndpointApp,
  createRpcRequest,
  createSessionId,
  getView,
  postMcp,
  readMessages,
  requestAnswer,
} from './talk.ts';

const PNG = new Uint8Array([137, 80, 78, 71]);
const encodeText = (text: string) => new TextEncoder().encode(text);

const draw = defineTool({
  name: 'draw',
  description: 'Draws.',
  run: () =>
    content([
      'Drawn.',
      image(PNG, 'image/png', 'chart.png'),
      file(encodeText('a,b'), 'text/csv', 'table.csv'),
      file(new Uint8Array([255, 254]), 'text/plain'),
    ]),
});
const invoice = defineTool({
  name: 'invoice',
  description: 'Bills.',
  run: () => artifact('Billed.', { name: 'Invoice' }, { total: 12 }),
});
const lookUp = defineTool({ name: 'look_up', description: 'Looks up.', run: () => ({ found: true }) });
const remote = defineTool({
  name: 'remote',
  description: 'Answers as a server of MCP does.',
  run: () => mcpResult([{ type: 'image', data: 'aA==', mimeType: 'image/png' }]),
});

const painter = defineAgent({
  name: 'painter',
  description: 'Paints.',
  instructions: 'Follow the script.',
  tools: [draw, invoice, lookUp, remote],
  model: modelBySession,
  limits: { iterations: 50 },
});
const hiddenAgent: Agent = { ...painter, name: 'hidden' };

const auth = ({ headers }: Request): Caller => ({ id: headers.get('x-user') ?? 'anna' });
const app = { agents: [painter, hiddenAgent], auth, use: [files()] };
const via = createEndpointApp({ agents: ['painter'] }, app);

/** Runs a turn that calls these tools, and returns the links in its answer. */
async function createLinks(
  names: readonly string[],
  { agent = 'painter', session = createSessionId(), to = via } = {},
): Promise<readonly Record<string, unknown>[]> {
  const { message } = registerScript({ calls: names.map((name) => ({ name, input: {} })) }, 'Done.');
  const answer = await callTool(to, agent, { message: message('Paint'), session });
  expect(getView(answer).outcome).toBe('completed');
  return answer.content.filter(({ type }) => type === 'resource_link') as never;
}

const createMissingError = (uri: string) => ({
  error: {
    code: -32602,
    message: `There is no resource '${uri}'. See resources/list and resources/templates/list.`,
    data: { uri },
  },
});

describe('an endpoint with agents', () => {
  it('has a template for the files of their sessions, and one for the artifacts', async () => {
    const client = await connectClient(via);
    expect(client.getServerCapabilities()).toMatchObject({ resources: {}, completions: {} });
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      {
        uriTemplate: 'holdfast://{agent}/{session}/files/{id}',
        name: 'session-file',
        description: 'A file of a session, by its id: the SHA-256 of its bytes.',
      },
      {
        uriTemplate: 'holdfast://{agent}/{session}/artifacts/{call}',
        name: 'session-artifact',
        description: 'The value that a call of a session returned, by the id of the call.',
        mimeType: 'application/json',
      },
    ]);
    await client.close();
  });

  it.each([
    ['first', connectClient],
    ['second', connectNewest],
  ])('links each result of a turn once, and the client of the %s SDK reads it', async (_, connect) => {
    const session = createSessionId();
    const links = await createLinks(['draw', 'draw', 'invoice', 'look_up'], { session });
    const at = `holdfast://painter/${session}`;
    const [png, csv, odd] = await Promise.all(
      [PNG, encodeText('a,b'), new Uint8Array([255, 254])].map((one) => computeFileId(new Uint8Array(one))),
    );
    expect(links).toEqual([
      {
        type: 'resource_link',
        uri: `${at}/files/${png}`,
        name: 'chart.png',
        mimeType: 'image/png',
        size: 4,
      },
      { type: 'resource_link', uri: `${at}/files/${csv}`, name: 'table.csv', mimeType: 'text/csv', size: 3 },
      { type: 'resource_link', uri: `${at}/files/${odd}`, name: odd, mimeType: 'text/plain', size: 2 },
      {
        type: 'resource_link',
        uri: expect.stringMatching(/\/artifacts\/.+\.\d+\.2$/),
        name: 'Invoice',
        description: 'The result of the tool invoice.',
        mimeType: 'application/json',
      },
    ]);
    const client = await connect(via);
    const contents = await Promise.all(
      links.map(async ({ uri }) => (await client.readResource({ uri: String(uri) })).contents[0]),
    );
    expect(contents).toEqual([
      { uri: links[0]?.uri, mimeType: 'image/png', blob: 'iVBORw==' },
      { uri: links[1]?.uri, mimeType: 'text/csv', text: 'a,b' },
      { uri: links[2]?.uri, mimeType: 'text/plain', blob: '//4=' },
      { uri: links[3]?.uri, mimeType: 'application/json', text: '{"total":12}' },
    ]);
    await client.close();
  });

  it('reads an unlinked artifact by the id of its call', async () => {
    const session = createSessionId();
    const [link] = await createLinks(['invoice', 'look_up'], { session });
    const uri = String(link?.uri).replace(/0$/, '1');
    expect(await requestAnswer(via, 'resources/read', { uri })).toEqual({
      contents: [{ uri, mimeType: 'application/json', text: '{"found":true}' }],
    });
  });

  it('links the files in another server’s result, but not the result itself', async () => {
    const [link, ...more] = await createLinks(['remote']);
    expect([link?.mimeType, more]).toEqual(['image/png', []]);
  });

  it('links only the first twenty results', async () => {
    expect(await createLinks(Array(25).fill('invoice'))).toHaveLength(20);
  });

  it('identifies a session by the name under which clients call its agent', async () => {
    const renamed = createEndpointApp({ agents: [{ agent: 'painter', as: 'ask_painter' }] }, app);
    const [link] = await createLinks(['invoice'], { agent: 'ask_painter', to: renamed, session: 'a:b@c.d' });
    const uri = String(link?.uri);
    expect(uri).toMatch(/^holdfast:\/\/ask_painter\/a%3Ab%40c\.d\/artifacts\//);
    expect(await requestAnswer(renamed, 'resources/read', { uri })).toMatchObject({
      contents: [{ text: '{"total":12}' }],
    });
    const byItsOwn = uri.replace('ask_painter', 'painter');
    expect(await requestAnswer(renamed, 'resources/read', { uri: byItsOwn })).toEqual(
      createMissingError(byItsOwn),
    );
  });

  it('links no results of a session whose name does not fit in a uri', async () => {
    expect(await createLinks(['invoice'], { session: '..' })).toEqual([]);
  });

  it('reads a large file whole', async () => {
    const big = new Uint8Array(4_200_000).map((_, index) => index % 251);
    const dump = defineTool({ name: 'dump', description: 'Dumps.', run: () => file(big, 'application/zip') });
    const large: Agent = { ...painter, name: 'large', tools: [dump] };
    const to = createEndpointApp({ agents: ['large'] }, { ...app, agents: [large] });
    const [link] = await createLinks(['dump'], { agent: 'large', to });
    const read = Object(await requestAnswer(to, 'resources/read', { uri: link?.uri }));
    const blob: string = read.contents[0].blob;
    expect(await computeFileId(Uint8Array.from(atob(blob), (one) => one.charCodeAt(0)))).toBe(
      await computeFileId(big),
    );
  });

  it('reads from the store of the app, and reports a failure of the store', async () => {
    const kept = new Map<string, Uint8Array>();
    let state: 'works' | 'fails' | 'is empty' = 'works';
    const store: FileStore = {
      put: async ({ id }, data) => void kept.set(id, data),
      get: async ({ id }, range) => {
        if (state === 'fails') throw new Error('secret of the store');
        const found = state === 'works' ? kept.get(id) : undefined;
        return found?.slice(range?.from, range && range.from + range.length) ?? null;
      },
      delete: async () => {},
      deleteAll: async () => {},
    };
    const log = vi.fn();
    const outside = createEndpointApp(
      { agents: ['painter'] },
      { ...app, use: [files({ store: () => store })], log },
    );
    const [link] = await createLinks(['draw'], { to: outside });
    const fetchLinkedResource = () => requestAnswer(outside, 'resources/read', { uri: link?.uri });
    expect(await fetchLinkedResource()).toMatchObject({ contents: [{ blob: 'iVBORw==' }] });
    state = 'is empty';
    expect(await fetchLinkedResource()).toEqual(createMissingError(String(link?.uri)));
    state = 'fails';
    expect(await fetchLinkedResource()).toEqual({
      error: {
        code: -32603,
        message: 'The file store cannot be reached now. Send the request again.',
      },
    });
    const failures = log.mock.calls.filter(([{ level }]) => level === 'error');
    expect(failures.map(([{ event }]) => event)).toEqual(['request-failed']);
  });
});

describe.each(REVISIONS)('a session’s resource, requested by %s,', (_, ask) => {
  const fetchResource = (uri: string) => ask(via, 'resources/read', { uri });

  it('does not exist for other callers', async () => {
    const links = await createLinks(['draw', 'invoice']);
    for (const { uri } of [links[0], links.at(-1)].map((link) => ({ uri: String(link?.uri) }))) {
      const asBob = { headers: { 'x-user': 'bob' } };
      const [told] = await readMessages(
        await postMcp(via, createRpcRequest('resources/read', { uri }), asBob),
      );
      expect({ error: told?.error }).toEqual(createMissingError(uri));
      expect(await fetchResource(uri)).toHaveProperty('contents');
    }
  });

  it('does not exist in another session, or under the other template', async () => {
    const links = await createLinks(['draw', 'invoice']);
    for (const link of [links[0], links.at(-1)]) {
      const uri = String(link?.uri);
      const elsewhere = uri.replace(/s-[^/]+/, createSessionId());
      expect(await fetchResource(elsewhere)).toEqual(createMissingError(elsewhere));
      const crossed = uri.includes('/files/')
        ? uri.replace('/files/', '/artifacts/')
        : uri.replace('/artifacts/', '/files/');
      expect(await fetchResource(crossed)).toEqual(createMissingError(crossed));
    }
  });

  it.each([
    ['an agent that is not published', 'holdfast://hidden/s1/artifacts/t.1.0'],
    ['an unknown agent', 'holdfast://nobody/s1/artifacts/t.1.0'],
    ['an invalid session', 'holdfast://painter/a%20b/artifacts/t.1.0'],
    ['an unknown turn', 'holdfast://painter/s1/artifacts/t.1.0'],
    ['an invalid call', 'holdfast://painter/s1/artifacts/7'],
    ['an unknown file', `holdfast://painter/s1/files/${'0'.repeat(64)}`],
    ['an invalid file', 'holdfast://painter/s1/files/chart.png'],
    ['a file of a tool, which is in its answer', `holdfast://files/${'0'.repeat(64)}/chart.png`],
    ['a session alone', 'holdfast://painter/s1'],
  ])('does not exist for %s', async (_what, uri) => {
    expect(await fetchResource(uri)).toEqual(createMissingError(uri));
  });
});
