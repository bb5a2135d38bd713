import { describe, expect, it } from 'vitest';
import {
  type ContentPart,
  content,
  file,
  image,
  type NewFile,
  Secrets,
  type StoredFile,
} from '../../../../src/index.ts';
import {
  FileRefusedError,
  type ReadableFiles,
  readFilesToShow,
  toShownContent,
  withKeptFiles,
} from '../../../doors/files.ts';
import { estimateSize, InterruptionError, type Loop } from '../../../doors/loop.ts';

const MIB = 1024 * 1024;
const createStoredFile = (id: string, size: number, mediaType = 'image/png'): StoredFile => ({
  type: 'file',
  id,
  mediaType,
  size,
});

describe('a message with files', () => {
  const parts: readonly ContentPart[] = [
    { type: 'text', text: 'See:' },
    createStoredFile('ab', 3),
    { type: 'file', mediaType: 'application/pdf', url: 'https://x.test/a.pdf', name: 'a.pdf' },
    createStoredFile('cd', 5, 'text/csv'),
    createStoredFile('ef', 9),
  ];

  it('sends each file after its line, sends text files as text, and describes files without room', () => {
    const files = new Map([
      ['ab', 'AAAA'],
      ['cd', Buffer.from('a,bü').toString('base64')],
      ['https://x.test/a.pdf', 'https://x.test/a.pdf'],
    ]);
    const shown = toShownContent(parts, files);
    const named = '[file ab: image/png, 3 bytes]';
    const linked = '[file https://x.test/a.pdf: application/pdf, "a.pdf"]';
    const text = '[file cd: text/csv, 5 bytes]\na,bü';
    const gone = '[file ef: image/png, 9 bytes] (not shown any more)';
    expect(shown).toEqual({
      text: `See:\n\n${named}\n\n${linked}\n\n${text}\n\n${gone}`,
      parts: [
        { type: 'text', text: 'See:' },
        { type: 'text', text: named },
        { type: 'file', mediaType: 'image/png', data: 'AAAA', id: 'ab', size: 3 },
        { type: 'text', text: linked },
        { type: 'file', mediaType: 'application/pdf', name: 'a.pdf', data: 'https://x.test/a.pdf' },
        { type: 'text', text },
        { type: 'text', text: gone },
      ],
    });
  });

  it('is text if its files are not sent', () => {
    expect(toShownContent([createStoredFile('ab', 3)], new Map())).toEqual({
      text: '[file ab: image/png, 3 bytes] (not shown any more)',
    });
  });
});

describe('a deleted file', () => {
  it.each([
    ['deleted', 'image/png'],
    ['expired', 'image/png'],
    ['deleted', 'text/plain'],
  ] as const)('is shown as %s in its line: %s', (gone, mediaType) => {
    const file = { ...createStoredFile('ab', 3), mediaType };
    expect(toShownContent([file], new Map([['ab', { gone }]]))).toEqual({
      text: `[file ab: ${mediaType}, 3 bytes] (${gone}; it can no longer be read)`,
    });
  });
});

/** The size that marks a file as deleted. */
const GONE_SIZE = 8 * MIB - 1;

describe('the files in a request', () => {
  const listReadFiles = async (...sizes: readonly number[]): Promise<readonly string[]> => {
    const read: string[] = [];
    const files: ReadableFiles = {
      gone: async (all) =>
        new Map(all.filter(({ size }) => size === GONE_SIZE).map(({ id }) => [id, 'deleted'])),
      read: async (all) => {
        read.push(...all.map(({ id }) => id));
        return new Map();
      },
    };
    const messages = sizes.map((size, index) => ({
      role: 'user' as const,
      text: '',
      parts: [createStoredFile(String(index), size)],
    }));
    const frame = { id: '', messages };
    const loop = { frame } as unknown as Loop; // The properties that `readFilesToShow` reads.
    await readFilesToShow({ files, withoutFiles: new Set() }, loop);
    return read;
  };

  it('are the newest files that fit into 16 MiB', async () => {
    expect(await listReadFiles(MIB, 8 * MIB, 8 * MIB)).toEqual(['2', '1']);
  });

  it('end before the first file that does not fit, even if an older file would fit', async () => {
    expect(await listReadFiles(1, 8 * MIB, 8 * MIB, 1)).toEqual(['3', '2']);
  });

  it('include files that are older than a deleted file, which needs no room', async () => {
    expect(await listReadFiles(8 * MIB, GONE_SIZE, 8 * MIB)).toEqual(['2', '0']);
  });

  it('are an empty list if no message has files', async () => {
    expect(await listReadFiles()).toEqual([]);
  });
});

