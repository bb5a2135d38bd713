/** Requests to a session from app code, compared with the same requests over HTTP, on the real object. */
import { env, exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { SessionError, type ShownEvent, sessionOf } from '../../../../src/create-holdfast.ts';
import { deleteFile } from '../../../../src/modules/files/entry.ts';
import { listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { handOvers } from '../../../fixtures/hand-overs.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import {
  createSessionPath,
  getSessionId,
  getSessionName,
  post,
  readAllEvents,
  readJournal,
  readJson,
  SSE_HEADERS,
  send,
} from '../http/client.ts';
import { createManualSession, deliverToHolders, waitForStoredMessage } from '../http/time.ts';
import { answer, getOnlyLink, startWaitingTurn } from '../http/waiting.ts';
import {
  collect,
  createCodeApp,
  LOCAL_CALLER,
  openNewSession,
  openSession,
  withoutIds,
} from './from-code.ts';

const createRecordReply = (note: string) => ({ calls: [{ name: 'record', input: { note } }] });
const addReply = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };

const throwBroken = (): never => {
  throw new Error('broken');
};

/** A waiting turn of the clerk, from code. */
async function startWaitingInCode(tool: string, ...replies: string[]) {
  const { path, chat } = openNewSession('clerk');
  const to = crypto.randomUUID();
  const input = tool === 'look_up' ? { id: 'o1' } : { to, amount: 1 };
  const { message, model } = registerScript({ calls: [{ name: tool, input }] }, ...replies);
  const asked = await chat.send(message());
  const [call] = asked.outcome === 'suspended' ? asked.pending : [];
  if (!call) throw new Error(`The turn is not waiting for a call: ${JSON.stringify(asked)}`);
  return { path, chat, to, model, asked, call };
}

describe('the same session over HTTP and from code', () => {
  it('returns the same answer, events and state for a message with calls', async () => {
    const both = { context: { locale: 'de' }, loopId: 'loop' };
    const replies = [addReply, createRecordReply('parity'), 'Done.'] as const;
    const path = createSessionPath();
    const byHttp = await readJson(
      await post(path, { message: registerScript(...replies).message(), ...both }),
    );
    const { path: other, chat } = openNewSession();
    const fromCode = await chat.send(registerScript(...replies).message(), both);
    expect(withoutIds(fromCode)).toEqual(withoutIds(byHttp));
    expect(fromCode).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 2, agent: 'scripted' });
    expect(withoutIds(await collect(chat.events()))).toEqual(withoutIds(await readJournal(path)));
    expect(withoutIds(await chat.state())).toEqual(withoutIds(await readJson(await send(path))));
    // Both paths lead to the same session.
    expect(await readJson(await send(other))).toEqual(JSON.parse(JSON.stringify(await chat.state())));
    expect(await collect(openSession(path).events())).toEqual(await readJournal(path));
    expect(withoutIds(await chat.turn(fromCode.turn))).toEqual(withoutIds(byHttp));
  });

  it('resumes a turn that waits for a decision', async () => {
    const web = await startWaitingTurn(['pay'], { replies: ['Done.'] });
    const { path, chat, to, asked, call } = await startWaitingInCode('pay', 'Done.');
    const told = await readJson(await send(`${web.session}/turns/${web.turn}`));
    expect(withoutIds(asked)).toEqual(withoutIds(told));
    const byHttp = await readJson(await answer(getOnlyLink(web), { decision: 'approve', reason: 'Fine.' }));
    const fromCode = await chat.decide(call.call, { decision: 'approve', reason: 'Fine.' });
    expect(withoutIds(fromCode)).toEqual(withoutIds(byHttp));
    expect(listPaymentsTo(to)).toEqual([1]);
    expect(withoutIds(await readJournal(path))).toEqual(withoutIds(await readJournal(web.session)));
  });

  it('accepts the result of a tool that the caller runs', async () => {
    const web = await startWaitingTurn(['look_up'], { replies: ['Done.'] });
    const { path, chat, call, model } = await startWaitingInCode('look_up', 'Done.');
    const byHttp = await readJson(await answer(getOnlyLink(web), { result: { total: 12.5 } }));
    const fromCode = await chat.result(call.call, { result: { total: 12.5 } });
    expect(withoutIds(fromCode)).toEqual(withoutIds(byHttp));
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ text: '{"total":12.5}' });
    expect(withoutIds(await readJournal(path))).toEqual(withoutIds(await readJournal(web.session)));
  });

  it('shows the same running turn', async () => {
    const path = createSessionPath();
    const replies = [addReply, 'Three.'] as const;
    const message = { message: registerScript(...replies).message() };
    const stream = await readAllEvents(await post(path, message, { headers: SSE_HEADERS }));
    const shown: ShownEvent[] = [];
    const { chat } = openNewSession();
    const options = { onEvent: (event: ShownEvent) => void shown.push(event) };
    const answered = await chat.send(registerScript(...replies).message(), options);
    const byHttp = stream.map(({ id, event, data }) => (id === undefined ? { type: event, ...data } : data));
    expect(withoutIds([...shown, { type: 'answer', ...answered }])).toEqual(withoutIds(byHttp));
    expect(shown.map(({ type }) => type)).toContain('text-delta');
    expect(shown.map(({ type }) => type)).toContain('progress');
  });
});

