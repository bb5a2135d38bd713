import { createGoogle } from '@ai-sdk/google';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGeminiWire, type GeminiWireOptions } from '../../../wires/gemini.ts';
import { playTurn, rehearsalScript } from '../../../wires/rehearsal.ts';
import { post } from '../../../wires/replay.ts';
import { createFetch } from '../../../wires/wire.ts';

interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name: string; args: Record<string, unknown> };
  functionResponse?: { id?: string; name: string; response: unknown };
}

interface Body {
  contents: { role: string; parts: Part[] }[];
}

/** The indexes of the first turn's fifth request and of the second turn's last request. */
const [midTurn, last] = [4, 14];

let streamedBodies: readonly unknown[] = [];

beforeAll(async () => {
  const wire = createGeminiWire({ script: rehearsalScript });
  const model = createGoogle({ apiKey: 'key', fetch: createFetch(wire) })('gemini-3-pro-preview');
  const providerOptions = { google: { thinkingConfig: { includeThoughts: true } } };
  const rehearsal = { model, stream: true, providerOptions };
  await playTurn(rehearsal, await playTurn(rehearsal, [], 'Begin.'), 'Go on.');
  streamedBodies = wire.requests;
});

interface Sabotage {
  readonly at?: number;
  readonly options?: Partial<GeminiWireOptions>;
}

const copyBody = (at: number): Body => structuredClone(streamedBodies[at] as Body);

async function sendSabotaged(change: (body: Body) => void, { at = midTurn, options }: Sabotage) {
  const body = copyBody(at);
  change(body);
  const wire = createGeminiWire({ script: rehearsalScript, ...options });
  const answered = await post(
    wire,
    'https://google.example/v1beta/models/gemini-3-pro-preview:generateContent',
    {
      body,
      headers: { 'x-goog-api-key': 'key' },
    },
  );
  expect(wire.refused.map(({ message }) => message)).toEqual(
    answered.status === 200 ? [] : [answered.message],
  );
  return answered;
}

/** The first part of a content that has a call. */
const getCallPart = ({ contents }: Body, content: number): Part =>
  contents[content]?.parts.find(({ functionCall }) => functionCall !== undefined) ?? {};
const forget = (part: Part) => delete part.thoughtSignature;
const forgetAll = ({ contents }: Body, from: number, to: number) => {
  for (const { role, parts } of contents.slice(from, to)) if (role === 'model') parts.forEach(forget);
};
const dropThoughts = ({ contents }: Body, from: number, to: number) => {
  for (const content of contents.slice(from, to))
    content.parts = content.parts.filter(({ thought }) => thought !== true);
};

const formatMissingSignature = (name: string, position: number) =>
  'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, ' +
  'and missing thought_signature may lead to degraded model performance. Additional data, function call ' +
  `\`default_api:${name}\` , position ${position}. Please refer to ` +
  'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.';
const otherCount =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
  'function call turn.';

