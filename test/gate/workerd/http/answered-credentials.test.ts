/** Questions that refuse credentials, because answers are journaled. */

import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, getSessionName, post, readJournal, readJson } from './client.ts';
import { answer, createProblem } from './waiting.ts';

const schema = { type: 'object', properties: { note: { type: 'string' } } };
const createAskingTool = (name: string, credentials?: 'refused') =>
  defineTool({
    name,
    description: 'Asks.',
    effect: 'read',
    run: (_, call) => call.ask({ for: 'decision', message: 'Which one?', schema, credentials }),
  });
const agent = defineAgent({
  name: 'asker',
  use: [answers],
  description: 'Asks.',
  instructions: '',
  model: modelBySession,
  tools: [createAskingTool('ask', 'refused'), createAskingTool('ask_all')],
});
const via = createTestApp({ agents: [agent] });

/** Returns the address for answering a tool's question. */
async function askForCredentials(tool: string): Promise<{ readonly session: string; readonly link: string }> {
  const session = createSessionPath('asker');
  const { message } = registerScript({ calls: [{ name: tool }] }, 'Done.');
  const { pending } = await readJson(await post(session, { message: message() }, { via }));
  const [{ links }] = pending as [{ links: { approvals: string } }]; // it asks one question
  return { session, link: links.approvals };
}

const PLANTED_SECRET = 'planted9planted9';
const edit = { decision: 'edit', input: { note: `The key is ghp_${PLANTED_SECRET}.` } };

it('an answer that looks like a credential is refused with 422, and no row of the session contains any of it', async () => {
  const { session, link } = await askForCredentials('ask');
  const problems = [
    'input.note: looks like a credential, which is not accepted here: the journal keeps answers',
  ];
  const refused = await answer(link, edit, { via });
  expect([refused.status, await readJson(refused)]).toEqual([
    422,
    createProblem('invalid-body', 422, `The body is not valid: ${problems[0]}.`, { problems }),
  ]);
  expect((await readJournal(session, via)).at(-1)).toMatchObject({ type: 'tool-call-suspended' });
  const taken = await answer(link, { decision: 'edit', input: { note: 'The blue one.' } }, { via });
  expect(await readJson(taken)).toMatchObject({ outcome: 'completed', text: 'Done.' });
  const stub = env.SESSIONS.getByName(getSessionName(session));
  const kept = await runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray();
    const ours = tables.filter(({ name }) => !name.startsWith('_cf'));
    return JSON.stringify(ours.map(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray()));
  });
  expect(kept).toContain('The blue one.');
  expect(kept).not.toContain('planted9');
});

it('a question without that restriction accepts any answer', async () => {
  const { session, link } = await askForCredentials('ask_all');
  expect((await answer(link, edit, { via })).status).toBe(200);
  expect(JSON.stringify(await readJournal(session, via))).toContain(PLANTED_SECRET);
});
