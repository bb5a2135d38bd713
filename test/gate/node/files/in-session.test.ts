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

const IMAGES = { data: ['image/*'], url: ['image/*'] };
const NONE = { data: [], url: [] };
const BOTH: ModelMedia = { message: IMAGES, result: IMAGES };
const MESSAGES: ModelMedia = { message: IMAGES, result: NONE };

const png = (fill: number, length = 3): Uint8Array => new Uint8Array(length).fill(fill);
const pngFile = (bytes: Uint8Array, name?: string) =>
  ({ type: 'file', mediaType: 'image/png', bytes, ...(name === undefined ? {} : { name }) }) as const;

const callReply = (...names: readonly string[]): ModelReply => ({
  text: '',
  toolCalls: names.map((name, index) => ({ id: `${name}-${index}`, name, input: '{}' })),
  finish: 'tool-calls',
});
const textReply = (text: string): ModelReply => ({ text, toolCalls: [], finish: 'stop' });

/**
 * Returns a model that gives these replies in turn and records its requests. It throws a reply that is an
 * error.
 */
function model(media: ModelMedia | undefined, ...replies: readonly (ModelReply | Error)[]) {
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

const agentOf = (...tools: readonly AnyTool[]): Agent =>
  defineAgent({ name: 'seer', description: 'Sees.', instructions: '', tools });

const shotTool = defineTool({
  name: 'shot',
  description: 'Takes a shot.',
  effect: 'read',
  run: () => content(['A shot:', image(png(9), 'image/png', 'shot.png'), 'Done.']),
});
const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'Kelp.' });

/** Returns the data of the files in each message that has files. */
const filesIn = ({ messages }: ModelRequest): Record<string, readonly string[]>[] =>
  messages.flatMap((message: ModelMessage) => {
    const parts = 'parts' in message && message.role !== 'assistant' ? (message.parts ?? []) : [];
    const data = parts.flatMap((part) => (part.type === 'file' ? part.data : []));
    return data.length > 0 ? [{ [message.role]: data }] : [];
  });

const base64 = (fill: number): string => Buffer.from(png(fill)).toString('base64');

describe('a file in a message', () => {
  it('is part of every request of its session, even after a restart', async () => {
    const { model: seer, requests } = model(BOTH, callReply('look'), textReply('A'), textReply('B'));
    const session = createTestSession(agentOf(look), { use: [files()], model: seer });
    await session.send([{ type: 'text', text: 'What?' }, pngFile(png(1)), pngFile(png(2))]);
    session.restart();
    await session.send('And now?');
    const all = { user: [base64(1), base64(2)] };
    expect(requests.map(filesIn)).toEqual([[all], [all], [all]]);
    expect(requests[2]?.messages[0]).toEqual(requests[0]?.messages[0]);
  });

  it('is only named in a request that has no room for it', async () => {
    const large = 7 * 1024 * 1024;
    const replies = ['A', 'B', 'C'].map(textReply);
    const { model: seer, requests } = model(BOTH, ...replies);
    const session = createTestSession(agentOf(), { use: [files()], model: seer });
    for (const fill of [1, 2, 3]) await session.send([pngFile(png(fill, large), `${fill}.png`)]);
    expect(requests.map((request) => filesIn(request).length)).toEqual([1, 2, 2]);
    expect(requests[2]?.messages[0]).toEqual({
      role: 'user',
      text: expect.stringMatching(
        /^\[file [0-9a-f]{64}: image\/png, "1\.png", 7,340,032 bytes\] \(not shown any more\)$/,
      ),
    });
  });

  it('is included as text for every model if it is a text file', async () => {
    const { model: seer, requests } = model(undefined, textReply('A'));
    const session = createTestSession(agentOf(), { use: [files()], model: seer });
    const bytes = new TextEncoder().encode('a,bü\n1,2');
    await session.send([{ type: 'file', mediaType: 'text/csv', bytes, name: 'a.csv' }]);
    expect(requests[0]?.messages).toEqual([
      { role: 'user', text: expect.stringMatching(/: text\/csv, "a\.csv", 9 bytes\]\na,bü\n1,2$/) },
    ]);
  });

  it('reaches the model after the earlier messages if it steers a turn', async () => {
    const { model: seer, requests } = model(BOTH, callReply('wait'), textReply('A'));
    const steer = vi.fn(async () => {});
    const wait = defineTool({ name: 'wait', description: 'Waits.', effect: 'read', run: () => steer() });
    const session = createTestSession(agentOf(wait), { use: [files()], model: seer });
    steer.mockImplementation(async () => {
      await session.post([{ type: 'text', text: 'Mind this.' }, pngFile(png(4))], { whenBusy: 'steer' });
    });
    await session.send('Go.');
    expect(requests.map(filesIn)).toEqual([[], [{ user: [base64(4)] }]]);
    const steered = (await session.events()).find((event) => event.type === 'turn-steered');
    expect(steered).toMatchObject({ message: 'Mind this.', parts: [{ type: 'text' }, { size: 3 }] });
  });
});

