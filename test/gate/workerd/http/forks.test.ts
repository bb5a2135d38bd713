/** Sessions that start with a copy of another session's events. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { branches } from '../../../../src/modules/branches/entry.ts';
import type { FileKey, FileStore } from '../../../../src/modules/files/entry.ts';
import type { ScriptedModel } from '../../../../src/testing/entry.ts';
import { listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { withLease } from '../../../fixtures/lease-terms.ts';
import { recordings } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import {
  createSessionPath,
  getSessionId,
  getSessionName,
  post,
  readJournal,
  readJson,
  send,
} from './client.ts';
import { computeFileId, createFileApp, postAndRead, readContent } from './file-app.ts';
import { startWaitingTurn } from './waiting.ts';

const postFork = (path: string, body: unknown = {}, via = send): Promise<Response> =>
  via(`${path}/fork`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Makes a fork, and returns its path. */
async function createFork(path: string, body: unknown = {}, via = send): Promise<string> {
  const response = await postFork(path, body, via);
  const fork = await readJson(response);
  if (response.status !== 201) throw new Error(JSON.stringify(fork));
  return String(fork.url);
}

/** Returns the model's last messages, without its instructions. */
const getShownTexts = (model: ScriptedModel): (string | undefined)[] =>
  (model.requests.at(-1)?.messages ?? []).slice(1).map(({ text }) => text);

const getTypes = (events: readonly Record<string, unknown>[]): unknown[] => events.map(({ type }) => type);

const withoutTimes = (events: readonly Record<string, unknown>[]) => events.map((one) => ({ ...one, at: 0 }));

/** A session of two turns: four events, then three. */
async function playTwoTurns() {
  const path = createSessionPath();
  const { message, model } = registerScript('One.', 'Two.', 'Three.', 'Four.');
  await post(path, { message: message('First') });
  await post(path, { message: 'Second' });
  return { path, model, message };
}

/** A session in which event 4 of 7 starts the `once` call of `record`, between its request and its end. */
async function recordTurns() {
  const path = createSessionPath();
  const note = crypto.randomUUID();
  const { message, model } = registerScript(
    { calls: [{ name: 'record', input: { note } }] },
    'Recorded it.',
    'After the fork.',
  );
  await post(path, { message: message() });
  const countDone = (): number => recordings.filter((one) => one.note === note).length;
  const [call] = (await readJournal(path)).flatMap((one) =>
    one.type === 'tool-call-started' ? [one.call] : [],
  );
  return { path, model, note, message, done: countDone, call };
}

