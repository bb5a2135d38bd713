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
const app = ({ who }: Scene): Person => who({ sub: 'app' }).at('chat');

/** A caller that names the person for whom it acts. */
const server = ({ who }: Scene): Person => who({ sub: 'chat-server', delegates: true }).at('chat');

type HeaderRecord = Readonly<Record<string, string>>;

const userHeader = (person: string): HeaderRecord => ({ 'x-user-id': person });

/** The caller, headers and fields of every request of a chat. */
interface SendOptions {
  readonly by: Person;
  readonly body?: object;
  readonly headers?: HeaderRecord;
}

type Message = Readonly<Record<string, unknown>>;

const user = (content: unknown): Message => ({ role: 'user', content });

const say = (
  { by, body = {}, headers = {} }: SendOptions,
  messages: readonly Message[],
): Promise<ReceivedResponse> =>
  by.post('/v1/chat/completions', { model: 'clerk', messages, ...body }, headers);

/** Returns the messages after an answer, with the user's next message. */
function nextMessages(
  messages: readonly Message[],
  { json }: ReceivedResponse,
  text = 'And now?',
): readonly Message[] {
  const { choices = [] } = Object(json) as { readonly choices?: readonly { readonly message: Message }[] }; // the format of chat completions
  return [...messages, ...choices.map(({ message }) => message), user(text)];
}

/** Starts the same chat as several callers, and continues it as the last caller. */
async function equalOpenings(
  content: unknown,
  ...[first, ...others]: readonly [SendOptions, ...SendOptions[]]
): Promise<ReceivedResponse> {
  const opening = [user(content)];
  let came = await say(first, opening);
  for (const other of others) came = await say(other, opening);
  return say(others.at(-1) ?? first, nextMessages(opening, came));
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
  ['the header of a person', { headers: userHeader('zoe') }],
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

export const persons = (): readonly Attack[] => [
  ...personClaims.flatMap(([what, sending]): Attack[] => [
    {
      name: `the second of two equal chats with calls is not continued by its text and ${what}`,
      act: (scene) => {
        const one = { by: app(scene), ...sending };
        return equalOpenings(scene.play(LOOK, 'Hi.', sayResult), one, one);
      },
      comes: isUnknownChat,
    },
    {
      name: `a chat with calls is not continued by its text and ${what}, even if no other chat is equal`,
      act: (scene) => equalOpenings(scene.play(LOOK, 'Hi.', sayResult), { by: app(scene), ...sending }),
      comes: isUnknownChat,
    },
  ]),
  {
    name: 'a chat with a file is not continued by its text',
    act: (scene) => equalOpenings([{ type: 'text', text: scene.play('Hi.') }, PICTURE], { by: app(scene) }),
    comes: isUnknownChat,
  },
  {
    name: 'a chat is not continued by the text of another user with the same token',
    async act(scene) {
      const opening = [user(scene.play('Hi.'))];
      const came = await say({ by: app(scene), body: { user: 'zoe' } }, opening);
      return say({ by: app(scene), body: { user: 'ann' } }, nextMessages(opening, came));
    },
    comes: isUnknownChat,
  },
  {
    name: 'if two users send the same message at the same time, only one of them receives tool results',
    async act(scene) {
      const by = app(scene);
      const opening = [user('Hello.')];
      const messages = nextMessages(opening, await say({ by }, opening), scene.play(LOOK, sayResult));
      const came = await Promise.all([say({ by }, messages), say({ by }, messages)]);
      return came.filter(({ text }) => text.includes('principal')).length;
    },
    comes: 1,
  },
  {
    name: 'a caller who does not delegate cannot act for the person in a header',
    async act(scene) {
      const message = scene.play(LOOK, sayResult);
      return app(scene).post(`${scene.own}/messages`, { message }, userHeader('zoe'));
    },
    comes: containsText(/\{\\"principal\\":\{\\"id\\":\\"app\\"\}/),
  },
  ...people.map(
    (id): Attack => ({
      name: `the person ${JSON.stringify(id)} of a caller is not the same as any other person`,
      async act(scene) {
        const message = scene.play(LOOK, sayResult);
        const { json } = await server(scene).post(`${scene.own}/messages`, { message }, userHeader(id));
        return Object(JSON.parse(String(json?.text))).principal;
      },
      comes: { id: `chat-server/${id}` },
    }),
  ),
  ...impossibleIds.map(
    ([what, id]): Attack => ({
      name: `a person with ${what} is refused and does not count as the caller`,
      act: (scene) => server(scene).get('/agents', userHeader(id)),
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
      const of = (person: string): SendOptions => ({ by: server(scene), headers: userHeader(person) });
      return equalOpenings(scene.play(LOOK, 'Hi.', sayResult), of('ann'), of('ben'));
    },
    comes: passesAll(isAnswer(200), containsText(/chat-server\/ben/), lacksText(/chat-server\/ann/)),
  },
  {
    name: 'a person who knows the text of another chat cannot continue it',
    async act(scene) {
      const by = server(scene);
      const opening = [user(scene.play('Hi.'))];
      const came = await say({ by, headers: userHeader('ann') }, opening);
      return say({ by, headers: userHeader('ben') }, nextMessages(opening, came));
    },
    comes: isUnknownChat,
  },
  ...[
    ['another person', userHeader('ben')] as const,
    ['the caller itself', {}] as const,
    ['a person who is called like both', userHeader('chat-server/ann')] as const,
  ].map(
    ([what, headers]): Attack => ({
      name: `a session of a person does not exist for ${what}`,
      async act(scene) {
        const by = server(scene);
        await by.post(`${scene.own}/messages`, { message: scene.play('Mine.') }, userHeader('ann'));
        return by.get(scene.own, headers);
      },
      comes: isProblem(404, 'unknown-session'),
    }),
  ),
  {
    name: "a new chat with another person's key is a separate chat",
    async act(scene) {
      const messages = [user(scene.play(LOOK, sayResult))];
      const key = { 'idempotency-key': `chat-${scene.session}` };
      const of = (person: string): SendOptions => ({
        by: server(scene),
        headers: { ...key, ...userHeader(person) },
      });
      await say(of('ann'), messages);
      return say(of('ben'), messages);
    },
    comes: passesAll(isAnswer(200), containsText(/chat-server\/ben/), lacksText(/chat-server\/ann/)),
  },
];
