/**
 * No text from outside may block an isolate. Every function of the library that looks through such a text is in the table below, with
 * the texts that cost it most. A function that is added, or a pattern that may look at a character twice, belongs there too.
 */
import { describe, expect, it } from 'vitest';
import { Secrets } from '../../../src/index.ts';
import { offlineModel } from '../../../src/offline-model/entry.ts';
import { EventParser } from '../../doors/client.ts';
import { assertFits } from '../../doors/files.ts';
import { formatTranscript, suggestNames } from '../../doors/loop.ts';
import {
  beginsAnswer,
  matchUri,
  oneLine,
  readEvents,
  readJson,
  schemaCheck,
  toBlockFiles,
  toContentWords,
} from '../../doors/mcp.ts';
import {
  createDataParser,
  createMessageSanitizer,
  createReplyAssembly,
  fromAiSdkWithClock,
  MAX_REPLY_LENGTH,
  openaiCompatibleWithClock,
  readRequestLength,
  withUniqueIds,
} from '../../doors/model.ts';
import { readBody, readIdempotencyKey, readPreference, wantsEvents } from '../../doors/requests.ts';
import { readMessageFile } from '../../doors/surfaces.ts';
import {
  coerceInput,
  copyJson,
  escapeInvisible,
  findCredentialPath,
  formatProblems,
  fromBase64,
  jsonSchemaCheck,
  parseToolInput,
  quoteFences,
  toFileName,
  toMediaType,
  toPartsWithFiles,
  unescapeInvisible,
} from '../../doors/tools.ts';
import { describeDelivery, describeJson } from '../../doors/webhooks.ts';

const MIB = 1024 * 1024;

/** What a scanner is given, beside one that takes text: the pieces of a stream, each as it comes. */
type Scan = (text: string) => unknown;

interface Scanner {
  readonly scan: Scan;
  /** Each is repeated until the text is long enough. */
  readonly worst: readonly string[];
  /** What the text begins with. */
  readonly start?: string;
  /** How many searches with `indexOf` it may take. */
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

/** Cuts a text as a network does. */
const pieces = (text: string, length: number): string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );

const bytesOf = (text: string, length = 4096): ReadableStream<Uint8Array> =>
  ReadableStream.from(pieces(text, length).map((piece) => new TextEncoder().encode(piece)));

const redactPieces =
  (length: number): Scan =>
  (text) => {
    const { take, end } = SECRETS.redactPieces(() => undefined);
    for (const piece of pieces(text, length)) take(piece, 0);
    end();
  };

/** A reply whose chunks are made of the text's: one for each of its lines. */
const assembled =
  (toDelta: (line: string, at: number) => object): Scan =>
  (text) => {
    const assembly = createReplyAssembly({ onText: () => undefined, onReasoning: () => undefined });
    for (const [at, line] of text.split('\n').entries())
      assembly.addChunk({ choices: [{ index: 0, delta: toDelta(line, at), finish_reason: null }] });
    return assembly.reply();
  };
const callOf = (call: object) => ({ tool_calls: [call] });

const pace = { sleep: async () => undefined, random: () => 0, now: () => 0 };
const ask = { messages: [{ role: 'user' as const, text: 'Go.' }], tools: [] };
const answering = (answer: () => Response) => {
  const model = openaiCompatibleWithClock(
    { baseURL: 'https://model.test/v1', model: 'm', retries: 0, fetch: async () => answer() },
    pace,
  );
  return model.ask(ask, { signal: new AbortController().signal }).catch((failure: unknown) => failure);
};

const request = (headers: Record<string, string>): Request =>
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
const schema = () => ({
  type: 'object' as const,
  properties: {
    ...Object.fromEntries(
      [...FORMATS, ...MORE_FORMATS].map((format) => [format, { type: 'string' as const, format }]),
    ),
  },
});
const inAllFormats = (text: string) =>
  Object.fromEntries([...FORMATS, ...MORE_FORMATS].map((format) => [format, text]));