describe('send', () => {
  it('returns a failed turn with its error', async () => {
    const { chat } = openNewSession();
    const answered = await chat.send('No script is named here.');
    expect(answered).toMatchObject({
      outcome: 'failed',
      error: { type: 'model-failure', message: expect.any(String) },
    });
    expect(answered.status).toBeUndefined();
  });

  it('starts one turn under a key, and returns that turn again for the same key', async () => {
    const { path, chat } = openNewSession();
    const { message, model } = registerScript('Once.', 'Twice.');
    const text = message();
    const first = await chat.send(text, { idempotencyKey: '<mail-1@example>' });
    expect(await chat.send(text, { idempotencyKey: '<mail-1@example>' })).toEqual(first);
    expect(model.requests).toHaveLength(1);
    expect((await readJournal(path)).filter(({ type }) => type === 'turn-started')).toHaveLength(1);
  });

  it('returns the events of an earlier turn from the journal', async () => {
    const { chat } = openNewSession();
    const text = registerScript(addReply, 'Three.').message();
    const first = await chat.send(text, { idempotencyKey: 'k' });
    const shown: ShownEvent[] = [];
    const onEvent = (event: ShownEvent) => void shown.push(event);
    expect(await chat.send(text, { idempotencyKey: 'k', onEvent })).toEqual(first);
    expect(shown).toEqual(await collect(chat.events({ after: 1 })));
  });

  it('stores the message and returns immediately if it is for the background', async () => {
    const { chat } = openNewSession();
    const message = registerScript('Later.').message();
    const stored = await chat.send(message, { background: true });
    expect(stored).toEqual({
      turn: stored.turn,
      session: stored.session,
      agent: 'scripted',
      status: 'accepted',
    });
    expect([stored.outcome, stored.text, stored.object]).toEqual([undefined, undefined, undefined]);
    await expect.poll(async () => (await chat.turn(stored.turn)).text, { timeout: 20_000 }).toBe('Later.');
  });

  it('schedules the turn', async () => {
    const { path, chat } = openNewSession();
    const stored = await chat.send('Much later.', { delaySeconds: 3600 });
    expect(stored).toEqual({
      turn: stored.turn,
      session: getSessionId(path),
      agent: 'scripted',
      status: 'scheduled',
      startsAt: expect.stringMatching(/^20\d\d-.*Z$/),
    });
    expect(await chat.turn(stored.turn)).toEqual(stored);
    expect(await chat.cancel(stored.turn)).toEqual({ turn: stored.turn, status: 'cancel-requested' });
  });

  it('queues a message, and steers the running turn', async () => {
    const path = createManualSession();
    const chat = openSession(path);
    const slow = createHeldReply(createRecordReply('steered'));
    const { message, model } = registerScript(slow.reply, 'Both.', 'Queued.');
    const first = chat.send(message());
    await slow.asked();
    const steered = await chat.send('And this.', { whenBusy: 'steer' });
    const { openTurn } = await chat.state();
    expect(steered).toMatchObject({ status: 'steering', into: openTurn });
    const queued = chat.send('Then this.', { whenBusy: 'queue' });
    await waitForStoredMessage(path);
    deliverToHolders();
    slow.release();
    expect((await first).text).toBe('Both.');
    expect(model.requests[1]?.messages.map(({ text }) => text)).toContain('And this.');
    expect(await chat.turn(steered.turn)).toMatchObject({ status: 'steered', into: (await first).turn });
    expect((await queued).text).toBe('Queued.');
  });

  it('returns immediately, with the pending calls, if it queues behind a waiting turn', async () => {
    const { chat, asked } = await startWaitingInCode('pay');
    const queued = await chat.send('Next.', { whenBusy: 'queue' });
    expect(queued).toEqual({
      turn: queued.turn,
      session: queued.session,
      agent: 'clerk',
      status: 'queued',
      pending: asked.outcome === 'suspended' ? asked.pending : [],
    });
  });

  it('declines the pending calls of the previous turn', async () => {
    const { chat, asked, to } = await startWaitingInCode('pay', 'Next.');
    expect((await chat.send('Never mind.', { pending: 'decline' })).text).toBe('Next.');
    expect(await chat.turn(asked.turn)).toMatchObject({ outcome: 'cancelled' });
    expect(listPaymentsTo(to)).toEqual([]);
  });

  it('leaves the turn to another invocation if its signal aborts', async () => {
    const { chat } = openNewSession();
    const slow = createHeldReply(createRecordReply('left'));
    const { message } = registerScript(slow.reply, 'Done elsewhere.');
    const left = new AbortController();
    const answering = chat.send(message(), { signal: left.signal });
    await slow.asked();
    const { openTurn } = await chat.state();
    left.abort(new Error('gone'));
    slow.release();
    await expect(answering).rejects.toThrow('gone');
    await expect
      .poll(async () => (await chat.turn(openTurn ?? '')).text, { timeout: 20_000 })
      .toBe('Done elsewhere.');
  });

  it.each<[string, () => never | Promise<never>]>([
    ['throws', () => throwBroken()],
    ['returns a promise that rejects', async () => throwBroken()],
  ])('continues if `onEvent` %s, logs the failure once, and does not call it again', async (_, onEvent) => {
    const log: string[] = [];
    const app = createCodeApp({ log: (entry) => entry.event !== 'turn' && void log.push(entry.message) });
    const chat = openSession(createSessionPath(), LOCAL_CALLER, app);
    const replies = [addReply, 'Done.'] as const;
    const answered = await chat.send(registerScript(...replies).message(), { onEvent });
    expect(answered.text).toBe('Done.');
    expect(log).toEqual(['`onEvent` of a message threw, and is not called again']);
  });

  it('passes `context` and `secrets` of the app the caller, with claims, and the request (S0-007)', async () => {
    const seen: unknown[] = [];
    const app = createCodeApp({
      context(_, asked) {
        seen.push(asked);
        return {};
      },
      secrets: (_, principal, own) => void seen.push({ principal, own }),
    });
    const request = new Request('https://shop.example/chat');
    const principal = { id: 'ann', tenant: 'acme', roles: ['buyer'], claims: { plan: 'gold' } };
    const session = crypto.randomUUID();
    const chat = sessionOf(app, env, { agent: 'scripted', session, principal, request });
    await chat.send(registerScript('Done.').message(), { context: { any: 'key' } });
    const known = { id: 'ann', tenant: 'acme', roles: ['buyer'] };
    expect(seen).toEqual([
      { principal: known, request },
      { principal: known, own: { request, claims: { plan: 'gold' } } },
    ]);
    const [, started] = await collect(chat.events());
    expect(started).toMatchObject({ principal: known, context: { any: 'key' } });
  });
});

