import { describe, expect, it } from 'vitest';
import type { ChatModel } from '../../../../src/index.ts';
import type { MessageFile, ModelMedia, ModelMessage } from '../../../../src/model/entry.ts';
import { fitFiles } from '../../../doors/model.ts';

const NO_MEDIA = { data: [], url: [] };
const IMAGE_MEDIA = { data: ['image/*'], url: ['image/*'] };

const createPng = (more: Partial<MessageFile> = {}): MessageFile => ({
  type: 'file',
  mediaType: 'image/png',
  data: 'iVBO',
  id: 'ab12',
  size: 3,
  ...more,
});
const FILE_LINE = '[file ab12: image/png, 3 bytes]';
const LOOK_TEXT = 'Look:';

const createFileMessage = (file: MessageFile): ModelMessage => ({
  role: 'user',
  text: `${LOOK_TEXT}\n\n${FILE_LINE}`,
  parts: [{ type: 'text', text: LOOK_TEXT }, { type: 'text', text: FILE_LINE }, file],
});
const createToolResult = (id: string, file: MessageFile): ModelMessage => ({
  role: 'tool',
  id,
  name: 'draw',
  text: `Drawn.\n\n${FILE_LINE}`,
  parts: [{ type: 'text', text: 'Drawn.' }, { type: 'text', text: FILE_LINE }, file],
});
const createUserMessage = (text: string): ModelMessage => ({ role: 'user', text });

const getMessagesFor = (
  media: ModelMedia | undefined,
  messages: readonly ModelMessage[],
  accepts?: readonly string[],
): readonly ModelMessage[] => fitFiles({ media }, messages, accepts);

describe('a file in a message', () => {
  it.each<[string, ModelMedia | undefined, readonly string[] | undefined, MessageFile]>([
    ['if the model accepts its kind', { message: IMAGE_MEDIA, result: NO_MEDIA }, undefined, createPng()],
    [
      'if the model accepts its media type',
      { message: { data: ['image/png'], url: [] }, result: NO_MEDIA },
      undefined,
      createPng(),
    ],
    [
      'as a URL if the model accepts URLs',
      { message: { data: [], url: ['image/*'] }, result: NO_MEDIA },
      undefined,
      createPng({ data: 'https://x.test/a.png' }),
    ],
    ['if the agent accepts it and the model states nothing', undefined, ['image/*'], createPng()],
  ])('is sent %s', (_, media, accepts, file) => {
    expect(getMessagesFor(media, [createFileMessage(file)], accepts)).toEqual([createFileMessage(file)]);
  });

  it.each<[string, ModelMedia | undefined, readonly string[] | undefined, MessageFile]>([
    [
      'if the model accepts another kind',
      { message: { data: ['audio/*'], url: ['audio/*'] }, result: NO_MEDIA },
      undefined,
      createPng(),
    ],
    [
      'if an accepted type is only a prefix of its type',
      { message: { data: ['image/pn'], url: [] }, result: NO_MEDIA },
      undefined,
      createPng(),
    ],
    [
      'if it has bytes and the model accepts only URLs',
      { message: { data: [], url: ['image/*'] }, result: NO_MEDIA },
      undefined,
      createPng(),
    ],
    [
      'if it is a URL and the model accepts only bytes',
      { message: { data: ['image/*'], url: [] }, result: NO_MEDIA },
      undefined,
      createPng({ data: 'https://x.test/a.png' }),
    ],
    ['if neither the agent nor the model states what it accepts', undefined, undefined, createPng()],
    [
      'if the agent accepts it and the model does not',
      { message: NO_MEDIA, result: NO_MEDIA },
      ['image/*'],
      createPng(),
    ],
  ])('is described in text %s', (_, media, accepts, file) => {
    expect(getMessagesFor(media, [createFileMessage(file)], accepts)).toEqual([
      {
        role: 'user',
        text: `${LOOK_TEXT}\n\n${FILE_LINE}\n\n(The file is not shown: this model takes no image/png here.)`,
      },
    ]);
  });

  it('is sent even if another file is described in text', () => {
    const pdf = createPng({ mediaType: 'application/pdf', id: 'cd34' });
    const media = { message: IMAGE_MEDIA, result: NO_MEDIA };
    const both: ModelMessage = { role: 'user', text: 'x', parts: [createPng(), pdf] };
    expect(getMessagesFor(media, [both])).toEqual([
      {
        role: 'user',
        text: '(The file is not shown: this model takes no application/pdf here.)',
        parts: [
          createPng(),
          { type: 'text', text: '(The file is not shown: this model takes no application/pdf here.)' },
        ],
      },
    ]);
  });
});

describe('a file in a result', () => {
  it('is sent in the result if the model accepts files in results', () => {
    const all = [createToolResult('a', createPng()), createToolResult('b', createPng())];
    expect(getMessagesFor({ message: NO_MEDIA, result: IMAGE_MEDIA }, all)).toEqual(all);
  });

  it('follows all results of its reply if the model accepts files only in messages', () => {
    const all = [
      createToolResult('a', createPng({ name: 'a "1".png' })),
      createToolResult('b', createPng({ id: 'cd34' })),
      createUserMessage('And now?'),
      createToolResult('c', createPng()),
    ];
    const createShownResult = (id: string) => ({
      role: 'tool',
      id,
      name: 'draw',
      text: `Drawn.\n\n${FILE_LINE}\n\n(The file follows behind the results.)`,
    });
    const createFilesMessage = (...parts: readonly (string | MessageFile)[]) => ({
      role: 'user',
      text: ['Files of the results above:', ...parts.filter((part) => typeof part === 'string')].join('\n\n'),
      parts: [
        { type: 'text', text: 'Files of the results above:' },
        ...parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
      ],
    });
    expect(getMessagesFor({ message: IMAGE_MEDIA, result: NO_MEDIA }, all)).toEqual([
      createShownResult('a'),
      createShownResult('b'),
      createFilesMessage(
        'File ab12, "a \\"1\\".png", image/png',
        createPng({ name: 'a "1".png' }),
        'File cd34, image/png',
        createPng({ id: 'cd34' }),
      ),
      createUserMessage('And now?'),
      createShownResult('c'),
      createFilesMessage('File ab12, image/png', createPng()),
    ]);
  });

  it('is described in text if the model accepts no such files', () => {
    expect(
      getMessagesFor({ message: NO_MEDIA, result: NO_MEDIA }, [createToolResult('a', createPng())]),
    ).toEqual([
      {
        role: 'tool',
        id: 'a',
        name: 'draw',
        text: `Drawn.\n\n${FILE_LINE}\n\n(The file is not shown: this model takes no image/png here.)`,
      },
    ]);
  });
});

describe('a conversation without files', () => {
  it('is unchanged', () => {
    const all = [createUserMessage('a'), { role: 'tool', id: '1', name: 'x', text: 'y' } as const];
    expect(getMessagesFor(undefined, all)).toEqual(all);
  });

  it('is passed unchanged to a model with candidates, each of which accepts different files', () => {
    const one: ChatModel = {
      name: 'one',
      ask: () => Promise.reject(new Error('This model must not be asked.')),
    };
    const all = [createFileMessage(createPng())];
    expect(fitFiles({ candidates: [one] }, all)).toBe(all);
  });
});
