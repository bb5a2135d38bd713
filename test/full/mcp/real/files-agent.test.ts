import { expect, it } from 'vitest';
import { defineFiles } from '../../../../src/examples/files/files.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { orOffline } from '../../../../src/offline-model/entry.ts';
import { createTestApp } from '../../../gate/workerd/http/app.ts';
import { createSessionPath, post, readJson } from '../../../gate/workerd/http/client.ts';
import { answer } from '../../../gate/workerd/http/waiting.ts';
import { createRealRun, type RealRun } from './real-run.ts';

/** Opens a session of the example agent over HTTP, with the offline planner and the server of a run. */
function openTalk({ url }: RealRun) {
  // Keeps the turn in one invocation, because another invocation would run in the tests' Worker.
  const platform = { subrequests: 10_000 };
  const via = createTestApp(
    { agents: [defineFiles({ url })], model: orOffline(openaiCompatible()), limits: platform },
    { MODEL: 'offline' },
  );
  const session = createSessionPath('files');
  return {
    say: async (message: string) => readJson(await post(session, { message }, { via })),
    decide: async (path: string, decision: object) => readJson(await answer(path, decision, { via })),
  };
}

/** Returns the methods of the server's requests and the names of the called tools, oldest first. */
async function listToolRequests(run: RealRun): Promise<readonly string[]> {
  const posted = (await run.requests()).filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body));
  return posted
    .filter(({ id }) => id !== undefined)
    .map(({ method, params }) => (method === 'tools/call' ? params.name : method));
}

it('the files agent lists, reads and writes approved files without a language model, and requests its tools once', async () => {
  const run = createRealRun('filesystem');
  const { say, decide } = openTalk(run);
  const listed = await say('Give a detailed listing of the directory with the path "."');
  expect(listed.text).toMatch(/\[DIR\] media.*\[FILE\] notes\.txt.*\[DIR\] plans/s);
  expect((await say('Read the text file with the path "notes.txt"')).text).toContain('Another line.');
  const asks = await say('Write a file with the path "packing.txt" and the content "Two tents"');
  expect(asks).toMatchObject({
    outcome: 'suspended',
    pending: [
      {
        tool: 'write_file',
        input: { path: 'packing.txt', content: 'Two tents' },
        message: 'Write this file, over whatever is there?',
      },
    ],
  });
  const [pending] = asks.pending as [{ readonly links: { readonly approvals: string } }]; // matched above
  const written = await decide(pending.links.approvals, { decision: 'approve' });
  expect(written).toMatchObject({ outcome: 'completed' });
  expect((await say('Read the text file with the path "packing.txt"')).text).toContain('Two tents');
  expect(await listToolRequests(run)).toEqual([
    // The revision of the server is also requested only once.
    ...['server/discover', 'initialize', 'tools/list', 'list_directory'],
    ...['initialize', 'read_text_file'],
    ...['initialize', 'write_file'],
    ...['initialize', 'read_text_file'],
  ]);
});

it('the files agent reports that its tools are unavailable if its server is not running', async () => {
  const run = createRealRun('filesystem');
  await run.kill();
  const answer = await openTalk(run).say('Give a detailed listing of the directory with the path "."');
  expect(answer).toMatchObject({ outcome: 'completed', toolCalls: 1 });
  expect(answer.text).toContain(
    "Tool 'files' cannot show its tools now. MCP server 'filesystem' cannot be reached: the connection was lost. Go on " +
      'without them.',
  );
});
