/** Sessions that begin with a copy of another session's events. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { branches } from '../../../../src/modules/branches/entry.ts';
import type { FileKey, FileStore } from '../../../../src/modules/files/entry.ts';
import type { ScriptedModel } from '../../../../src/testing/entry.ts';
import { paidTo } from '../../../fixtures/clerk-agent.ts';
import { withLease } from '../../../fixtures/lease-terms.ts';
import { recordings } from '../../../fixtures/scripted-agent.ts';
import { script } from '../../../fixtures/scripts.ts';
import { journal, json, newSession, post, send, sessionId, sessionName } from './client.ts';
import { contentOf, fileApp, idOf, postAndRead } from './file-app.ts';
import { startWaitingTurn } from './waiting.ts';

const postFork = (path: string, body: unknown = {}, via = send): Promise<Response> =>
  via(`${path}/fork`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Makes a fork, and returns its path. */
async function forkOf(path: string, body: unknown = {}, via = send): Promise<string> {
  const response = await postFork(path, body, via);
  const fork = await json(response);
  if (response.status !== 201) throw new Error(JSON.stringify(fork));
  return String(fork.url);
}

/** Returns the model's last messages, without its instructions. */
const shownTexts = (model: ScriptedModel): (string | undefined)[] =>
  (model.requests.at(-1)?.messages ?? []).slice(1).map(({ text }) => text);

const typesOf = (events: readonly Record<string, unknown>[]): unknown[] => events.map(({ type }) => type);

const withoutTimes = (events: readonly Record<string, unknown>[]) => events.map((one) => ({ ...one, at: 0 }));

/** A session of two turns: four events, then three. */
async function twoTurns() {
  const path = newSession();
  const { message, model } = script('One.', 'Two.', 'Three.', 'Four.');
  await post(path, { message: message('First') });
  await post(path, { message: 'Second' });
  return { path, model, message };
}

/**
 * A session in which the 4th of 7 events starts the `once` call of `record`, between its request and its end.
 */
async function recordTurns() {
  const path = newSession();
  const note = crypto.randomUUID();
  const { message, model } = script(
    { calls: [{ name: 'record', input: { note } }] },
    'Recorded it.',
    'After the fork.',
  );
  await post(path, { message: message() });
  const done = (): number => recordings.filter((one) => one.note === note).length;
  const [call] = (await journal(path)).flatMap((one) => (one.type === 'tool-call-started' ? [one.call] : []));
  return { path, model, note, message, done, call };
}

