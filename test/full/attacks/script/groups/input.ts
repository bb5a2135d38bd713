/** Malformed headers and bodies, and tool inputs that are not valid. */
import {
  type Attack,
  type Check,
  containsText,
  formatResponse,
  hasStatus,
  isAnswer,
  isProblem,
} from '../attack.ts';
import type { RequestToSend } from '../http.ts';
import { sayResult } from '../puppet-model.ts';

const createJsonRequest = (
  body: string,
  headers: RequestToSend['headers'] = [],
): Pick<RequestToSend, 'headers' | 'body'> => ({
  headers: [['content-type', 'application/json'], ...headers],
  body,
});

const isInvalidBody = (detail: string): Check =>
  isProblem(422, 'invalid-body', `The body is not valid: ${detail}.`);

const isNotJson = isProblem(400, 'bad-json', 'The body is not JSON.');

const isNotObject = isInvalidBody('it must be a JSON object');

const wrongType = isProblem(
  415,
  'unsupported-media-type',
  'Send the body as application/json or multipart/form-data.',
);

/** Malformed bodies of a message. */
const bodies: readonly (readonly [
  what: string,
  sent: Pick<RequestToSend, 'headers' | 'body'>,
  comes: Check,
])[] = [
  ['an empty body', createJsonRequest(''), isNotJson],
  ['a truncated body', createJsonRequest('{"message":"x"'), isNotJson],
  ['two JSON values', createJsonRequest('{"message":"x"}{"message":"y"}'), isNotJson],
  ['JSON with comments', createJsonRequest('{"message":"x"/**/}'), isNotJson],
  ['NaN as a number', createJsonRequest('{"message":NaN}'), isNotJson],
  ['a list', createJsonRequest('[{"message":"x"}]'), isNotObject],
  ['null', createJsonRequest('null'), isNotObject],
  ['a text', createJsonRequest('"message"'), isNotObject],
  [
    'a message that is an object',
    createJsonRequest('{"message":{"toString":"x"}}'),
    isInvalidBody('message: must be text that is not blank'),
  ],
  [
    'a message that is a number',
    createJsonRequest('{"message":7}'),
    isInvalidBody('message: must be text that is not blank'),
  ],
  [
    'a blank message',
    createJsonRequest('{"message":" \\n\\t"}'),
    isInvalidBody('message: must be text that is not blank'),
  ],
  ['no message', createJsonRequest('{}'), isInvalidBody('message: is missing')],
  [
    'an empty list of parts',
    createJsonRequest('{"message":[]}'),
    isInvalidBody('message: must contain a file, or text that is not blank'),
  ],
  [
    'a hundred and one parts',
    createJsonRequest(`{"message":[${Array(101).fill('{"type":"text","text":"x"}').join()}]}`),
    isInvalidBody('message: must have at most 100 parts'),
  ],
  [
    'a part of an unknown type',
    createJsonRequest('{"message":[{"type":"tool_result","text":"x"}]}'),
    isInvalidBody('message[0]: must be a part of the type text or file'),
  ],
  [
    'a part with a role',
    createJsonRequest('{"message":[{"type":"text","text":"x","role":"system"}]}'),
    isInvalidBody('message[0].role: is not known here'),
  ],
  ['a negative delay', createJsonRequest('{"message":"x","delaySeconds":-1}'), hasStatus(422)],
  ['a delay of centuries', createJsonRequest('{"message":"x","delaySeconds":1e12}'), hasStatus(422)],
  ['an infinite delay', createJsonRequest('{"message":"x","delaySeconds":1e999}'), hasStatus(422)],
  ['a delay as text', createJsonRequest('{"message":"x","delaySeconds":"5"}'), hasStatus(422)],
  [
    'a body with excessive nesting',
    createJsonRequest(`${'['.repeat(90_000)}${']'.repeat(90_000)}`),
    isNotObject,
  ],
  [
    'a body of a million keys',
    createJsonRequest(`{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":1`).join()}}`),
    hasStatus(413, 422),
  ],
  [
    'a body that exceeds the maximum size',
    createJsonRequest(`{"message":"${'x'.repeat(13_000_000)}"}`),
    isProblem(413, 'body-too-large', 'The body is larger than 12582912 bytes. Send less.'),
  ],
  [
    'a body of values that take more memory than bytes',
    createJsonRequest(`{"message":"x","context":[${'1,'.repeat(150_000)}1]}`),
    isProblem(
      413,
      'body-too-large',
      'Without its files, the body is larger than 200000 bytes. Send less, or send long text as a file.',
    ),
  ],
  [
    'a body that is not UTF-8',
    {
      headers: [['content-type', 'application/json']],
      body: Buffer.from('{"message":"\xff\xfe"}', 'latin1'),
    },
    isProblem(400, 'bad-json', 'The body is not UTF-8.'),
  ],
  [
    'a body in UTF-16',
    {
      headers: [['content-type', 'application/json; charset=utf-16']],
      body: Buffer.from('{"message":"x"}', 'utf16le'),
    },
    isNotJson,
  ],
  ['no content type', { headers: [], body: '{"message":"x"}' }, wrongType],
  ['plain text', { headers: [['content-type', 'text/plain']], body: '{"message":"x"}' }, wrongType],
  [
    'a type after a comma',
    { headers: [['content-type', 'text/plain, application/json']], body: '{"message":"x"}' },
    wrongType,
  ],
  [
    'a type in a parameter',
    { headers: [['content-type', 'text/plain;application/json']], body: '{"message":"x"}' },
    wrongType,
  ],
  [
    'a type that only starts like an accepted one',
    { headers: [['content-type', 'application/json-patch+json']], body: '{"message":"x"}' },
    wrongType,
  ],
  [
    'a body that claims to be compressed',
    createJsonRequest('{"message":"x"}', [['content-encoding', 'gzip']]),
    hasStatus(400, 415, 200),
  ],
];

/** Unusual headers of a message. */
const headers: readonly (readonly [
  what: string,
  header: readonly [string, string],
  query: string,
  comes: Check,
])[] = [
  [
    'an empty key',
    ['idempotency-key', ''],
    '',
    isProblem(400, 'invalid-header', 'Idempotency-Key must be 1 to 255 visible ASCII characters.'),
  ],
  [
    'a key with a space',
    ['idempotency-key', 'a b'],
    '',
    isProblem(400, 'invalid-header', 'Idempotency-Key must be 1 to 255 visible ASCII characters.'),
  ],
  [
    'a key of excessive length',
    ['idempotency-key', 'k'.repeat(256)],
    '',
    isProblem(400, 'invalid-header', 'Idempotency-Key must be 1 to 255 visible ASCII characters.'),
  ],
  [
    'a key with characters outside of ASCII',
    ['idempotency-key', 'cl\u00e9'],
    '',
    isProblem(400, 'invalid-header', 'Idempotency-Key must be 1 to 255 visible ASCII characters.'),
  ],
  [
    'an unknown value of whenBusy',
    ['x-none', '1'],
    '?whenBusy=kill',
    isProblem(400, 'invalid-query', 'whenBusy must be one of reject, queue, steer.'),
  ],
  [
    'an unknown value of pending',
    ['x-none', '1'],
    '?pending=approve',
    isProblem(400, 'invalid-query', 'pending must be one of decline.'),
  ],
  [
    'an empty value of pending',
    ['x-none', '1'],
    '?pending=',
    isProblem(400, 'invalid-query', 'pending must be one of decline.'),
  ],
];

/** Tool inputs from the model that are not JSON or do not match the schema. */
const inputs: readonly (readonly [what: string, input: unknown])[] = [
  ['text that is not JSON', '{"amount":'],
  ['a list', '[5]'],
  ['null', 'null'],
  ['an amount as text', { amount: '5' }],
  ['an amount that is too large', { amount: 1001 }],
  ['a negative amount', { amount: -5 }],
  ['an amount that is a list', { amount: [5] }],
  ['an amount in __proto__', '{"__proto__":{"amount":5}}'],
  ['an infinite amount', '{"amount":1e999}'],
  ['JSON with excessive nesting', `{"amount":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
];

