/** The rows that a turn writes to its object's database, which the platform bills. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, type Effect } from '../../../../src/index.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';
import { createSessionPath, getSessionName, post } from '../http/client.ts';
import { countRows } from './rows.ts';

const ITERATIONS = 10;

const createLookupTool = (effect: Effect) =>
  defineTool({ name: effect, description: 'Looks something up.', effect, run: () => ({ found: true }) });

const looker = defineAgent({
  name: 'looker',
  description: 'Looks things up.',
  instructions: '',
  tools: [createLookupTool('read'), createLookupTool('once')],
  model: modelBySession,
});
const via = createTestApp({ agents: [looker], auth: () => ({ id: 'owner' }) });

/** Counts the rows that a message's turn writes. */
async function countWritten(session: string, message: string): Promise<number> {
  const stub = env.SESSIONS.getByName(getSessionName(session, 'owner'));
  const rows = await countRows(stub, async () =>
    expect((await post(session, { message }, { via })).status).toBe(200),
  );
  return rows.written;
}

/** Counts the rows that the second turn of a session writes with these replies. */
async function countWrittenSecond(...replies: Parameters<typeof registerScript>): Promise<number> {
  const session = createSessionPath('looker');
  await countWritten(session, registerScript('Hello.', ...replies).message());
  return countWritten(session, 'And?');
}

const createCallReplies = (name: Effect) => Array.from({ length: ITERATIONS }, () => ({ calls: [{ name }] }));

describe('the rows of a turn', () => {
  it('are 10 for the first answer of a session, and 5 for the next', async () => {
    expect(await countWritten(createSessionPath('looker'), registerScript('Done.').message())).toBe(10);
    expect(await countWrittenSecond('Done.')).toBe(5);
  });

  it('increase by one for each iteration that runs a `once` tool, for any number of events', async () => {
    expect(await countWrittenSecond(...createCallReplies('once'), 'Done.')).toBe(5 + ITERATIONS);
  });

  it('are one for each append of a read-only turn, in which iterations are stored together', async () => {
    // One append during the model's response, one after it, and one with the end.
    expect(await countWrittenSecond(...createCallReplies('read'), 'Done.')).toBeLessThanOrEqual(5 + 2);
  });
});
