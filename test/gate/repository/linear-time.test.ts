/**
 * Checks that no text from outside can block an isolate. The table below lists every library function that
 * scans such texts, with its most expensive ones. Add each new function, and each pattern that can read a
 * character twice.
 */
import { describe, expect, it } from 'vitest';
import { Secrets } from '../../../src/index.ts';
import { offlineModel } from '../../../src/offline-model/entry.ts';
import { EventParser } from '../../doors/client.ts';
import { assertFits } from '../../doors/files.ts';
import { formatTranscript, suggestNames } from '../../doors/loop.ts';
import {
  createSchemaCheck,
  isAnswerStart,
  matchUri,
  readEvents,
  readJson,
  toBlockFiles,
  toContentWords,
  toOneLine,
} from '../../doors/mcp.ts';
import {
  createAiSdkModel,
  createDataParser,
  createMessageSanitizer,
  createOpenaiCompatible,
  createReplyAssembly,
  MAX_REPLY_LENGTH,
  readRequestLength,
  withUniqueIds,
} from '../../doors/model.ts';
import { readBody, readIdempotencyKey, readPreference, wantsEvents } from '../../doors/requests.ts';
import { readMessageFile } from '../../doors/surfaces.ts';
import {
  coerceInput,
  copyJson,
  createJsonSchemaCheck,
  escapeInvisible,
  findCredentialPath,
  formatProblems,
  fromBase64,
  parseToolInput,
  quoteFences,
  toFileName,
  toMediaType,
  toPartsWithFiles,
  unescapeInvisible,
} from '../../doors/tools.ts';
import { describeDelivery, describeJson } from '../../doors/webhooks.ts';

const MIB = 1024 * 1024;

/** Scans a text, whole or in pieces. */
type Scan = (text: string) => unknown;

interface Scanner {
  readonly scan: Scan;
  /** The most expensive texts. Each is repeated up to the required length. */
  readonly worst: readonly string[];
  /** The beginning of the text. */
  readonly start?: string;
  /** The maximum time, measured in `indexOf` searches of the same text. */
  readonly most?: number;
}

const SECRETS = Secrets.of(
  Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [
      `key${at}`,
      `sk-proj-${at}-${'0123456789abcdef'.repeat(2)}/+${at}`,
    ]),
  ),
);
const KEY = 'sk-proj-1-0123456789abcdef0123456789abcdef/+1';
const LINES = ['\r', '\n', '\r\n', '\n\r', 'data:x\r', 'data:\n', 'id:1\n', ':', 'data:', 'x'];

/** Splits a text into pieces, as a network does. */
const splitEvery = (text: string, length: number): string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );

const toByteStream = (text: string, length = 4096): ReadableStream<Uint8Array> =>
  ReadableStream.from(splitEvery(text, length).map((piece) => new TextEncoder().encode(piece)));

const redactPieces =
  (length: number): Scan =>
  (text) => {
    const { take, end } = SECRETS.redactPieces(() => undefined);
    for (const piece of splitEvery(text, length)) take(piece, 0);
    end();
  };

/** Assembles a reply from one chunk for each line of the text. */
const createAssemblyScan =
  (toDelta: (line: string, at: number) => object): Scan =>
  (text) => {
    const assembly = createReplyAssembly({ onText: () => undefined, onReasoning: () => undefined });
    for (const [at, line] of text.split('\n').entries())
      assembly.addChunk({ choices: [{ index: 0, delta: toDelta(line, at), finish_reason: null }] });
    return assembly.reply();
  };
const createCallMessage = (call: object) => ({ tool_calls: [call] });

const pace = { sleep: async () => undefined, random: () => 0, now: () => 0 };
const ask = { messages: [{ role: 'user' as const, text: 'Go.' }], tools: [] };
const askWithAnswer = (answer: () => Response) => {
  const model = createOpenaiCompatible(
    { baseURL: 'https://model.test/v1', model: 'm', retries: 0, fetch: async () => answer() },
    pace,
  );
  return model.ask(ask, { signal: new AbortController().signal }).catch((failure: unknown) => failure);
};

