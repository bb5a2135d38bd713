/** The tool-call context: the keys that a client can set, and those that it cannot. */
import { type Attack, type Check, containsPart, containsText, isProblem } from '../attack.ts';
import { pollUntilEnded } from '../patience.ts';
import { type Call, sayResult } from '../puppet-model.ts';
import type { Scene } from '../scene.ts';

const LOOK: readonly Call[] = [{ name: 'whoami', input: {} }];

/** Returns the context that the tool `whoami` sees during this turn. */
async function readSeen(
  { ann, own, play }: Scene,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const message = play(LOOK, sayResult);
  const { json, text } = await ann.post(`${own}/messages`, { message, ...body }, headers);
  return typeof json?.text === 'string' ? JSON.parse(json.text) : text;
}

const isNotAllowed = (key: string): Check =>
  isProblem(
    422,
    'invalid-body',
    `The body is not valid: context: a body cannot set '${key}'. Allow it in createHoldfast({ http: { bodyContext: [...] } }).`,
  );

/** Keys that a body must not set, including variants of allowed keys and inherited names. */
const keys = [
  'tenant',
  'plan',
  'scenario',
  'loopId',
  'holdfast.loopId',
  'Locale',
  'locale ',
  'loc\u0430le',
  'constructor',
  'toString',
  '',
  'secrets',
  'principal',
];

/** Bodies as raw text, because `JSON.stringify` cannot produce them. */
const texts: readonly (readonly [what: string, body: string, comes: Check])[] = [
  [
    'a context that sets __proto__',
    '{"message":"x","context":{"__proto__":{"tenant":"zeta"}}}',
    isNotAllowed('__proto__'),
  ],
  [
    'a body that sets __proto__',
    '{"message":"x","__proto__":{"context":{"tenant":"zeta"}}}',
    isProblem(422, 'invalid-body', 'The body is not valid: __proto__: is not known here.'),
  ],
  ['a repeated context', '{"message":"x","context":{},"context":{"tenant":"zeta"}}', isNotAllowed('tenant')],
  [
    'a key with escape sequences',
    '{"message":"x","context":{"\\u0074enant":"zeta"}}',
    isNotAllowed('tenant'),
  ],
  [
    'a context that is a list',
    '{"message":"x","context":[["tenant","zeta"]]}',
    isProblem(422, 'invalid-body', 'The body is not valid: context: must be a JSON object.'),
  ],
  [
    'a context that is text',
    '{"message":"x","context":"{\\"tenant\\":\\"zeta\\"}"}',
    isProblem(422, 'invalid-body', 'The body is not valid: context: must be a JSON object.'),
  ],
  [
    'a context that is null',
    '{"message":"x","context":null}',
    isProblem(422, 'invalid-body', 'The body is not valid: context: must be a JSON object.'),
  ],
  [
    'an allowed value with excessive nesting',
    `{"message":"x","context":{"locale":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`,
    isProblem(
      422,
      'invalid-body',
      "The body is not valid: context: the value of 'locale' is nested too deeply.",
    ),
  ],
];

/** Invalid loop ids. */
const loops = ['', ' ', 'a b', '../x', 'x'.repeat(129), 'é', 'a\nb', '__proto__/x'];

const ANN_IDENTITY = { id: 'ann', tenant: 'acme' };