describe('a fork', () => {
  it('has the events of its source up to `at`, and continues from there', async () => {
    const { path, model } = await playTwoTurns();
    const response = await postFork(path, { at: 4 });
    expect(response.status).toBe(201);
    const fork = await readJson(response);
    const url = String(fork.url);
    expect(response.headers.get('location')).toBe(url);
    expect(fork).toEqual({
      session: getSessionId(url),
      agent: 'scripted',
      from: getSessionId(path),
      at: 4,
      url,
    });
    expect(url.startsWith(`${path}.`)).toBe(true);
    const [opened, ...copied] = await readJournal(url);
    const [, ...source] = await readJournal(path);
    expect(opened).toMatchObject({
      type: 'session-forked',
      agent: 'scripted',
      from: getSessionId(path),
      upTo: 4,
      principal: { id: 'local' },
    });
    expect(withoutTimes(copied)).toEqual(withoutTimes(source.slice(0, 3)));
    const next = await readJson(await post(url, { message: 'Other' }));
    expect(next).toMatchObject({ outcome: 'completed', text: 'Three.' });
    expect(getShownTexts(model)).toEqual([expect.stringMatching(/^First/), 'One.', 'Other']);
    // The source is unchanged.
    expect(getTypes(await readJournal(path)).slice(7)).toEqual(['module-event']);
  });

  it('has all events by default, and needs no body', async () => {
    const { path } = await playTwoTurns();
    const response = await send(`${path}/fork`, { method: 'POST' });
    const fork = await readJson(response);
    expect([response.status, fork.at]).toEqual([201, 7]);
    const source = withoutTimes(await readJournal(path));
    expect(withoutTimes(await readJournal(String(fork.url))).slice(1)).toEqual(source.slice(1, 7));
    const name = `n-${crypto.randomUUID()}`;
    const first = await readJson(await postFork(path, { name }));
    expect(await readJson(await postFork(path, { name }))).toEqual(first);
  });

  it('has no message and starts empty if it is made at the first event', async () => {
    const { path, model, message } = await playTwoTurns();
    const url = await createFork(path, { at: 1 });
    expect(getTypes(await readJournal(url))).toEqual(['session-forked', 'module-event']);
    expect(await readJson(await send(url))).toMatchObject({ messages: [], openTurn: null });
    expect(await readJson(await post(url, { message: message('Again') }))).toMatchObject({ text: 'Three.' });
    expect(getShownTexts(model)).toEqual([message('Again')]);
  });

  it('can be forked again', async () => {
    const { path } = await playTwoTurns();
    const url = await createFork(path, { at: 7 });
    const again = await createFork(url, { at: 4 });
    expect((await readJournal(again))[0]).toMatchObject({ from: getSessionId(url), upTo: 4 });
    expect(getTypes(await readJournal(again)).slice(1)).toEqual(
      getTypes(await readJournal(path)).slice(1, 4),
    );
  });

  it('has the requested name, and a repeated request returns the same fork', async () => {
    const { path } = await playTwoTurns();
    const name = `n-${crypto.randomUUID()}`;
    const first = await readJson(await postFork(path, { at: 4, name }));
    expect(first.session).toBe(name);
    await post(String(first.url), { message: 'More' });
    const again = await postFork(path, { at: 4, name });
    expect([again.status, await readJson(again)]).toEqual([201, first]);
    const both = await Promise.all([1, 2].map(() => postFork(path, { at: 4, name: `${name}-2` })));
    const [one, two] = await Promise.all(both.map(readJson));
    expect(one).toEqual(two);
    expect(getTypes(await readJournal(String(one?.url)))).toHaveLength(4);
  });

  it('ends the open turn as cancelled: started calls are unknown, waiting ones declined, and the others skipped', async () => {
    const { session: path, to } = await startWaitingTurn(['pay', 'pay_now']);
    const events = await readJournal(path);
    // Both calls were requested: one waits, and the other has not started.
    const at = events.findIndex(({ type }) => type === 'tool-call-suspended') + 1;
    const response = await postFork(path, { at });
    expect(await readJson(response)).toMatchObject({
      type: 'urn:holdfast:problem:would-repeat-effects',
      status: 409,
    });
    const url = await createFork(path, { at, repeatEffects: true });
    const ends = (await readJournal(url)).slice(at);
    expect(ends).toMatchObject([
      {
        type: 'tool-call-ended',
        result: {
          type: 'error',
          reason: 'declined',
          message: "This call of 'pay' was declined and did not run. Reason: branched",
        },
      },
      {
        type: 'tool-call-ended',
        result: { type: 'error', reason: 'cancelled', message: "The call of 'pay_now' was not run." },
      },
      { type: 'turn-steered' },
      { type: 'turn-ended', outcome: 'cancelled' },
    ]);
    // In the source the turn still waits.
    expect(await readJson(await send(path))).toMatchObject({ pending: [{ tool: 'pay' }] });
    expect(listPaymentsTo(to)).toEqual([2]);
  });

  it('is listed by its source, but not by forks of that source', async () => {
    const { path } = await playTwoTurns();
    const first = await readJson(await postFork(path, { at: 4 }));
    const second = await readJson(await postFork(path, { at: 7 }));
    const all = await readJson(await postFork(path));
    const pickListed = ({ session, at, url }: Record<string, unknown>) => ({ session, at, url });
    const forks = [first, second, all].map(pickListed);
    expect(await readJson(await send(`${path}/forks`))).toEqual({ forks });
    expect(await readJson(await send(`${String(all.url)}/forks`))).toEqual({ forks: [] });
    const missing = await send(`${createSessionPath()}/forks`);
    expect(missing.status).toBe(404);
  });

  it('shows its model the calls that were cut off, if the fork is allowed to repeat them', async () => {
    const { path, model, note, done } = await recordTurns();
    const url = await createFork(path, { at: 2, repeatEffects: true });
    await post(url, { message: 'Other' });
    expect(getShownTexts(model)).toEqual([
      expect.stringMatching(/^Hello/),
      'A later part of this conversation was cut off. These calls were made in it, and their effects remain:\n' +
        `- 'record' with the input {"note":"${note}"}: Recorded.\n` +
        'Do not repeat them unless the user asks for it.',
      '[The last message was not answered.]',
      'Other',
    ]);
    expect(done()).toBe(1);
  });

  it('also shows its model the calls that its source fork cut off, without duplicates', async () => {
    const { path, model, note } = await recordTurns();
    const one = await createFork(path, { at: 2, repeatEffects: true });
    const message = (await readJournal(one)).findIndex(({ type }) => type === 'turn-steered') + 1;
    for (const at of [2, message]) {
      await post(await createFork(one, { at }), { message: 'Other' });
      const told = getShownTexts(model).filter((text) => text?.includes('was cut off'));
      expect(told).toEqual([
        expect.stringContaining(`'record' with the input {"note":"${note}"}: Recorded.`),
      ]);
    }
  });

  it('can also show the calls that were cut off if it is made at the first event', async () => {
    const { path, model, message, note } = await recordTurns();
    const url = await createFork(path, { at: 1, repeatEffects: true });
    await post(url, { message: message('Again') });
    expect(getShownTexts(model)).toEqual([
      expect.stringContaining(note),
      '[The last message was not answered.]',
      message('Again'),
    ]);
  });
});