const createRequest = (headers: Record<string, string>): Request =>
  new Request('https://agents.test/', { headers });

const FORMATS = [
  'date',
  'time',
  'date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'url',
  'email',
  'hostname',
];
const MORE_FORMATS = [
  'ipv4',
  'ipv6',
  'uuid',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
];
const createSchema = () => ({
  type: 'object' as const,
  properties: {
    ...Object.fromEntries(
      [...FORMATS, ...MORE_FORMATS].map((format) => [format, { type: 'string' as const, format }]),
    ),
  },
});
const fillAllFormats = (text: string) =>
  Object.fromEntries([...FORMATS, ...MORE_FORMATS].map((format) => [format, text]));

const SCANNERS: Readonly<Record<string, Scanner>> = {
  'secrets in a text': {
    scan: (text) => SECRETS.redact(text),
    // Twenty secrets have six hundred written forms, which are all searched for.
    most: 1_500,
    worst: [
      '…',
      '...',
      '.',
      KEY,
      KEY.slice(0, -1),
      `${KEY.slice(0, 20)}…`,
      `${KEY.slice(0, 30)}...`,
      '\\/',
      '%2f',
      's',
    ],
  },
  'secrets in a text that arrives in pieces': {
    scan: redactPieces(512),
    worst: ['…', '.', 's', KEY.slice(0, 20)],
    most: 4_000,
  },
  'text that looks like a credential': {
    scan: (text) => findCredentialPath(text),
    worst: ['eyJ-', 'eyJaaaaaa', 'sk-', 'bearer ', 'password ', '://a:', '-----BEGIN ', 'aB', 'A1b2', 'a'],
  },
  'white space before a reply': {
    scan: (text) => askWithAnswer(() => new Response(toByteStream(text))),
    worst: [' ', '\r\n'],
  },
  'a reply that is not streamed': {
    scan: (text) =>
      askWithAnswer(
        () => new Response(toByteStream(text), { headers: { 'content-type': 'application/json' } }),
      ),
    worst: ['[', '"\\\\'],
  },
  'the error of a refused request': {
    scan: (text) => askWithAnswer(() => new Response(toByteStream(text), { status: 400 })),
    worst: ['maximum context length is 1 tokens ', ' '],
  },
  'the length limit in a server’s error': {
    scan: (text) => readRequestLength('bad-request', text, text),
    worst: ['maximum context length is 1 tokens ', '1,000'],
  },
  'a message that quotes the conversation': {
    scan: (text) =>
      createMessageSanitizer((message) => message)(text, [
        { role: 'system', text },
        { role: 'user', text: text.slice(0, 30) },
      ]),
    worst: [': ', 'an echo of what was said '],
  },
  'an SDK error that may contain a key': {
    scan: (text) => {
      const doGenerate = async () => Promise.reject(new Error(text));
      const sdk = {
        specificationVersion: 'v3',
        provider: 'test',
        modelId: 'm',
        supportedUrls: {},
        doGenerate,
      };
      // The model always fails, so the type's other members are not needed.
      const model = createAiSdkModel(
        sdk as unknown as Parameters<typeof createAiSdkModel>[0],
        { retries: 0 },
        pace,
      );
      return model.ask(ask, { signal: new AbortController().signal }).catch((failure: unknown) => failure);
    },
    worst: ['Bearer ', 'key=', 'aB1-'],
  },
  "the events of a model's stream": { scan: (text) => createDataParser(() => undefined)(text), worst: LINES },
  "the events of a model's stream, in small pieces": {
    scan: (text) => splitEvery(text, 16).forEach(createDataParser(() => undefined)),
    worst: LINES,
  },
  'the events that a client reads': {
    scan: (text) => {
      const parser = new EventParser();
      for (const piece of splitEvery(text, 4096)) parser.feed(piece);
    },
    worst: LINES,
  },
  'the events of an MCP server': {
    scan: async (text) => {
      try {
        for await (const _ of readEvents(toByteStream(text)));
      } catch {
        // The code throws after a maximum number of events.
      }
    },
    worst: LINES,
  },
  'the JSON of an MCP server': { scan: readJson, worst: ['"', '\\"', '['] },
  'the beginning of an MCP server’s response': {
    scan: isAnswerStart,
    worst: [' ', '{ ', '"id": 1, '],
    start: '{',
  },
  'MCP content blocks': {
    scan: (text) =>
      toBlockFiles([
        { type: 'image', data: text, mimeType: text },
        { type: 'resource', resource: { uri: text, blob: text, mimeType: 'image/png' } },
        { type: 'resource_link', uri: text, name: text },
      ]),
    worst: ['=', ' ', 'A', '/', '%2f'],
  },
  'MCP content blocks as text': {
    scan: (text) =>
      toContentWords([
        { type: 'text', text },
        { type: 'image', data: text, mimeType: 'image/png' },
      ]),
    worst: ['=', '\u202e'],
  },
  'a line of an outside text': { scan: (text) => toOneLine(text, 200), worst: [' ', '\u200b '] },
  'the uri of a resource': {
    scan: (text) => matchUri({ texts: ['a://', 'ab', 'ab', ''], names: ['one', 'two', 'three'] }, text),
    worst: ['a', 'ab', '%20'],
    start: 'a://',
  },
  'text that is quoted between markers': {
    scan: quoteFences,
    worst: [
      '[untrusted 12345678] ',
      ' [/untrusted 12345678]',
      '[untrusted 12345678] x [/untrusted 12345678]',
    ],
  },
  'invisible characters': {
    scan: (text) => unescapeInvisible(escapeInvisible(text), text),
    worst: ['\u202e', 'a', '\\u{'],
    most: 2_000,
  },
  base64: { scan: fromBase64, worst: ['A', '=', 'AA=='] },
  'a data URL': {
    scan: (text) => readMessageFile(text, 'file', 'a.png'),
    worst: ['A', ';', ';base64', '.'],
    start: 'data:',
  },
  'the name and the type of a file': {
    scan: (text) => [toFileName(text), toMediaType(text), toMediaType(`a/${text}`)],
    worst: [' ', '\u202e', 'a', '+'],
  },
  'file lines in a text': {
    scan: (text) =>
      toPartsWithFiles(text, [{ type: 'file', mediaType: 'image/png', id: 'a'.repeat(64), size: 1 }]),
    worst: ['[', `[file ${'a'.repeat(64)}: image/png, `],
  },
  'the input of a call': {
    scan: (text) => parseToolInput('t', text),
    worst: [' ', '{"a":', '[0,', '\\"'],
  },
  'numbers written as text': {
    scan: (text) => coerceInput({ at: text }, { type: 'object', properties: { at: { type: 'number' } } }),
    worst: ['1', '-', ' '],
  },
  'texts in all formats of JSON Schema': {
    scan: (text) => createJsonSchemaCheck(createSchema())(fillAllFormats(text)),
    worst: ['a', 'a.', '1:', '~0', '%20', '{a}', '@', '"'],
    most: 600,
  },
  'texts that an MCP server checks': {
    scan: (text) => createSchemaCheck(createSchema())(fillAllFormats(text), 'all'),
    worst: ['a.', '%20'],
    most: 600,
  },
  'a list of unique items': {
    scan: (text) =>
      createJsonSchemaCheck({ type: 'object', properties: { all: { type: 'array', uniqueItems: true } } })({
        all: splitEvery(text, 64).map((one, at) => `${at}${one}`),
      }),
    worst: ['a'],
  },
  'problems of an input': {
    scan: (text) => formatProblems([{ path: [text], message: text }]),
    worst: [' ', 'a'],
  },
  'JSON that is copied': { scan: (text) => copyJson({ [text]: text }), worst: ['\ud800', '"'] },
  'a body': {
    scan: (text) =>
      readBody(
        new Request('https://agents.test/', {
          method: 'POST',
          body: text,
          headers: { 'content-type': 'application/json' },
        }),
        16 * MIB,
        (body) => assertFits(body, 1),
      ).catch((failure: unknown) => failure),
    worst: ['"', '\\"', '\\'],
  },
  'headers of a request': {
    scan: (text) => {
      const given = createRequest({ accept: text, prefer: `wait=${text}`, 'idempotency-key': `"${text}"` });
      wantsEvents(given);
      readPreference(given);
      try {
        return readIdempotencyKey(given);
      } catch (failure) {
        return failure;
      }
    },
    worst: [',', ';q=', '\\"', '1'],
  },
  'a delivery of a webhook': {
    scan: (text) => [
      describeDelivery({ lines: [text], outsideTexts: [{ by: text, text }] }),
      describeJson({ [text]: text }),
    ],
    worst: [' ', 'aB', '_', 'api_'],
  },
  'the name of an unknown tool': {
    scan: (text) => suggestNames(text, ['look_up_order']),
    worst: ['aB', '_'],
  },
  'a conversation that is summarized': {
    scan: (text) =>
      formatTranscript(
        splitEvery(text, 256).map((one) => ({ role: 'user' as const, text: one })),
        10_000,
      ),
    worst: ['a', '"'],
  },
  'a message to the offline model': {
    scan: (text) =>
      offlineModel().ask(
        { ...ask, messages: [{ role: 'user', text }] },
        { signal: new AbortController().signal },
      ),
    worst: [' ', 'cancel it and ', 'then ', '. x', '1,'],
  },
};

