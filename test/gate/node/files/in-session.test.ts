import * as v from 'valibot';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Agent,
  type AnyTool,
  artifact,
  type ChatModel,
  content,
  defineAgent,
  defineTool,
  fallback,
  image,
  ModelError,
} from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import type { ModelMedia, ModelMessage, ModelReply, ModelRequest } from '../../../../src/model/entry.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { foldMessage, type Message } from '../../../doors/journal.ts';

const IMAGE_MEDIA = { data: ['image/*'], url: ['image/*'] };
const NO_MEDIA = { data: [], url: [] };
const BOTH_MEDIA: ModelMedia = { message: IMAGE_MEDIA, result: IMAGE_MEDIA };
const MESSAGE_MEDIA: ModelMedia = { message: IMAGE_MEDIA, result: NO_MEDIA };

const createPng = (fill: number, length = 3): Uint8Array => new Uint8Array(length).fill(fill);
const createPngFile = (bytes: Uint8Array, name?: string) =>
  ({ type: 'file', mediaType: 'image/png', bytes, ...(name === undefined ? {} : { name }) }) as const;

const callReply = (...names: readonly string[]): ModelReply => ({
  text: '',
  toolCalls: names.map((name, index) => ({ id: `${name}-${index}`, name, input: '{}' })),
  finish: 'tool-calls',
});
const createTextReply = (text: string): ModelReply => ({ text, toolCalls: [], finish: 'stop' });

/**
 * Returns a model that returns these replies in turn and records its requests. A reply that is an error is
 * thrown.
 */
function createSeeingModel(media: ModelMedia | undefined, ...replies: readonly (ModelReply | Error)[]) {
  const requests: ModelRequest[] = [];
  const made: ChatModel = {
    name: 'seer',
    media,
    async ask(request) {
      requests.push(structuredClone({ ...request, cache: undefined }));
      const reply = replies[requests.length - 1];
      if (!reply || reply instanceof Error) throw reply ?? new Error('There is no reply left.');
      return reply;
    },
  };
  return { model: made, requests };
}

const createTestAgent = (...tools: readonly AnyTool[]): Agent =>
  defineAgent({ name: 'seer', description: 'Sees.', instructions: '', tools });

const shotTool = defineTool({
  name: 'shot',
  description: 'Takes a shot.',
  effect: 'read',
  run: () => content(['A shot:', image(createPng(9), 'image/png', 'shot.png'), 'Done.']),
});
const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'Kelp.' });

/** Returns the data of the files in each message that has files. */
const listFiles = ({ messages }: ModelRequest): Record<string, readonly string[]>[] =>
  messages.flatMap((message: ModelMessage) => {
    const parts = 'parts' in message && message.role !== 'assistant' ? (message.parts ?? []) : [];
    const data = parts.flatMap((part) => (part.type === 'file' ? part.data : []));
    return data.length > 0 ? [{ [message.role]: data }] : [];
  });

const toBase64 = (fill: number): string => Buffer.from(createPng(fill)).toString('base64');

