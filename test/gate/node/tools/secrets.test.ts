import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, artifact, defineTool, error, Secrets, text } from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import type { FeedItem } from '../../../doors/session.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { callTools } from './decorators/turns.ts';

const TOKEN = 'tok-4711-zebra';
const createSecrets = () => Secrets.of({ apiKey: TOKEN, pin: '12345', empty: undefined });

describe('a bag of secrets', () => {
  it('returns its values, and does not repeat an unknown name that may be a secret', () => {
    expect([
      createSecrets().get('apiKey'),
      createSecrets().get('other'),
      createSecrets().get('empty'),
    ]).toEqual([TOKEN, undefined, undefined]);
    expect(createSecrets().keys()).toEqual(['apiKey', 'pin']);
    expect(createSecrets().require('apiKey')).toBe(TOKEN);
    expect(() => createSecrets().require('other')).toThrow(
      'There is no secret with the name passed to `secrets.require`. Return it from `secrets` of createHoldfast.',
    );
    expect(() => createSecrets().require('STRIPE_KEY')).toThrow(
      "There is no secret 'STRIPE_KEY'. Return it from `secrets` of createHoldfast.",
    );
    expect(() => createSecrets().require('JBSWY3DPEHPK3PXP')).toThrow(/with the name passed to/);
    expect(Secrets.of({ none: undefined })).toBe(Secrets.NONE);
    expect([createSecrets().get('__proto__'), createSecrets().get('constructor')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('prints its names and never its values', () => {
    const inspect: () => string = Reflect.get(createSecrets(), Symbol.for('nodejs.util.inspect.custom'));
    const printed = [
      String(createSecrets()),
      `${createSecrets()}`,
      JSON.stringify({ secrets: createSecrets() }),
      inspect.call(createSecrets()),
      JSON.stringify(structuredClone({ ...createSecrets() })),
    ];
    expect(printed).toEqual([
      'Secrets(apiKey, pin)',
      'Secrets(apiKey, pin)',
      '{"secrets":["apiKey","pin"]}',
      'Secrets(apiKey, pin)',
      '{}',
    ]);
    expect(Object.values(createSecrets())).toEqual([]);
  });

  it('is copied, so that later changes to the source have no effect', () => {
    const values = { apiKey: TOKEN };
    const secrets = Secrets.of(values);
    values.apiKey = 'other';
    expect(secrets.get('apiKey')).toBe(TOKEN);
  });
});

describe('redacted data', () => {
  it.each<[string, unknown, unknown]>([
    ['texts', `a ${TOKEN} and ${TOKEN}`, 'a [secret apiKey] and [secret apiKey]'],
    ['lists', [TOKEN, 1, null, true], ['[secret apiKey]', 1, null, true]],
    [
      'objects and their keys',
      { a: { [TOKEN]: [`${TOKEN}!`] } },
      { a: { '[secret apiKey]': ['[secret apiKey]!'] } },
    ],
    ['a short secret is kept, because it can occur by chance', 'room 12345', 'room 12345'],
  ])('contains no secrets: %s', (_, data, expected) => {
    expect(createSecrets().redact(data)).toEqual(expected);
  });

  it('is the original object if it contains no secret', () => {
    const data = { a: [TOKEN] };
    expect(Secrets.NONE.redact(data)).toBe(data);
    expect(Secrets.of({ pin: '12345' }).redact(data)).toBe(data);
  });

  it('hides secrets that are encoded for JSON, URLs or forms', () => {
    const key = '-----BEGIN KEY-----\nä"b c\n-----END KEY-----';
    const secrets = Secrets.of({ key });
    const written = [
      key,
      JSON.stringify({ key }),
      `https://x.test/?k=${encodeURIComponent(key)}`,
      new URLSearchParams({ k: key }).toString(),
    ];
    expect(secrets.redact(written)).toEqual([
      '[secret key]',
      '{"key":"[secret key]"}',
      'https://x.test/?k=[secret key]',
      'k=[secret key]',
    ]);
  });

  it('hides secrets if JSON escapes a slash, or if percent escapes are in lower case', () => {
    const key = 'zebra/stripes?a=b&c=dé+ü';
    const secrets = Secrets.of({ key });
    const formatPhpJson = (text: string) => JSON.stringify(text).replaceAll('/', '\\/');
    const lowerEscapes = (text: string) => text.replace(/%../g, (written) => written.toLowerCase());
    const base64 = Buffer.from(key).toString('base64');
    expect([formatPhpJson(key), lowerEscapes(encodeURIComponent(key)), base64]).toEqual([
      '"zebra\\/stripes?a=b&c=dé+ü"',
      'zebra%2fstripes%3fa%3db%26c%3dd%c3%a9%2b%c3%bc',
      'emVicmEvc3RyaXBlcz9hPWImYz1kw6krw7w=',
    ]);
    const slashed = 'x??>?>?>zebra';
    const other = Secrets.of({ key: slashed });
    expect(btoa(slashed)).toBe('eD8/Pj8+Pz56ZWJyYQ==');
    expect(
      secrets.redact([
        formatPhpJson(key),
        lowerEscapes(encodeURIComponent(key)),
        lowerEscapes(new URLSearchParams({ k: key }).toString()),
      ]),
    ).toEqual(['"[secret key]"', '[secret key]', 'k=[secret key]']);
    expect(
      other.redact([formatPhpJson(btoa(slashed)), lowerEscapes(encodeURIComponent(btoa(slashed)))]),
    ).toEqual(['"[secret key]"', '[secret key]']);
  });

  it.each(['…', '...', '....', '... and', '… '])(
    'hides the start of a secret that is cut off by %o',
    (end) => {
      const secrets = Secrets.of({ key: 'zebra-stripes', dotted: 'lemur.4711.tail' });
      expect(
        secrets.redact([`"zebra-s${end}`, `zebra${end}`, `lemur.4711${end}`, `azebra-${end}zebra-str${end}`]),
      ).toEqual([
        `"[secret key]${end}`,
        `zebra${end}`,
        `[secret dotted]${end}`,
        `a[secret key]${end}[secret key]${end}`,
      ]);
    },
  );

  it('redacts the longest prefix of a secret in shortened text', () => {
    const secrets = Secrets.of({
      a: 'sk-one-aaaa-1111',
      b: 'sk-one-bbbb-2222',
      c: 'sk-one-aaaa',
      d: 'aaaa-1234',
    });
    const cut = [
      'sk-one…',
      'sk-one-b…',
      'sk-one-b-1…',
      'sk-one-c…',
      'sk-onsk-one-bb...',
      'sk-one-aaaa…',
      'aaaa-1…',
    ];
    expect(secrets.redact(cut)).toEqual([
      expect.stringMatching(/^\[secret [abc]\]…$/),
      '[secret b]…',
      'sk-one-b-1…',
      'sk-one-c…',
      'sk-on[secret b]...',
      '[secret c]…',
      '[secret d]…',
    ]);
  });

  it('hides secrets in base64, in both alphabets, with and without padding', () => {
    const key = 'zebra?>~stripes~?>';
    const secrets = Secrets.of({ key });
    const base64 = btoa(key);
    const forUrls = base64.replaceAll('+', '-').replaceAll('/', '_');
    expect([base64, forUrls]).toEqual(['emVicmE/Pn5zdHJpcGVzfj8+', 'emVicmE_Pn5zdHJpcGVzfj8-']);
    const written = [`is ${base64}.`, `is ${forUrls}.`, `?k=${encodeURIComponent(base64)}`];
    expect(secrets.redact(written)).toEqual(['is [secret key].', 'is [secret key].', '?k=[secret key]']);
    const padded = Secrets.of({ key: 'zebra-1' });
    const unpadded = btoa('zebra-1').replaceAll('=', '');
    expect(padded.redact([btoa('zebra-1'), unpadded, `${unpadded}…`])).toEqual([
      '[secret key]',
      '[secret key]',
      '[secret key]…',
    ]);
    expect(Secrets.of({ key: 'zebra-ä€' }).redact(btoa('zebra-\u00c3\u00a4\u00e2\u0082\u00ac'))).toBe(
      '[secret key]',
    );
  });

  it.each(['', 'a', 'ab', 'abc', 'user:', 'somebody:', '{"a":"b","key":"'])(
    'hides a secret in a longer base64 text, after %o',
    (before) => {
      const secrets = Secrets.of({ key: 'zebra-stripes', six: 'lemurs' });
      for (const after of ['', '"', '"}', '"}]', ' and more']) {
        for (const secret of ['zebra-stripes', 'lemurs']) {
          const left = secrets.redact(`Basic ${btoa(`${before}${secret}${after}`)}`);
          expect(left).toMatch(/^Basic [A-Za-z0-9+/]*\[secret (key|six)\][A-Za-z0-9+/]*={0,2}$/);
          const [ahead = '', behind = ''] = left.slice('Basic '.length).split(/\[secret \w+\]/);
          // The base64 characters shared with neighboring bytes reveal at most parts of the first and last
          // byte.
          expect(ahead.length).toBeLessThanOrEqual(Math.ceil((before.length * 4) / 3));
          expect(behind.replaceAll('=', '').length).toBeLessThanOrEqual(
            Math.ceil((after.length * 4) / 3) + 1,
          );
        }
      }
    },
  );

  it('hides the credentials of an authorization header, and the password of Basic auth', () => {
    const secrets = Secrets.of({
      basic: `Basic ${btoa('ada:zebra-stripes')}`,
      bearer: 'Bearer lemur-4711',
      words: 'red lemons',
    });
    const told = [
      `got ${btoa('ada:zebra-stripes')}`,
      'ada:zebra-stripes',
      'the password zebra-stripes',
      'lemur-4711',
      'lemons',
    ];
    expect(secrets.redact(told)).toEqual([
      'got [secret basic]',
      '[secret basic]',
      'the password [secret basic]',
      '[secret bearer]',
      'lemons',
    ]);
  });

  it('keeps base64 without a secret, and text that looks like a part of a secret', () => {
    const secrets = Secrets.of({ key: 'zebra-stripes', pin: '12345' });
    const honest = [btoa('a picture of a zebra with other stripes'), btoa('12345'), 'Basic emVi', 'emVicmE'];
    expect(secrets.redact(honest)).toEqual(honest);
  });

  it('is not searched part by part if it contains no secret, so a long list is cheap', () => {
    const rows = Array.from({ length: 1000 }, (_, row) => ({ row, name: 'ann', note: `${row}`.padEnd(60) }));
    const secrets = createSecrets().hidingToo(Secrets.of({ KEY: crypto.randomUUID() }));
    const ways = (['replaceAll', 'split'] as const).map((way) => vi.spyOn(String.prototype, way));
    const redacted = secrets.redact(rows);
    const called = ways.map(({ mock }) => mock.calls.length);
    vi.restoreAllMocks();
    expect(redacted).toEqual(rows);
    expect(called).toEqual([0, 0]);
  });

  it('hides the start of a secret before an ellipsis if it is at least as long as the shortest possible secret', () => {
    const secrets = Secrets.of({ key: 'zebra-zebra-stripes', code: 'line\nline\nline' });
    const cut = [
      'zebra-…',
      'zebra-zebra-zeb…, zebra-zebra-stripe…',
      'zebra…',
      'zebra-s',
      'zebra-x…',
      '"line\\nli…',
    ];
    expect(secrets.redact(cut)).toEqual([
      '[secret key]…',
      'zebra-[secret key]…, [secret key]…',
      'zebra…',
      'zebra-s',
      'zebra-x…',
      '"[secret code]…',
    ]);
  });

  it('is found in linear time in a long text', () => {
    const text = 'zebra-'.repeat(150_000);
    const ellipses = 'zebra-…'.repeat(150_000);
    const secrets = Secrets.of({ key: 'zebra-stripes' });
    expect(secrets.redact([text, ellipses])).toEqual([text, '[secret key]…'.repeat(150_000)]);
  });

  it('hides the longer of two secrets if it contains the other', () => {
    const secrets = Secrets.of({ user: 'zebra-1', pair: 'zebra-1:stripes', rest: 'stripes' });
    expect(secrets.redact('zebra-1:stripes, zebra-1')).toBe('[secret pair], [secret user]');
  });
});

describe('a streamed text', () => {
  /** The output after each piece and after the end. */
  function redactPiecewise(secrets: Secrets, pieces: readonly string[]): string[] {
    let handed = '';
    const told: string[] = [];
    const redactor = secrets.redactPieces((piece) => {
      handed += piece;
    });
    for (const step of [...pieces.map((piece) => () => redactor.take(piece, 'it')), () => redactor.end()]) {
      handed = '';
      step();
      told.push(handed);
    }
    return told;
  }

  it('is passed on immediately, except for a possible start of a secret', () => {
    const pieces = ['It is t', 'wo, to', 'k-4', '7: tok-4711-', 'zebra', '. At', ' '];
    expect(redactPiecewise(createSecrets(), pieces)).toEqual([
      'It is ',
      'two, ',
      '',
      'tok-47: ',
      '[secret apiKey]',
      '. A',
      't ',
      '',
    ]);
    expect(redactPiecewise(Secrets.NONE, pieces)).toEqual([...pieces, '']);
  });

  it.each([
    ['no secret that starts with a shorter secret', ['ab-1234', '-56789!'], '[secret long]!'],
    ['no secret that is the start of a longer one', ['ab-1234', '-5 it is', '.'], '[secret short]-5 it is.'],
    ['no secret at the end', ['It is ab-1234', ''], 'It is [secret short]'],
    [
      'no secret whose last characters can start another',
      ['a ab-', '1234 4-zebr', '?'],
      'a [secret short] 4-zebr?',
    ],
    ['no secret directly after another', ['ab-1234', '4-zebra!'], '[secret short][secret last]!'],
    [
      'no secret that an ellipsis cuts off',
      ['It is 4-zeb', 'ra', ', 4-zebr', '…'],
      'It is [secret last], [secret last]…',
    ],
    ['all text that only looks like a secret', ['ab-', '12', ''], 'ab-12'],
  ])('contains %s', (_, pieces, whole) => {
    const secrets = Secrets.of({ short: 'ab-1234', long: 'ab-1234-56789', last: '4-zebra' });
    const splitText = (text: string) => [...text];
    for (const taken of [pieces, pieces.flatMap(splitText)])
      expect(redactPiecewise(secrets, taken).join('')).toBe(whole);
    expect(secrets.redact(pieces.join(''))).toBe(whole);
  });

  it('is redacted in the same way, regardless of its division into pieces', () => {
    const secrets = Secrets.of({ one: 'ab.ab.ab', two: 'ab-ab-ab.', three: 'bbbbbbb' });
    const words = ['ab.ab.', 'ab-ab-', 'bbbbb', 'a', 'b', '.', '..', '...', '…', '-', ' '];
    const pieces = fc.array(
      fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((some) => some.join('')),
    );
    fc.assert(
      fc.property(pieces, (some) => {
        expect(redactPiecewise(secrets, some).join('')).toBe(secrets.redact(some.join('')));
      }),
      { seed: 20_261_117, numRuns: 2000 },
    );
  });

  it('is redacted in linear time', () => {
    const pieces = ['zebra-'.repeat(150_000), ...Array.from({ length: 10_000 }, () => 'zebra ')];
    expect(redactPiecewise(Secrets.of({ key: 'zebra-stripes' }), pieces).join('')).toBe(pieces.join(''));
  });

  it('is not held back longer if a secret overlaps itself', () => {
    const secrets = Secrets.of({ pin: '000000', other: 'a00000000' });
    const pieces = Array.from({ length: 10_000 }, () => '0000');
    const told = redactPiecewise(secrets, pieces);
    expect(told.slice(0, 5)).toEqual(['', '', '[secret pin]', '', '[secret pin]']);
    expect(told.join('')).toBe(secrets.redact(pieces.join('')));
  });
});

const createLeakingTool = (name: string, run: Parameters<typeof defineTool>[0]['run']): AnyTool =>
  defineTool({ name, description: 'Leaks.', effect: 'read', run });

describe('a secret that a tool reveals', () => {
  const tools = [
    createLeakingTool('says', (_, call) => {
      call.say(`I use ${call.secrets.require('apiKey')}`);
      call.progress(`Asking with ${call.secrets.require('apiKey')}`);
      return text(`Used ${call.secrets.get('apiKey')}`);
    }),
    createLeakingTool('shows', (_, { secrets }) =>
      artifact(`With ${secrets.get('apiKey')}`, { key: secrets.get('apiKey') }),
    ),
    createLeakingTool('returns', (_, { secrets }) => ({
      headers: { authorization: `Bearer ${secrets.get('apiKey')}` },
    })),
    createLeakingTool('fails', (_, { secrets }) => error(`401 for ${secrets.get('apiKey')}`)),
    createLeakingTool('throws', (_, { secrets }) => {
      throw new Error('Refused', { cause: new Error(`401 for ${secrets.get('apiKey')}`) });
    }),
    createLeakingTool('keeps', (_, { secrets, state, blackboard }) => {
      state.set('key', secrets.get('apiKey') ?? '');
      blackboard.add({ key: secrets.get('apiKey') ?? '' }, { name: 'key' });
      return `${secrets}`;
    }),
    createLeakingTool('asks', (_, call) =>
      call.ask({ for: 'decision', message: `May I use ${call.secrets.get('apiKey')}?` }),
    ),
  ];
  const names = tools.map(({ name }) => name);

  it('is absent from a streamed reply that repeats it, and the reply is complete', async () => {
    const reply = { text: `I have ${TOKEN} and mo`, pieces: ['I have tok-', '4711-zeb', 'ra', ' and mo'] };
    const app = createMemoryApp({ replies: [reply] });
    const items: FeedItem[] = [];
    await app.say('Go.', {
      secrets: () => Secrets.of({ apiKey: TOKEN, other: 'more than this' }),
      show: (item) => void items.push(item),
    });
    const pieces = items.flatMap((item) => (item.type === 'text-delta' ? [item.text] : []));
    expect(pieces).toEqual(['I have ', '[secret apiKey]', ' and ', 'mo']);
    expect(JSON.stringify(items)).not.toContain('4711');
  });

  it('does not delay the last letters of the reasoning until after the text has started', async () => {
    const parts = [
      { type: 'reasoning', text: 'It wants it' },
      { type: 'text', text: 'No, not' },
    ] as const;
    const app = createMemoryApp({ replies: [{ parts, pieces: ['No, not'] }] });
    const items: FeedItem[] = [];
    await app.say('Go.', {
      secrets: () => Secrets.of({ apiKey: TOKEN }),
      show: (item) => void items.push(item),
    });
    const pieces = items.flatMap((item) => ('text' in item ? [`${item.type} ${item.text}`] : []));
    expect(pieces).toEqual([
      'reasoning-delta It wants i',
      'reasoning-delta t',
      'text-delta No, no',
      'text-delta t',
    ]);
  });

  it('is absent from events, state, messages to the model and items of the stream', async () => {
    const app = createMemoryApp({ tools, replies: [callTools(...names.slice(0, -1)), callTools('asks')] });
    const items: FeedItem[] = [];
    const end = await app.say('Go.', { secrets: createSecrets, show: (item) => void items.push(item) });
    expect(end).toMatchObject({ status: 'suspended' });
    const turn = (await app.state()).turn?.id ?? '';
    const events = await app.events(turn);
    const state = await app.state();
    const seen = [events, items, app.model.requests, state.blackboard, [...state.callState], state.messages];
    expect(JSON.stringify(seen)).not.toContain(TOKEN);
    expect(JSON.stringify(seen)).not.toContain('4711');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'message-sent', text: 'I use [secret apiKey]' }),
    );
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'progress', status: 'Asking with [secret apiKey]' }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'tool-call-suspended',
        wait: expect.objectContaining({ message: 'May I use [secret apiKey]?' }),
      }),
    );
    const shown = (app.model.requests.at(-1)?.messages ?? []).flatMap((message) =>
      message.role === 'tool' ? [message.text] : [],
    );
    expect(shown).toEqual([
      'Used [secret apiKey]\n\n[Said to the user: I use [secret apiKey]]',
      'With [secret apiKey]',
      '{"headers":{"authorization":"Bearer [secret apiKey]"}}',
      'Error: 401 for [secret apiKey]',
      'Error: Refused (cause: 401 for [secret apiKey])',
      'Secrets(apiKey, pin)',
    ]);
    expect(state.blackboard).toEqual([{ name: 'key', value: { key: '[secret apiKey]' } }]);
  });

  it('is absent from the messages of a nested loop', async () => {
    const dig: AnyTool = {
      ...createLeakingTool('dig', () => ''),
      effect: 'none',
      call: async (_, call) => {
        const message = `Dig with ${call.secrets.get('apiKey')}.`;
        const { text: said } = await nest(call, { name: 'dig', instructions: '', message, tools });
        return text(said);
      },
    };
    const app = createMemoryApp({
      tools: [dig],
      replies: [callTools('dig'), callTools('says'), 'Dug.', 'Done.'],
    });
    await app.say('Go.', { secrets: createSecrets });
    expect(app.model.requests[1]?.messages).toEqual([{ role: 'user', text: 'Dig with [secret apiKey].' }]);
    expect(app.model.requests[2]?.messages.at(-1)).toMatchObject({
      text: 'Used [secret apiKey]\n\n[Said to the user: I use [secret apiKey]]',
    });
  });
});
