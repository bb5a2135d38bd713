import { describe, expect, it } from 'vitest';
import { FILES } from '../servers/run-files.ts';
import { listTools, withPlainClient } from './plain-client.ts';
import { createRealRun, type RealRun } from './real-run.ts';
import { createCallReply, createRealTalk } from './real-talk.ts';

interface Step {
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** The expected result, as the model receives it. */
  readonly shows: unknown;
}

/** Matches the text that describes a file to a model without media support. */
const expectFile = (mimeType: string, size: number, name = '', from = '') =>
  expect.stringMatching(
    new RegExp(
      `^${from}\\[file [0-9a-f]{64}: ${mimeType}, ${name}${size} bytes\\]\n\n` +
        `\\(The file is not shown: this model takes no ${mimeType} here\\.\\)$`,
    ),
  );

/** Uses every tool of the server. Each step uses the files of the previous steps. */
const createSteps = ({ folder }: RealRun): readonly Step[] => [
  { tool: 'list_allowed_directories', shows: `Allowed directories:\n${folder}` },
  { tool: 'read_text_file', input: { path: 'notes.txt', head: 1 }, shows: 'One line.' },
  { tool: 'create_directory', input: { path: 'drafts' }, shows: 'Successfully created directory drafts' },
  {
    tool: 'write_file',
    input: { path: 'drafts/a.txt', content: 'Grüße, 世界!\n' },
    shows: 'Successfully wrote to drafts/a.txt',
  },
  {
    tool: 'edit_file',
    input: { path: 'drafts/a.txt', edits: [{ oldText: '世界', newText: 'world' }] },
    shows: expect.stringMatching(/^```diff\n.*\n-Grüße, 世界!\n\+Grüße, world!\n.*```/s),
  },
  {
    tool: 'move_file',
    input: { source: 'drafts/a.txt', destination: 'drafts/b.txt' },
    shows: 'Successfully moved drafts/a.txt to drafts/b.txt',
  },
  { tool: 'read_file', input: { path: 'drafts/b.txt' }, shows: 'Grüße, world!\n' },
  {
    tool: 'read_multiple_files',
    input: { paths: ['drafts/b.txt', 'drafts/a.txt'] },
    shows: expect.stringMatching(/^drafts\/b\.txt:\nGrüße, world!\n\n\n---\ndrafts\/a\.txt: Error - /),
  },
  { tool: 'list_directory', input: { path: 'drafts' }, shows: '[FILE] b.txt' },
  {
    tool: 'list_directory_with_sizes',
    input: { path: 'drafts' },
    shows: `[FILE] b.txt${' '.repeat(32)}16 B\n\nTotal: 1 files, 0 directories\nCombined size: 16 B`,
  },
  {
    tool: 'directory_tree',
    input: { path: folder, excludePatterns: ['media'] },
    shows: expect.stringContaining('"name": "garden.md"'),
  },
  { tool: 'search_files', input: { path: '.', pattern: '**/*.md' }, shows: `${folder}/plans/garden.md` },
  {
    tool: 'get_file_info',
    input: { path: 'drafts/b.txt' },
    shows: expect.stringMatching(/^size: 16\n.*isFile: true/s),
  },
  { tool: 'read_media_file', input: { path: 'media/dot.png' }, shows: expectFile('image/png', 70) },
];

const decodeBytes = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

async function computeSha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

describe('the real filesystem server used by an agent', () => {
  it('offers all of its tools to the model, and each of them can be called', async () => {
    const run = createRealRun('filesystem');
    const day = createSteps(run);
    const talk = createRealTalk(run, {
      replies: [...day.map(({ tool, input }) => createCallReply(tool, input)), 'Done.'],
    });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: day.length });
    const names = (await listTools(run)).map(({ name }) => name).toSorted();
    expect(talk.offered()).toEqual(names);
    expect(day.map(({ tool }) => tool).toSorted()).toEqual(names);
    expect(talk.shown()).toEqual(day.map(({ shows }) => shows));
  });

  it.each([
    ['media/dot.png', 'image/png', 70],
    ['media/beep.wav', 'audio/wav', 16],
    ['media/blob.bin', 'application/octet-stream', 4],
  ] as const)('returns %s as a file, and replaces its bytes with its hash', async (path, mimeType, size) => {
    const talk = createRealTalk(createRealRun('filesystem'), {
      replies: [createCallReply('read_media_file', { path }), 'Seen.'],
    });
    const { artifacts } = await talk.say();
    const isResource = path === 'media/blob.bin';
    const from = '\\[resource file:.*/blob\\.bin\\]\n\n';
    expect(talk.shown()).toEqual([
      isResource ? expectFile(mimeType, size, '"blob.bin", ', from) : expectFile(mimeType, size),
    ]);
    const there = { sha256: await computeSha256Hex(decodeBytes(FILES[path])), size };
    const resource = { uri: expect.stringContaining(path), mimeType, blob: there };
    const block = expect.objectContaining(isResource ? { resource } : { data: there, mimeType });
    expect(artifacts).toMatchObject([{ type: 'McpContent', value: { content: [block] } }]);
  });

  it('stores the agent’s changes in its folder', async () => {
    const run = createRealRun('filesystem');
    const written = { path: 'new.txt', content: 'Kept.' };
    await createRealTalk(run, { replies: [createCallReply('write_file', written), 'Done.'] }).say();
    const read = { name: 'read_text_file', arguments: { path: 'new.txt' } };
    const { structuredContent } = await withPlainClient(run, (client) => client.callTool(read));
    expect(structuredContent).toEqual({ content: 'Kept.' });
  });
});
