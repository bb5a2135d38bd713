import { describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../servers/provided.ts';
import { listTools, withPlainClient } from './plain-client.ts';
import { createRealRun } from './real-run.ts';

const formatRpc = ({ method, body }: RecordedRequest): string =>
  body === '' ? method : JSON.parse(body).method;

const NOTES = 'One line.\nAnother line.\nThe last line.\n';

describe('a real server called by the SDK’s client in workerd', () => {
  it.each([
    ['everything', 'get-sum', { a: 2, b: 3 }, 'The sum of 2 and 3 is 5.'],
    ['filesystem', 'read_text_file', { path: 'notes.txt' }, NOTES],
    ['memory', 'read_graph', {}, '{\n  "entities": [],\n  "relations": []\n}'],
  ] as const)('%s lists its tools and answers a call', async (server, name, input, text) => {
    const run = createRealRun(server);
    expect((await listTools(run)).map((tool) => tool.name)).toContain(name);
    const { content } = await withPlainClient(run, (client) => client.callTool({ name, arguments: input }));
    expect(content).toEqual([{ type: 'text', text }]);
  });

  it('has a record of all requests that it received', async () => {
    const run = createRealRun('memory');
    await listTools(run);
    const requests = await run.requests();
    // The stream for messages of the server is opened in parallel.
    expect(requests.map(formatRpc).toSorted()).toEqual([
      'DELETE',
      'GET',
      'initialize',
      'notifications/initialized',
      'tools/list',
    ]);
    const list = requests.find((request) => formatRpc(request) === 'tools/list');
    expect(list?.headers.join(' ')).toMatch(/mcp-session-id [\w-]{36}/);
  });

  it('uses a separate folder for each run', async () => {
    const [one, other] = [createRealRun('filesystem'), createRealRun('filesystem')];
    const read = { name: 'read_text_file', arguments: { path: `${one.folder}/notes.txt` } };
    const own = await withPlainClient(one, (client) => client.callTool(read));
    expect(own.structuredContent).toEqual({ content: NOTES });
    const foreign = await withPlainClient(other, (client) => client.callTool(read));
    expect(foreign.isError).toBe(true);
  });

  it('resumes a stream that was cut', async () => {
    const run = createRealRun('everything');
    const work = { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 4 } };
    let steps = 0;
    const onprogress = () => {
      steps += 1;
      if (steps === 1) void run.cut();
    };
    const answer = await withPlainClient(run, (client) => client.callTool(work, undefined, { onprogress }));
    expect(answer).toMatchObject({
      content: [{ text: 'Long running operation completed. Duration: 1 seconds, Steps: 4.' }],
    });
    const resumed = (await run.requests()).filter(({ headers }) => headers.includes('last-event-id'));
    expect(resumed.length).toBeGreaterThan(0);
  });

  it.each(['everything', 'filesystem'] as const)('%s does not respond after it is killed', async (server) => {
    const run = createRealRun(server);
    await withPlainClient(run, async (client) => {
      await run.kill();
      await expect(client.listTools()).rejects.toThrow();
    });
    await expect(listTools(run)).rejects.toThrow();
  });
});