describe('a file in a result', () => {
  it('is shown with its result, and is stored once', async () => {
    const { model: seer, requests } = model(BOTH, callReply('shot', 'shot'), textReply('A'), textReply('B'));
    const session = createTestSession(agentOf(shotTool), { use: [files()], model: seer });
    const answer = await session.send('Go.');
    await session.send('Again.');
    const results = [{ tool: [base64(9)] }, { tool: [base64(9)] }];
    expect(requests.map(filesIn)).toEqual([[], results, results]);
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
    expect(journal).not.toContain(base64(9));
    const [file] = answer.files ?? [];
    expect(file).toEqual({
      call: `${answer.turn}.3.0`,
      tool: 'shot',
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      mediaType: 'image/png',
      name: 'shot.png',
      size: 3,
    });
    expect(await session.file(file?.id ?? '')).toEqual(png(9));
  });

  it('follows all results if the model accepts files only in messages', async () => {
    const { model: seer, requests } = model(MESSAGES, callReply('shot', 'look'), textReply('A'));
    await createTestSession(agentOf(shotTool, look), { use: [files()], model: seer }).send('Go.');
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
    expect(requests.map(filesIn)).toEqual([[], [{ user: [base64(9)] }]]);
  });

  it('is described in text if it is unknown which files the model accepts', async () => {
    const { model: seer, requests } = model(undefined, callReply('shot'), textReply('A'));
    await createTestSession(agentOf(shotTool), { use: [files()], model: seer }).send('Go.');
    expect(requests.map(filesIn)).toEqual([[], []]);
    expect(requests[1]?.messages[2]).toMatchObject({
      text: expect.stringMatching(
        /bytes\]\n\n\(The file is not shown: this model takes no image\/png here\.\)\n\nDone\.$/,
      ),
    });
  });

  it('is sent to each candidate of a fallback in the form that the candidate accepts', async () => {
    const gone = { ...model(NONE_AT_ALL, new ModelError('server-error', 'down')).model, name: 'gone' };
    const { model: seer, requests } = model(BOTH, textReply('A'));
    const both = fallback([gone, seer]);
    const session = createTestSession(agentOf(), { use: [files()], model: both });
    vi.spyOn(console, 'warn').mockReturnValue(undefined);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    await session.send([pngFile(png(1))]);
    expect(requests.map(filesIn)).toEqual([[{ user: [base64(1)] }]]);
  });

  it('can be part of an artifact, of a directly returned answer and of a subagent’s answer', async () => {
    const drawn = defineTool({
      name: 'draw',
      description: 'Draws.',
      effect: 'read',
      returnDirect: true,
      run: () => artifact(content(['Drawn:', image(png(5), 'image/png')]), { points: 3 }),
    });
    const { model: seer } = model(BOTH, callReply('draw'));
    const answer = await createTestSession(agentOf(drawn), { use: [files()], model: seer }).send('Go.');
    expect(answer).toMatchObject({
      outcome: 'returned-direct',
      text: expect.stringMatching(/^Drawn:\n\n\[file [0-9a-f]{64}: image\/png, 3 bytes\]$/),
      artifacts: [{ value: { points: 3 } }],
      files: [{ tool: 'draw', size: 3 }],
    });
    const inner = defineAgent({ name: 'eye', description: 'Sees.', instructions: '', tools: [shotTool] });
    const { model: outer, requests } = model(
      BOTH,
      callReply('eye'),
      callReply('shot'),
      textReply('Seen.'),
      textReply('A'),
    );
    const around = createTestSession(agentOf(defineSubagent({ agent: inner, input: v.object({}) })), {
      use: [files()],
      model: outer,
    });
    expect(await around.send('Go.')).toMatchObject({
      text: 'A',
      files: [{ tool: 'shot', name: 'shot.png' }],
    });
    expect(requests.map(filesIn)).toEqual([[], [], [{ tool: [base64(9)] }], []]);
  });
});

