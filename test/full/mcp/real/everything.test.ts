import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { ASKING_TOOLS, answers, TASKS } from './everything-answers.ts';
import { listTools } from './plain-client.ts';
import { createRealRun } from './real-run.ts';
import { createAllTools, createCallReply, createRealTalk, type RealTalk } from './real-talk.ts';

const ASK = createCallReply('trigger-elicitation-request');

let warnings: MockInstance<typeof console.warn>;
beforeEach(() => {
  warnings = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => warnings.mockRestore());

/** Collects the progress of a turn's calls from its stream until `isEnough`, and then cancels the turn. */
async function collectProgress(
  talk: RealTalk,
  isEnough: (status: unknown) => boolean,
): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  for await (const { event, data } of talk.stream()) {
    if (event !== 'progress' || told.some(isEnough)) continue;
    told.push(data.status);
    if (isEnough(data.status)) await talk.via(`${talk.session}/cancel`, { method: 'POST' });
  }
  return told;
}

describe('the real everything server used by an agent', () => {
  it('offers all of its tools to the model, except those that run only as tasks', async () => {
    const run = createRealRun('everything');
    const talk = createRealTalk(run, { replies: ['Done.'] });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const names = (await listTools(run)).map(({ name }) => name).toSorted();
    expect([...talk.offered(), ...TASKS].toSorted()).toEqual(names);
    expect([...new Set(answers.map(([tool]) => tool)), ...ASKING_TOOLS].toSorted()).toEqual(talk.offered());
    expect(warnings.mock.calls).toContainEqual([
      "holdfast: MCP server 'real' has tools that are left out: 'simulate-research-query' runs as a task only.",
    ]);
  });

  it.each(answers.map(([tool, input, shows, artifacts = []]) => ({ tool, input, shows, artifacts })))(
    'returns the result of $tool with the input $input to the model',
    async ({ tool, input, shows, artifacts }) => {
      const talk = createRealTalk(createRealRun('everything'), {
        replies: [createCallReply(tool, input), 'Done.'],
      });
      const answer = await talk.say();
      expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 1 });
      expect(talk.shown()).toEqual([shows]);
      const call = expect.any(String);
      expect(answer.artifacts).toEqual(artifacts.map((artifact) => ({ call, tool, ...artifact })));
    },
  );

  it('sends its image to a model that accepts images in results', async () => {
    const model = scriptedModel([createCallReply('get-tiny-image'), 'Done.']);
    const images = { data: ['image/*'], url: [] };
    const media = { message: images, result: images };
    const talk = createRealTalk(createRealRun('everything'), {
      replies: [],
      agent: (client) => ({ ...createAllTools(client), model: { ...model, media } }),
    });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const shown = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(shown).toMatchObject([
      {
        parts: [
          { type: 'text', text: "Here's the image you requested:" },
          { type: 'text', text: expect.stringMatching(/^\[file [0-9a-f]{64}: image\/png, 4,033 bytes\]$/) },
          {
            type: 'file',
            mediaType: 'image/png',
            data: expect.stringMatching(/^iVBORw0KGgo.{5000,}$/),
            size: 4_033,
          },
          { type: 'text', text: 'The image above is the MCP logo.' },
        ],
      },
    ]);
  });

  it('runs all calls of a reply on one connection', async () => {
    const run = createRealRun('everything');
    const sums = Array.from({ length: 12 }, (_, a) => ({ name: 'get-sum', input: { a, b: 1 } }));
    const talk = createRealTalk(run, { replies: [{ calls: sums }, 'Done.'] });
    await talk.say();
    expect(talk.shown()).toEqual(sums.map((_, a) => `The sum of ${a} and 1 is ${a + 1}.`));
    const begun = (await run.requests()).filter(({ body }) => body.includes('"initialize"'));
    expect(begun).toHaveLength(1);
  });

  it('reports its progress while it works', async () => {
    const work = createCallReply('trigger-long-running-operation', { duration: 0.6, steps: 3 });
    const talk = createRealTalk(createRealRun('everything'), { replies: [work, 'Done.'] });
    const told = await collectProgress(talk, (status) => status === '3/3');
    expect(told).toEqual(['1/3', '2/3', '3/3']);
  });

  it('writes its log messages to the stream of the running call', async () => {
    const work = { name: 'trigger-long-running-operation', input: { duration: 25, steps: 1 } };
    const replies = [{ calls: [work, { name: 'toggle-simulated-logging' }] }];
    const talk = createRealTalk(createRealRun('everything'), { replies });
    // The server logs immediately and then every 5 s. The first message can arrive before the client listens.
    const told = await collectProgress(talk, (status) => String(status).startsWith('['));
    expect(told).toEqual([expect.stringMatching(/^\[\w+\] .*message - SessionId [\w-]{36}$/)]);
  });
});

