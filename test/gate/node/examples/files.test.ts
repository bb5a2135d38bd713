import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defineFiles } from '../../../../src/examples/files/files.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import {
  createFakeServer,
  type FakeServer,
  type FakeTool,
  respondWith,
} from '../../../fixtures/mcp/fake-server.ts';
import { countMethods, requestTool } from '../mcp/tools/scenes.ts';
import { formatOpenedText, getLastResults, getOfferedTools } from '../unfolding/scenes.ts';

type Hints = NonNullable<FakeTool['annotations']>;

const READ_HINTS: Hints = { readOnlyHint: true };
const WRITE_HINTS: Hints = { readOnlyHint: false, destructiveHint: true };
const IDEMPOTENT_HINTS: Hints = { readOnlyHint: false, idempotentHint: true };

/**
 * Returns a fake filesystem server over files in memory. Its tools have the names and the hints of the real
 * server, or `hints`.
 */
function createFolderServer(files: Map<string, string>, hints?: Hints): FakeServer {
  const createFakeTool = (
    name: string,
    annotations: Hints,
    run: (input: Readonly<Record<string, unknown>>) => string,
  ): FakeTool => ({
    name,
    description: `Does ${name}.`,
    annotations: hints ?? annotations,
    run: (input) => ({ content: [{ type: 'text', text: run(input) }] }),
  });
  const readFile = ({ path }: Readonly<Record<string, unknown>>): string =>
    files.get(String(path)) ?? 'ENOENT';
  return createFakeServer({
    tools: [
      createFakeTool('read_file', READ_HINTS, readFile),
      createFakeTool('read_text_file', READ_HINTS, readFile),
      createFakeTool('list_directory', READ_HINTS, () => [...files.keys()].join('\n')),
      createFakeTool('create_directory', IDEMPOTENT_HINTS, () => 'created'),
      createFakeTool('write_file', { ...WRITE_HINTS, idempotentHint: true }, ({ path, content }) => {
        files.set(String(path), String(content));
        return `Successfully wrote to ${path}`;
      }),
      createFakeTool('edit_file', WRITE_HINTS, () => 'edited'),
      createFakeTool('move_file', WRITE_HINTS, () => 'moved'),
      createFakeTool('shred_file', WRITE_HINTS, () => 'shredded'),
    ],
  });
}

const TOOL_NAMES = [
  'read_text_file',
  'list_directory',
  'create_directory',
  'write_file',
  'edit_file',
  'move_file',
  'shred_file',
];

/** The names of the offered tools once they are unfolded, sorted as in requests. */
const OPEN_TOOLS = ['files', ...TOOL_NAMES.toSorted()];

const NOTES =
  "Paths are relative to the project folder, which is '.'. Read a file before you edit it. A person decides about " +
  'each call that changes something: say what you are going to do, then call.';

const createFilesSession = (server: FakeServer, replies: readonly ScriptedReply[]): TestSession =>
  createTestSession(defineFiles({ url: server.url, fetch: server.fetch }), { replies });