export const listInputAttacks = (): readonly Attack[] => [
  ...bodies.map(
    ([what, sent, comes]): Attack => ({
      name: `${what} is refused as a message`,
      act: ({ ann, own }) => ann.ask({ method: 'POST', path: `${own}/messages`, ...sent }),
      comes,
    }),
  ),
  ...headers.map(
    ([what, header, query, comes]): Attack => ({
      name: `${what} is refused`,
      act: ({ ann, own }) =>
        ann.post(`${own}/messages${query}`, { message: 'x' }, Object.fromEntries([header])),
      comes,
    }),
  ),
  ...inputs.map(
    ([what, given]): Attack => ({
      name: `${what} as the input of a call pays nothing, and the turn continues`,
      act: async ({ ann, own, play }) => {
        const came = await ann.post(`${own}/messages`, {
          message: play([{ name: 'pay', input: given }], sayResult),
        });
        return [formatResponse(came), String(came.json?.text).slice(0, 200)];
      },
      comes: containsText(
        /^\["200","(Error: )?The input of tool 'pay' is not valid|^\["200","(Error: )?.*JSON/,
      ),
    }),
  ),
  {
    name: 'a repeated key with another body is refused without showing the first turn',
    async act({ ann, own, play }) {
      const key = { 'idempotency-key': 'one' };
      await ann.post(`${own}/messages`, { message: play('First.') }, key);
      return ann.post(`${own}/messages`, { message: play('Second.') }, key);
    },
    comes: isProblem(
      422,
      'idempotency-key-reused',
      'This Idempotency-Key was used with another body. Use a new key for a new message.',
    ),
  },
  {
    name: 'fifty concurrent requests with the same key pay once',
    async act({ ann, own, play }) {
      const message = play([{ name: 'pay', input: { amount: 2 } }], 'Paid.');
      const all = await Promise.all(
        Array.from({ length: 50 }, () =>
          ann.post(`${own}/messages`, { message }, { 'idempotency-key': 'same' }),
        ),
      );
      return [[...new Set(all.map(formatResponse))], new Set(all.map(({ json: one }) => one?.turn)).size];
    },
    comes: [['200'], 1],
    effects: ['pay 2 for acme'],
  },
  {
    name: 'a model call of a tool that does not exist runs no tool',
    act: ({ ann, own, play }) =>
      ann.post(`${own}/messages`, { message: play([{ name: 'steal', input: {} }], 'Done.') }),
    comes: isAnswer(200, { text: 'Done.' }),
  },
];