/** Replies that are assembled from chunks, one for each line of the text. */
const REPLIES: Readonly<Record<string, Scan>> = {
  'details with different indexes': createAssemblyScan((text, index) => ({
    reasoning_details: [{ type: 'a', index, text }],
  })),
  'details with one index': createAssemblyScan((text) => ({
    reasoning_details: [{ type: 'a', index: 0, text }],
  })),
  'content parts of two types': createAssemblyScan((text, at) => ({
    content: [{ type: at % 2 ? 'a' : 'b', text }],
  })),
  'thinking parts inside a thinking part': createAssemblyScan((text, at) => ({
    content: [{ type: 'thinking', thinking: [{ type: at % 2 ? 'a' : 'text', text }] }],
  })),
  'provider fields': createAssemblyScan((text, at) => ({ extra_content: { [`k${at}`]: text } })),
  'provider fields inside a field': createAssemblyScan((text, at) => ({
    extra_content: { a: { [`k${at}`]: text } },
  })),
  'provider fields of a call': createAssemblyScan((_, at) =>
    createCallMessage({ index: 0, id: 'a', function: { name: 'f' }, extra_content: { [`k${at}`]: 1 } }),
  ),
  'calls with the same id': createAssemblyScan((_, index) =>
    createCallMessage({ index, id: 'a', function: { name: 'f' } }),
  ),
  'input pieces that repeat the name of the tool': createAssemblyScan((_, at) =>
    createCallMessage({
      index: 0,
      function: { name: 'f', arguments: at === 0 ? `{"a":"${'x'.repeat(MIB)}` : '}' },
    }),
  ),
  'repeated inputs of one call': createAssemblyScan(() =>
    createCallMessage({ index: 0, function: { name: 'f', arguments: '{}' } }),
  ),
};