describe('a fork request is refused', () => {
  const readRefusal = async (path: string, body: unknown) => {
    const { title: _, ...refused } = await readJson(await postFork(path, body));
    return refused;
  };

  it('if the events that it cuts off contain calls with effects', async () => {
    const { path, call } = await recordTurns();
    const detail =
      'The part that the fork leaves out contains calls that had effects, which its model could repeat: ' +
      `'record' (${call}). Fork after them, or send repeatEffects: true.`;
    const refused = {
      type: 'urn:holdfast:problem:would-repeat-effects',
      status: 409,
      detail,
      calls: [{ call, tool: 'record' }],
    };
    // Before the call's start, and between its start and its end.
    for (const at of [1, 2, 3, 4]) expect(await readRefusal(path, { at })).toEqual(refused);
    expect((await postFork(path, { at: 5 })).status).toBe(201);
  });

  it('if the session has no such event', async () => {
    const { path } = await playTwoTurns();
    const formatNotWhole = (said: string) =>
      `The body is not valid: at: must be the sequence number of an event, from 1, but is ${said}.`;
    const all: readonly (readonly [unknown, string])[] = [
      [{ at: 0 }, formatNotWhole('0')],
      [{ at: 1.5 }, formatNotWhole('1.5')],
      [{ at: 'x' }, formatNotWhole("'x'")],
      [{ at: 8 }, 'The body is not valid: at: the last event of the session is 7, but 8 is after it.'],
      [
        { name: 7, repeatEffects: 1, more: true },
        'The body is not valid: more: is not known here; name: must be text; repeatEffects: must be true or false.',
      ],
    ];
    for (const [body, detail] of all)
      expect(await readRefusal(path, body)).toMatchObject({
        type: 'urn:holdfast:problem:invalid-body',
        status: 422,
        detail,
      });
    expect(await readRefusal(path, { name: 'a b' })).toMatchObject({ status: 400 });
    expect(await readRefusal(createSessionPath(), {})).toMatchObject({
      type: 'urn:holdfast:problem:unknown-session',
      status: 404,
    });
  });

  it('if another session has the requested name', async () => {
    const { path } = await playTwoTurns();
    const other = createSessionPath();
    await post(other, { message: registerScript('Hi.').message() });
    const name = getSessionId(other);
    const refused = {
      type: 'urn:holdfast:problem:session-exists',
      status: 409,
      detail: `The session '${name}' exists and is not a fork at this event. GET ${other} shows it. Use another name.`,
    };
    expect(await readRefusal(path, { at: 4, name })).toEqual(refused);
    expect(await readRefusal(path, { at: 4, name: getSessionId(path) })).toMatchObject({ status: 409 });
    const fork = await readJson(await postFork(path, { at: 4 }));
    expect(await readRefusal(path, { at: 7, name: fork.session })).toMatchObject({ status: 409 });
    expect((await readJournal(other)).length).toBe(4);
  });
});

