/** `DELETE` of one file, the retention of files, and the model's view of deleted files. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { type ChatModel, defineTool } from '../../../../src/index.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { retain } from '../../../../src/modules/app/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createObjectSession } from '../../../doors/durable-objects.ts';
import { waitUntil } from '../../../fixtures/scripts.ts';
import { createSessionPath, getSessionName, readJson, type Send } from './client.ts';
import { computeFileId, createFileAgent, createFileApp, createFileModel, postAndRead } from './file-app.ts';
import { createProblem } from './waiting.ts';

const createFile = (content: string, mediaType = 'image/png', name?: string) => ({
  type: 'file',
  mediaType,
  data: btoa(content),
  ...(name !== undefined && { name }),
});

/** A model that accepts files, and records its requests. It calls these tools first. */
function createRecordingApp(...calls: readonly string[]) {
  const requests: ModelRequest[] = [];
  const model: ChatModel = {
    ...createFileModel(),
    ask: async (request) => {
      requests.push(request);
      const name = calls[requests.length - 1];
      if (name === undefined) return { text: 'Seen.', toolCalls: [], finish: 'stop' };
      return { text: '', toolCalls: [{ id: name, name, input: '{}' }], finish: 'tool-calls' };
    },
  };
  /** Returns the lines about files in the last request, and the number of files in it. */
  const getLastRequest = () => {
    const messages = requests.at(-1)?.messages ?? [];
    const files = messages.flatMap((one) =>
      'parts' in one ? (one.parts ?? []).filter(({ type }) => type === 'file') : [],
    );
    return { lines: messages.flatMap(({ text }) => text.match(/^\[file.*$/gm) ?? []), files: files.length };
  };
  return { model, last: getLastRequest };
}

const remove = (path: string, via: Send): Promise<Response> => via(path, { method: 'DELETE' });

describe('DELETE of a file', () => {
  it('removes its bytes, and the model reads in the file’s line that it was deleted', async () => {
    const { model, last } = createRecordingApp();
    const { via } = createFileApp({ model });
    const message = [
      createFile('one', 'image/png', 'a.png'),
      createFile('two'),
      createFile('words', 'text/plain'),
    ];
    const { session } = await postAndRead(via, { message });
    const [one, two, words] = await Promise.all([
      computeFileId('one'),
      computeFileId('two'),
      computeFileId('words'),
    ]);
    const path = `${session}/files/${one}`;
    expect((await remove(path, via)).status).toBe(204);
    expect((await remove(path, via)).status).toBe(204);
    expect((await remove(`${session}/files/${words}`, via)).status).toBe(204);
    expect((await via(path)).status).toBe(404);
    expect((await via(`${session}/files/${two}`)).status).toBe(200);
    await postAndRead(via, { message: 'And now?' }, session);
    const shown = {
      lines: [
        `[file ${one}: image/png, "a.png", 3 bytes] (deleted; it can no longer be read)`,
        `[file ${two}: image/png, 3 bytes]`,
        `[file ${words}: text/plain, 5 bytes] (deleted; it can no longer be read)`,
      ],
      files: 1,
    };
    expect(last()).toEqual(shown);
    const events = await readJson(await via(`${session}/events`));
    expect(JSON.stringify(events)).toContain(one);
    await postAndRead(via, { message: [createFile('one', 'image/png', 'a.png')] }, session);
    expect(last().lines[0]).toBe(`[file ${one}: image/png, "a.png", 3 bytes]`);
    expect((await via(path)).status).toBe(200);
  });

  it('makes room for more files', async () => {
    const { via } = createFileApp();
    const session = createSessionPath('seer');
    const blobs = [{ id: await computeFileId('full'), about: '{}', size: 50 * 1024 * 1024 }];
    await postAndRead(via, { message: 'Hello' }, session);
    const port = createObjectSession(env.SESSIONS, getSessionName(session));
    const events = { opening: { type: 'session-opened', turn: '', body: '{}' } };
    const started = { type: 'turn-started', turn: 'later', body: '{}' };
    await port.accept({ turn: 'later', ...events, started, blobs, delayMs: 3_600_000 });
    expect((await postAndRead(via, { message: [createFile('more')] }, session)).status).toBe(413);
    expect((await remove(`${session}/files/${await computeFileId('full')}`, via)).status).toBe(204);
    expect((await postAndRead(via, { message: [createFile('more')] }, session)).status).toBe(200);
  });

  it.each([
    ['of an invalid session', false, 'a'.repeat(64)],
    ['that the session never had', true, 'a'.repeat(64)],
    ['under an invalid id', true, 'x'],
  ])('returns 404 for %s', async (_, isThere, id) => {
    const { via } = createFileApp();
    const session = createSessionPath('seer');
    if (isThere) await postAndRead(via, { message: 'Hello' }, session);
    const response = await remove(`${session}/files/${id}`, via);
    expect(await readJson(response)).toEqual(
      createProblem('unknown-file', 404, `There is no file '${id}' in this session.`),
    );
  });

  it('returns 409 while a turn runs, and does not delete the file', async () => {
    let [isAsked, isReleased] = [false, false];
    const model: ChatModel = {
      ...createFileModel(),
      async ask() {
        isAsked = true;
        await waitUntil(() => isReleased);
        return { text: 'Seen.', toolCalls: [], finish: 'stop' };
      },
    };
    const { via } = createFileApp({ model });
    const session = createSessionPath('seer');
    const running = postAndRead(via, { message: [createFile('one')] }, session);
    await waitUntil(() => isAsked);
    const path = `${session}/files/${await computeFileId('one')}`;
    const refused = await remove(path, via);
    const body = await readJson(refused);
    const turn = String(body.turn);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(body).toEqual(
      createProblem(
        'session-busy',
        409,
        `Turn ${turn} is running, and its model can see the file. Delete the file when the turn has ended. GET ${session}/turns/${turn} shows whether it has.`,
        { turn },
      ),
    );
    isReleased = true;
    await running;
    expect((await via(path)).status).toBe(200);
    expect((await remove(path, via)).status).toBe(204);
  });
});

it('a deleted file is shown as deleted to a turn that resumes later', async () => {
  const { model, last } = createRecordingApp('look');
  const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'Looked.' });
  const agents = [{ ...createFileAgent({ model }), tools: [requireApproval(look, 'May I?')] }];
  const { via } = createFileApp({ agents });
  const { answer, session, status } = await postAndRead(via, { message: [createFile('one')] });
  const id = await computeFileId('one');
  expect([status, last()]).toEqual([202, { lines: [`[file ${id}: image/png, 3 bytes]`], files: 1 }]);
  expect((await remove(`${session}/files/${id}`, via)).status).toBe(204);
  const [{ call }] = answer.pending as [{ call: string }];
  const approved = await via(`${session}/approvals/${call}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approve' }),
  });
  expect(await readJson(approved)).toMatchObject({ text: 'Seen.' });
  expect(last()).toEqual({
    lines: [`[file ${id}: image/png, 3 bytes] (deleted; it can no longer be read)`],
    files: 0,
  });
});

describe('the retention of files', () => {
  it.each([
    ['the app', { retention: { fileDays: 1 }, ofAgent: undefined }],
    ['its agent instead of the app', { retention: { fileDays: 30 }, ofAgent: { fileDays: 1 } }],
  ])(
    'is set by %s, and the model reads in the file’s line that it has expired',
    async (_, { retention, ofAgent }) => {
      const { model, last } = createRecordingApp();
      const agents = [{ ...createFileAgent({ model }), ...(ofAgent && { uses: [retain(ofAgent)] }) }];
      const { via } = createFileApp({ agents, use: [retain(retention)] });
      const { session } = await postAndRead(via, { message: [createFile('one')] });
      const object = env.SESSIONS.getByName(getSessionName(session));
      await runInDurableObject(object, (_object, { storage }) => {
        const [row] = storage.sql.exec(`SELECT ref FROM agenda WHERE kind = 'blob-retention'`).toArray();
        expect(row).toEqual({ ref: String(24 * 60 * 60_000) });
        // A day has passed.
        storage.sql.exec(`UPDATE blobs SET at = at - 86400000`);
        storage.sql.exec(`UPDATE agenda SET due = due - 86400000 WHERE kind = 'blob-retention'`);
      });
      // The object caches rows that it has read.
      await evictDurableObject(object);
      await runDurableObjectAlarm(object);
      const id = await computeFileId('one');
      expect((await via(`${session}/files/${id}`)).status).toBe(404);
      await postAndRead(via, { message: 'And now?' }, session);
      expect(last()).toEqual({
        lines: [`[file ${id}: image/png, 3 bytes] (expired; it can no longer be read)`],
        files: 0,
      });
    },
  );

  it('does not apply to sessions, which are kept', async () => {
    const { via } = createFileApp({ use: [retain({ fileDays: 1 })] });
    const { session } = await postAndRead(via, { message: 'Hello' });
    const object = env.SESSIONS.getByName(getSessionName(session));
    const kinds = await runInDurableObject(object, (_object, { storage }) =>
      storage.sql.exec('SELECT kind FROM agenda').toArray(),
    );
    expect(kinds).toEqual([{ kind: 'blob-retention' }]);
  });
});
