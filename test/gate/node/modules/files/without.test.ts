/** Files in an app without the files module. */
import { expect, it } from 'vitest';
import { runAgent } from '../../../../../src/in-memory/entry.ts';
import { content, defineAgent, defineTool, image } from '../../../../../src/index.ts';
import { files } from '../../../../../src/modules/files/entry.ts';
import { createTestSession, scriptedModel } from '../../../../../src/testing/entry.ts';

const base = { name: 'seer', description: 'Sees.', instructions: 'Look.' };
const png = new Uint8Array([1, 2, 3]);
const MISSING_MODULE_HINT =
  "needs the module `files()`. Import it from 'holdfast/files' and add it to `use`.";

const draw = defineTool({
  name: 'draw',
  description: 'Draws.',
  effect: 'read',
  run: () => content(['Drawn.', image(png, 'image/png', 'a.png')]),
});
const read = defineTool({
  name: 'read',
  description: 'Reads.',
  effect: 'read',
  run: (_, call) => call.file('f1'),
});

it('an agent that accepts files is refused with an error that shows the missing import', () => {
  const seer = defineAgent({ ...base, accepts: ['image/png'] });
  const told = `Agent 'seer': \`accepts\` ${MISSING_MODULE_HINT}`;
  expect(() => createTestSession(seer, { replies: [] })).toThrow(told);
  expect(() => createTestSession(seer, { use: [files()], replies: [] })).not.toThrow();
  expect(() => createTestSession(defineAgent({ ...base, accepts: [] }), { replies: [] })).not.toThrow();
});

it('an agent cannot use the module itself', () => {
  const seer = defineAgent({ ...base, use: [files()] });
  expect(() => createTestSession(seer, { replies: [] })).toThrow(
    "Agent 'seer' has its own `files()`. Add it to `use` of the app instead.",
  );
});

it('a message with a file is refused', async () => {
  const message = content(['What is this?', image(png, 'image/png')]).parts;
  const model = scriptedModel(['Nothing.']);
  await expect(runAgent(defineAgent(base), message, { model })).rejects.toThrow(
    `A message with a file ${MISSING_MODULE_HINT}`,
  );
  expect(model.requests).toEqual([]);
});

it('a file that a tool returns is described in text, and the log names the missing module', async () => {
  const log: string[] = [];
  const session = createTestSession(defineAgent({ ...base, tools: [draw] }), {
    replies: [{ calls: [{ name: 'draw' }] }, 'Done.'],
    log: (line) => void (line.level === 'error' && log.push(line.message ?? '')),
  });
  expect(await session.send('Draw.')).toMatchObject({ outcome: 'completed' });
  const [shown] = session.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(shown?.text).toBe('Drawn.\n\n[file not kept: image/png, "a.png", 3 bytes]');
  expect(shown).not.toHaveProperty('parts');
  expect(log).toEqual([`A file that tool 'draw' returned was not kept, since it ${MISSING_MODULE_HINT}`]);
});

it('a tool that reads a file fails, and the log names the missing module', async () => {
  const log: string[] = [];
  const session = createTestSession(defineAgent({ ...base, tools: [read] }), {
    replies: [{ calls: [{ name: 'read' }] }, 'Done.'],
    log: (line) => void (line.level === 'error' && log.push(line.message ?? '')),
  });
  await session.send('Read.');
  expect(log).toEqual([`Tool 'read' threw: \`call.file\` ${MISSING_MODULE_HINT}`]);
});
