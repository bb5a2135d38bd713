/** Unfolding tools over HTTP, with a new Worker for each request. */

import { abortAllDurableObjects, createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineInjectionStrategy, defineUnfolding } from '../../../../src/kinds/entry.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { publishToBlackboard, requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createSessionPath, getSessionId, ORIGIN, post, readJson, type Send } from './client.ts';
import { answer } from './waiting.ts';

/**
 * A new Worker, which creates its agent and tools again. The tests' Worker ignores turns of an agent with
 * this name.
 */
function createFreshWorker(): Send {
  const find = defineTool({ name: 'find', description: 'Finds.', effect: 'read', run: () => 'Found.' });
  const archive = defineUnfolding({
    name: 'archive',
    description: 'Old orders.',
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Looks up.',
        effect: 'read',
        run: (_, { session, agent }) => ({ session, agent }),
      }),
    ],
  });
  const guarded = publishToBlackboard(requireApproval(archive, 'May I?'), { name: 'seen' });
  const agent = defineAgent({
    name: 'agent',
    description: 'Finds.',
    instructions: 'Find.',
    tools: [find],
    // A strategy's tools are not known in advance, so the agent lists the module of their approvals.
    use: [
      answers,
      defineInjectionStrategy({
        name: 'archive once found',
        evaluate: ({ lastCall }) => (lastCall.tool === 'find' ? [guarded] : []),
      }),
    ],
  });
  const { worker } = createHoldfast({
    agents: [{ ...agent, model: modelBySession }],
    auth: () => ({ id: 'ann' }),
  });
  return async (path, init) => {
    const request = new Request(path.startsWith('/') ? `${ORIGIN}${path}` : path, init);
    return worker.fetch(
      request as Request<unknown, IncomingRequestCfProperties>, // the Worker does not read `cf`
      { ...env },
      createExecutionContext(),
    );
  };
}

it('an unfolding tool that a strategy added is opened, and the tool inside asks and runs, with a kill before each request (S0-098)', async () => {
  const session = createSessionPath('agent');
  const { message, model } = registerScript(
    { calls: [{ name: 'find' }] },
    { calls: [{ name: 'archive' }] },
    { calls: [{ name: 'look_up' }] },
    { calls: [{ name: 'look_up' }] },
    'Done.',
  );
  let asked = await readJson(await post(session, { message: message() }, { via: createFreshWorker() }));
  for (let count = 0; count < 2; count += 1) {
    expect(asked).toMatchObject({ outcome: 'suspended', pending: [{ tool: 'look_up' }] });
    await abortAllDurableObjects();
    const [link] = Object.values(Object(asked.pending)[0].links);
    asked = await readJson(await answer(String(link), { decision: 'approve' }, { via: createFreshWorker() }));
  }
  expect(asked).toMatchObject({ outcome: 'completed', text: 'Done.' });
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name).join())).toEqual([
    'find',
    'find,archive',
    'find,archive,look_up',
    'find,archive,look_up',
    'find,archive,look_up',
  ]);
  await abortAllDurableObjects();
  const seen = { name: 'seen', value: { session: getSessionId(session), agent: 'agent' } };
  expect(await readJson(await createFreshWorker()(session))).toMatchObject({ blackboard: [seen, seen] });
});