describe('a fork whose invocation was killed', () => {
  /** Opens a fork, as a request does before it is killed. */
  async function leaveFork(path: string, at: number): Promise<string> {
    const url = createSessionPath('scripted', withLease(300));
    const [, second] = await readJournal(path);
    const { incarnation } = Object(await getSource(path).read({ from: 1, limit: 1 }));
    const forked = {
      v: 1,
      type: 'session-forked',
      incarnation: 'copying',
      agent: 'scripted',
      from: getSessionId(path),
      fromIncarnation: incarnation,
      upTo: at,
      principal: { id: 'local' },
    };
    const { seq: _, at: __, ...body } = Object(second);
    const turn = String(body.turn);
    await getSource(url).begin({
      nonce: 'n',
      start: {
        turn: 'copying',
        opening: { type: 'session-forked', turn: 'copying', body: JSON.stringify(forked) },
        started: { type: 'turn-started', turn, body: JSON.stringify({ v: 1, ...body }) },
      },
      reader: { reducer: 0, messageTypes: [], maxBytes: 1 },
    });
    return url;
  }

  const getSource = (path: string) => env.SESSIONS.getByName(getSessionName(path));

  it('refuses messages until a runner has copied the remaining events', async () => {
    const { path } = await playTwoTurns();
    const url = await leaveFork(path, 7);
    const busy = await post(url, { message: 'Too soon' });
    expect([busy.status, busy.headers.has('retry-after')]).toEqual([409, true]);
    await expect.poll(async () => Object(await readJson(await send(url))).openTurn).toBe(null);
    expect(withoutTimes(await readJournal(url)).slice(1)).toEqual(
      withoutTimes(await readJournal(path)).slice(1, 7),
    );
    expect(await readJson(await post(url, { message: 'Now' }))).toMatchObject({ text: 'Three.' });
  });

  it('is returned to its client on a retry', async () => {
    const { path } = await playTwoTurns();
    const url = await leaveFork(path, 4);
    const again = await postFork(path, { at: 4, name: getSessionId(url) });
    expect([again.status, Object(await readJson(again)).url]).toEqual([201, url]);
    await expect.poll(async () => getTypes(await readJournal(url))).toHaveLength(4);
  });
});

describe('the files of a fork', () => {
  const PNG = [{ type: 'file', mediaType: 'image/png', data: btoa('a png') }];

  it('are separate copies, which remain if its source is erased', async () => {
    const { via } = createFileApp({ use: [branches()] });
    const { session } = await postAndRead(via, { message: PNG });
    const url = await createFork(session, {}, via);
    await via(session, { method: 'DELETE' });
    const file = await via(`${url}/files/${await computeFileId('a png')}`);
    expect([file.status, file.headers.get('content-type'), await readContent(file)]).toEqual([
      200,
      'image/png',
      'a png',
    ]);
  });

  it('are copied in the external store, under the name of the fork', async () => {
    const kept = new Map<string, Uint8Array>();
    const formatKey = ({ session, incarnation, id }: FileKey): string => `${session} ${incarnation} ${id}`;
    const store: FileStore = {
      put: async (key, bytes) => void kept.set(formatKey(key), bytes),
      get: async (key, { from, length } = { from: 0, length: 1e9 }) =>
        kept.get(formatKey(key))?.slice(from, from + length) ?? null,
      delete: async (key) => void kept.delete(formatKey(key)),
      deleteAll: async () => {},
    };
    const { via } = createFileApp({ use: [branches()], store: () => store });
    const { session } = await postAndRead(via, { message: PNG });
    const url = await createFork(session, {}, via);
    expect([...kept.keys()].map((key) => key.split(' ')[0])).toEqual([
      getSessionName(session),
      getSessionName(url),
    ]);
    await via(session, { method: 'DELETE' });
    const file = await via(`${url}/files/${await computeFileId('a png')}`);
    expect([file.status, await readContent(file)]).toEqual([200, 'a png']);
  });

  it('are deleted in the fork if they were deleted in its source', async () => {
    const { via } = createFileApp({ use: [branches()] });
    const { session } = await postAndRead(via, { message: PNG });
    const id = await computeFileId('a png');
    await via(`${session}/files/${id}`, { method: 'DELETE' });
    const url = await createFork(session, {}, via);
    expect((await via(`${url}/files/${id}`)).status).toBe(404);
  });
});
