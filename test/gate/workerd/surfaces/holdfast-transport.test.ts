/** `HoldfastChatTransport` with a chat of the AI SDK, over the real app and its objects. */
import { describe, expect, it } from 'vitest';
import { HoldfastChatTransport, isAnswered } from '../../../../src/client/ai-sdk/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { createHeldReply } from '../../../fixtures/scripts.ts';
import { copyAsJson, getLastParts, openChat, withoutDescriptors } from '../../../fixtures/ui-chat.ts';
import { readJournal } from '../http/client.ts';
import { agent, expectSameAsLoaded, getPath, open, waitForRequests } from './chats.ts';
import { via } from './desk.ts';

type Send = typeof via;

/** A sent request. */
interface RecordedRequest {
  readonly method: string;
  readonly path: string;
}

/** A chat with Holdfast's transport, whose requests go through `line`. */
function createChatOver(line: (send: Send) => Send, ...replies: ScriptedReply[]) {
  const requests: RecordedRequest[] = [];
  const send = line(async (path, init) => {
    requests.push({ method: init?.method ?? 'GET', path });
    return via(path, init);
  });
  let transport: HoldfastChatTransport | undefined;
  const opened = open(
    {
      version: 7,
      via: send,
      sends: isAnswered as (asked: never) => boolean,
      transport: (api, fetch) => {
        transport = new HoldfastChatTransport({ api, fetch, patience: 5_000 });
        return transport;
      },
    },
    ...replies,
  );
  if (!transport) throw new Error('The chat created no transport.');
  return { ...opened, requests, transport };
}

const keepSend = (send: Send): Send => send;

/** A connection that breaks the first stream of each method after this many chunks. */
const cutAfter =
  (chunks: number) =>
  (send: Send): Send => {
    let isCut = false;
    return async (path, init) => {
      const response = await send(path, init);
      if (isCut || response.body === null || !response.ok) return response;
      isCut = true;
      return new Response(cutBody(response.body, chunks), response);
    };
  };

/** The rest is still read, so the Worker considers its client connected. */
function cutBody(body: ReadableStream<Uint8Array>, chunks: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let passed = 0;
  return new ReadableStream({
    async pull(out) {
      const { done, value } = await reader.read();
      if (done) return out.close();
      const frames = new TextDecoder().decode(value).split(/(?<=\n\n)/);
      const left = frames.slice(0, Math.max(0, chunks - passed));
      passed += frames.length;
      if (left.length > 0) out.enqueue(new TextEncoder().encode(left.join('')));
      if (passed <= chunks) return;
      void drainReader(reader);
      out.error(new TypeError('network error'));
    },
  });
}