export const listContextAttacks = (): readonly Attack[] => [
  ...keys.map(
    (key): Attack => ({
      name: `a body cannot set the context key '${key}'`,
      act: ({ ann, own }) => ann.post(`${own}/messages`, { message: 'x', context: { [key]: 'zeta' } }),
      comes: isNotAllowed(key),
    }),
  ),
  ...texts.map(
    ([what, body, comes]): Attack => ({
      name: `${what} changes nothing`,
      act: ({ ann, own }) => ann.post(`${own}/messages`, body),
      comes,
    }),
  ),
  ...loops.map(
    (loopId): Attack => ({
      name: `a loop cannot have the id ${JSON.stringify(loopId).slice(0, 24)}`,
      act: ({ ann, own }) => ann.post(`${own}/messages`, { message: 'x', loopId }),
      comes: isProblem(
        422,
        'invalid-body',
        'The body is not valid: loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -.',
      ),
    }),
  ),
  {
    name: 'a forbidden key next to an allowed one is refused',
    act: ({ ann, own }) =>
      ann.post(`${own}/messages`, { message: 'x', context: { locale: 'de', tenant: 'zeta' } }),
    comes: isNotAllowed('tenant'),
  },
  {
    name: 'a refusal lists ten of a thousand forbidden keys, truncated',
    async act({ ann, own }) {
      const strange = Object.fromEntries(
        Array.from({ length: 1000 }, (_, at) => [`${at}${'k'.repeat(150)}`, 1]),
      );
      const { status, json } = await ann.post(`${own}/messages`, { message: 'x', context: strange });
      const { problems } = json as { problems: readonly string[] }; // a member of the problem `invalid-body`
      return [status, problems.length, Math.max(...problems.map(({ length }) => length)) < 200];
    },
    comes: [422, 10, true],
  },
  {
    name: 'the header of a gateway overrides an allowed key, and neither of them is the principal',
    act: (scene) => readSeen(scene, { context: { locale: 'de' } }, { 'x-gateway-tenant': 'zeta' }),
    comes: containsPart({
      principal: ANN_IDENTITY,
      context: { locale: 'de', tenant: 'zeta', plan: 'basic' },
    }),
  },
  {
    name: 'without the gateway, the tenant in the context is that of the principal',
    act: (scene) => readSeen(scene, {}),
    comes: containsPart({ principal: ANN_IDENTITY, context: { tenant: 'acme', plan: 'basic' } }),
  },
  {
    name: 'headers without a mapping do not set the context',
    act: (scene) =>
      readSeen(scene, {}, { tenant: 'zeta', plan: 'gold', 'x-plan': 'gold', 'x-context-plan': 'gold' }),
    comes: containsPart({ context: { tenant: 'acme', plan: 'basic' } }),
  },
  {
    name: 'a mapped header can only set a text',
    act: (scene) => readSeen(scene, {}, { 'x-gateway-tenant': '{"plan":"gold"}' }),
    comes: containsPart({ context: { tenant: '{"plan":"gold"}', plan: 'basic' } }),
  },
  {
    name: 'a form cannot set a key that a body must not set',
    act: ({ ann, own }) =>
      ann.post(`${own}/messages`, createForm({ message: 'x', context: '{"tenant":"zeta"}' }), FORM),
    comes: isNotAllowed('tenant'),
  },
  {
    name: 'a form with two contexts is refused',
    act: ({ ann, own }) =>
      ann.post(
        `${own}/messages`,
        createForm({ message: 'x', context: '{}' }, { context: '{"tenant":"zeta"}' }),
        FORM,
      ),
    comes: isProblem(422, 'invalid-body', 'The body is not valid: context: appears more than once.'),
  },
  {
    name: 'a steering message does not change the context of the running turn',
    async act(scene) {
      const { ann, rolf, own, play, session, world } = scene;
      const running = ann.post(`${own}/messages`, {
        message: play([{ name: 'hang', input: { gate: session } }], LOOK, sayResult),
      });
      await world.reached(session);
      await rolf.post(`${own}/messages?whenBusy=steer`, { message: 'Hurry.', context: { locale: 'xx' } });
      world.open(session);
      const { json } = await running;
      return JSON.parse(String(json?.text));
    },
    comes: (came) => {
      const { principal, context: seenContext } = came as { principal: { id: string }; context: object }; // `whoami` returns this
      return principal.id === 'ann' && !('locale' in seenContext) ? undefined : `saw ${JSON.stringify(came)}`;
    },
  },
  {
    name: "another person's steering message becomes a queued turn, and is not part of the running turn",
    async act({ ann, rolf, own, play, session, world }) {
      const hanging = play([{ name: 'hang', input: { gate: session } }], 'Done.');
      const running = ann.post(`${own}/messages`, { message: hanging });
      await world.reached(session);
      const steered = await rolf.post(`${own}/messages?whenBusy=steer`, { message: play(LOOK, sayResult) });
      world.open(session);
      const first = await running;
      const second = await pollUntilEnded(() => rolf.get(`${own}/turns/${steered.json?.turn}`));
      return [steered.json?.status, first.json?.text, String(second.json?.text).slice(0, 25)];
    },
    comes: ['queued', 'Done.', '{"principal":{"id":"rolf"'],
  },
  {
    name: 'a turn that a tool schedules has the principal of its caller, even if the model sets another one',
    async act({ ann, own, play }) {
      const later = play(LOOK, sayResult);
      const message = play(
        [
          {
            name: 'schedule_message',
            input: { message: later, when: '0', principal: { id: 'zoe', tenant: 'zeta' } },
          },
        ],
        sayResult,
      );
      const { json } = await ann.post(`${own}/messages`, { message });
      const [, turn = ''] = /as turn (\S+)\.$/.exec(String(json?.text)) ?? [];
      return pollUntilEnded(() => ann.get(`${own}/turns/${encodeURIComponent(turn)}`));
    },
    comes: containsText(/\{\\"principal\\":\{\\"id\\":\\"ann\\",\\"tenant\\":\\"acme\\"\}/),
  },
];

const BOUNDARY = 'x-boundary-x';
const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Builds a form of these fields, in this order. */
const createForm = (...fields: readonly Readonly<Record<string, string>>[]): string =>
  `${fields
    .flatMap((some) => Object.entries(some))
    .map(
      ([name, value]) =>
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')}--${BOUNDARY}--\r\n`;
