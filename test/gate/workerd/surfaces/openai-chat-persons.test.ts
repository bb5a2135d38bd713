/** Chats of several persons who share a token and begin with the same text. */
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { onBehalfOf } from '../../../../src/modules/http/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { wrapObjects } from '../http/app.ts';
import {
  type ChatOptions,
  createClients,
  createUserMessage,
  findLastText,
  type Message,
  sendHistory,
  UNKNOWN_CHAT,
} from './chat-histories.ts';

/** One token for all users of a backend that does not identify them. */
const sharedClients = createClients({ id: 'app' });

/** The same token, from a backend that identifies its users. */
const use = [openAi(), files(), onBehalfOf(({ headers }) => headers.get('x-user-id'))];
const delegatingClients = createClients({ id: 'app', delegates: true }, { use });
const createPersonOptions = (person: string): ChatOptions => ({
  via: delegatingClients({ 'x-user-id': person }),
});

const addReply: ScriptedReply = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };
const recordReply: ScriptedReply = { calls: [{ name: 'record', input: { note: 'A diagnosis.' } }] };
const lookUpReply: ScriptedReply = { calls: [{ name: 'look_up', input: { id: '7' } }] };

const createPicture = (text: string): Message => ({
  role: 'user',
  content: [
    { type: 'text', text },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${btoa('a picture')}` } },
  ],
});

/** A first message whose session contains more than text. */
interface OpeningCase {
  readonly replies: readonly ScriptedReply[];
  readonly message?: (text: string) => Message;
  readonly saying?: Omit<ChatOptions, 'via'>;
  readonly config?: Partial<HoldfastConfig>;
}

const RICH_OPENINGS: readonly (readonly [what: string, opening: OpeningCase])[] = [
  ['a call', { replies: [addReply, 'Hi.'] }],
  ['a call’s memory', { replies: [recordReply, 'Hi.'] }],
  ['a file', { replies: ['Hi.'], message: createPicture, saying: { model: 'seer' } }],
  [
    'context of a mapped header',
    {
      replies: ['Hi.'],
      saying: { headers: { 'x-ward': '7' } },
      config: { http: { contextHeaders: { 'x-ward': 'ward' } } },
    },
  ],
];

const NARROWING_FIELDS: readonly (readonly [
  field: string,
  more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>,
])[] = [
  ['no field', {}],
  ['user', { user: 'ada' }],
  ['safety_identifier', { safety_identifier: 'ada' }],
  ['prompt_cache_key', { prompt_cache_key: 'ada' }],
];

describe('two users with one token and equal first messages', () => {
  it.each(
    RICH_OPENINGS.flatMap(([what, opening]) =>
      NARROWING_FIELDS.map(([field, more]) => [what, field, opening, more] as const),
    ),
  )('are both refused if their sessions contain %s, with %s', async (_, __, opening, more) => {
    const { replies, message = createUserMessage, saying, config } = opening;
    const { model, message: words } = registerScript(...replies, ...replies, 'Leaked.', 'Leaked.');
    const via = createClients({ id: 'app' }, config)();
    const text = message(words());
    const [ada, ben] = [
      await sendHistory([], text, { via, more, ...saying }),
      await sendHistory([], text, { via, more, ...saying }),
    ];
    expect(ben.history).toEqual(ada.history);
    expect(ben.session).not.toBe(ada.session);
    const asked = model.requests.length;
    for (const { history } of [ada, ben]) {
      await expect(sendHistory(history, 'And now?', { via, more, ...saying })).rejects.toMatchObject(
        UNKNOWN_CHAT,
      );
    }
    expect(model.requests).toHaveLength(asked);
  });

  it('are refused even if there is only one candidate, and the problem explains what to send', async () => {
    const { message } = registerScript(addReply, 'Hi.');
    const { history } = await sendHistory([], message(), { via: sharedClients() });
    await expect(sendHistory(history, 'And now?', { via: sharedClients() })).rejects.toMatchObject({
      status: 400,
      param: 'metadata.session',
      code: 'unknown_conversation',
      message:
        '400 The conversation is unknown. Name the person, or send metadata.session of the last answer as ' +
        'metadata: { session } each time.',
    });
  });

  it.each(RICH_OPENINGS)(
    'continue in their own sessions that contain %s, if the app names them',
    async (_, opening) => {
      const { replies, message = createUserMessage, saying, config } = opening;
      const { message: words } = registerScript(...replies, ...replies, 'One.', 'Other.');
      const clients = createClients({ id: 'app', delegates: true }, { use, ...config });
      const text = message(words());
      const createOptions = (person: string): ChatOptions => ({
        ...saying,
        via: clients({ 'x-user-id': person }),
      });
      const ada = await sendHistory([], text, createOptions('ada'));
      const ben = await sendHistory([], text, createOptions('ben'));
      expect(ben.history).toEqual(ada.history);
      const [ofBen, ofAda] = [
        await sendHistory(ben.history, 'And now?', createOptions('ben')),
        await sendHistory(ada.history, 'And now?', createOptions('ada')),
      ];
      expect([ofBen.session, ofAda.session]).toEqual([ben.session, ada.session]);
    },
  );

  it('continue in the session that they name', async () => {
    const { message } = registerScript(addReply, 'Hi.', addReply, 'Hi.', 'One.', 'Other.');
    const text = message();
    const via = sharedClients();
    const [ada, ben] = [await sendHistory([], text, { via }), await sendHistory([], text, { via })];
    for (const { history, session } of [ada, ben]) {
      const next = await sendHistory(history, 'And now?', {
        via,
        headers: { 'x-holdfast-session': session },
      });
      expect(next.session).toBe(session);
    }
  });

  it.each(NARROWING_FIELDS.slice(1))(
    'have separate text-only chats if they differ in %s',
    async (field, more) => {
      const { message } = registerScript('Hi.', 'Mine.');
      const via = sharedClients();
      const { history, session } = await sendHistory([], message(), { via, more });
      const other = { [field]: 'ben' };
      await expect(sendHistory(history, 'And now?', { via, more: other })).rejects.toMatchObject(
        UNKNOWN_CHAT,
      );
      await expect(sendHistory(history, 'And now?', { via })).rejects.toMatchObject(UNKNOWN_CHAT);
      expect((await sendHistory(history, 'And now?', { via, more })).session).toBe(session);
    },
  );

  it('have separate text-only chats if they differ in a mapped header', async () => {
    const { message } = registerScript('Hi.');
    const via = createClients({ id: 'app' }, { http: { contextHeaders: { 'x-ward': 'ward' } } })();
    const { history } = await sendHistory([], message(), { via });
    const headers = { 'x-ward': '7' };
    await expect(sendHistory(history, 'And now?', { via, headers })).rejects.toMatchObject(UNKNOWN_CHAT);
  });

  it('cannot see a turn that the other user has begun with the same text after it has a call', async () => {
    const { message } = registerScript('Hi.', addReply, 'Of Ada.');
    const via = sharedClients();
    const { history } = await sendHistory([], message(), { via });
    const ada = await sendHistory(history, 'Help me.', { via });
    expect(findLastText(ada)).toBe('Of Ada.');
    const headers = { 'x-stainless-retry-count': '1' };
    await expect(sendHistory(history, 'Help me.', { via, headers })).rejects.toMatchObject(UNKNOWN_CHAT);
    await expect(sendHistory(history, 'Help me.', { via })).rejects.toMatchObject(UNKNOWN_CHAT);
  });

  it('cannot see the other user’s running turn after its first call', async () => {
    const hanging = createHeldReply(addReply);
    const { message } = registerScript('Hi.', hanging.reply, 'Of Ada.');
    const via = sharedClients();
    const { history } = await sendHistory([], message(), { via });
    const ada = sendHistory(history, 'Help me.', { via });
    await hanging.asked();
    const headers = { 'x-stainless-retry-count': '1' };
    const ben = sendHistory(history, 'Help me.', { via, headers }).catch((thrown: unknown) => thrown);
    const messages = [...history, createUserMessage('Help me.')];
    const stream = via.chat.completions.stream({ model: 'scripted', messages }, { headers });
    const inPieces = stream.finalContent().catch((thrown: unknown) => thrown);
    await stream.emitted('chunk');
    hanging.release();
    expect(findLastText(await ada)).toBe('Of Ada.');
    expect(await ben).toMatchObject(UNKNOWN_CHAT);
    expect(await inPieces).toMatchObject({ code: 'unknown_conversation' });
  });

  it('get separate answers to equal concurrent messages, or one is refused', async () => {
    const { message } = registerScript('Hi.', addReply, 'Mine.', addReply, 'Mine.');
    const via = sharedClients();
    const { history } = await sendHistory([], message(), { via });
    const both = await Promise.allSettled([
      sendHistory(history, 'Help me.', { via }),
      sendHistory(history, 'Help me.', { via }),
    ]);
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toEqual([expect.objectContaining(UNKNOWN_CHAT)]);
  });

  it('get no answer after a turn that started between the search and the message', async () => {
    const { message } = registerScript('Hi.', addReply, 'Of Ben.', 'Leaked.');
    let between: (() => Promise<unknown>) | undefined;
    const SESSIONS = wrapObjects((stub) => ({
      async begin(request: Parameters<typeof stub.begin>[0]) {
        const faster = stub.name?.includes('openai:') ? undefined : between;
        if (faster) between = undefined;
        await faster?.();
        return stub.begin(request);
      },
    }));
    const via = createClients({ id: 'app' }, {}, { SESSIONS })();
    const { history, session } = await sendHistory([], message(), { via });
    const headers = { 'x-holdfast-session': session };
    between = () => sendHistory(history, 'I am Ben.', { via: sharedClients(), headers });
    await expect(sendHistory(history, 'I am Ada.', { via })).rejects.toMatchObject(UNKNOWN_CHAT);
  });

  it('get two new chats under one idempotency key, if the app names them', async () => {
    const { message, model } = registerScript('Of Ada.', 'Of Ben.');
    const text = message();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const tenant = crypto.randomUUID();
    const clients = createClients({ id: 'app', tenant, delegates: true }, { use });
    const createOptionsFor = (person: string): ChatOptions => ({
      via: clients({ 'x-user-id': person }),
      headers,
    });
    const [ada, ben] = [
      await sendHistory([], text, createOptionsFor('ada')),
      await sendHistory([], text, createOptionsFor('ben')),
    ];
    expect([findLastText(ada), findLastText(ben)]).toEqual(['Of Ada.', 'Of Ben.']);
    expect(ben.session).not.toBe(ada.session);
    expect((await sendHistory([], text, createOptionsFor('ada'))).session).toBe(ada.session);
    expect(model.requests).toHaveLength(2);
    const again = { headers: { 'idempotency-key': crypto.randomUUID() } };
    const createResponse = (person: string) =>
      createOptionsFor(person).via.responses.create(
        { model: 'scripted', input: registerScript('New.').message() },
        again,
      );
    const [one, other] = [await createResponse('ada'), await createResponse('ben')];
    expect(one.conversation?.id).not.toBe(other.conversation?.id);
  });
});

describe('a chat of one person', () => {
  it('continues with its calls, if `auth` says that the caller is one person', async () => {
    const { message } = registerScript(addReply, 'Hi.', lookUpReply, 'More.', 'Still.');
    const via = createClients({ id: 'ada', delegates: false })();
    const first = await sendHistory([], message(), { via });
    const second = await sendHistory(first.history, 'And now?', { via });
    const third = await sendHistory(second.history, 'And now?', { via });
    expect([second.session, third.session]).toEqual([first.session, first.session]);
  });

  it('is not continued for another person of the same caller', async () => {
    const { message } = registerScript('Hi.', addReply, 'More.');
    const { history } = await sendHistory([], message(), createPersonOptions('ada'));
    await expect(sendHistory(history, 'And now?', createPersonOptions('ben'))).rejects.toMatchObject(
      UNKNOWN_CHAT,
    );
    expect(findLastText(await sendHistory(history, 'And now?', createPersonOptions('ada')))).toBe('More.');
  });

  it('returns its turn if it repeats its message, even after calls', async () => {
    const { message, model } = registerScript(addReply, 'Hi.', addReply, 'More.');
    const { history } = await sendHistory([], message(), createPersonOptions('ada'));
    const second = await sendHistory(history, 'And now?', createPersonOptions('ada'));
    const headers = { 'x-stainless-retry-count': '1' };
    const again = await sendHistory(history, 'And now?', { ...createPersonOptions('ada'), headers });
    expect([again.session, findLastText(again)]).toEqual([second.session, 'More.']);
    expect(model.requests).toHaveLength(4);
  });

  it('needs a name if a delegating caller specifies no person', async () => {
    const { message } = registerScript(addReply, 'Hi.', 'One.', 'Two.');
    const via = delegatingClients();
    const { history } = await sendHistory([], message(), { via });
    await expect(sendHistory(history, 'And now?', { via })).rejects.toMatchObject(UNKNOWN_CHAT);
  });

  it('can continue without a known person until its first call', async () => {
    const { message } = registerScript('Hi.', 'Words.', addReply, 'More.');
    const via = sharedClients();
    const first = await sendHistory([], message(), { via });
    const second = await sendHistory(first.history, 'And now?', { via });
    const third = await sendHistory(second.history, 'And now?', { via });
    expect([second.session, third.session]).toEqual([first.session, first.session]);
    await expect(sendHistory(third.history, 'And now?', { via })).rejects.toMatchObject(UNKNOWN_CHAT);
  });
});