async function drainReader(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

const TEST_REPLIES: readonly ScriptedReply[] = [
  { text: 'Let me see.', calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
  { text: 'And a picture.', calls: [{ name: 'draw' }] },
  'It is 3.',
];

describe('HoldfastChatTransport', () => {
  it('requests the chunks of version 7, and shows the journal’s content', async () => {
    const { chat, id, say, requests } = createChatOver(keepSend, ...TEST_REPLIES);
    await say();
    expect(requests).toEqual([{ method: 'POST', path: `/agents/${agent}/chat?ui=7` }]);
    await expectSameAsLoaded(chat, id, 7);
  });

  it.each([0, 1, 2, 3, 5, 7, 9, 12, 15, 18, 20])(
    'shows the same content even if its stream breaks off after %i chunks',
    async (chunks) => {
      const { chat, id, say, requests } = createChatOver(cutAfter(chunks), ...TEST_REPLIES);
      await say();
      await waitForRequests(chat);
      expect(requests.length).toBe(2);
      await expectSameAsLoaded(chat, id, 7);
      const starts = (await readJournal(getPath(id), via)).filter(({ type }) => type === 'turn-started');
      expect(starts).toHaveLength(1);
    },
  );

  it.each([0, 1, 3, 5])(
    'sends an approval automatically, and shows its result even if the stream breaks off after %i chunks',
    async (chunks) => {
      let isAnswering = false;
      const cutLine = (send: Send): Send => {
        const cut = cutAfter(chunks)(send);
        return (path, init) => (isAnswering ? cut(path, init) : send(path, init));
      };
      const { chat, id, say } = createChatOver(
        cutLine,
        { text: 'I ask.', calls: [{ name: 'pay', input: { amount: 5 } }] },
        'Paid.',
      );
      await say();
      const { approval } = Object(getLastParts(chat).at(-1));
      isAnswering = true;
      await chat.addToolApprovalResponse({ id: approval.id, approved: true });
      await expect.poll(() => chat.messages.at(-1)?.metadata?.outcome).toBe('completed');
      await waitForRequests(chat);
      await expectSameAsLoaded(chat, id, 7);
    },
  );

  it.each(['while it streams', 'in a reloaded page'])('cancels the turn of a fork, %s', async (when) => {
    const hangs = createHeldReply('Never.');
    const { chat, id, say, transport, requests } = createChatOver(keepSend, 'One.', hangs.reply);
    await say();
    const regenerating = chat.regenerate();
    await hangs.asked();
    if (when === 'while it streams') {
      await expect.poll(() => chat.messages.at(-1)?.metadata?.session).toBeDefined();
      await chat.stop();
    } else {
      const fresh = createChatOver(keepSend);
      await fresh.transport.loadMessages(id);
      await fresh.transport.cancel(id);
      requests.push(...fresh.requests);
    }
    await regenerating;
    await expect.poll(hangs.aborted).toBe(true);
    const cancel = requests.find(({ path }) => path.includes('/cancel'))?.path;
    const [last] = (await transport.loadMessages(id)).slice(-1);
    expect(cancel).toContain(`/sessions/${Object(last?.metadata).session}/cancel`);
    expect(last?.metadata).toMatchObject({
      outcome: 'cancelled',
      session: expect.stringMatching(`^${id}.`),
    });
  });

  it.each([0, 1, 2, 4])(
    'shows a regenerated answer even if the stream of its fork breaks off after %i chunks',
    async (chunks) => {
      let isAgain = false;
      const cutLine = (send: Send): Send => {
        const cut = cutAfter(chunks)(send);
        return (path, init) => (isAgain ? cut(path, init) : send(path, init));
      };
      const { chat, id, say, transport } = createChatOver(cutLine, 'One.', 'Other.');
      await say();
      isAgain = true;
      await chat.regenerate();
      await waitForRequests(chat);
      expect(copyAsJson(chat.messages.at(-1))).toEqual((await transport.loadMessages(id)).at(-1));
      expect(getLastParts(chat).at(-1)).toMatchObject({ text: 'Other.' });
    },
  );

  it('repeats a message without an answer, and starts one turn', async () => {
    let failures = 2;
    const cutLine =
      (send: Send): Send =>
      async (path, init) => {
        const response = await send(path, init);
        if (init?.method !== 'POST' || failures === 0) return response;
        failures -= 1;
        if (failures === 0) return new Response('Bad gateway', { status: 502 });
        throw new TypeError('Failed to fetch');
      };
    const { chat, id, say, requests } = createChatOver(cutLine, 'Here I am.');
    await say();
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
    expect(chat.messages).toHaveLength(2);
    await expectSameAsLoaded(chat, id, 7);
    const starts = (await readJournal(getPath(id), via)).filter(({ type }) => type === 'turn-started');
    expect(starts).toHaveLength(1);
  });

  it('cancels the turn if the chat is stopped, and accepts the next message immediately', async () => {
    const hangs = createHeldReply('Never.');
    const { chat, id, say, requests } = createChatOver(keepSend, hangs.reply, 'Again.');
    const saying = say();
    await hangs.asked();
    await expect.poll(() => chat.messages.length).toBe(2);
    await chat.stop();
    await saying;
    const turn = String(chat.messages.at(-1)?.id);
    const next = chat.sendMessage({ text: 'Hello again' });
    await next;
    expect(chat.error).toBeUndefined();
    expect(requests).toContainEqual({ method: 'POST', path: `${getPath(id)}/cancel?turn=${turn}` });
    const ends = (await readJournal(getPath(id), via)).filter(({ type }) => type === 'turn-ended');
    expect(ends.map(({ outcome }) => outcome)).toEqual(['cancelled', 'completed']);
  });

  it('cancels a turn even if its stream had not begun when the chat was stopped', async () => {
    const hangs = createHeldReply('Never.');
    let signalArrival = (): void => {};
    const sent = new Promise<void>((resolve) => {
      signalArrival = resolve;
    });
    let pass = (): void => {};
    const passing = new Promise<void>((resolve) => {
      pass = resolve;
    });
    const cutLine =
      (send: Send): Send =>
      async (path, init) => {
        if (init?.method === 'POST' && path.includes('/chat')) {
          signalArrival();
          await passing;
        }
        return send(path, init);
      };
    const { chat, id, say } = createChatOver(cutLine, hangs.reply);
    const saying = say();
    await sent;
    await chat.stop();
    await saying;
    pass();
    await expect
      .poll(async () => (await readJournal(getPath(id), via).catch(() => [])).at(-1)?.outcome)
      .toBe('cancelled');
  });

  it('sends no cancel request if that option is off, but sends one if `cancel` is called', async () => {
    const hangs = createHeldReply('Never.');
    const { id, words } = open({ version: 7 }, hangs.reply);
    const paths: string[] = [];
    const transport = new HoldfastChatTransport({
      api: `/agents/${agent}/chat`,
      fetch: async (url, init) => {
        paths.push(String(url));
        return via(String(url), init);
      },
      cancelsOnStop: false,
    });
    const stop = new AbortController();
    const stream = await transport.sendMessages({
      chatId: id,
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: words }] }],
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: stop.signal,
    });
    await hangs.asked();
    stop.abort();
    await stream.cancel();
    expect(paths).toEqual([`/agents/${agent}/chat?ui=7`]);
    await transport.cancel(id);
    expect(paths.at(-1)).toBe(`${getPath(id)}/cancel`);
    await expect.poll(async () => (await readJournal(getPath(id), via)).at(-1)?.outcome).toBe('cancelled');
  });

  it('loads the earlier messages, and no messages for a new chat', async () => {
    const { chat, id, say, transport } = createChatOver(keepSend, 'Hello.');
    expect(await transport.loadMessages(id)).toEqual([]);
    await say();
    const loaded = copyAsJson(await transport.loadMessages(id));
    expect(loaded.map(({ parts }) => withoutDescriptors(copyAsJson(parts) as never))).toEqual(
      copyAsJson(chat.messages).map(({ parts }) => withoutDescriptors(parts)),
    );
  });

  it('resumes a running turn after a reload, even if that stream breaks off too', async () => {
    const hangs = createHeldReply('Now.');
    const first = createChatOver(
      keepSend,
      { text: 'One moment.', calls: [{ name: 'add', input: { a: 1, b: 1 } }] },
      hangs.reply,
    );
    void first.say();
    await hangs.asked();
    const second = createChatOver(cutAfter(3));
    const transport = second.transport;
    const stream = await transport.reconnectToStream({ chatId: first.id });
    if (!stream) throw new Error('The chat has no running turn.');
    const chunks: { type: string; delta?: string }[] = [];
    const reader = stream.getReader();
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        chunks.push(copyAsJson(value));
      }
    })();
    await expect.poll(() => second.requests.length).toBeGreaterThan(1);
    hangs.release();
    await reading;
    expect(chunks.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(chunks.at(-1)?.type).toBe('finish');
    expect(await transport.reconnectToStream({ chatId: first.id })).toBeNull();
  });

  it.each([1, 2])(
    'resumes a turn of %i replies only once if it stopped after its messages were loaded',
    async (count) => {
      const hangs = createHeldReply('Now.');
      const replies = [{ text: 'One moment.', calls: [{ name: 'add', input: { a: 1, b: 1 } }] }, hangs.reply];
      const first = createChatOver(keepSend, ...replies.slice(-count));
      const saying = first.say();
      await hangs.asked();
      const { transport } = createChatOver(keepSend);
      expect(await transport.loadMessages(first.id)).toHaveLength(2);
      hangs.release();
      await saying;
      const stream = await transport.reconnectToStream({ chatId: first.id });
      const texts: string[] = [];
      for await (const chunk of stream ?? []) if (chunk.type === 'text-delta') texts.push(chunk.delta);
      expect(texts.join(' ')).toBe(count === 2 ? 'One moment. Now.' : 'Now.');
      expect(await transport.reconnectToStream({ chatId: first.id })).toBeNull();
      expect(await transport.loadMessages(first.id)).toHaveLength(2);
      expect(await transport.reconnectToStream({ chatId: first.id })).toBeNull();
    },
  );

  it.each(['as they were sent', 'reloaded'])(
    'answers a message after its page has removed the other messages, which were %s',
    async (how) => {
      const { chat, id, say, model, transport } = createChatOver(
        keepSend,
        'One.',
        'Two.',
        'Three.',
        'Four.',
        'Five.',
      );
      const getShownTexts = (): readonly string[] =>
        model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
      await say();
      const stale = copyAsJson(chat.messages);
      await chat.sendMessage({ text: 'And then?' });
      // The page in another tab has removed no messages, because it has not seen them.
      const tab = openChat({
        ...{ version: 7, agent, via, id, messages: stale },
        transport: (api, fetch) => new HoldfastChatTransport({ api, fetch }),
      });
      await tab.chat.sendMessage({ text: 'Go on.' });
      expect(getShownTexts().slice(-4)).toEqual(['One.', 'And then?', 'Two.', 'Go on.']);
      const messages = how === 'reloaded' ? await transport.loadMessages(id) : chat.messages;
      chat.messages = copyAsJson(messages).slice(0, 2) as typeof chat.messages;
      await chat.sendMessage({ text: 'And now?' });
      expect(getShownTexts().slice(-2)).toEqual(['One.', 'And now?']);
      await chat.sendMessage({ text: 'And last?' });
      expect(getShownTexts().slice(-4)).toEqual(['One.', 'And now?', 'Four.', 'And last?']);
      const loaded = copyAsJson(await transport.loadMessages(id));
      expect([loaded.length, loaded.at(-1)]).toEqual([6, copyAsJson(chat.messages.at(-1))]);
    },
  );

  it('continues with the fork of a chat after an edit that was refused', async () => {
    const { chat, id, transport, say, words } = createChatOver(
      keepSend,
      'One.',
      { calls: [{ name: 'note' }] },
      'Noted.',
      'Last.',
    );
    await say();
    const edit = (text: string) =>
      chat.sendMessage({ text: `${text}, ${words}`, messageId: chat.messages[0]?.id });
    await edit('Well');
    await edit('No');
    expect(chat.error?.message).toContain("could repeat them: 'note'");
    await chat.sendMessage({ text: 'So?' });
    expect(chat.error).toBeUndefined();
    const loaded = (await transport.loadMessages(id)).map(({ parts }) => parts.at(-1));
    expect(loaded).toMatchObject([
      { text: `Well, ${words}` },
      { text: 'Noted.' },
      { text: 'So?' },
      { text: 'Last.' },
    ]);
  });

  it('reports a refusal with the text of the Worker', async () => {
    const { chat } = createChatOver(keepSend, 'Hello.');
    await chat.sendMessage({ text: ' ' });
    expect(chat.error?.message).toContain('message');
    const transport = new HoldfastChatTransport({
      api: '/agents/nobody/chat',
      fetch: async (url, init) => via(String(url), init),
    });
    await expect(transport.loadMessages('c1')).rejects.toThrow(/nobody/);
  });
});

describe('isAnswered', () => {
  it('returns false for a chat without an assistant message', () => {
    expect(isAnswered({ messages: [] })).toBe(false);
  });
});