describe('a result with new files', () => {
  const png = new Uint8Array([1]);
  type FileKeeper = Parameters<typeof withKeptFiles>[1]['keep'];
  const createFileAb: FileKeeper = async () => createStoredFile('ab', 1);

  it('is plain JSON once its files are stored', async () => {
    const keeping = { keep: createFileAb, secrets: Secrets.NONE, onLost: () => {} };
    const result = await withKeptFiles(content(['A', image(png, 'image/png')]), keeping);
    expect(JSON.parse(JSON.stringify(result))).toEqual({
      type: 'content',
      parts: [{ type: 'text', text: 'A' }, createStoredFile('ab', 1)],
    });
  });

  it('loses only a refused file, which is reported to the model and in the log', async () => {
    const told: string[] = [];
    const keep: FileKeeper = async ({ bytes }) => {
      if (bytes.length > 1) throw new FileRefusedError('The file is too large.');
      return createStoredFile('ab', 1);
    };
    const keeping = { keep, secrets: Secrets.NONE, onLost: (problem: string) => told.push(problem) };
    const result = content([image(png, 'image/png'), image(new Uint8Array(2), 'image/png', 'b.png')]);
    expect(await withKeptFiles(result, keeping)).toMatchObject({
      parts: [
        createStoredFile('ab', 1),
        { type: 'text', text: '[file not kept: image/png, "b.png", 2 bytes] (The file is too large.)' },
      ],
    });
    expect(told).toEqual(['The file is too large.']);
  });

  it('can contain 12 MiB of files', async () => {
    const told: string[] = [];
    const all = [5, 5, 5].map((mib) => image(new Uint8Array(mib * MIB), 'image/png'));
    const onLost = (problem: string) => told.push(problem);
    const kept = await withKeptFiles(content(all), { keep: createFileAb, secrets: Secrets.NONE, onLost });
    expect(kept).toMatchObject({ parts: [{ type: 'file' }, { type: 'file' }, { type: 'text' }] });
    expect(told).toEqual(['The files of one result are larger than 12582912 bytes in total.']);
  });

  it('redacts secrets in the names of its files and in text files', async () => {
    const kept: NewFile[] = [];
    const keep: FileKeeper = async (part) => {
      kept.push(part);
      return createStoredFile('ab', 1);
    };
    const secrets = Secrets.of({ KEY: 'abc-123-secret' });
    const words = new TextEncoder().encode('key: abc-123-secret, ü');
    await withKeptFiles(
      content([
        file(words, 'application/json', 'for abc-123-secret.json'),
        file(png, 'text/plain'),
        file(words, 'application/pdf'),
      ]),
      { keep, secrets, onLost: () => {} },
    );
    const clean = new TextEncoder().encode('key: [secret KEY], ü');
    expect(kept).toEqual([
      { type: 'file', mediaType: 'application/json', name: 'for [secret KEY].json', bytes: clean },
      { type: 'file', mediaType: 'text/plain', bytes: png },
      { type: 'file', mediaType: 'application/pdf', bytes: words },
    ]);
  });

  it('keeps its text if its files cannot be stored, because its tool must not run again', async () => {
    const told: string[] = [];
    const keep: FileKeeper = () => Promise.reject(new Error('The bucket is missing, token abc.'));
    const keeping = { keep, secrets: Secrets.NONE, onLost: (problem: string) => told.push(problem) };
    const result = content(['Paid.', image(png, 'image/png')]);
    expect(await withKeptFiles(result, keeping)).toMatchObject({
      type: 'content',
      parts: [
        { type: 'text', text: 'Paid.' },
        { type: 'text', text: '[file not kept: image/png, 1 byte] (It could not be kept now.)' },
      ],
    });
    expect(told).toEqual(['The bucket is missing, token abc.']);
  });

  it('throws if another lease holder has the session', async () => {
    const interrupted = new InterruptionError('lost', 'somebody else has it');
    const keep: FileKeeper = () => Promise.reject(interrupted);
    const keeping = { keep, secrets: Secrets.NONE, onLost: () => {} };
    await expect(withKeptFiles(image(png, 'image/png'), keeping)).rejects.toBe(interrupted);
  });
});

describe('the size of a request', () => {
  const computeTokens = (mediaType: string, size: number | undefined, data: string): number => {
    const part = {
      type: 'file',
      mediaType,
      data,
      ...(size === undefined ? {} : { id: 'ab', size }),
    } as const;
    const withFile = { messages: [{ role: 'user', text: '', parts: [part] }], tools: [] } as const;
    const without = { messages: [{ role: 'user', text: '', parts: [] }], tools: [] } as const;
    const countTokens = (request: Parameters<typeof estimateSize>[1]) =>
      estimateSize('m', request, undefined).inputTokens;
    return countTokens(withFile) - countTokens(without) - JSON.stringify({ ...part, data: undefined }).length;
  };

  it('counts the cost of a file for the model instead of its base64 length', () => {
    expect(computeTokens('image/png', 4 * MIB, 'A'.repeat(6 * MIB))).toBe(8_192);
    expect(computeTokens('application/pdf', 4 * MIB, 'A'.repeat(6 * MIB))).toBe(4 * MIB);
    expect(computeTokens('application/pdf', 100, 'AAAA')).toBe(8_192);
    const url = 'https://x.test/a.pdf';
    expect(computeTokens('application/pdf', undefined, url)).toBe(262_144 + `,"data":"${url}"`.length);
  });
});
