/** One token for several persons: chats with the same opening, and persons that a request names. */
import {
  type Attack,
  type Check,
  containsText,
  isAnswer,
  isProblem,
  lacksText,
  passesAll,
} from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import type { Person } from '../person.ts';
import { type Call, sayResult } from '../puppet-model.ts';
import type { Scene } from '../scene.ts';

const LOOK: readonly Call[] = [{ name: 'whoami', input: {} }];

/** A caller that is identified only by its token. */
const getAppPerson = ({ who }: Scene): Person => who({ sub: 'app' }).at('chat');

/** A caller that names the person for whom it acts. */
const getServerPerson = ({ who }: Scene): Person => who({ sub: 'chat-server', delegates: true }).at('chat');

type HeaderRecord = Readonly<Record<string, string>>;

const createUserHeader = (person: string): HeaderRecord => ({ 'x-user-id': person });

/** The caller, headers and fields of every request of a chat. */
interface SendOptions {
  readonly by: Person;
  readonly body?: object;
  readonly headers?: HeaderRecord;
}

type Message = Readonly<Record<string, unknown>>;

const createUserMessage = (content: unknown): Message => ({ role: 'user', content });

const say = (
  { by, body = {}, headers = {} }: SendOptions,
  messages: readonly Message[],
): Promise<ReceivedResponse> =>
  by.post('/v1/chat/completions', { model: 'clerk', messages, ...body }, headers);

/** Returns the messages after an answer, with the user's next message. */
function createNextMessages(
  messages: readonly Message[],
  { json }: ReceivedResponse,
  text = 'And now?',
): readonly Message[] {
  const { choices = [] } = Object(json) as { readonly choices?: readonly { readonly message: Message }[] }; // the format of chat completions
  return [...messages, ...choices.map(({ message }) => message), createUserMessage(text)];
}

/** Starts the same chat as several callers, and continues it as the last caller. */
async function sendEqualOpenings(
  content: unknown,
  ...[first, ...others]: readonly [SendOptions, ...SendOptions[]]
): Promise<ReceivedResponse> {
  const opening = [createUserMessage(content)];
  let came = await say(first, opening);
  for (const other of others) came = await say(other, opening);
  return say(others.at(-1) ?? first, createNextMessages(opening, came));
}

const isUnknownChat: Check = passesAll(
  isAnswer(400, { error: { code: 'unknown_conversation' } }),
  lacksText(/principal/),
);

/** Request fields that are not an identity. */
const personClaims: readonly (readonly [what: string, sending: Omit<SendOptions, 'by'>])[] = [
  ['nothing', {}],
  ['a user', { body: { user: 'zoe' } }],
  ['a safety_identifier', { body: { safety_identifier: 'zoe' } }],
  ['a prompt_cache_key', { body: { prompt_cache_key: 'zoe' } }],
  ['a mapped header', { headers: { 'x-gateway-tenant': 'acme' } }],
  ['the header of a person', { headers: createUserHeader('zoe') }],
  ['the count of a second try', { headers: { 'x-stainless-retry-count': '1' } }],
];

