/** The rows that a turn writes to its object's database, which the platform bills. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, type Effect } from '../../../../src/index.ts';
import { modelBySession, script } from '../../../fixtures/scripts.ts';
import { appWith } from '../http/app.ts';
import { newSession, post, sessionName } from '../http/client.ts';
import { rowsOf } from './rows.ts';

const ITERATIONS = 10;

const toolOf = (effect: Effect) =>
  defineTool({ name: effect, description: 'Looks something up.', effect, run: () => ({ found: true }) });

const looker = defineAgent({
  name: 'looker',
  description: 'Looks things up.',
  instructions: '',
  tools: [toolOf('read'), toolOf('once')],
  model: modelBySession,
});
const via = appWith({ agents: [looker], auth: () => ({ id: 'owner' }) });

/** Counts the rows that a message's turn writes. */
async function writtenBy(session: string, message: string): Promise<number> {
  const stub = env.SESSIONS.getByName(sessionName(session, 'owner'));
  const rows = await rowsOf(stub, async () =>
    expect((await post(session, { message }, { via })).status).toBe(200),
  );
  return rows.written;
}

/** Counts the rows that the second turn of a session writes with these replies. */
async function writtenBySecond(...replies: Parameters<typeof script>): Promise<number> {
  const session = newSession('looker');
  await writtenBy(session, script('Hello.', ...replies).message());
  return writtenBy(session, 'And?');
}

const callsOf = (name: Effect) => Array.from({ length: ITERATIONS }, () => ({ calls: [{ name }] }));

describe('the rows of a turn', () => {
  it('are 10 for the first answer of a session, and 5 for the next', async () => {
    expect(await writtenBy(newSession('looker'), script('Done.').message())).toBe(10);
    expect(await writtenBySecond('Done.')).toBe(5);
  });

  it('increase by one for each iteration that runs a `once` tool, for any number of events', async () => {
    expect(await writtenBySecond(...callsOf('once'), 'Done.')).toBe(5 + ITERATIONS);
  });

  it('are one for each append of a read-only turn, in which iterations are stored together', async () => {
    // One append while the model responds, one after that, and one with the end.
    expect(await writtenBySecond(...callsOf('read'), 'Done.')).toBeLessThanOrEqual(5 + 2);
  });
});