describe('a file in a message', () => {
  it('is part of every request of its session, even after a restart', async () => {
    const { model: seer, requests } = createSeeingModel(
      BOTH_MEDIA,
      callReply('look'),
      createTextReply('A'),
      createTextReply('B'),
    );
    const session = createTestSession(createTestAgent(look), { use: [files()], model: seer });
    await session.send([
      { type: 'text', text: 'What?' },
      createPngFile(createPng(1)),
      createPngFile(createPng(2)),
    ]);
    session.restart();
    await session.send('And now?');
    const all = { user: [toBase64(1), toBase64(2)] };
    expect(requests.map(listFiles)).toEqual([[all], [all], [all]]);
    expect(requests[2]?.messages[0]).toEqual(requests[0]?.messages[0]);
  });

  it('is described in text in a request that has no room for its bytes', async () => {
    const large = 7 * 1024 * 1024;
    const replies = ['A', 'B', 'C'].map(createTextReply);
    const { model: seer, requests } = createSeeingModel(BOTH_MEDIA, ...replies);
    const session = createTestSession(createTestAgent(), { use: [files()], model: seer });
    for (const fill of [1, 2, 3]) await session.send([createPngFile(createPng(fill, large), `${fill}.png`)]);
    expect(requests.map((request) => listFiles(request).length)).toEqual([1, 2, 2]);
    expect(requests[2]?.messages[0]).toEqual({
      role: 'user',
      text: expect.stringMatching(
        /^\[file [0-9a-f]{64}: image\/png, "1\.png", 7,340,032 bytes\] \(not shown any more\)$/,
      ),
    });
  });

  it('is included as text for every model if it is a text file', async () => {
    const { model: seer, requests } = createSeeingModel(undefined, createTextReply('A'));
    const session = createTestSession(createTestAgent(), { use: [files()], model: seer });
    const bytes = new TextEncoder().encode('a,bü\n1,2');
    await session.send([{ type: 'file', mediaType: 'text/csv', bytes, name: 'a.csv' }]);
    expect(requests[0]?.messages).toEqual([
      { role: 'user', text: expect.stringMatching(/: text\/csv, "a\.csv", 9 bytes\]\na,bü\n1,2$/) },
    ]);
  });

  it('reaches the model after the earlier messages if it steers a turn', async () => {
    const { model: seer, requests } = createSeeingModel(BOTH_MEDIA, callReply('wait'), createTextReply('A'));
    const steer = vi.fn(async () => {});
    const wait = defineTool({ name: 'wait', description: 'Waits.', effect: 'read', run: () => steer() });
    const session = createTestSession(createTestAgent(wait), { use: [files()], model: seer });
    steer.mockImplementation(async () => {
      await session.post([{ type: 'text', text: 'Mind this.' }, createPngFile(createPng(4))], {
        whenBusy: 'steer',
      });
    });
    await session.send('Go.');
    expect(requests.map(listFiles)).toEqual([[], [{ user: [toBase64(4)] }]]);
    const steered = (await session.events()).find((event) => event.type === 'turn-steered');
    expect(steered).toMatchObject({ message: 'Mind this.', parts: [{ type: 'text' }, { size: 3 }] });
  });
});

describe('a file in a result', () => {
  it('is shown with its result, and is stored once', async () => {
    const { model: seer, requests } = createSeeingModel(
      BOTH_MEDIA,
      callReply('shot', 'shot'),
      createTextReply('A'),
      createTextReply('B'),
    );
    const session = createTestSession(createTestAgent(shotTool), { use: [files()], model: seer });
    const answer = await session.send('Go.');
    await session.send('Again.');
    const results = [{ tool: [toBase64(9)] }, { tool: [toBase64(9)] }];
    expect(requests.map(listFiles)).toEqual([[], results, results]);
    expect(requests[1]?.messages[2]).toMatchObject({
      text: expect.stringMatching(
        /^A shot:\n\n\[file [0-9a-f]{64}: image\/png, "shot\.png", 3 bytes\]\n\nDone\.$/,
      ),
      parts: [
        { text: 'A shot:' },
        { type: 'text' },
        { type: 'file', name: 'shot.png', size: 3 },
        { text: 'Done.' },
      ],
    });
    const journal = JSON.stringify(await session.events());
    expect(journal).not.toContain(toBase64(9));
    const [file] = answer.files ?? [];
    expect(file).toEqual({
      call: `${answer.turn}.3.0`,
      tool: 'shot',
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      mediaType: 'image/png',
      name: 'shot.png',
      size: 3,
    });
    expect(await session.file(file?.id ?? '')).toEqual(createPng(9));
  });

  it('follows all results if the model accepts files only in messages', async () => {
    const { model: seer, requests } = createSeeingModel(
      MESSAGE_MEDIA,
      callReply('shot', 'look'),
      createTextReply('A'),
    );
    await createTestSession(createTestAgent(shotTool, look), { use: [files()], model: seer }).send('Go.');
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
    expect(requests.map(listFiles)).toEqual([[], [{ user: [toBase64(9)] }]]);
  });

  it('is described in text if it is unknown which files the model accepts', async () => {
    const { model: seer, requests } = createSeeingModel(undefined, callReply('shot'), createTextReply('A'));
    await createTestSession(createTestAgent(shotTool), { use: [files()], model: seer }).send('Go.');
    expect(requests.map(listFiles)).toEqual([[], []]);
    expect(requests[1]?.messages[2]).toMatchObject({
      text: expect.stringMatching(
        /bytes\]\n\n\(The file is not shown: this model takes no image\/png here\.\)\n\nDone\.$/,
      ),
    });
  });

  it('is sent to each candidate of a fallback in the form that the candidate accepts', async () => {
    const gone = {
      ...createSeeingModel(EMPTY_MEDIA, new ModelError('server-error', 'down')).model,
      name: 'gone',
    };
    const { model: seer, requests } = createSeeingModel(BOTH_MEDIA, createTextReply('A'));
    const both = fallback([gone, seer]);
    const session = createTestSession(createTestAgent(), { use: [files()], model: both });
    vi.spyOn(console, 'warn').mockReturnValue(undefined);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    await session.send([createPngFile(createPng(1))]);
    expect(requests.map(listFiles)).toEqual([[{ user: [toBase64(1)] }]]);
  });

  it('can be part of an artifact, of a directly returned answer and of a subagent’s answer', async () => {
    const drawn = defineTool({
      name: 'draw',
      description: 'Draws.',
      effect: 'read',
      returnDirect: true,
      run: () => artifact(content(['Drawn:', image(createPng(5), 'image/png')]), { points: 3 }),
    });
    const { model: seer } = createSeeingModel(BOTH_MEDIA, callReply('draw'));
    const answer = await createTestSession(createTestAgent(drawn), { use: [files()], model: seer }).send(
      'Go.',
    );
    expect(answer).toMatchObject({
      outcome: 'returned-direct',
      text: expect.stringMatching(/^Drawn:\n\n\[file [0-9a-f]{64}: image\/png, 3 bytes\]$/),
      artifacts: [{ value: { points: 3 } }],
      files: [{ tool: 'draw', size: 3 }],
    });
    const inner = defineAgent({ name: 'eye', description: 'Sees.', instructions: '', tools: [shotTool] });
    const { model: outer, requests } = createSeeingModel(
      BOTH_MEDIA,
      callReply('eye'),
      callReply('shot'),
      createTextReply('Seen.'),
      createTextReply('A'),
    );
    const around = createTestSession(createTestAgent(defineSubagent({ agent: inner, input: v.object({}) })), {
      use: [files()],
      model: outer,
    });
    expect(await around.send('Go.')).toMatchObject({
      text: 'A',
      files: [{ tool: 'shot', name: 'shot.png' }],
    });
    expect(requests.map(listFiles)).toEqual([[], [], [{ tool: [toBase64(9)] }], []]);
  });
});