describe('a fork', () => {
  it('has the events of its source up to `at`, and continues from there', async () => {
    const { path, model } = await twoTurns();
    const response = await postFork(path, { at: 4 });
    expect(response.status).toBe(201);
    const fork = await json(response);
    const url = String(fork.url);
    expect(response.headers.get('location')).toBe(url);
    expect(fork).toEqual({ session: sessionId(url), agent: 'scripted', from: sessionId(path), at: 4, url });
    expect(url.startsWith(`${path}.`)).toBe(true);
    const [opened, ...copied] = await journal(url);
    const [, ...source] = await journal(path);
    expect(opened).toMatchObject({
      type: 'session-forked',
      agent: 'scripted',
      from: sessionId(path),
      upTo: 4,
      principal: { id: 'local' },
    });
    expect(withoutTimes(copied)).toEqual(withoutTimes(source.slice(0, 3)));
    const next = await json(await post(url, { message: 'Other' }));
    expect(next).toMatchObject({ outcome: 'completed', text: 'Three.' });
    expect(shownTexts(model)).toEqual([expect.stringMatching(/^First/), 'One.', 'Other']);
    // The source is unchanged.
    expect(typesOf(await journal(path)).slice(7)).toEqual(['module-event']);
  });

  it('has all events by default, and needs no body', async () => {
    const { path } = await twoTurns();
    const response = await send(`${path}/fork`, { method: 'POST' });
    const fork = await json(response);
    expect([response.status, fork.at]).toEqual([201, 7]);
    const source = withoutTimes(await journal(path));
    expect(withoutTimes(await journal(String(fork.url))).slice(1)).toEqual(source.slice(1, 7));
    const name = `n-${crypto.randomUUID()}`;
    const first = await json(await postFork(path, { name }));
    expect(await json(await postFork(path, { name }))).toEqual(first);
  });

  it('at the first event has no message, and starts empty', async () => {
    const { path, model, message } = await twoTurns();
    const url = await forkOf(path, { at: 1 });
    expect(typesOf(await journal(url))).toEqual(['session-forked', 'module-event']);
    expect(await json(await send(url))).toMatchObject({ messages: [], openTurn: null });
    expect(await json(await post(url, { message: message('Again') }))).toMatchObject({ text: 'Three.' });
    expect(shownTexts(model)).toEqual([message('Again')]);
  });

  it('can be forked again', async () => {
    const { path } = await twoTurns();
    const url = await forkOf(path, { at: 7 });
    const again = await forkOf(url, { at: 4 });
    expect((await journal(again))[0]).toMatchObject({ from: sessionId(url), upTo: 4 });
    expect(typesOf(await journal(again)).slice(1)).toEqual(typesOf(await journal(path)).slice(1, 4));
  });

  it('has the requested name, and a repeated request returns the same fork', async () => {
    const { path } = await twoTurns();
    const name = `n-${crypto.randomUUID()}`;
    const first = await json(await postFork(path, { at: 4, name }));
    expect(first.session).toBe(name);
    await post(String(first.url), { message: 'More' });
    const again = await postFork(path, { at: 4, name });
    expect([again.status, await json(again)]).toEqual([201, first]);
    const both = await Promise.all([1, 2].map(() => postFork(path, { at: 4, name: `${name}-2` })));
    const [one, two] = await Promise.all(both.map(json));
    expect(one).toEqual(two);
    expect(typesOf(await journal(String(one?.url)))).toHaveLength(4);
  });

  it('ends the open turn as cancelled: started calls are unknown, waiting ones declined, and the others skipped', async () => {
    const { session: path, to } = await startWaitingTurn(['pay', 'pay_now']);
    const events = await journal(path);
    // Both were requested: one waits, and the other has not begun.
    const at = events.findIndex(({ type }) => type === 'tool-call-suspended') + 1;
    const response = await postFork(path, { at });
    expect(await json(response)).toMatchObject({
      type: 'urn:holdfast:problem:would-repeat-effects',
      status: 409,
    });
    const url = await forkOf(path, { at, repeatEffects: true });
    const ends = (await journal(url)).slice(at);
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
    expect(await json(await send(path))).toMatchObject({ pending: [{ tool: 'pay' }] });
    expect(paidTo(to)).toEqual([2]);
  });

  it('is listed by its source, but not by forks of that source', async () => {
    const { path } = await twoTurns();
    const first = await json(await postFork(path, { at: 4 }));
    const second = await json(await postFork(path, { at: 7 }));
    const all = await json(await postFork(path));
    const listed = ({ session, at, url }: Record<string, unknown>) => ({ session, at, url });
    const forks = [first, second, all].map(listed);
    expect(await json(await send(`${path}/forks`))).toEqual({ forks });
    expect(await json(await send(`${String(all.url)}/forks`))).toEqual({ forks: [] });
    const missing = await send(`${newSession()}/forks`);
    expect(missing.status).toBe(404);
  });

  it('shows its model the calls that were cut off, if the fork is allowed to repeat them', async () => {
    const { path, model, note, done } = await recordTurns();
    const url = await forkOf(path, { at: 2, repeatEffects: true });
    await post(url, { message: 'Other' });
    expect(shownTexts(model)).toEqual([
      expect.stringMatching(/^Hello/),
      'A later part of this conversation was cut off. These calls were made in it, and their effects remain:\n' +
        `- 'record' with the input {"note":"${note}"}: Recorded.\n` +
        'Do not repeat them unless the user asks for it.',
      '[The last message was not answered.]',
      'Other',
    ]);
    expect(done()).toBe(1);
  });

  it('of a fork also shows its model the calls that the first fork cut off, once', async () => {
    const { path, model, note } = await recordTurns();
    const one = await forkOf(path, { at: 2, repeatEffects: true });
    const message = (await journal(one)).findIndex(({ type }) => type === 'turn-steered') + 1;
    for (const at of [2, message]) {
      await post(await forkOf(one, { at }), { message: 'Other' });
      const told = shownTexts(model).filter((text) => text?.includes('was cut off'));
      expect(told).toEqual([
        expect.stringContaining(`'record' with the input {"note":"${note}"}: Recorded.`),
      ]);
    }
  });

  it('at the first event can also show the calls that were cut off', async () => {
    const { path, model, message, note } = await recordTurns();
    const url = await forkOf(path, { at: 1, repeatEffects: true });
    await post(url, { message: message('Again') });
    expect(shownTexts(model)).toEqual([
      expect.stringContaining(note),
      '[The last message was not answered.]',
      message('Again'),
    ]);
  });
});

