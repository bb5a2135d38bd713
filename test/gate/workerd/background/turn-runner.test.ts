import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { checkResponses } from '../http/as-described.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionName,
  ORIGIN,
  post,
  readJson,
  type Send,
} from '../http/client.ts';

const ASYNC_HEADERS = { prefer: 'respond-async' };

it('TurnRunner resumes a turn after the object that handed it over was reset, for example by a deploy', async () => {
  const session = createSessionPath();
  const answer = createHeldReply('Done.');
  const { message, model } = registerScript(answer.reply);
  await post(session, { message: message() }, { headers: ASYNC_HEADERS });
  await answer.asked();
  const reset = runInDurableObject(env.SESSIONS.getByName(getSessionName(session)), (_, state) => {
    state.abort("The Durable Object's code has been updated, this version can no longer access storage.");
  });
  await reset.catch(() => {}); // a call into an object that aborts itself rejects
  answer.release();
  const events = await followToEnd(session);
  expect(events.map(({ type }) => type)).toEqual([
    'session-opened',
    'turn-started',
    'model-replied',
    'turn-ended',
  ]);
  expect([model.requests.length, answer.aborted()]).toEqual([1, false]);
});

/** A stored turn without a lease holder. The tests' Worker ignores turns of agents with this name. */
async function startLeftTurn(text: string) {
  const session = createSessionPath('agent');
  const agent = { ...scripted, name: 'agent' };
  const { TurnRunner, worker } = createHoldfast({ agents: [agent] });
  const via: Send = checkResponses(async (path, init) => {
    const request = new Request(`${ORIGIN}${path}`, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    return worker.fetch(request, { ...env }, createExecutionContext());
  });
  const { turn } = await readJson(await post(session, { message: text }, { headers: ASYNC_HEADERS, via }));
  const execution = createExecutionContext();
  const run = (name = getSessionName(session)) =>
    new TurnRunner(execution, { ...env }).run({ name, turn: String(turn) });
  return { run, execution, outcome: async () => Object(await readJson(await via(session))).turn };
}

it('TurnRunner registers the turn with its execution context until the turn ends', async () => {
  const answer = createHeldReply('Done.');
  const { run, execution, outcome } = await startLeftTurn(registerScript(answer.reply).message());
  void run();
  await answer.asked();
  answer.release();
  await waitOnExecutionContext(execution);
  expect(await outcome()).toMatchObject({ outcome: 'completed', text: 'Done.' });
});

it('TurnRunner reports a failure to its caller, but not to its execution context', async () => {
  const { run, execution } = await startLeftTurn('Hello');
  await expect(run('no name')).rejects.toThrow(SyntaxError);
  await waitOnExecutionContext(execution);
});