const EMPTY_MEDIA: ModelMedia = { message: NO_MEDIA, result: NO_MEDIA };

it('follows the text of a late result', () => {
  const messages: Message[] = [];
  const stored = { type: 'file', id: 'ab', mediaType: 'image/png', size: 3 } as const;
  const late = { type: 'late-result-received', turn: 't', call: 'c', tool: 'shot', input: '{}' } as const;
  foldMessage(messages, { ...late, result: { ...content(['Late.', stored]) } });
  const text =
    "The call of 'shot' with the input {}, whose outcome was unknown, has answered after all: " +
    'Late.\n\n[file ab: image/png, 3 bytes]';
  expect(messages).toEqual([{ role: 'user', text, parts: [{ type: 'text', text }, stored], by: 'late' }]);
});

describe('a tool', () => {
  it('reads a file by the id that the model provides', async () => {
    const read: unknown[] = [];
    const resize = defineTool({
      name: 'resize',
      description: 'Resizes.',
      effect: 'read',
      async run(_, call) {
        const [, first] = call.history()[0]?.role === 'user' ? [0, call.history()[0]] : [0, undefined];
        const parts = first && 'parts' in first ? (first.parts ?? []) : [];
        const ids = parts.flatMap((part) => ('id' in part && typeof part.id === 'string' ? part.id : []));
        for (const id of [...ids, 'ab']) read.push(await call.file(id));
      },
    });
    const { model: seer } = createSeeingModel(BOTH_MEDIA, callReply('resize'), createTextReply('A'));
    await createTestSession(createTestAgent(resize), { use: [files()], model: seer }).send([
      createPngFile(createPng(1), 'a.png'),
    ]);
    expect(read).toEqual([
      { type: 'file', mediaType: 'image/png', name: 'a.png', bytes: createPng(1) },
      undefined,
    ]);
  });

  it('returns its result without a file that is too large, and the omission is logged', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => logged.mockRestore());
    const huge = defineTool({
      name: 'huge',
      description: 'Is huge.',
      effect: 'once',
      run: () => content(['Kept.', image(createPng(1, 8 * 1024 * 1024 + 1), 'image/png')]),
    });
    const { model: seer, requests } = createSeeingModel(BOTH_MEDIA, callReply('huge'), createTextReply('A'));
    await createTestSession(createTestAgent(huge), { use: [files()], model: seer }).send('Go.');
    const words = 'Kept.\n\n[file not kept: image/png, 8,388,609 bytes] (It is larger than 8388608 bytes.)';
    expect(requests[1]?.messages[2]).toMatchObject({ text: words });
    expect(logged.mock.calls).toEqual([
      ["holdfast: A file that tool 'huge' returned was not kept. It is larger than 8388608 bytes."],
    ]);
  });
});

