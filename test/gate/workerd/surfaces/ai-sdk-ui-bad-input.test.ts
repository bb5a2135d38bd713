/** The `error.message` of a chat for each refused request, in full. */
import { describe, expect, it } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { getLastParts, openChat } from '../../../fixtures/ui-chat.ts';
import { createTestApp } from '../http/app.ts';
import { desk, via } from './desk.ts';

const CHAT_PATH = '/agents/desk/chat';
const JSON_HEADERS = { 'content-type': 'application/json' };
const createId = (): string => `bad-${crypto.randomUUID()}`;

const post = (body: unknown, path = CHAT_PATH): Promise<Response> =>
  via(path, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const createUserMessage = (parts: unknown = [{ type: 'text', text: 'Hello' }], more: object = {}) => ({
  id: 'm1',
  role: 'user',
  parts,
  ...more,
});
const createBody = (last: unknown, more: object = {}) => ({ id: createId(), messages: [last], ...more });
const createAssistantMessage = (...parts: unknown[]) => ({ id: 't', role: 'assistant', parts });
const formatInvalid = (problem: string): string => `The body is not valid: ${problem}.`;

const SESSION_ID_RULE = 'A session id must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -';
const createRespondedPart = (approval: unknown) => ({
  toolCallId: 'c',
  state: 'approval-responded',
  approval,
});

const BAD_REQUESTS: readonly [string, unknown, number, string][] = [
  ['invalid JSON', '{', 400, 'The body is not JSON.'],
  ['a list', [], 422, formatInvalid('it must be a JSON object')],
  [
    'a missing chat id',
    { messages: [createUserMessage()] },
    422,
    formatInvalid('id: must be the id of the chat, which is text'),
  ],
  [
    'a chat that is not a valid session',
    { ...createBody(createUserMessage()), id: 'a/b' },
    400,
    `${SESSION_ID_RULE}`,
  ],
  [
    'missing messages',
    { id: 'c' },
    422,
    formatInvalid('messages: must be a list that holds at least one message'),
  ],
  [
    'an empty list of messages',
    { id: 'c', messages: [] },
    422,
    formatInvalid('messages: must be a list that holds at least one message'),
  ],
  [
    'an invalid message',
    createBody('Hello'),
    422,
    formatInvalid('messages[0].role: must be user or assistant'),
  ],
  [
    'an unknown role',
    createBody(createUserMessage([], { role: 'system' })),
    422,
    formatInvalid('messages[0].role: must be user or assistant'),
  ],
  [
    'invalid parts',
    createBody(createUserMessage('Hello')),
    422,
    formatInvalid('messages[0].parts: must be a list'),
  ],
  [
    'a message without an id',
    createBody(createUserMessage([], { id: 7 })),
    422,
    formatInvalid('messages[0].id: must be 1 to 255 visible ASCII characters'),
  ],
  [
    'a long id',
    createBody(createUserMessage([], { id: 'x'.repeat(256) })),
    422,
    formatInvalid('messages[0].id: must be 1 to 255 visible ASCII characters'),
  ],
  [
    'an unknown type of part',
    createBody(createUserMessage([{ type: 'data-x' }])),
    422,
    formatInvalid('messages[0].parts[0]: must be a part of the type text or file'),
  ],
  [
    'an invalid part',
    createBody(createUserMessage([null])),
    422,
    formatInvalid('messages[0].parts[0]: must be a part of the type text or file'),
  ],
  [
    'invalid text',
    createBody(createUserMessage([{ type: 'text' }])),
    422,
    formatInvalid('messages[0].parts[0].text: must be text'),
  ],
  [
    'blank text',
    createBody(createUserMessage([{ type: 'text', text: ' ' }])),
    422,
    formatInvalid('message: must be text that is not blank'),
  ],
  [
    'a file without a URL',
    createBody(createUserMessage([{ type: 'file' }])),
    422,
    formatInvalid('messages[0].parts[0].url: must be a data URL or an https URL'),
  ],
  [
    'a file with an ftp URL',
    createBody(createUserMessage([{ type: 'file', mediaType: 'image/png', url: 'ftp://a/b' }])),
    422,
    formatInvalid('messages[0].parts[0].url: must be a data URL, or an https URL without a user in it'),
  ],
  [
    'a file that is not accepted',
    createBody(createUserMessage([{ type: 'file', mediaType: 'video/mp4', url: 'https://files.example/b' }])),
    415,
    'messages[0].parts[0] is video/mp4, sent by URL. The agent accepts image/*, text/*, application/json, application/xml and application/yaml as bytes, and image/* by URL.',
  ],
  [
    'an unknown trigger',
    createBody(createUserMessage(), { trigger: 'dream' }),
    422,
    formatInvalid('trigger: must be submit-message or regenerate-message'),
  ],
  [
    'an invalid option for busy sessions',
    createBody(createUserMessage(), { whenBusy: 'shout' }),
    422,
    formatInvalid('whenBusy: must be reject, queue, steer'),
  ],
  [
    'an invalid option for pending calls',
    createBody(createUserMessage(), { pending: 'approve' }),
    422,
    formatInvalid('pending: must be decline'),
  ],
  [
    'an invalid context',
    createBody(createUserMessage(), { context: 7 }),
    422,
    formatInvalid('context: must be a JSON object'),
  ],
  [
    'a context key that is not allowed',
    createBody(createUserMessage(), { context: { admin: true } }),
    422,
    formatInvalid(
      "context: a body cannot set 'admin'. Allow it in createHoldfast({ http: { bodyContext: [...] } })",
    ),
  ],
  [
    'a regeneration without an answer',
    createBody(createUserMessage(), { trigger: 'regenerate-message' }),
    400,
    'The chat no longer has that message. Load its messages again.',
  ],
  [
    'a change of a sent message',
    createBody(createUserMessage([], { id: 'abc:user' })),
    400,
    'A sent message stays in the session, and cannot be changed. Send another one.',
  ],
  [
    'nothing to send',
    createBody(createAssistantMessage({ type: 'text', text: 'Hi' })),
    400,
    'The request has no new message: the last one is the assistant’s, and answers no call.',
  ],
  [
    'an approval without an id',
    createBody(createAssistantMessage(createRespondedPart({ approved: true }))),
    422,
    formatInvalid('messages[0].parts[0].approval.id: must be text'),
  ],
  [
    'an unknown approval',
    createBody(createAssistantMessage(createRespondedPart(null))),
    422,
    formatInvalid('messages[0].parts[0].approval.id: must be text'),
  ],
  [
    'an invalid approval',
    createBody(createAssistantMessage(createRespondedPart({ id: 'c', approved: 'yes' }))),
    422,
    formatInvalid('messages[0].parts[0].approval.approved: must be true or false'),
  ],
  ...['edit', { c: 'edit' }].map((decisions): [string, unknown, number, string] => [
    `invalid decisions: ${JSON.stringify(decisions)}`,
    createBody(createAssistantMessage(createRespondedPart({ id: 'c', approved: true })), { decisions }),
    422,
    formatInvalid(
      "decisions: must be an object of objects such as { decision: 'exit' }, by the ids of their approvals",
    ),
  ]),
];

describe('a chat gets an error', () => {
  it.each(BAD_REQUESTS)('for %s', async (_, sent, status, text) => {
    const response = await post(sent);
    expect([response.status, await response.text()]).toEqual([status, text]);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('for an unknown agent or an invalid version', async () => {
    const there = await post(createBody(createUserMessage()), '/agents/nobody/chat');
    expect([there.status, await there.text()]).toEqual([
      404,
      "There is no agent 'nobody'. GET /agents lists the agents.",
    ]);
    for (const path of [`${CHAT_PATH}?ui=5`, `${CHAT_PATH}/c/stream?ui=`, `${CHAT_PATH}/c/messages?ui=8`]) {
      const response = path.includes('/c/')
        ? await via(path)
        : await post(createBody(createUserMessage()), path);
      expect([response.status, await response.text()]).toEqual([
        400,
        'The version of the AI SDK (`?ui=` or `x-ai-sdk`) must be 6 or 7.',
      ]);
    }
  });

  it('for an unknown session, call or question', async () => {
    const at = { id: createId() };
    const createAnswerBody = (id: string) => ({
      ...at,
      messages: [createAssistantMessage(createRespondedPart({ id, approved: true }))],
    });
    expect(await (await post(createAnswerBody('t.1.0'))).text()).toContain(`There is no session '${at.id}'.`);
    const createResultBody = (toolCallId: string) => ({
      ...at,
      messages: [createAssistantMessage({ toolCallId, state: 'output-available', output: 1 })],
    });
    expect(await (await post(createResultBody('t.1.0'))).text()).toContain(`There is no session '${at.id}'.`);
    const { chat } = openChat({ version: 7, agent: 'desk', via, id: at.id, sends: 'approvals' });
    const { message } = registerScript({ calls: [{ name: 'pay', input: { amount: 1 } }] });
    await chat.sendMessage({ text: message() });
    const call = String(getLastParts(chat).at(-1)?.toolCallId);
    expect(await (await post(createAnswerBody('t.1.0'))).text()).toContain(
      "There is no call 't.1.0' in this session",
    );
    const gone = await post(createResultBody('__proto__'));
    expect([gone.status, await gone.text()]).toEqual([
      404,
      `There is no call '__proto__' in this session. GET /agents/desk/sessions/${at.id} shows what the session waits for.`,
    ]);
    const elsewhere = await post(createResultBody('t.1.0'));
    expect([elsewhere.status, await elsewhere.text()]).toEqual([
      404,
      `There is no turn 't' in this session. GET /agents/desk/sessions/${at.id} shows the last turn and the waiting ones.`,
    ]);
    const second = await post(createAnswerBody(`${call}?question=2`));
    expect([second.status, await second.text()]).toEqual([
      409,
      `Call ${call} is not waiting for this answer. It has not asked 2 questions.`,
    ]);
    const long = { ...createAnswerBody(call), decisions: { [call]: { decision: 'shrug' } } };
    expect(await (await post(long)).text()).toBe(
      formatInvalid('answers[0].decision: must be approve, edit, reject or exit'),
    );
    const wrong = {
      ...createAnswerBody(call),
      decisions: { [call]: { decision: 'edit', input: { amount: 'x' } } },
    };
    expect(await (await post(wrong)).text()).toBe(
      formatInvalid('answers[0].input.amount: Instance type "string" is invalid. Expected "number"'),
    );
    // While a call is pending, another message is refused with the reason.
    await chat.sendMessage({ text: 'And another thing' });
    expect(chat.error?.message).toContain('waits for an answer from outside. Answer its pending calls');
  });

  it('without permission', async () => {
    const refusing = createTestApp({ agents: [desk], use: [aiSdkUi()], auth: () => undefined as never });
    const response = await refusing(`${CHAT_PATH}/c/stream`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      401,
      'text/plain; charset=utf-8',
    ]);
  });
});

it('a chat can edit the input of a pending call', async () => {
  const id = createId();
  const { chat } = openChat({ version: 6, agent: 'desk', via, id });
  const { message, model } = registerScript({ calls: [{ name: 'pay', input: { amount: 1 } }] }, 'Paid less.');
  await chat.sendMessage({ text: message() });
  const call = String(getLastParts(chat).at(-1)?.toolCallId);
  await chat.addToolApprovalResponse({ id: call, approved: true });
  const decisions = { [call]: { decision: 'edit', input: { amount: 0.5 } } };
  await chat.sendMessage(undefined, { body: { decisions } });
  expect(getLastParts(chat).find(({ toolCallId }) => toolCallId === call)).toMatchObject({
    output: { amount: 0.5 },
  });
  expect(model.requests.length).toBe(2);
});

it('an app without the surface has none of its routes', async () => {
  expect(createHoldfast({ agents: [desk] }).worker).toBeDefined();
  const bare = createTestApp({ agents: [desk] });
  for (const path of [CHAT_PATH, `${CHAT_PATH}/c/stream`, `${CHAT_PATH}/c/messages`])
    expect((await bare(path)).status).toBe(404);
});