describe('events', () => {
  it('begin after the given event, and end with the last event', async () => {
    const { chat } = openNewSession();
    await chat.send(registerScript('Done.').message());
    const all = await collect(chat.events());
    expect(all.map(({ type }) => type)).toEqual([
      'session-opened',
      'turn-started',
      'model-replied',
      'turn-ended',
    ]);
    expect(await collect(chat.events({ after: 2 }))).toEqual(all.slice(2));
    expect(await collect(chat.events({ after: 4 }))).toEqual([]);
  });

  it('continue live until the signal aborts, or the consumer stops', async () => {
    const { chat } = openNewSession();
    const { message } = registerScript('One.', 'Two.');
    await chat.send(message());
    const left = new AbortController();
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type, seq } of chat.events({ after: 3, live: true, signal: left.signal })) {
        types.push(`${seq} ${type}`);
        if (seq === 7) left.abort();
      }
    })();
    await chat.send('Again.');
    await reading;
    expect(types).toEqual(['4 turn-ended', '5 turn-started', '6 model-replied', '7 turn-ended']);
    for await (const { seq } of chat.events({ live: true })) if (seq === 2) break;
  });
});

describe('cancel and erase', () => {
  it('stop the open turn, and remove all data', async () => {
    const path = createManualSession();
    const chat = openSession(path);
    const slow = createHeldReply('Too late.');
    const first = chat.send(registerScript(slow.reply).message());
    await slow.asked();
    const { openTurn } = await chat.state();
    expect(await chat.cancel()).toEqual({ turn: openTurn, status: 'cancel-requested' });
    deliverToHolders();
    expect(await first).toMatchObject({ outcome: 'cancelled' });
    await chat.erase();
    expect((await send(path)).status).toBe(404);
    await expect(chat.state()).rejects.toThrow(SessionError);
    // An unknown session counts as erased.
    await chat.erase();
  });

  it('deletes files, and reports why one was not deleted', async () => {
    const path = createManualSession();
    const chat = openSession(path);
    await chat.send(registerScript('Hello.').message());
    const id = 'a'.repeat(64);
    const blob = { id, about: '{}', size: 3, bytes: new Uint8Array(3) };
    const started = { type: 'turn-started', turn: 'later', body: '{}' };
    const opening = { type: 'session-opened', turn: '', body: '{}' };
    const object = env.SESSIONS.getByName(getSessionName(path));
    await object.accept({ turn: 'later', opening, started, blobs: [blob], delayMs: 3_600_000 });
    await deleteFile(chat, id);
    expect(await object.blob({ id })).toBeNull();
    await deleteFile(chat, id);
    await expect(deleteFile(chat, 'b'.repeat(64))).rejects.toMatchObject({ type: 'unknown-file' });
  });
});