describe('a fork request is refused', () => {
  const refusalOf = async (path: string, body: unknown) => {
    const { title: _, ...refused } = await json(await postFork(path, body));
    return refused;
  };

  it('if the part cut off holds calls that had effects', async () => {
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
    // Before its start, and between its start and its end.
    for (const at of [1, 2, 3, 4]) expect(await refusalOf(path, { at })).toEqual(refused);
    expect((await postFork(path, { at: 5 })).status).toBe(201);
  });

  it('if the session has no such event', async () => {
    const { path } = await twoTurns();
    const whole = (said: string) =>
      `The body is not valid: at: must be the sequence number of an event, from 1, but is ${said}.`;
    const all: readonly (readonly [unknown, string])[] = [
      [{ at: 0 }, whole('0')],
      [{ at: 1.5 }, whole('1.5')],
      [{ at: 'x' }, whole("'x'")],
      [{ at: 8 }, 'The body is not valid: at: the last event of the session is 7, but 8 is after it.'],
      [
        { name: 7, repeatEffects: 1, more: true },
        'The body is not valid: more: is not known here; name: must be text; repeatEffects: must be true or false.',
      ],
    ];
    for (const [body, detail] of all)
      expect(await refusalOf(path, body)).toMatchObject({
        type: 'urn:holdfast:problem:invalid-body',
        status: 422,
        detail,
      });
    expect(await refusalOf(path, { name: 'a b' })).toMatchObject({ status: 400 });
    expect(await refusalOf(newSession(), {})).toMatchObject({
      type: 'urn:holdfast:problem:unknown-session',
      status: 404,
    });
  });

  it('if another session has the requested name', async () => {
    const { path } = await twoTurns();
    const other = newSession();
    await post(other, { message: script('Hi.').message() });
    const name = sessionId(other);
    const refused = {
      type: 'urn:holdfast:problem:session-exists',
      status: 409,
      detail: `The session '${name}' exists, and is not a fork at this event. GET ${other} shows it. Use another name.`,
    };
    expect(await refusalOf(path, { at: 4, name })).toEqual(refused);
    expect(await refusalOf(path, { at: 4, name: sessionId(path) })).toMatchObject({ status: 409 });
    const fork = await json(await postFork(path, { at: 4 }));
    expect(await refusalOf(path, { at: 7, name: fork.session })).toMatchObject({ status: 409 });
    expect((await journal(other)).length).toBe(4);
  });
});

describe('a fork whose invocation was killed', () => {
  /** Opens a fork, as a request does that is then killed. */
  async function left(path: string, at: number): Promise<string> {
    const url = newSession('scripted', withLease(300));
    const [, second] = await journal(path);
    const { incarnation } = Object(await source(path).read({ from: 1, limit: 1 }));
    const forked = {
      v: 1,
      type: 'session-forked',
      incarnation: 'copying',
      agent: 'scripted',
      from: sessionId(path),
      fromIncarnation: incarnation,
      upTo: at,
      principal: { id: 'local' },
    };
    const { seq: _, at: __, ...body } = Object(second);
    const turn = String(body.turn);
    await source(url).begin({
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

  const source = (path: string) => env.SESSIONS.getByName(sessionName(path));

  it('refuses messages until a runner has copied the remaining events', async () => {
    const { path } = await twoTurns();
    const url = await left(path, 7);
    const busy = await post(url, { message: 'Too soon' });
    expect([busy.status, busy.headers.has('retry-after')]).toEqual([409, true]);
    await expect.poll(async () => Object(await json(await send(url))).openTurn).toBe(null);
    expect(withoutTimes(await journal(url)).slice(1)).toEqual(withoutTimes(await journal(path)).slice(1, 7));
    expect(await json(await post(url, { message: 'Now' }))).toMatchObject({ text: 'Three.' });
  });

  it('is returned to its client on a retry', async () => {
    const { path } = await twoTurns();
    const url = await left(path, 4);
    const again = await postFork(path, { at: 4, name: sessionId(url) });
    expect([again.status, Object(await json(again)).url]).toEqual([201, url]);
    await expect.poll(async () => typesOf(await journal(url))).toHaveLength(4);
  });
});

describe('the files of a fork', () => {
  const PNG = [{ type: 'file', mediaType: 'image/png', data: btoa('a png') }];

  it('are separate copies, which remain if its source is erased', async () => {
    const { via } = fileApp({ use: [branches()] });
    const { session } = await postAndRead(via, { message: PNG });
    const url = await forkOf(session, {}, via);
    await via(session, { method: 'DELETE' });
    const file = await via(`${url}/files/${await idOf('a png')}`);
    expect([file.status, file.headers.get('content-type'), await contentOf(file)]).toEqual([
      200,
      'image/png',
      'a png',
    ]);
  });

  it('are copied in the external store, under the name of the fork', async () => {
    const kept = new Map<string, Uint8Array>();
    const keyOf = ({ session, incarnation, id }: FileKey): string => `${session} ${incarnation} ${id}`;
    const store: FileStore = {
      put: async (key, bytes) => void kept.set(keyOf(key), bytes),
      get: async (key, { from, length } = { from: 0, length: 1e9 }) =>
        kept.get(keyOf(key))?.slice(from, from + length) ?? null,
      delete: async (key) => void kept.delete(keyOf(key)),
      deleteAll: async () => {},
    };
    const { via } = fileApp({ use: [branches()], store: () => store });
    const { session } = await postAndRead(via, { message: PNG });
    const url = await forkOf(session, {}, via);
    expect([...kept.keys()].map((key) => key.split(' ')[0])).toEqual([
      sessionName(session),
      sessionName(url),
    ]);
    await via(session, { method: 'DELETE' });
    const file = await via(`${url}/files/${await idOf('a png')}`);
    expect([file.status, await contentOf(file)]).toEqual([200, 'a png']);
  });

  it('are deleted in the fork if they are in its source', async () => {
    const { via } = fileApp({ use: [branches()] });
    const { session } = await postAndRead(via, { message: PNG });
    const id = await idOf('a png');
    await via(`${session}/files/${id}`, { method: 'DELETE' });
    const url = await forkOf(session, {}, via);
    expect((await via(`${url}/files/${id}`)).status).toBe(404);
  });
});