const PICTURE = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${btoa('\u0089PNG\r\n\u001a\n')}` },
};

/** Ids that must each identify a different person. */
const people = ['ann', 'a/b', '../chat-server', '"],["clerk","x"]', '__proto__', 'webhook:github', 'code'];

/** Ids that no person can have. */
const impossibleIds: readonly (readonly [what: string, id: string])[] = [
  ['an empty id', ''],
  ['blanks', '   '],
  ['256 characters', 'x'.repeat(256)],
  ['a control character', 'an\tn'],
];

export const listPersonAttacks = (): readonly Attack[] => [
  ...personClaims.flatMap(([what, sending]): Attack[] => [
    {
      name: `the second of two equal chats with calls is not continued by its text and ${what}`,
      act: (scene) => {
        const one = { by: getAppPerson(scene), ...sending };
        return sendEqualOpenings(scene.play(LOOK, 'Hi.', sayResult), one, one);
      },
      comes: isUnknownChat,
    },
    {
      name: `a chat with calls is not continued by its text and ${what}, even if no other chat is equal`,
      act: (scene) =>
        sendEqualOpenings(scene.play(LOOK, 'Hi.', sayResult), { by: getAppPerson(scene), ...sending }),
      comes: isUnknownChat,
    },
  ]),
  {
    name: 'a chat with a file is not continued by its text',
    act: (scene) =>
      sendEqualOpenings([{ type: 'text', text: scene.play('Hi.') }, PICTURE], { by: getAppPerson(scene) }),
    comes: isUnknownChat,
  },
  {
    name: 'a chat is not continued by the text of another user with the same token',
    async act(scene) {
      const opening = [createUserMessage(scene.play('Hi.'))];
      const came = await say({ by: getAppPerson(scene), body: { user: 'zoe' } }, opening);
      return say({ by: getAppPerson(scene), body: { user: 'ann' } }, createNextMessages(opening, came));
    },
    comes: isUnknownChat,
  },
  {
    name: 'if two users send the same message at the same time, only one of them receives tool results',
    async act(scene) {
      const by = getAppPerson(scene);
      const opening = [createUserMessage('Hello.')];
      const messages = createNextMessages(opening, await say({ by }, opening), scene.play(LOOK, sayResult));
      const came = await Promise.all([say({ by }, messages), say({ by }, messages)]);
      return came.filter(({ text }) => text.includes('principal')).length;
    },
    comes: 1,
  },
  {
    name: 'a caller who does not delegate cannot act for the person in a header',
    async act(scene) {
      const message = scene.play(LOOK, sayResult);
      return getAppPerson(scene).post(`${scene.own}/messages`, { message }, createUserHeader('zoe'));
    },
    comes: containsText(/\{\\"principal\\":\{\\"id\\":\\"app\\"\}/),
  },
  ...people.map(
    (id): Attack => ({
      name: `the person ${JSON.stringify(id)} of a caller is not the same as any other person`,
      async act(scene) {
        const message = scene.play(LOOK, sayResult);
        const { json } = await getServerPerson(scene).post(
          `${scene.own}/messages`,
          { message },
          createUserHeader(id),
        );
        return Object(JSON.parse(String(json?.text))).principal;
      },
      comes: { id: `chat-server/${id}` },
    }),
  ),
  ...impossibleIds.map(
    ([what, id]): Attack => ({
      name: `a person with ${what} is refused and does not count as the caller`,
      act: (scene) => getServerPerson(scene).get('/agents', createUserHeader(id)),
      comes: isProblem(400, 'invalid-person'),
    }),
  ),
  {
    name: 'a caller with the name of another caller’s person has no access',
    act: ({ who }) => who({ sub: 'chat-server/ann' }).at('chat').get('/agents'),
    comes: isProblem(500, 'internal-error'),
    logs: /separates a caller from the person/,
  },
  {
    name: 'two persons with equal chats with calls each continue their own chat',
    async act(scene) {
      const createSendOptions = (person: string): SendOptions => ({
        by: getServerPerson(scene),
        headers: createUserHeader(person),
      });
      return sendEqualOpenings(
        scene.play(LOOK, 'Hi.', sayResult),
        createSendOptions('ann'),
        createSendOptions('ben'),
      );
    },
    comes: passesAll(isAnswer(200), containsText(/chat-server\/ben/), lacksText(/chat-server\/ann/)),
  },
  {
    name: 'a person who knows the text of another chat cannot continue it',
    async act(scene) {
      const by = getServerPerson(scene);
      const opening = [createUserMessage(scene.play('Hi.'))];
      const came = await say({ by, headers: createUserHeader('ann') }, opening);
      return say({ by, headers: createUserHeader('ben') }, createNextMessages(opening, came));
    },
    comes: isUnknownChat,
  },
  ...[
    ['another person', createUserHeader('ben')] as const,
    ['the caller itself', {}] as const,
    ['a person who is called like both', createUserHeader('chat-server/ann')] as const,
  ].map(
    ([what, headers]): Attack => ({
      name: `a session of a person does not exist for ${what}`,
      async act(scene) {
        const by = getServerPerson(scene);
        await by.post(`${scene.own}/messages`, { message: scene.play('Mine.') }, createUserHeader('ann'));
        return by.get(scene.own, headers);
      },
      comes: isProblem(404, 'unknown-session'),
    }),
  ),
  {
    name: "a new chat with another person's key is a separate chat",
    async act(scene) {
      const messages = [createUserMessage(scene.play(LOOK, sayResult))];
      const key = { 'idempotency-key': `chat-${scene.session}` };
      const createSendOptions = (person: string): SendOptions => ({
        by: getServerPerson(scene),
        headers: { ...key, ...createUserHeader(person) },
      });
      await say(createSendOptions('ann'), messages);
      return say(createSendOptions('ben'), messages);
    },
    comes: passesAll(isAnswer(200), containsText(/chat-server\/ben/), lacksText(/chat-server\/ann/)),
  },
];