describe('the events of one turn', () => {
  it('are its own journaled events, up to the last one', async () => {
    const { chat } = openNewSession();
    const { message } = registerScript(addReply, 'Three.', 'Four.');
    await chat.send(message());
    const { turn } = await chat.send('And one more?');
    const all = await collect(chat.events());
    const own = all.filter((event) => 'turn' in event && event.turn === turn);
    expect(own.length).toBeGreaterThan(2);
    expect(own.length).toBeLessThan(all.length);
    for (const live of [false, true]) expect(await collect(chat.events({ turn, live }))).toEqual(own);
    expect(await collect(chat.events({ turn, after: own[0]?.seq ?? 0 }))).toEqual(own.slice(1));
  });
});

describe('a custom RPC method', () => {
  it('runs a turn', async () => {
    const { message } = registerScript(addReply, 'Three.');
    expect(await exports.Desk.ask(getSessionId(createSessionPath()), message())).toBe('Three.');
  });

  it('leaves a turn to `TurnRunner` if it does not wait for the turn, so that no other invocation takes it over', async () => {
    const path = createManualSession();
    const slow = createHeldReply('Done all the same.');
    await exports.Desk.leave(getSessionId(path), registerScript(slow.reply).message());
    await slow.asked();
    const chat = openSession(path);
    const { openTurn } = await chat.state();
    slow.release();
    await expect
      .poll(async () => (await chat.turn(openTurn ?? '')).text, { timeout: 20_000 })
      .toBe('Done all the same.');
    expect(handOvers.filter(({ turn }) => turn === openTurn)).toEqual([]);
  });
});
