import { strict as assert } from 'node:assert';
import { openSession, type PendingCall } from './client.ts';
import { say } from './say.ts';
import type { ServedFolder } from './served-folder.ts';
import type { Stage } from './stage.ts';
import { applyStyle, formatTimeline, shorten } from './timeline.ts';

const FILE = 'packing.txt';
const CONTENT = 'Two tents, one lantern';
const SESSION = 'tour-files';

export interface OpenWrite {
  readonly pending: PendingCall;
  /** The number of requests to the server so far. */
  readonly asked: number;
}

/** Makes the agent ask for permission to write. Resolves when all work before the kill is done. */
export async function openWrite(stage: Stage, folder: ServedFolder): Promise<OpenWrite> {
  const client = openSession(stage.url, SESSION, 'files');
  const answer = await client.send(`Write a file with the path "${FILE}" and the content "${CONTENT}"`);
  const [pending] = answer.pending ?? [];
  assert(answer.outcome === 'suspended' && pending, `The write does not wait: ${answer.outcome}.`);
  assert.equal(folder.read(FILE), '', 'The file is not written before it is approved.');
  await say(`\n${formatTimeline(await client.events())}`);
  return { pending, asked: folder.asked().length };
}

/**
 * Approves the write in a Worker that knows the server's tools only from the journal.
 *
 * @throws AssertionError if the file is not written exactly once, or the server was asked for its tool list
 * again after the kill.
 */
export async function endWrite(
  stage: Stage,
  folder: ServedFolder,
  { pending, asked }: OpenWrite,
): Promise<void> {
  const client = openSession(stage.url, SESSION, 'files');
  const before = (await client.events()).at(-1)?.seq ?? 0;
  await say(`\n  ${applyStyle('yellow', `POST ${pending.links.approvals} {"decision":"approve"}`)}`);
  const answer = await client.decide(pending, { decision: 'approve' });
  assert.equal(answer.outcome, 'completed', 'The outcome of the approved write');
  assert.equal(folder.read(FILE), CONTENT, 'What is in the file');
  const since = folder.asked().slice(asked);
  const calls = since.filter((line) => line !== 'initialize');
  assert.deepEqual(calls, ['tools/call "read_text_file"', 'tools/call "write_file"'], 'Asked since the kill');
  await say(`\n${formatTimeline(await client.events(), before)}`);
  await say(`    ${applyStyle('green', `→ ${shorten(answer.text, 110)}`)}`);
  const told = `the MCP server, since the kill: ${since.join(', ')}; ${FILE}: "${folder.read(FILE)}"`;
  await say(`    ${applyStyle('green', `→ ${told}`)}`);
}