const repeatUnit = (unit: string, length: number, start = ''): string =>
  (start + unit.repeat(Math.ceil(length / unit.length))).slice(0, length);

const measureTime = async (work: () => unknown): Promise<number> => {
  const began = performance.now();
  try {
    await work();
  } catch {
    // A scanner may refuse the text.
  }
  return performance.now() - began;
};

/** The maximum number of measurements. A busy machine needs many. */
const TRIES = 25;

/** The shortest times, in ms, for scanning a text and one four times as long. */
type Times = [short: number, long: number];

/** Returns the shortest times. Repeats the measurement until `isGood` accepts them, at most `TRIES` times. */
async function measureTimes(
  scan: Scan,
  [short, long]: readonly [string, string],
  isGood: (times: Times) => boolean,
) {
  const least: Times = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES && !isGood(least); tries += 1) {
    least[0] = Math.min(least[0], await measureTime(() => scan(short)));
    least[1] = Math.min(least[1], await measureTime(() => scan(long)));
  }
  return least;
}

/**
 * The maximum time of a scan, as a number of `indexOf` searches of the same text. A loop over all characters
 * takes about thirty.
 */
const MAX_SEARCHES = 300;
/** The maximum ratio of the two times. It is 4 if the time is linear, and 16 if it is quadratic. */
const MAX_RATIO = 12;
/** Shorter times, in ms, are too imprecise for a ratio. */
const MIN_MS = 20;
const isLinear = ([short, long]: Times): boolean => long < MAX_RATIO * Math.max(short, MIN_MS);