const sabotages: readonly [string, Sabotage, (body: Body) => void, string][] = [
  [
    'a signature is shortened',
    {},
    (body) =>
      Object.assign(getCallPart(body, 1), {
        thoughtSignature: getCallPart(body, 1).thoughtSignature?.slice(0, -1),
      }),
    'Corrupted thought signature.',
  ],
  [
    'a signature belongs to another reply',
    {},
    (body) =>
      Object.assign(getCallPart(body, 1), { thoughtSignature: getCallPart(body, 5).thoughtSignature }),
    'Invalid thought signature.',
  ],
  [
    'the signature of a call is dropped',
    {},
    (body) => forget(getCallPart(body, 3)),
    formatMissingSignature('search', 4),
  ],
  [
    'the signature of parallel calls is moved to the second call',
    {},
    (body) => {
      const { thoughtSignature } = getCallPart(body, 3);
      forget(getCallPart(body, 3));
      Object.assign(body.contents[3]?.parts.at(-1) ?? {}, { thoughtSignature });
    },
    formatMissingSignature('search', 4),
  ],
  [
    'a signature is replaced by the sentinel',
    {},
    (body) => Object.assign(getCallPart(body, 1), { thoughtSignature: 'skip_thought_signature_validator' }),
    'wire: contents[1].parts[2]: the sentinel stands where a signature was given',
  ],
  [
    'the signature of a thought is dropped',
    {},
    ({ contents }) => contents[3]?.parts.filter(({ thought }) => thought === true).forEach(forget),
    'wire: contents[3].parts[0]: the thought signature that was given here did not come back',
  ],
  [
    'the empty text that ends a stream is dropped',
    {},
    ({ contents }) => contents[5]?.parts.pop(),
    'wire: contents[5].parts[2]: the text "" was given here and nothing came back',
  ],
  [
    'the thoughts of the turn are dropped',
    {},
    (body) => dropThoughts(body, 5, 6),
    'wire: contents[5].parts[0]: the thought "Thinking of turn 1, reply 3: what is known, and what comes next." was ' +
      'given here and the call {"id":"ID","name":"search","args":{"query":"search 2","n":2}} came back',
  ],
  [
    'some signatures of an earlier turn are dropped',
    { at: last },
    (body) => forgetAll(body, 0, 5),
    'wire: of the thought signatures of earlier turns some came back and some did not',
  ],
  [
    'the input of a call is changed',
    {},
    (body) => Object.assign(getCallPart(body, 5).functionCall ?? {}, { args: {} }),
    'wire: contents[5].parts[1]: the call {"id":"ID","name":"search","args":{"query":"search 2","n":2}} was given ' +
      'here and the call {"id":"ID","name":"search","args":{}} came back',
  ],
  [
    'two calls are swapped',
    {},
    ({ contents }) => contents[3]?.parts.push(...contents[3].parts.splice(-2).reverse()),
    'wire: contents[3].parts[1]: the call {"id":"ID","name":"search","args":{"query":"search 1","n":1}} was given ' +
      'here and the call {"id":"ID","name":"add","args":{"query":"add 1","n":1}} came back',
  ],
  [
    'the responses to parallel calls are separated',
    {},
    ({ contents }) => {
      const second = contents[4]?.parts.pop();
      if (second !== undefined) contents.splice(5, 0, { role: 'user', parts: [second] });
    },
    otherCount,
  ],
  ['a response is missing', {}, ({ contents }) => contents[4]?.parts.pop(), otherCount],
  [
    'a text separates a call from its response',
    {},
    ({ contents }) => contents.splice(2, 0, { role: 'user', parts: [{ text: 'Wait.' }] }),
    otherCount,
  ],
  [
    'a response has no call',
    {},
    ({ contents }) => contents[0]?.parts.push({ functionResponse: { name: 'search', response: {} } }),
    'Please ensure that function response turn comes immediately after a function call turn.',
  ],
  [
    'two calls follow each other',
    {},
    ({ contents }) => contents.splice(0, 1),
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  ],
  [
    'a part has an unknown field',
    {},
    (body) => Object.assign(getCallPart(body, 1), { extra: 1 }),
    'Invalid JSON payload received. Unknown name "extra" at \'contents[1].parts[2]\': Cannot find field.',
  ],
  [
    'a content is empty',
    {},
    ({ contents }) => contents.push({ role: 'user', parts: [] }),
    '* GenerateContentRequest.contents[9].parts: contents.parts must not be empty.\n',
  ],
  [
    'the signatures come from another server',
    { options: { seed: 'another', variants: ['signed-thoughts', 'signed-end'] } },
    () => undefined,
    'Corrupted thought signature.',
  ],
];

const withoutIds = (words: string | undefined) => words?.replace(/"id":"[^"]+"/g, '"id":"ID"');

describe('the strict server of Gemini refuses a request if', () => {
  it.each(sabotages)('%s', async (_title, sabotage, change, words) => {
    const { status, message, body } = await sendSabotaged(change, sabotage);
    expect({ status, message: withoutIds(message) }).toEqual({ status: 400, message: words });
    expect(body).toEqual({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
  });
});

const acceptedChanges: readonly [string, Sabotage, (body: Body) => void][] = [
  ['its history is unchanged', {}, () => undefined],
  [
    'a text of the user follows the responses',
    {},
    ({ contents }) => contents.push({ role: 'user', parts: [{ text: 'Hurry.' }] }),
  ],
  [
    'its conversation starts with an unsigned answer',
    { at: last },
    ({ contents }) => {
      contents.splice(1, 20);
      contents[1]?.parts.forEach(forget);
    },
  ],
  ['all signatures of earlier turns are omitted', { at: last }, (body) => forgetAll(body, 0, 22)],
  ['all thoughts of earlier turns are omitted', { at: last }, (body) => dropThoughts(body, 0, 22)],
  [
    'its turn has no thoughts, which the option allows',
    { options: { mayOmitThinking: true } },
    (body) => dropThoughts(body, 0, 9),
  ],
  ['responses with ids are reordered', {}, ({ contents }) => contents[4]?.parts.reverse()],
  ['its beginning is summarized', {}, ({ contents }) => contents.splice(1, 2)],
];

describe('the strict server of Gemini accepts a request if', () => {
  it.each(acceptedChanges)('%s', async (_title, sabotage, change) => {
    expect(await sendSabotaged(change, sabotage)).toMatchObject({ status: 200, message: undefined });
  });

  it('it is repeated, and returns the same response', async () => {
    expect(await sendSabotaged(() => undefined, {})).toEqual(await sendSabotaged(() => undefined, {}));
  });
});
