/** Agents and tools whose model is created from the Worker's environment. */

import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, createHoldfast, type HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { type Agent, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import type { ModelOfEnv } from '../../../../src/model/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { checkResponses } from './as-described.ts';
import { createSessionPath, ORIGIN, post, readJson, type Send } from './client.ts';
import { MEDIA_TYPES } from './file-app.ts';
import { createHookProblem, expectProblem } from './hook-deliveries.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
const base = { name: 'agent', description: 'Works.', instructions: 'Work.' };

/** A Worker with these agents and this environment. */
function deployAgents(
  agents: readonly Agent[],
  vars: Readonly<Record<string, unknown>>,
  model?: HoldfastConfig['model'],
): Send {
  const { worker } = createHoldfast({ agents, model, use: [files()] });
  const all = { ...env, MODEL: '', ...vars };
  return checkResponses(async (path, init) => {
    const url = path.startsWith('/') ? `${ORIGIN}${path}` : path;
    const request = new Request(url, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    return worker.fetch(request, all, createExecutionContext());
  });
}

/** Creates a model that replies with the var `WORD` and its script. */
function createMaker(...replies: readonly ScriptedReply[]) {
  const seen: unknown[] = [];
  const make: ModelOfEnv = ({ WORD }) => {
    seen.push(WORD);
    return scriptedModel([...replies, `It is ${WORD}.`, `Again ${WORD}.`], { name: `of-${WORD}` });
  };
  return { make, seen };
}

const sendMessage = async (via: Send, session = createSessionPath('agent')) => {
  const { outcome, text, model } = await readJson(await post(session, { message: 'Go.' }, { via }));
  return { outcome, text, model };
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a model from the environment', () => {
  it('is created once for each environment', async () => {
    const { make, seen } = createMaker();
    const agents = [defineAgent({ ...base, model: make })];
    const [red, blue] = [deployAgents(agents, { WORD: 'red' }), deployAgents(agents, { WORD: 'blue' })];
    expect(await sendMessage(red)).toEqual({ outcome: 'completed', text: 'It is red.', model: 'of-red' });
    expect(await sendMessage(blue)).toMatchObject({ text: 'It is blue.', model: 'of-blue' });
    expect(await sendMessage(red)).toMatchObject({ text: 'Again red.' });
    expect(seen).toEqual(['red', 'blue']);
  });

  it('is created once for each environment by an app, for all of its agents', async () => {
    const { make, seen } = createMaker();
    const agents = [defineAgent(base), defineAgent({ ...base, name: 'other' })];
    const [red, blue] = [
      deployAgents(agents, { WORD: 'red' }, make),
      deployAgents(agents, { WORD: 'blue' }, make),
    ];
    expect(await sendMessage(red)).toEqual({ outcome: 'completed', text: 'It is red.', model: 'of-red' });
    expect(await sendMessage(blue)).toMatchObject({ text: 'It is blue.', model: 'of-blue' });
    expect(await sendMessage(red, createSessionPath('other'))).toMatchObject({ text: 'Again red.' });
    expect(seen).toEqual(['red', 'blue']);
  });

  it('is also used by nested loops and subagents', async () => {
    const inner = [createMaker(), createMaker()] as const;
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: jsonSchema({ type: 'object' }),
      tools: [look],
      model: inner[0].make,
    });
    const helper = defineAgent({ ...base, name: 'helper', model: inner[1].make });
    const { make } = createMaker(
      { calls: [{ name: 'dig' }] },
      { calls: [{ name: 'helper', input: { message: 'Go.' } }] },
      ({ messages }) => messages.flatMap((one) => (one.role === 'tool' ? [one.text] : [])).join(' '),
    );
    const tools = [dig, defineSubagent({ agent: helper })];
    const via = deployAgents([defineAgent({ ...base, tools, model: make })], { WORD: 'red' });
    expect(await sendMessage(via)).toMatchObject({ outcome: 'completed', text: 'It is red. It is red.' });
    expect(inner.map(({ seen }) => seen)).toEqual([['red'], ['red']]);
  });

  it.each<[string, ModelOfEnv, string]>([
    [
      'throws',
      () => {
        throw new Error('The key is s3cret.');
      },
      'A `model` function threw. The log of the Worker shows why.',
    ],
    [
      'throws a configuration error',
      () => {
        throw new ConfigurationError('Set CLAUDE_KEY.');
      },
      'Set CLAUDE_KEY.',
    ],
    [
      'returns no model',
      // @ts-expect-error: for callers without types
      () => ({}),
      'A `model` function must return the model of an adapter.',
    ],
  ])('causes a refusal of the message if its function %s, and is created again', async (_, model, detail) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const asked = vi.fn(model);
    const via = deployAgents([defineAgent({ ...base, model: asked })], {});
    const session = createSessionPath('agent');
    for (const _once of [1, 2])
      await expectProblem(
        await post(session, { message: 'Go.' }, { via }),
        createHookProblem(500, 'misconfigured', detail),
      );
    expect((await via(session)).status).toBe(404);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(log).toHaveBeenCalled();
  });

  it('reports its error only to the developer if it throws', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const thrown = new Error('The key is s3cret.');
    const throwOnMake: ModelOfEnv = () => {
      throw thrown;
    };
    const via = deployAgents([defineAgent({ ...base, model: throwOnMake })], {});
    const answer = await post(createSessionPath('agent'), { message: 'Go.' }, { via });
    expect(log.mock.calls).toEqual([
      [
        expect.stringMatching(/^holdfast: request \w+ failed$/),
        expect.objectContaining({
          cause: thrown,
          message: 'A `model` function threw. The log of the Worker shows why.',
        }),
      ],
    ]);
    expect(await answer.text()).not.toContain('s3cret');
  });

  it('is not created by a health check, since that can be expensive', async () => {
    const [own, ofApp] = [createMaker(), createMaker()];
    const agents = [defineAgent({ ...base, model: own.make }), defineAgent({ ...base, name: 'without' })];
    const via = deployAgents(agents, { WORD: 'red' }, ofApp.make);
    expect((await via('/health')).status).toBe(200);
    expect([own.seen, ofApp.seen]).toEqual([[], []]);
  });

  it('is created by a health check, once, if it only reads settings', async () => {
    const [own, ofApp] = [createMaker(), createMaker()];
    const markChecked = (make: ModelOfEnv) => Object.assign(make, { isChecked: true });
    const agents = [
      defineAgent({ ...base, model: markChecked(own.make) }),
      defineAgent({ ...base, name: 'without' }),
    ];
    const via = deployAgents(agents, { WORD: 'red' }, markChecked(ofApp.make));
    for (const _ of [1, 2]) expect((await via('/health')).status).toBe(200);
    expect([own.seen, ofApp.seen]).toEqual([['red'], ['red']]);
  });

  it('is not created by a health check of an app whose agents all have a model', async () => {
    const { make, seen } = createMaker();
    const via = deployAgents([scripted], { WORD: 'red' }, Object.assign(make, { isChecked: true }));
    expect((await via('/health')).status).toBe(200);
    expect(seen).toEqual([]);
  });

  it('lists the files that its agent accepts, but lists no files for an agent whose model fails', async () => {
    const { make, seen } = createMaker();
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const throwNoKey = () => {
      throw new Error('no key');
    };
    const agents = [
      defineAgent({ ...base, model: (vars) => ({ ...make(vars), media: MEDIA_TYPES }) }),
      defineAgent({ ...base, name: 'failing', model: throwNoKey }),
      defineAgent({ ...base, name: 'without' }),
    ];
    const via = deployAgents(agents, { WORD: 'red' }, openaiCompatible());
    const listed = (await readJson(await via('/agents'))).agents as object[];
    expect(listed).toMatchObject([
      { name: 'agent', accepts: { url: ['image/*'] } },
      { name: 'failing', tools: [] },
      { name: 'without', tools: [] },
    ]);
    expect(listed.map((agent) => 'accepts' in agent)).toEqual([true, false, false]);
    expect(seen).toEqual(['red']);
    expect(log).not.toHaveBeenCalled(); // only a message causes this report
  });

  it('can have a cost limit, and the turn reports missing prices', async () => {
    const { make } = createMaker();
    const via = deployAgents([defineAgent({ ...base, model: make, use: [budget({ cost: 1 })] })], {
      WORD: 'red',
    });
    expect(await readJson(await post(createSessionPath('agent'), { message: 'Go.' }, { via }))).toMatchObject(
      {
        outcome: 'failed',
        error: {
          type: 'misconfigured',
          message:
            "Agent 'agent' has a cost limit, but its model 'of-red' has no prices. Set its 'prices' in USD per million tokens.",
        },
      },
    );
  });
});