describe('an elicitation of the real everything server', () => {
  it('becomes an approval of the turn, and the server receives its answer', async () => {
    const talk = createRealTalk(createRealRun('everything'), { replies: [ASK, 'Done.'] });
    const saying = talk.say();
    const pending = await talk.pending();
    expect(pending).toMatchObject({
      tool: 'trigger-elicitation-request',
      message: expect.stringMatching(
        /^MCP server 'real' asks while 'trigger-elicitation-request' runs: \[untrusted ([0-9a-f]{8})\] Please provide inputs for the following fields: \[\/untrusted \1\]$/,
      ),
      allows: ['edit', 'reject'],
      schema: { type: 'object', required: ['name'], properties: { email: { format: 'email' } } },
    });
    const input = { name: 'Ada', check: true, email: 'ada@example.org', integer: 7 };
    const decided = await talk.decide(pending, { decision: 'edit', input });
    expect(decided).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 1 });
    expect(await saying).toEqual(decided);
    const [shown = ''] = talk.shown();
    const [, raw = ''] = shown.split('Raw result: ');
    expect(JSON.parse(raw)).toEqual({ action: 'accept', content: input });
  });

  it('rejects an answer that does not match its schema', async () => {
    const talk = createRealTalk(createRealRun('everything'), { replies: [ASK, 'Done.'] });
    const saying = talk.say();
    const pending = await talk.pending();
    const input = { name: 'Ada', integer: 101 };
    expect(await talk.decide(pending, { decision: 'edit', input })).toMatchObject({
      type: 'urn:holdfast:problem:invalid-body',
      detail: expect.stringContaining('input.integer: 101 is greater than 100.'),
    });
    await talk.decide(pending, { decision: 'reject' });
    await saying;
    expect(talk.shown()).toEqual([
      expect.stringContaining('❌ User declined to provide the requested information.'),
    ]);
  });

  it('is cancelled if no answer arrives in time', async () => {
    const talk = createRealTalk(createRealRun('everything'), {
      replies: [ASK, 'Done.'],
      client: { elicitation: { expires: 300 } },
    });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(talk.shown()).toEqual([expect.stringContaining('User cancelled the elicitation dialog.')]);
  });

  it('suspends a restartable call, which then reads the answer from the journal', async () => {
    const talk = createRealTalk(createRealRun('everything'), {
      replies: [ASK, 'Done.'],
      client: { effects: { 'trigger-elicitation-request': 'idempotent' } },
    });
    expect(await talk.say()).toMatchObject({ outcome: 'suspended' });
    const decided = await talk.decide(await talk.pending(), { decision: 'edit', input: { name: 'Ada' } });
    expect(decided).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 1 });
    expect(talk.shown()).toEqual([expect.stringContaining('- Name: Ada')]);
  });

  it('is impossible without a user to ask, so its tool is not listed', async () => {
    const talk = createRealTalk(createRealRun('everything'), {
      replies: ['Done.'],
      client: { elicitation: 'refuse' },
    });
    await talk.say();
    expect(talk.offered()).toEqual([...new Set(answers.map(([tool]) => tool))].toSorted());
  });
});