const NONE_AT_ALL: ModelMedia = { message: NONE, result: NONE };

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
  it('reads a file by the id that the model names', async () => {
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
    const { model: seer } = model(BOTH, callReply('resize'), textReply('A'));
    await createTestSession(agentOf(resize), { use: [files()], model: seer }).send([
      pngFile(png(1), 'a.png'),
    ]);
    expect(read).toEqual([{ type: 'file', mediaType: 'image/png', name: 'a.png', bytes: png(1) }, undefined]);
  });

  it('gets the result without a file that is too large, which is logged', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => logged.mockRestore());
    const huge = defineTool({
      name: 'huge',
      description: 'Is huge.',
      effect: 'once',
      run: () => content(['Kept.', image(png(1, 8 * 1024 * 1024 + 1), 'image/png')]),
    });
    const { model: seer, requests } = model(BOTH, callReply('huge'), textReply('A'));
    await createTestSession(agentOf(huge), { use: [files()], model: seer }).send('Go.');
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
    const { model: seer, requests } = model(BOTH, refusal, refusal, callReply('shot'), textReply('B'));
    // The invocation remembers which request was refused.
    const session = createTestSession(agentOf(shotTool), { use: [files()], model: seer, warm: true });
    const failed = await session.send([pngFile(png(1))]);
    expect(failed).toMatchObject({ outcome: 'failed', error: { message: 'Could not process image.' } });
    expect(await session.send([{ type: 'text', text: 'And this?' }, pngFile(png(2))])).toMatchObject({
      text: 'B',
    });
    expect(requests.map(filesIn)).toEqual([
      [{ user: [base64(1)] }],
      [{ user: [base64(1)] }, { user: [base64(2)] }],
      [{ user: [base64(2)] }],
      [{ user: [base64(2)] }],
    ]);
    expect(warned.mock.calls).toEqual([
      [
        "holdfast: the model 'seer' refused a request with files; it is asked again without those of earlier messages and " +
          'of results. Could not process image.',
      ],
    ]);
  });

  it('fails its turn if it has no files except those of the current message', async () => {
    const { model: seer, requests } = model(BOTH, refusal, refusal);
    const session = createTestSession(agentOf(), { use: [files()], model: seer });
    expect(await session.send([pngFile(png(1))])).toMatchObject({ outcome: 'failed' });
    expect(requests).toHaveLength(1);
    const plain = createTestSession(agentOf(), { use: [files()], model: model(BOTH, refusal).model });
    expect(await plain.send('Go.')).toMatchObject({ outcome: 'failed' });
  });

  it('fails its turn if the request without files is refused too', async () => {
    const { model: seer, requests } = model(BOTH, callReply('shot'), refusal, refusal);
    vi.spyOn(console, 'warn').mockReturnValue(undefined);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const session = createTestSession(agentOf(shotTool), { use: [files()], model: seer });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'failed' });
    expect(requests.map(filesIn)).toEqual([[], [{ tool: [base64(9)] }], []]);
  });
});

describe('a summary of a conversation with files', () => {
  it('is written from text that names the files', async () => {
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
    const { model: seer, requests } = model(BOTH, textReply('A'), textReply('B'), textReply('C'));
    const session = createTestSession(agent, { use: [files()], model: seer });
    for (const fill of [1, 2, 3])
      await session.send([{ type: 'text', text: `Look ${fill}.` }, pngFile(png(fill))]);
    expect(seen[0]).toMatchObject({
      text: 'Look 1.',
      parts: [{ type: 'text' }, { mediaType: 'image/png', size: 3 }],
    });
    expect(requests.map(filesIn).at(-1)?.at(-1)).toEqual({ user: [base64(3)] });
    expect(filesIn(requests[2] ?? { messages: [], tools: [] })).not.toContainEqual({ user: [base64(1)] });
  });
});
