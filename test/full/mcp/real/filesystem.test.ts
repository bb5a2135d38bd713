import { describe, expect, it } from 'vitest';
import { FILES } from '../servers/run-files.ts';
import { listedBy, plainly } from './plain-client.ts';
import { type RealRun, realRun } from './real-run.ts';
import { calls, realTalk } from './real-talk.ts';

interface Step {
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** What the model is then shown. */
  readonly shows: unknown;
}

/** One day of work in a folder: every tool of the server, each finding what the one before has left. */
const steps = ({ folder }: RealRun): readonly Step[] => [
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
  { tool: 'read_media_file', input: { path: 'media/dot.png' }, shows: '[image image/png, 70 bytes]' },
];

describe('the real filesystem server, used by an agent', () => {
  it('has all its tools listed to the model, and each one called', async () => {
    const run = realRun('filesystem');
    const day = steps(run);
    const talk = realTalk(run, { replies: [...day.map(({ tool, input }) => calls(tool, input)), 'Done.'] });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: day.length });
    const names = (await listedBy(run)).map(({ name }) => name).toSorted();
    expect(talk.offered()).toEqual(names);
    expect(day.map(({ tool }) => tool).toSorted()).toEqual(names);
    expect(talk.shown()).toEqual(day.map(({ shows }) => shows));
  });

  it.each([
    ['media/dot.png', 'image/png', '[image image/png, 70 bytes]'],
    ['media/beep.wav', 'audio/wav', '[audio audio/wav, 16 bytes]'],
    [
      'media/blob.bin',
      'application/octet-stream',
      /^\[resource file:.*\/blob\.bin, application\/octet-stream, 4 bytes\]$/,
    ],
  ] as const)(
    'shows the model what %s is, and keeps its bytes for the program',
    async (path, mimeType, shows) => {
      const talk = realTalk(realRun('filesystem'), {
        replies: [calls('read_media_file', { path }), 'Seen.'],
      });
      const { artifacts } = await talk.say();
      expect(talk.shown()).toEqual([typeof shows === 'string' ? shows : expect.stringMatching(shows)]);
      const bytes = { data: FILES[path], mimeType };
      const resource = { uri: expect.stringContaining(path), mimeType, blob: FILES[path] };
      const block = path === 'media/blob.bin' ? { resource } : bytes;
      const content = [expect.objectContaining(block)];
      expect(artifacts).toMatchObject([{ type: 'McpContent', value: { content } }]);
    },
  );

  it('answers a path outside of its folder with an error, and reads nothing', async () => {
    const [run, other] = [realRun('filesystem'), realRun('filesystem')];
    await listedBy(other);
    const paths = [`${other.folder}/notes.txt`, '../', '/etc/passwd'];
    const replies = [{ calls: paths.map((path) => ({ name: 'read_text_file', input: { path } })) }, 'No.'];
    const talk = realTalk(run, { replies });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'No.', artifacts: [] });
    expect(talk.shown()).toHaveLength(3);
    for (const shown of talk.shown()) {
      expect(shown).toMatch(/^Error: Access denied - path outside allowed directories: /);
    }
  });

  it('leaves in the folder what the agent has written', async () => {
    const run = realRun('filesystem');
    const written = { path: 'new.txt', content: 'Kept.' };
    await realTalk(run, { replies: [calls('write_file', written), 'Done.'] }).say();
    const read = { name: 'read_text_file', arguments: { path: 'new.txt' } };
    const { structuredContent } = await plainly(run, (client) => client.callTool(read));
    expect(structuredContent).toEqual({ content: 'Kept.' });
  });
});
