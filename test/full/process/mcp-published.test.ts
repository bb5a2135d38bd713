/** The MCP endpoint of `wrangler dev`, as two third-party clients see it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../../src/examples/demo/ports.ts';
import { startWorker, type WorkerProcess } from '../../../src/examples/demo/worker-process.ts';

let directory = '';
let worker: WorkerProcess;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-mcp-'));
  worker = await startWorker({ port: await findFreePort(), directory, vars: { MODEL: 'offline' } });
});
afterAll(async () => {
  await worker?.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

const TIDE_RESULT =
  '[{"documentId":"D-1","title":"Why the tide comes twice a day"},{"documentId":"D-3","title":"Reading a tide table"}]';
const PROMPT =
  'Research this theme in the reading room, and name the document of each thing that you say: tides';

describe("the SDK's client", () => {
  const client = new Client({ name: 'process-test', version: '1' });
  beforeAll(async () => {
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', worker.url));
    // The types of the SDK disagree about a missing session id.
    await client.connect(transport as Transport);
  });
  afterAll(() => client.close());

  const call = (name: string, input: Record<string, unknown>) => client.callTool({ name, arguments: input });

  it('lists tools, including an agent, and prompts', async () => {
    expect(client.getServerVersion()).toEqual({ name: 'reading-room', version: '1' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ['search_documents', { readOnlyHint: true }],
      ['fetch_document', { readOnlyHint: true }],
      ['researcher', { readOnlyHint: false }],
    ]);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name, arguments: values }) => [name, values])).toEqual([
      [
        'research',
        [{ name: 'theme', description: 'What it is about, in a few plain words', required: true }],
      ],
    ]);
  });

  it('calls several tools at the same time', async () => {
    const [found, fetched, absent, invalid] = await Promise.all([
      call('search_documents', { theme: 'tides' }),
      call('fetch_document', { documentId: 'D-2' }),
      call('fetch_document', { documentId: 'D-77' }),
      call('fetch_document', {}),
    ]);
    expect(found).toEqual({ content: [{ type: 'text', text: TIDE_RESULT }] });
    expect(fetched.structuredContent).toMatchObject({
      documentId: 'D-2',
      title: 'What holds kelp to the rock',
    });
    const text = 'There is no document D-77. Search for one first.';
    expect(absent).toEqual({ isError: true, content: [{ type: 'text', text }] });
    expect(invalid.isError).toBe(true);
  });

  it('gets a prompt with its arguments filled in', async () => {
    const { messages } = await client.getPrompt({ name: 'research', arguments: { theme: 'tides' } });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: PROMPT } }]);
  });

  it('calls an agent, receives its progress and continues its session', async () => {
    const told: Progress[] = [];
    const ask = (input: Record<string, string>) =>
      client.callTool({ name: 'researcher', arguments: input }, undefined, {
        onprogress: (progress) => told.push(progress),
      });
    // The client validates structured content against the listed schema.
    const { structuredContent: first } = await ask({ message: 'Research tides' });
    expect(first).toMatchObject({ outcome: 'completed', text: expect.stringContaining('The moon pulls') });
    expect(told.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['search_documents: started', 'report_findings: done']),
    );
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, index) => index + 1));
    const { session, path } = first as { session: string; path: string }; // the client validates structured content
    expect(await (await fetch(worker.url + path)).json()).toMatchObject({ outcome: 'completed', session });
    const { structuredContent: again } = await ask({ message: 'Research tides again', session });
    expect(again).toMatchObject({ session, outcome: 'completed' });
    // The tool that the first turn unlocked is still unlocked, so the first progress is its report.
    expect(told.findLast(({ progress }) => progress === 1)?.message).toBe('report_findings: started');
  });
});

describe("the inspector's CLI", () => {
  // The CLI reads its own package.json by a path that works only in this directory.
  const build = resolve(
    import.meta.dirname,
    '../../../node_modules/@modelcontextprotocol/inspector-cli/build',
  );
  const run = promisify(execFile);

  async function runInspector(...args: readonly string[]): Promise<unknown> {
    const command = ['cli.js', '--cli', new URL('/mcp', worker.url).href, '--transport', 'http', ...args];
    // The CLI starts `node` from the PATH.
    const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const { stdout } = await run(process.execPath, command, {
      cwd: build,
      env: { ...process.env, PATH: path },
    });
    return JSON.parse(stdout);
  }

  it('lists the tools', async () => {
    expect(await runInspector('--method', 'tools/list')).toMatchObject({
      tools: [
        { name: 'search_documents', inputSchema: { required: ['theme'] } },
        { name: 'fetch_document', inputSchema: { required: ['documentId'] } },
        { name: 'researcher', outputSchema: { required: expect.arrayContaining(['session', 'text']) } },
      ],
    });
  });

  it('calls a tool and an agent', async () => {
    const search = ['--tool-name', 'search_documents', '--tool-arg', 'theme=tides'];
    expect(await runInspector('--method', 'tools/call', ...search)).toEqual({
      content: [{ type: 'text', text: TIDE_RESULT }],
    });
    const ask = ['--tool-name', 'researcher', '--tool-arg', 'message=Research tides'];
    expect(await runInspector('--method', 'tools/call', ...ask)).toMatchObject({
      structuredContent: { outcome: 'completed', text: expect.stringContaining('The moon pulls') },
    });
  });

  it('gets a prompt', async () => {
    const prompt = ['--prompt-name', 'research', '--prompt-args', 'theme=tides'];
    expect(await runInspector('--method', 'prompts/get', ...prompt)).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: PROMPT } }],
    });
  });
});
