import { describe, expect, it } from 'vitest';
import type { ChatModel } from '../../../../src/index.ts';
import type { MessageFile, ModelMedia, ModelMessage } from '../../../../src/model/entry.ts';
import { fitFiles } from '../../../doors/model.ts';

const NOTHING = { data: [], url: [] };
const IMAGES = { data: ['image/*'], url: ['image/*'] };

const png = (more: Partial<MessageFile> = {}): MessageFile => ({
  type: 'file',
  mediaType: 'image/png',
  data: 'iVBO',
  id: 'ab12',
  size: 3,
  ...more,
});
const LINE = '[file ab12: image/png, 3 bytes]';
const LOOK = 'Look:';

const user = (file: MessageFile): ModelMessage => ({
  role: 'user',
  text: `${LOOK}\n\n${LINE}`,
  parts: [{ type: 'text', text: LOOK }, { type: 'text', text: LINE }, file],
});
const result = (id: string, file: MessageFile): ModelMessage => ({
  role: 'tool',
  id,
  name: 'draw',
  text: `Drawn.\n\n${LINE}`,
  parts: [{ type: 'text', text: 'Drawn.' }, { type: 'text', text: LINE }, file],
});
const userMessage = (text: string): ModelMessage => ({ role: 'user', text });

const messagesFor = (
  media: ModelMedia | undefined,
  messages: readonly ModelMessage[],
  accepts?: readonly string[],
): readonly ModelMessage[] => fitFiles({ media }, messages, accepts);

describe('a file in a message', () => {
  it.each<[string, ModelMedia | undefined, readonly string[] | undefined, MessageFile]>([
    ['if the model accepts its kind', { message: IMAGES, result: NOTHING }, undefined, png()],
    [
      'if the model accepts its media type',
      { message: { data: ['image/png'], url: [] }, result: NOTHING },
      undefined,
      png(),
    ],
    [
      'as a URL if the model accepts URLs',
      { message: { data: [], url: ['image/*'] }, result: NOTHING },
      undefined,
      png({ data: 'https://x.test/a.png' }),
    ],
    ['if the agent accepts it and the model states nothing', undefined, ['image/*'], png()],
  ])('is sent %s', (_, media, accepts, file) => {
    expect(messagesFor(media, [user(file)], accepts)).toEqual([user(file)]);
  });

  it.each<[string, ModelMedia | undefined, readonly string[] | undefined, MessageFile]>([
    [
      'if the model accepts another kind',
      { message: { data: ['audio/*'], url: ['audio/*'] }, result: NOTHING },
      undefined,
      png(),
    ],
    [
      'if an accepted type is only a prefix of its type',
      { message: { data: ['image/pn'], url: [] }, result: NOTHING },
      undefined,
      png(),
    ],
    [
      'if it has bytes and the model accepts only URLs',
      { message: { data: [], url: ['image/*'] }, result: NOTHING },
      undefined,
      png(),
    ],
    [
      'if it is a URL and the model accepts only bytes',
      { message: { data: ['image/*'], url: [] }, result: NOTHING },
      undefined,
      png({ data: 'https://x.test/a.png' }),
    ],
    ['if neither the agent nor the model states what it accepts', undefined, undefined, png()],
    [
      'if the agent accepts it and the model does not',
      { message: NOTHING, result: NOTHING },
      ['image/*'],
      png(),
    ],
  ])('is described in text %s', (_, media, accepts, file) => {
    expect(messagesFor(media, [user(file)], accepts)).toEqual([
      {
        role: 'user',
        text: `${LOOK}\n\n${LINE}\n\n(The file is not shown: this model takes no image/png here.)`,
      },
    ]);
  });

  it('is sent even if another file is described in text', () => {
    const pdf = png({ mediaType: 'application/pdf', id: 'cd34' });
    const media = { message: IMAGES, result: NOTHING };
    const both: ModelMessage = { role: 'user', text: 'x', parts: [png(), pdf] };
    expect(messagesFor(media, [both])).toEqual([
      {
        role: 'user',
        text: '(The file is not shown: this model takes no application/pdf here.)',
        parts: [
          png(),
          { type: 'text', text: '(The file is not shown: this model takes no application/pdf here.)' },
        ],
      },
    ]);
  });
});

describe('a file in a result', () => {
  it('is sent in the result if the model accepts files in results', () => {
    const all = [result('a', png()), result('b', png())];
    expect(messagesFor({ message: NOTHING, result: IMAGES }, all)).toEqual(all);
  });

  it('follows all results of its reply if the model accepts files only in messages', () => {
    const all = [
      result('a', png({ name: 'a "1".png' })),
      result('b', png({ id: 'cd34' })),
      userMessage('And now?'),
      result('c', png()),
    ];
    const shown = (id: string) => ({
      role: 'tool',
      id,
      name: 'draw',
      text: `Drawn.\n\n${LINE}\n\n(The file follows behind the results.)`,
    });
    const behind = (...parts: readonly (string | MessageFile)[]) => ({
      role: 'user',
      text: ['Files of the results above:', ...parts.filter((part) => typeof part === 'string')].join('\n\n'),
      parts: [
        { type: 'text', text: 'Files of the results above:' },
        ...parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
      ],
    });
    expect(messagesFor({ message: IMAGES, result: NOTHING }, all)).toEqual([
      shown('a'),
      shown('b'),
      behind(
        'File ab12, "a \\"1\\".png", image/png',
        png({ name: 'a "1".png' }),
        'File cd34, image/png',
        png({ id: 'cd34' }),
      ),
      userMessage('And now?'),
      shown('c'),
      behind('File ab12, image/png', png()),
    ]);
  });

  it('is described in text if the model accepts no such files', () => {
    expect(messagesFor({ message: NOTHING, result: NOTHING }, [result('a', png())])).toEqual([
      {
        role: 'tool',
        id: 'a',
        name: 'draw',
        text: `Drawn.\n\n${LINE}\n\n(The file is not shown: this model takes no image/png here.)`,
      },
    ]);
  });
});

describe('a conversation without files', () => {
  it('is unchanged', () => {
    const all = [userMessage('a'), { role: 'tool', id: '1', name: 'x', text: 'y' } as const];
    expect(messagesFor(undefined, all)).toEqual(all);
  });

  it('is passed unchanged to a model with candidates, each of which accepts other files', () => {
    const one: ChatModel = {
      name: 'one',
      ask: () => Promise.reject(new Error('This model must not be asked.')),
    };
    const all = [user(png())];
    expect(fitFiles({ candidates: [one] }, all)).toBe(all);
  });
});
