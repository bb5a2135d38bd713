/** One session in two deployments, only one of which has a module whose events must not be ignored. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineModule } from '../../../../src/module.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';
import { createSessionPath, post, readJson } from '../http/client.ts';

const consents = defineModule({
  name: 'consents',
  state: {
    initial: [],
    schema: v.string(),
    unread: 'refuse',
    when: 'call',
    apply: (all: readonly string[], one) => [...all, one],
  },
});
const act = defineTool({ name: 'act', description: 'Acts.', effect: 'idempotent', run: () => 'done' });
const agents = [
  defineAgent({
    name: 'actor',
    description: 'Acts.',
    instructions: 'Act.',
    tools: [act],
    model: modelBySession,
  }),
];
const without = createTestApp({ agents, log: false });

describe('a deployment without a module whose facts it must not ignore', () => {
  it.each([
    ['before a model call', consents.use({ prepare: async (loop) => consents.remember(loop, 'yes') })],
    [
      'with the end of a call',
      consents.use({
        call(call, next) {
          consents.remember(call, 'yes', { on: 'end' });
          return next();
        },
      }),
    ],
  ])('does not change the session, and a cancel ends the turn: a fact %s', async (_, use) => {
    const withIt = createTestApp({ agents, use: [use] });
    const session = createSessionPath('actor');
    const acts = { calls: [{ name: 'act' }] };
    // Later messages use the replies after those of earlier ones.
    const createMessage = () => ({ message: registerScript(acts, 'Done.', acts, 'Done.').message() });
    expect((await post(session, createMessage(), { via: withIt })).status).toBe(200);
    const read = await without(session);
    expect([read.status, (await readJson(read)).type, read.headers.get('retry-after')]).toEqual([
      503,
      'urn:holdfast:problem:newer-deployment',
      '5',
    ]);
    const accepted = await post(session, createMessage(), { via: without });
    expect(accepted.status).toBe(202);
    const { turn } = await readJson(accepted);
    expect((await without(`${session}/cancel?turn=${turn}`, { method: 'POST' })).status).toBe(202);
    const view = await readJson(await withIt(`${session}/turns/${turn}`, { headers: { prefer: 'wait=20' } }));
    expect(view).toMatchObject({ outcome: 'cancelled' });
    expect((await post(session, createMessage(), { via: withIt })).status).toBe(200);
    const { memory } = await readJson(await withIt(session));
    expect(Object(memory)['app:consents'].length).toBeGreaterThan(1);
  });
});