const SCANNERS: Readonly<Record<string, Scanner>> = {
  'secrets in a text': {
    scan: (text) => SECRETS.redact(text),
    // Twenty secrets have six hundred written forms, each of which is searched for.
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
  'secrets in a text that comes in pieces': {
    scan: redactPieces(512),
    worst: ['…', '.', 's', KEY.slice(0, 20)],
    most: 4_000,
  },
  'credentials by their looks': {
    scan: (text) => findCredentialPath(text),
    worst: ['eyJ-', 'eyJaaaaaa', 'sk-', 'bearer ', 'password ', '://a:', '-----BEGIN ', 'aB', 'A1b2', 'a'],
  },
  'white space before a reply': {
    scan: (text) => answering(() => new Response(bytesOf(text))),
    worst: [' ', '\r\n'],
  },
  'a reply that is not streamed': {
    scan: (text) =>
      answering(() => new Response(bytesOf(text), { headers: { 'content-type': 'application/json' } })),
    worst: ['[', '"\\\\'],
  },
  'what a refused request is told': {
    scan: (text) => answering(() => new Response(bytesOf(text), { status: 400 })),
    worst: ['maximum context length is 1 tokens ', ' '],
  },
  'the length that a server tells': {
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
  'a message of an SDK that may hold a key': {
    scan: (text) => {
      const doGenerate = async () => Promise.reject(new Error(text));
      const sdk = {
        specificationVersion: 'v3',
        provider: 'test',
        modelId: 'm',
        supportedUrls: {},
        doGenerate,
      };
      // A model that only fails: it lacks what else the type asks for.
      const model = fromAiSdkWithClock(
        sdk as unknown as Parameters<typeof fromAiSdkWithClock>[0],
        { retries: 0 },
        pace,
      );
      return model.ask(ask, { signal: new AbortController().signal }).catch((failure: unknown) => failure);
    },
    worst: ['Bearer ', 'key=', 'aB1-'],
  },
  "the events of a model's stream": { scan: (text) => createDataParser(() => undefined)(text), worst: LINES },
  "the events of a model's stream, in small pieces": {
    scan: (text) => pieces(text, 16).forEach(createDataParser(() => undefined)),
    worst: LINES,
  },
  'the events that a client reads': {
    scan: (text) => {
      const parser = new EventParser();
      for (const piece of pieces(text, 4096)) parser.feed(piece);
    },
    worst: LINES,
  },
  'the events of an MCP server': {
    scan: async (text) => {
      try {
        for await (const _ of readEvents(bytesOf(text)));
      } catch {
        // After so many events it stops.
      }
    },
    worst: LINES,
  },
  'the JSON of an MCP server': { scan: readJson, worst: ['"', '\\"', '['] },
  'how the answer of an MCP server begins': {
    scan: beginsAnswer,
    worst: [' ', '{ ', '"id": 1, '],
    start: '{',
  },
  'blocks of content': {
    scan: (text) =>
      toBlockFiles([
        { type: 'image', data: text, mimeType: text },
        { type: 'resource', resource: { uri: text, blob: text, mimeType: 'image/png' } },
        { type: 'resource_link', uri: text, name: text },
      ]),
    worst: ['=', ' ', 'A', '/', '%2f'],
  },
  'blocks of content in words': {
    scan: (text) =>
      toContentWords([
        { type: 'text', text },
        { type: 'image', data: text, mimeType: 'image/png' },
      ]),
    worst: ['=', '\u202e'],
  },
  'a line of another': { scan: (text) => oneLine(text, 200), worst: [' ', '\u200b '] },
  'the uri of a resource': {
    scan: (text) => matchUri({ texts: ['a://', 'ab', 'ab', ''], names: ['one', 'two', 'three'] }, text),
    worst: ['a', 'ab', '%20'],
    start: 'a://',
  },
  'text that is quoted between marks': {
    scan: quoteFences,
    worst: [
      '[untrusted 12345678] ',
      ' [/untrusted 12345678]',
      '[untrusted 12345678] x [/untrusted 12345678]',
    ],
  },
  'characters that nobody sees': {
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
  'the lines of files in words': {
    scan: (text) =>
      toPartsWithFiles(text, [{ type: 'file', mediaType: 'image/png', id: 'a'.repeat(64), size: 1 }]),
    worst: ['[', `[file ${'a'.repeat(64)}: image/png, `],
  },
  'the input of a call': {
    scan: (text) => parseToolInput('t', text),
    worst: [' ', '{"a":', '[', '\\"'],
  },
  'numbers written as text': {
    scan: (text) => coerceInput({ at: text }, { type: 'object', properties: { at: { type: 'number' } } }),
    worst: ['1', '-', ' '],
  },
  'texts in all formats of JSON Schema': {
    scan: (text) => jsonSchemaCheck(schema())(inAllFormats(text)),
    worst: ['a', 'a.', '1:', '~0', '%20', '{a}', '@', '"'],
    most: 600,
  },
  'texts that a server checks': {
    scan: (text) => schemaCheck(schema())(inAllFormats(text), 'all'),
    worst: ['a.', '%20'],
    most: 600,
  },
  'a list without repetitions': {
    scan: (text) =>
      jsonSchemaCheck({ type: 'object', properties: { all: { type: 'array', uniqueItems: true } } })({
        all: pieces(text, 64).map((one, at) => `${at}${one}`),
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
      const given = request({ accept: text, prefer: `wait=${text}`, 'idempotency-key': `"${text}"` });
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
  'the name of a tool that there is none of': {
    scan: (text) => suggestNames(text, ['look_up_order']),
    worst: ['aB', '_'],
  },
  'a conversation that is summarized': {
    scan: (text) =>
      formatTranscript(
        pieces(text, 256).map((one) => ({ role: 'user' as const, text: one })),
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

/** Replies of chunks. The text says how many there are: each is a line. */
const REPLIES: Readonly<Record<string, Scan>> = {
  'details, each of another index': assembled((text, index) => ({
    reasoning_details: [{ type: 'a', index, text }],
  })),
  'details of one index': assembled((text) => ({ reasoning_details: [{ type: 'a', index: 0, text }] })),
  'parts of a content of two types': assembled((text, at) => ({
    content: [{ type: at % 2 ? 'a' : 'b', text }],
  })),
  'thoughts within a thought': assembled((text, at) => ({
    content: [{ type: 'thinking', thinking: [{ type: at % 2 ? 'a' : 'text', text }] }],
  })),
  'fields of a provider': assembled((text, at) => ({ extra_content: { [`k${at}`]: text } })),
  'fields within a field': assembled((text, at) => ({ extra_content: { a: { [`k${at}`]: text } } })),
  'fields of a provider beside a call': assembled((_, at) =>
    callOf({ index: 0, id: 'a', function: { name: 'f' }, extra_content: { [`k${at}`]: 1 } }),
  ),
  'calls with one id': assembled((_, index) => callOf({ index, id: 'a', function: { name: 'f' } })),
  'pieces of an input that names its tool': assembled((_, at) =>
    callOf({ index: 0, function: { name: 'f', arguments: at === 0 ? `{"a":"${'x'.repeat(MIB)}` : '}' } }),
  ),
  'whole inputs of one call': assembled(() => callOf({ index: 0, function: { name: 'f', arguments: '{}' } })),
};

const repeated = (unit: string, length: number, start = ''): string =>
  (start + unit.repeat(Math.ceil(length / unit.length))).slice(0, length);

const timeOf = async (work: () => unknown): Promise<number> => {
  const began = performance.now();
  try {
    await work();
  } catch {
    // A refusal is an answer.
  }
  return performance.now() - began;
};

/** As often as the machine is too busy to tell. */
const TRIES = 25;

/** The least times of a scan, in ms: of a text, and of one that is four times as long. */
type Times = [short: number, long: number];

/** Returns the least times, measured until they are as they should be. */
async function measured(
  scan: Scan,
  [short, long]: readonly [string, string],
  isGood: (times: Times) => boolean,
) {
  const least: Times = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES && !isGood(least); tries += 1) {
    least[0] = Math.min(least[0], await timeOf(() => scan(short)));
    least[1] = Math.min(least[1], await timeOf(() => scan(long)));
  }
  return least;
}

/** The searches of `indexOf` that a scan of the same text may take: a loop over characters takes some thirty. */
const MOST = 300;
/** A text that is four times as long takes four times as long, and sixteen times if the time is quadratic. */
const MOST_TIMES = 12;
/** Times below this, in ms, say nothing of how they grow. */
const NO_TIME = 20;
const isLinear = ([short, long]: Times): boolean => long < MOST_TIMES * Math.max(short, NO_TIME);

/**
 * Fails unless the time of a scan grows with the text. A short text may fit into a processor's cache, and a long one not, which looks like
 * quadratic time once. Texts that are four times as long again then tell: quadratic time grows as much again.
 */
async function expectLinear(scan: Scan, texts: readonly [string, string], times: Times): Promise<void> {
  if (isLinear(times)) return;
  const [short, long] = await measured(scan, [texts[1], texts[1].repeat(4)], isLinear);
  expect(long, 'four times as long').toBeLessThan(MOST_TIMES * Math.max(short, NO_TIME));
}

describe('a text of 2 MiB', () => {
  const all = Object.entries(SCANNERS).flatMap(([name, { worst, ...one }]) =>
    worst.map((unit) => ({ name, unit, ...one })),
  );

  it.each(all)(
    'is looked through in linear time: $name, $unit',
    { timeout: 120_000 },
    async ({ scan, unit, start, most = MOST }) => {
      const texts = [repeated(unit, MIB / 2, start), repeated(unit, 2 * MIB, start)] as const;
      // It begins wherever the text begins again.
      const needle = `${texts[1].slice(0, 1)}\0`;
      const search = Math.min(
        ...(await Promise.all([1, 2, 3].map(() => timeOf(() => texts[1].indexOf(needle))))),
      );
      const times = await measured(scan, texts, (least) => isLinear(least) && least[1] < most * search);
      expect(times[1] / search, 'searches').toBeLessThan(most);
      await expectLinear(scan, texts, times);
    },
  );
});

describe('a reply of 80,000 pieces', () => {
  it.each(Object.entries(REPLIES))(
    'is put together in linear time: %s',
    { timeout: 120_000 },
    async (_, scan) => {
      const texts = ['x\n'.repeat(20_000), 'x\n'.repeat(80_000)] as const;
      const times = await measured(scan, texts, isLinear);
      // A second or two, and more on a busy machine. What is not linear takes minutes.
      expect(times[1]).toBeLessThan(10_000);
      await expectLinear(scan, texts, times);
    },
  );

  it('has calls with ids of their own, however many want the same', () => {
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

  it('is refused while it is read when it is longer than any model writes', () => {
    const long = { content: 'x'.repeat(MAX_REPLY_LENGTH / 8) };
    let read = 0;
    const reading = assembled(() => {
      read += 1;
      return long;
    });
    expect(() => reading('\n'.repeat(100))).toThrow(
      `The model's reply is longer than ${MAX_REPLY_LENGTH} characters.`,
    );
    expect(read).toBe(9);
  });
});