/**
 * Fails unless the time of a scan is linear. If only the short text fits into the processor's cache, the
 * ratio can look quadratic. The check is therefore repeated with texts that are four times as long.
 */
async function expectLinear(scan: Scan, texts: readonly [string, string], times: Times): Promise<void> {
  if (isLinear(times)) return;
  const [short, long] = await measureTimes(scan, [texts[1], texts[1].repeat(4)], isLinear);
  expect(long, 'four times as long').toBeLessThan(MAX_RATIO * Math.max(short, MIN_MS));
}

describe('a text of 2 MiB', () => {
  const all = Object.entries(SCANNERS).flatMap(([name, { worst, ...one }]) =>
    worst.map((unit) => ({ name, unit, ...one })),
  );

  it.each(all)(
    'is scanned in linear time: $name, $unit',
    { timeout: 120_000 },
    async ({ scan, unit, start, most = MAX_SEARCHES }) => {
      const texts = [repeatUnit(unit, MIB / 2, start), repeatUnit(unit, 2 * MIB, start)] as const;
      // The needle's first character occurs in every repetition, so the search cannot skip the text.
      const needle = `${texts[1].slice(0, 1)}\0`;
      const search = Math.min(
        ...(await Promise.all([1, 2, 3].map(() => measureTime(() => texts[1].indexOf(needle))))),
      );
      const times = await measureTimes(scan, texts, (least) => isLinear(least) && least[1] < most * search);
      expect(times[1] / search, 'searches').toBeLessThan(most);
      await expectLinear(scan, texts, times);
    },
  );
});

describe('a reply of 80,000 pieces', () => {
  it.each(Object.entries(REPLIES))(
    'is assembled in linear time: %s',
    { timeout: 120_000 },
    async (_, scan) => {
      const texts = ['x\n'.repeat(20_000), 'x\n'.repeat(80_000)] as const;
      const times = await measureTimes(scan, texts, isLinear);
      // This takes a second or two, and more on a busy machine. Quadratic time would take minutes.
      expect(times[1]).toBeLessThan(10_000);
      await expectLinear(scan, texts, times);
    },
  );

  it('has unique call ids, even if all calls claim the same id', () => {
    const calls = Array.from({ length: 80_000 }, () => ({ id: 'a', name: 'f', input: '{}' }));
    const ids = withUniqueIds(calls).map(({ id }) => id);
    expect([new Set(ids).size, ...ids.slice(0, 3), ids.at(-1)]).toEqual([
      80_000,
      'a',
      'a_2',
      'a_3',
      'a_80000',
    ]);
  });

  it('is refused before it is complete if it is longer than any model reply', () => {
    const long = { content: 'x'.repeat(MAX_REPLY_LENGTH / 8) };
    let read = 0;
    const reading = createAssemblyScan(() => {
      read += 1;
      return long;
    });
    expect(() => reading('\n'.repeat(100))).toThrow(
      `The model's reply is longer than ${MAX_REPLY_LENGTH} characters.`,
    );
    expect(read).toBe(9);
  });
});
