import { env } from 'cloudflare:workers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool, ModelError } from '../../../../src/index.ts';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { createHeldReply, modelBySession, registerScript, waitUntil } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { checkResponses } from './as-described.ts';
import {
  createSessionPath,
  ORIGIN,
  post,
  readAllEvents,
  readJournal,
  readJson,
  type Send,
  SSE_HEADERS,
  send,
} from './client.ts';
import { createManualSession, deliverToHolders } from './time.ts';
import { createProblem } from './waiting.ts';

const cancel = (session: string, turn?: unknown): Promise<Response> =>
  send(`${session}/cancel${turn === undefined ? '' : `?turn=${turn}`}`, { method: 'POST' });

/** Sends a message whose answer the test does not read. */
const postWaiting = (session: string, query: string, body: unknown): Promise<Response> =>
  send(`${session}/messages?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify(body),
  });

describe('cancel', () => {
  it('stops a turn while its model thinks, and its client gets the outcome', async () => {
    const session = createManualSession();
    const answer = createHeldReply('Never.');
    const answering = post(session, { message: registerScript(answer.reply).message() });
    await answer.asked();
    const response = await cancel(session);
    deliverToHolders();
    const { turn } = await readJson(response);
    expect([response.status, response.headers.get('location')]).toEqual([202, `${session}/turns/${turn}`]);
    const answered = await answering;
    expect(answered.status).toBe(200);
    expect(await readJson(answered)).toMatchObject({ turn, outcome: 'cancelled', text: '', iterations: 0 });
    expect(answer.aborted()).toBe(true);
    expect((await readJournal(session)).map(({ type }) => type)).toEqual([
      'session-opened',
      'turn-started',
      'cancel-requested',
      'turn-ended',
    ]);
  });

  it('ends the stream of a turn with the outcome `cancelled`', async () => {
    const session = createManualSession();
    const answer = createHeldReply('Never.');
    const streaming = await post(
      session,
      { message: registerScript(answer.reply).message() },
      { headers: SSE_HEADERS },
    );
    await answer.asked();
    await (await cancel(session)).text();
    deliverToHolders();
    expect((await readAllEvents(streaming)).at(-1)).toMatchObject({
      event: 'answer',
      data: { outcome: 'cancelled' },
    });
  });

  it('leaves the session free for the next message', async () => {
    const session = createManualSession();
    const answer = createHeldReply('Never.');
    const answering = post(session, { message: registerScript(answer.reply, 'Next.').message() });
    await answer.asked();
    await cancel(session);
    deliverToHolders();
    await (await answering).text();
    expect(await readJson(await post(session, { message: 'Go on' }))).toMatchObject({ text: 'Next.' });
  });

  it('does not wait for a model that ignores the signal', async () => {
    const answer = createHeldReply('Never.', { deaf: true });
    onTestFinished(answer.release);
    const session = createManualSession();
    const answering = post(session, { message: registerScript(answer.reply).message() });
    await answer.asked();
    await cancel(session);
    deliverToHolders();
    expect(await readJson(await answering)).toMatchObject({ outcome: 'cancelled' });
  });

  it('returns the same response if it is sent twice', async () => {
    const session = createManualSession();
    const answer = createHeldReply('Never.');
    const answering = post(session, { message: registerScript(answer.reply).message() });
    await answer.asked();
    const both = await Promise.all([cancel(session), cancel(session)]);
    expect(both.map(({ status }) => status)).toEqual([202, 202]);
    deliverToHolders();
    await (await answering).text();
    expect((await readJournal(session)).filter(({ type }) => type === 'turn-ended').length).toBe(1);
  });

  it('reports that no turn runs in the session', async () => {
    const session = createManualSession();
    await post(session, { message: registerScript('Done.').message() });
    const response = await cancel(session);
    expect(response.status).toBe(409);
    expect(await readJson(response)).toEqual({
      type: 'urn:holdfast:problem:no-open-turn',
      title: 'no open turn',
      status: 409,
      detail: 'No turn is open, so there is nothing to cancel.',
    });
  });

  it('ends a waiting turn before its model is called', async () => {
    const session = createManualSession();
    const first = createHeldReply('First.');
    const { message, model } = registerScript(first.reply);
    const answering = post(session, { message: message() });
    await first.asked();
    const queued = await readJson(await postWaiting(session, 'whenBusy=queue', { message: 'Two' }));
    const later = await readJson(await postWaiting(session, '', { message: 'Later', delaySeconds: 3600 }));
    for (const { turn } of [queued, later]) {
      const response = await cancel(session, turn);
      expect([response.status, response.headers.get('location'), await readJson(response)]).toEqual([
        202,
        `${session}/turns/${turn}`,
        { turn, status: 'cancel-requested' },
      ]);
    }
    first.release();
    expect(await readJson(await answering)).toMatchObject({ outcome: 'completed' });
    for (const { turn } of [queued, later]) {
      const path = `${session}/turns/${turn}`;
      await expect.poll(async () => (await send(path)).status).toBe(200);
      expect(await readJson(await send(path))).toMatchObject({ outcome: 'cancelled', iterations: 0 });
    }
    expect(model.requests.length).toBe(1);
  });

  it('cancels the open turn by its id, and leaves the queued turns', async () => {
    const session = createManualSession();
    const first = createHeldReply('Never.');
    const answering = post(session, { message: registerScript(first.reply, 'Second.').message() });
    await first.asked();
    const queued = await readJson(await postWaiting(session, 'whenBusy=queue', { message: 'Two' }));
    const { openTurn } = await readJson(await send(session));
    expect((await cancel(session, openTurn)).status).toBe(202);
    deliverToHolders();
    expect(await readJson(await answering)).toMatchObject({ outcome: 'cancelled' });
    const path = `${session}/turns/${queued.turn}`;
    await expect.poll(async () => (await send(path)).status).toBe(200);
    expect(await readJson(await send(path))).toMatchObject({ outcome: 'completed', text: 'Second.' });
  });

  it('returns the reason if the turn cannot be cancelled', async () => {
    const session = createManualSession();
    expect((await cancel(session, 'x')).status).toBe(404);
    const done = await readJson(await post(session, { message: registerScript('Done.').message() }));
    expect(await readJson(await cancel(session, done.turn))).toEqual(
      createProblem(
        'turn-over',
        409,
        `Turn ${done.turn} has ended. GET ${session}/turns/${done.turn} shows its answer.`,
      ),
    );
    const unknown = `There is no turn 'nope' in this session. GET ${session} shows the last turn and the waiting ones.`;
    expect(await readJson(await cancel(session, 'nope'))).toEqual(
      createProblem('unknown-turn', 404, unknown),
    );
    // An empty id is unknown too, although events outside of turns have it.
    const none = createProblem('unknown-turn', 404, unknown.replace('nope', ''));
    expect(await readJson(await cancel(session, ''))).toEqual(none);
  });

  it.each(['is on its way', 'is stored'])('reports that the turn is over if its end %s', async (end) => {
    const asked = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const SESSIONS = wrapObjects((stub) => ({
      append: async (...request: Parameters<typeof stub.append>) => {
        const isLast = request[2].release === 'ended';
        if (isLast && end === 'is on its way') await asked.promise;
        const answer = await stub.append(...request);
        if (isLast) over.resolve();
        return answer;
      },
      post: async (...request: Parameters<typeof stub.post>) => {
        if (end === 'is stored') await over.promise;
        const posted = await stub.post(...request);
        asked.resolve();
        await over.promise;
        return posted;
      },
    }));
    const via = createTestApp({}, { SESSIONS });
    const session = createSessionPath();
    const answer = createHeldReply('Done.');
    const answering = post(session, { message: registerScript(answer.reply).message() }, { via });
    await answer.asked();
    const { openTurn: turn } = await readJson(await via(session));
    const cancelling = via(`${session}/cancel`, { method: 'POST' });
    answer.release();
    expect(await readJson(await cancelling)).toEqual(
      createProblem(
        'turn-over',
        409,
        `Turn ${turn} has ended. GET ${session}/turns/${turn} shows its answer.`,
      ),
    );
    expect(await readJson(await answering)).toMatchObject({ turn, outcome: 'completed', text: 'Done.' });
  });

  it('reports the turn that received a steering message', async () => {
    const session = createSessionPath();
    const answer = createHeldReply('First.');
    const answering = post(session, { message: registerScript(answer.reply, 'Second.').message() });
    await answer.asked();
    const { openTurn: turn } = await readJson(await send(session));
    const steering = await readJson(await postWaiting(session, 'whenBusy=steer', { message: 'And?' }));
    const detail = `Message ${steering.turn} is being delivered to turn ${turn}. Cancel that turn.`;
    expect(await readJson(await cancel(session, steering.turn))).toEqual(
      createProblem('no-open-turn', 409, detail, { turn }),
    );
    answer.release();
    await (await answering).text();
  });
});

describe('a once call that continues after its turn was cancelled', () => {
  const paid = Promise.withResolvers<void>();
  const told = { toPay: false, toStop: false };
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    run: async (_, { signal }) => {
      told.toPay = true;
      signal.addEventListener('abort', () => {
        told.toStop = true;
      });
      await paid.promise;
      return 'paid';
    },
  });
  const payer = defineAgent({
    name: 'payer',
    description: 'Pays.',
    instructions: 'Follow the script.',
    tools: [pay],
    model: modelBySession,
  });

  it('keeps the invocation of its request alive, and its result is shown to the next turn', async () => {
    const { worker } = createHoldfast({ agents: [payer] });
    const kept: Promise<unknown>[] = [];
    const ctx = { waitUntil: (work: Promise<unknown>) => kept.push(work) } as unknown as ExecutionContext; // only these properties are used
    const via: Send = checkResponses(async (path, init) => {
      const request = new Request(`${ORIGIN}${path}`, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
      return worker.fetch(request, { ...env }, ctx);
    });
    const session = createManualSession('payer');
    // The model then sees a shortened result, but a reader sees all of it.
    const refused = new ModelError('context-length', 'Too long.');
    const { message, model } = registerScript({ calls: [{ name: 'pay' }] }, refused, 'Next.');
    const answering = post(session, { message: message() }, { via });
    await waitUntil(() => told.toPay);
    await via(`${session}/cancel`, { method: 'POST' });
    deliverToHolders();
    await waitUntil(() => told.toStop);
    advanceTime(5_000); // the time that the call has left to finish
    const { turn, outcome } = await readJson(await answering);
    expect(outcome).toBe('cancelled');
    const order: string[] = [];
    const over = Promise.all(kept).then(() => order.push('the invocation is over'));
    await readJournal(session, via); // a whole round trip, in which the invocation could end
    order.push('it pays');
    paid.resolve();
    await over;
    expect(order).toEqual(['it pays', 'the invocation is over']);
    const now = message('And now?');
    await post(session, { message: now }, { via });
    const text =
      "The call of 'pay' with the input {}, whose outcome was unknown, has answered after all: paid";
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text });
    const { messages } = await readJson(await via(session));
    expect(messages).toEqual([
      expect.objectContaining({ by: 'summary' }),
      { role: 'user', text: now },
      { role: 'user', text, by: 'late' },
      { role: 'assistant', text: 'Next.' },
    ]);
    const late = (await readJournal(session, via)).find(({ type }) => type === 'late-result-received');
    expect(late).toMatchObject({ call: `${turn}.3.0`, tool: 'pay', result: { content: 'paid' } });
  });
});