describe('the files agent', () => {
  it('contacts its server only after a message about files, and then offers its tools with usage notes', async () => {
    const server = createFolderServer(new Map([['notes.txt', 'Two tents.']]));
    const files = createFilesSession(server, [
      'Hello.',
      requestTool('files'),
      requestTool('list_directory'),
      'There are notes.',
    ]);
    await files.send('Hello');
    expect([getOfferedTools(files), server.requests]).toEqual([[['files']], []]);
    await files.send('Which files are there?');
    expect(getOfferedTools(files).slice(1)).toEqual([['files'], OPEN_TOOLS, OPEN_TOOLS]);
    expect(getLastResults(files)).toEqual([`${formatOpenedText(...TOOL_NAMES)}\n\n${NOTES}`, 'notes.txt']);
  });

  it('offers its tools in the next turn and in another Worker without listing them again', async () => {
    const server = createFolderServer(new Map([['notes.txt', 'Two tents.']]));
    const read = requestTool('read_text_file', { path: 'notes.txt' });
    const files = createFilesSession(server, [requestTool('files'), 'Open.', read, 'Two tents.']);
    await files.send('Open the files');
    files.restart();
    expect(await files.send('Read the notes')).toMatchObject({ text: 'Two tents.', toolCalls: 1 });
    expect(getLastResults(files).at(-1)).toBe('Two tents.');
    expect(countMethods(server)['tools/list']).toBe(1);
  });

  it.each([
    [
      'write_file',
      { path: 'notes.txt', content: 'Three tents.' },
      'Write this file, over whatever is there?',
    ],
    ['edit_file', { path: 'notes.txt' }, 'Make these edits?'],
    ['move_file', { source: 'notes.txt', destination: 'old.txt' }, 'Move this file?'],
    ['shred_file', { path: 'notes.txt' }, "Run 'shred_file' on the project's files?"],
  ])('asks for approval of %s', async (name, input, message) => {
    const server = createFolderServer(new Map([['notes.txt', 'Two tents.']]));
    const files = createFilesSession(server, [requestTool('files'), requestTool(name, input), 'I leave it.']);
    expect(await files.send('Do it')).toMatchObject({ outcome: 'suspended', pending: [{ input, message }] });
    expect(await files.decide(name, 'reject')).toMatchObject({ outcome: 'completed', text: 'I leave it.' });
    expect(countMethods(server)['tools/call']).toBeUndefined();
  });

  it.each(['read_text_file', 'list_directory', 'create_directory'])(
    'does not ask for approval of %s, even if the hints of the server differ',
    async (name) => {
      for (const hints of [undefined, {}, WRITE_HINTS]) {
        const files = createFilesSession(createFolderServer(new Map(), hints), [
          requestTool('files'),
          requestTool(name),
          'Done.',
        ]);
        expect(await files.send('Do it')).toMatchObject({ outcome: 'completed', text: 'Done.' });
      }
    },
  );

  it.each(['write_file', 'edit_file', 'move_file', 'shred_file'])(
    'asks for approval of %s, even if the server hints that it only reads',
    async (name) => {
      const server = createFolderServer(new Map(), {
        readOnlyHint: true,
        idempotentHint: true,
        destructiveHint: false,
      });
      const files = createFilesSession(server, [requestTool('files'), requestTool(name), 'I leave it.']);
      expect(await files.send('Do it')).toMatchObject({ outcome: 'suspended', pending: [{ tool: name }] });
      expect(countMethods(server)['tools/call']).toBeUndefined();
    },
  );

  it('writes an approved file once: if the write is cut off, the model is asked to check, and no file is overwritten', async () => {
    const kept = new Map([['notes.txt', 'Two tents.']]);
    const server = createFolderServer(kept);
    const write = requestTool('write_file', { path: 'notes.txt', content: 'Three tents.' });
    const files = createFilesSession(server, [requestTool('files'), write, 'I do not know.']);
    await files.send('We need three tents');
    // The server writes the file, and the Worker is killed before the response. Meanwhile another client
    // writes.
    server.misbehave = ({ body }, proceed) =>
      body.includes('"write_file"')
        ? proceed().then(async (answer) => {
            files.kill();
            kept.set('notes.txt', 'Four tents.');
            return answer;
          })
        : undefined;
    expect(await files.decide('write_file', 'approve')).toMatchObject({ text: 'I do not know.' });
    expect(kept.get('notes.txt')).toBe('Four tents.');
    expect(countMethods(server)['tools/call']).toBe(1);
    expect(getLastResults(files).at(-1)).toBe(
      "Error: The outcome of this call of 'write_file' is unknown: it was started, and no answer came back. It may have " +
        'happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.',
    );
  });

  it('runs without its server, and explains to its model why the files are missing', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const server = createFolderServer(new Map());
    server.misbehave = respondWith(503);
    const files = createFilesSession(server, [
      requestTool('files'),
      'The files are not to be had now.',
      requestTool('files'),
      'There.',
    ]);
    expect(await files.send('List the files')).toMatchObject({
      outcome: 'completed',
      text: 'The files are not to be had now.',
    });
    expect(getLastResults(files)).toEqual([
      "Tool 'files' cannot show its tools now. MCP server 'filesystem' cannot be reached: it answered HTTP 503. " +
        'Go on without them.',
    ]);
    server.misbehave = undefined;
    await files.send('And now?');
    expect(getOfferedTools(files).at(-1)).toEqual(OPEN_TOOLS);
  });
});