describe('a request with files that the model refuses', () => {
  const refusal = new ModelError('bad-request', 'Could not process image.');

  it('is repeated without the files of earlier turns', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    onTestFinished(() => warned.mockRestore());
    const { model: seer, requests } = createSeeingModel(
      BOTH_MEDIA,
      refusal,
      refusal,
      callReply('shot'),
      createTextReply('B'),
    );
    // The invocation remembers which request was refused.
    const session = createTestSession(createTestAgent(shotTool), { use: [files()], model: seer, warm: true });
    const failed = await session.send([createPngFile(createPng(1))]);
    expect(failed).toMatchObject({ outcome: 'failed', error: { message: 'Could not process image.' } });
    expect(
      await session.send([{ type: 'text', text: 'And this?' }, createPngFile(createPng(2))]),
    ).toMatchObject({
      text: 'B',
    });
    expect(requests.map(listFiles)).toEqual([
      [{ user: [toBase64(1)] }],
      [{ user: [toBase64(1)] }, { user: [toBase64(2)] }],
      [{ user: [toBase64(2)] }],
      [{ user: [toBase64(2)] }],
    ]);
    expect(warned.mock.calls).toEqual([
      [
        "holdfast: the model 'seer' refused a request with files; it is asked again without those of earlier messages and " +
          'of results. Could not process image.',
      ],
    ]);
  });

  it('fails its turn if it has no files except those of the current message', async () => {
    const { model: seer, requests } = createSeeingModel(BOTH_MEDIA, refusal, refusal);
    const session = createTestSession(createTestAgent(), { use: [files()], model: seer });
    expect(await session.send([createPngFile(createPng(1))])).toMatchObject({ outcome: 'failed' });
    expect(requests).toHaveLength(1);
    const plain = createTestSession(createTestAgent(), {
      use: [files()],
      model: createSeeingModel(BOTH_MEDIA, refusal).model,
    });
    expect(await plain.send('Go.')).toMatchObject({ outcome: 'failed' });
  });

  it('fails its turn if the request without files is refused too', async () => {
    const { model: seer, requests } = createSeeingModel(BOTH_MEDIA, callReply('shot'), refusal, refusal);
    vi.spyOn(console, 'warn').mockReturnValue(undefined);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const session = createTestSession(createTestAgent(shotTool), { use: [files()], model: seer });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'failed' });
    expect(requests.map(listFiles)).toEqual([[], [{ tool: [toBase64(9)] }], []]);
  });
});

describe('a summary of a conversation with files', () => {
  it('is written from text that describes the files', async () => {
    const seen: unknown[] = [];
    const agent = defineAgent({
      name: 'seer',
      description: 'Sees.',
      instructions: '',
      use: [
        summarize({
          overTokens: 1_000,
          keepTurns: 1,
          summarize: (messages) => {
            seen.push(...messages);
            return 'They sent pictures.';
          },
        }),
      ],
    });
    const { model: seer, requests } = createSeeingModel(
      BOTH_MEDIA,
      createTextReply('A'),
      createTextReply('B'),
      createTextReply('C'),
    );
    const session = createTestSession(agent, { use: [files()], model: seer });
    for (const fill of [1, 2, 3])
      await session.send([{ type: 'text', text: `Look ${fill}.` }, createPngFile(createPng(fill))]);
    expect(seen[0]).toMatchObject({
      text: 'Look 1.',
      parts: [{ type: 'text' }, { mediaType: 'image/png', size: 3 }],
    });
    expect(requests.map(listFiles).at(-1)?.at(-1)).toEqual({ user: [toBase64(3)] });
    expect(listFiles(requests[2] ?? { messages: [], tools: [] })).not.toContainEqual({ user: [toBase64(1)] });
  });
});
