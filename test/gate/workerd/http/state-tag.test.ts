/** The ETag of a session's state, with which a client checks for changes (RFC 9110). */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { defineModule } from '../../../../src/module.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { branches } from '../../../../src/modules/branches/entry.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { countRows } from '../durable-objects/rows.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { createSessionPath, getSessionName, post, readJson, send } from './client.ts';

const readTag = async (session: string, via = send): Promise<string> =>
  (await via(session)).headers.get('etag') ?? '';

/** Requests the state with these ETags. */
const getWithTags = (session: string, tags: string, init: RequestInit = {}, via = send): Promise<Response> =>
  via(session, { ...init, headers: { 'if-none-match': tags } });

/** A session with this many turns. */
async function createSessionAfter(turns = 1): Promise<string> {
  const session = createSessionPath();
  const { message } = registerScript(...Array.from({ length: turns }, () => 'Done.'));
  for (let turn = 0; turn < turns; turn += 1) await post(session, { message: message() });
  return session;
}

describe('the ETag of a state', () => {
  it('is weak, and stays the same without new events', async () => {
    const session = await createSessionAfter();
    const tag = await readTag(session);
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/);
    expect(await readTag(session)).toBe(tag);
  });

  it('changes with the running turn, its events, its end, and the pending calls', async () => {
    const session = createSessionPath();
    const [first, second] = [
      createHeldReply({ calls: [{ name: 'record', input: { note: 'n' } }] }),
      createHeldReply('Done.'),
    ];
    const { message } = registerScript(first.reply, second.reply, 'Done.');
    const body = { message: message() };
    const seen = new Map<string, unknown>();
    /** Each state has a new ETag. */
    const recordState = async (): Promise<void> => {
      const response = await send(session);
      const tag = response.headers.get('etag') ?? '';
      expect([seen.has(tag), tag]).toEqual([false, expect.stringMatching(/^W\//)]);
      seen.set(tag, await readJson(response));
      expect((await getWithTags(session, [...seen.keys()].slice(0, -1).join(', ') || '"none"')).status).toBe(
        200,
      );
      expect((await getWithTags(session, tag)).status).toBe(304);
    };
    const running = post(session, body);
    await first.asked();
    await recordState();
    first.release();
    await second.asked();
    await recordState();
    const later = { message: message('Later'), delaySeconds: 1_000 };
    const { turn } = await readJson(await post(session, later));
    await recordState();
    second.release();
    await running;
    await recordState();
    await send(`${session}/cancel?turn=${turn}`, { method: 'POST' });
    // The turn ends once its holder has received the cancel.
    await expect
      .poll(async () => (await readJson(await send(`${session}/turns/${turn}`))).outcome)
      .toBe('cancelled');
    await recordState();
    expect(new Set([...seen.values()].map((view) => JSON.stringify(view))).size).toBe(seen.size);
  });

  it('changes if the session was erased and created again with the same text', async () => {
    const session = createSessionPath();
    const begin = async (): Promise<readonly [string, unknown]> => {
      const { message } = registerScript('Done.');
      await post(session, { message: message() });
      const response = await send(session);
      return [response.headers.get('etag') ?? '', (await readJson(response)).seq];
    };
    const [before, seq] = await begin();
    await send(session, { method: 'DELETE' });
    const [after, again] = await begin();
    expect([again, after === before]).toEqual([seq, false]);
    expect((await getWithTags(session, before)).status).toBe(200);
  });

  it('changes with the code that folds the journal', async () => {
    const session = await createSessionAfter();
    const counting = defineModule({
      name: 'counting',
      state: { when: 'call', scope: 'session', initial: 0, apply: (count: number) => count + 1 },
    });
    const other = createTestApp({ use: [counting.use()] });
    const tag = await readTag(session);
    expect(await readTag(session, other)).not.toBe(tag);
    expect((await getWithTags(session, tag, {}, other)).status).toBe(200);
  });

  it('is unique to its session', async () => {
    expect(await readTag(await createSessionAfter())).not.toBe(await readTag(await createSessionAfter()));
  });
});

describe('a client that has the state', () => {
  it('gets a 304 without a body, with the ETag', async () => {
    const session = await createSessionAfter();
    const tag = await readTag(session);
    const response = await getWithTags(session, tag);
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', tag]);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
  });

  it('can send several tags, weak or strong, or a star', async () => {
    const session = await createSessionAfter();
    const tag = await readTag(session);
    const strong = tag.replace('W/', '');
    for (const tags of [tag, strong, `"a", ${tag}`, `${strong},W/"b"`, '*', ` ${tag} `]) {
      expect([tags, (await getWithTags(session, tags)).status]).toEqual([tags, 304]);
    }
    for (const tags of ['"a"', 'W/"a", "b"', strong.slice(1, -1), `w/${strong}`, '', 'nonsense']) {
      const response = await getWithTags(session, tags);
      expect([tags, response.status, response.headers.get('etag')]).toEqual([tags, 200, tag]);
    }
  });

  it('can use HEAD with the same result as GET', async () => {
    const session = await createSessionAfter();
    const tag = await readTag(session);
    const head = await send(session, { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', tag]);
    expect((await getWithTags(session, tag, { method: 'HEAD' })).status).toBe(304);
  });

  it('gets a 404 for an unknown session', async () => {
    const session = createSessionPath();
    for (const tags of ['*', '"a"']) expect((await getWithTags(session, tags)).status).toBe(404);
    const known = await createSessionAfter();
    const tag = await readTag(known);
    await send(known, { method: 'DELETE' });
    expect((await getWithTags(known, tag)).status).toBe(404);
  });

  it('causes one read of one event, regardless of the length of the session', async () => {
    const reads: unknown[] = [];
    const counted = wrapObjects((stub) => ({
      async read(query: Parameters<typeof stub.read>[0]) {
        const page = await stub.read(query);
        reads.push([query, page?.rows.length]);
        return page;
      },
    }));
    // The ETag depends on the app's modules.
    const via = createTestApp({ use: [answers, branches()] }, { SESSIONS: counted });
    const measureCosts = async (session: string) => {
      const tag = await readTag(session);
      const rows = await countRows(env.SESSIONS.getByName(getSessionName(session)), () =>
        getWithTags(session, tag),
      );
      reads.length = 0;
      expect((await getWithTags(session, tag, {}, via)).status).toBe(304);
      return { rows, reads: [...reads] };
    };
    const short = await measureCosts(await createSessionAfter(1));
    expect(short.reads).toEqual([[{ from: 1, limit: 1 }, 1]]);
    expect(await measureCosts(await createSessionAfter(6))).toEqual(short);
    expect(short.rows.written).toBe(0);
  });
});
