/** Tools of a Worker read its bindings, in every invocation and every loop. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { checkResponses } from './as-described.ts';
import {
  createSessionPath,
  getSessionName,
  ORIGIN,
  post,
  readJournal,
  readJson,
  type Send,
} from './client.ts';

const SECRET = 'the-key-of-the-shop';
/** The Worker's env, in which `SESSIONS` is a binding, and a secret. */
const vars = { ...env, SHOP_API_KEY: SECRET };

const createAskTool = (name: string) =>
  defineTool({
    name,
    description: 'Asks a binding.',
    effect: 'read',
    run: async (_, call) => {
      const page = await call.env.SESSIONS.getByName('nobody').read({ from: 1 });
      return [page, Reflect.get(call.env, 'SHOP_API_KEY')];
    },
  });
const READ_RESULTS = [null, '[secret SHOP_API_KEY]'];

/** An app with an agent that calls its tools and another agent. Tests can resume its turns. */
function createApp() {
  const helper = defineAgent({
    name: 'helper',
    description: 'Helps.',
    instructions: '',
    tools: [createAskTool('ask')],
    model: scriptedModel([{ calls: [{ name: 'ask' }] }, 'Helped.']),
  });
  const wanted = [{ name: 'ask' }, { name: 'helper', input: { message: 'Go.' } }, { name: 'asked_first' }];
  // The tests' Worker ignores turns of an agent with this name.
  const agent = defineAgent({
    name: 'agent',
    description: 'Asks.',
    instructions: '',
    tools: [
      createAskTool('ask'),
      requireApproval(createAskTool('asked_first'), 'May I?'),
      defineSubagent({ agent: helper }),
    ],
    model: scriptedModel([{ calls: wanted }, 'Done.']),
  });
  const { worker, TurnRunner } = createHoldfast({ agents: [agent] });
  const via: Send = checkResponses(async (path, init) => {
    const request = new Request(`${ORIGIN}${path}`, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    return worker.fetch(request, vars, createExecutionContext());
  });
  return { via, runner: new TurnRunner(createExecutionContext(), vars) };
}

/** Returns the tools that returned the binding's value, without a secret. */
async function readToolNames(session: string, via: Send): Promise<unknown[]> {
  const ended = (await readJournal(session, via)).filter(({ type }) => type === 'tool-call-ended');
  expect(JSON.stringify(ended)).not.toContain(SECRET);
  return ended.flatMap(({ result }) => {
    const { value } = Object(result);
    return value === undefined ? [] : [value];
  });
}

const JSON_HEADERS = { 'content-type': 'application/json' };

it('the environment is available in a turn that a request runs, in a subagent, and in the invocation of a decision', async () => {
  const { via } = createApp();
  const session = createSessionPath('agent');
  const waits = await readJson(await post(session, { message: 'Go.' }, { via }));
  expect(waits).toMatchObject({ status: 'suspended', pending: [{ tool: 'asked_first' }] });
  const [{ links }] = Object(waits.pending);
  const decided = await via(links.approvals, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: '{"decision":"approve"}',
  });
  expect(await readJson(decided)).toMatchObject({ outcome: 'completed', text: 'Done.' });
  expect(await readToolNames(session, via)).toEqual([READ_RESULTS, READ_RESULTS, READ_RESULTS]);
});

it('the environment is available in a turn without a request', async () => {
  const { via, runner } = createApp();
  const session = createSessionPath('agent');
  const headers = { prefer: 'respond-async' };
  const { turn } = await readJson(await post(session, { message: 'Go.' }, { via, headers }));
  await runner.run({ name: getSessionName(session), turn: String(turn) });
  expect(await readToolNames(session, via)).toEqual([READ_RESULTS, READ_RESULTS]);
});
