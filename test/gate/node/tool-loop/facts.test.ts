import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  defineTool,
  error,
  exitEarly,
  type JsonObject,
  type Serial,
  type ToolResult,
  text,
} from '../../../../src/index.ts';
import type { InjectionStrategy } from '../../../../src/kinds/entry.ts';
import type { FactPlace, ToolMemory } from '../../../../src/module.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { FOLDING } from '../../../doors/journal.ts';
import { createFact, createWithheldResult } from '../../../doors/tools.ts';
import { runBare } from './bare-loop.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from './scenes.ts';

/** A memory of the recorded notes with their places. */
const notedMemory: ToolMemory<readonly string[], string> = {
  folding: FOLDING,
  name: 'noted',
  initial: [],
  apply: (all, fact, { path, call }) => [...all, `${path} ${call.split('.').at(-1)}: ${fact}`],
};

/** Resolves when a tool other than `slow` has recorded a note. */
let noteRecorded = Promise.withResolvers<void>();
beforeEach(() => {
  noteRecorded = Promise.withResolvers();
});

/** Returns a tool that records its name and returns the earlier notes. `slow` ends after another tool. */
const createNotingTool = (
  name: string,
  serial?: Serial,
  answer: (seen: string) => ToolResult = text,
): AnyTool =>
  decorate(createReadingTool(name), {
    serial,
    async call(_, call) {
      if (name === 'slow') await noteRecorded.promise;
      const seen = call.view.recall(notedMemory).join(', ');
      call.record(notedMemory, name);
      if (name !== 'slow') noteRecorded.resolve();
      return answer(seen === '' ? 'nothing' : seen);
    },
  });

const memories: readonly ToolMemory[] = [notedMemory];

describe('a fact that a call records', () => {
  it('is folded at the end of the batch, in source order, with the place of the call', async () => {
    const { state, model } = await runBare({
      tools: [createNotingTool('slow'), createNotingTool('fast')],
      memories,
      replies: [callTools('slow', 'fast'), callTools('fast'), 'Done.'],
    });
    expect(getShownResults(model.requests.at(-1))).toEqual([
      'nothing',
      'nothing',
      'memory 0: slow, memory 1: fast',
    ]);
    expect(state.memories.get('noted')).toEqual(['memory 0: slow', 'memory 1: fast', 'memory 0: fast']);
  });

  it.each([
    ['an error', () => error('No.')],
    ['an unavailable tool', () => createWithheldResult('Not yet.')],
  ])('is discarded if the call ends as %s', async (_, answer) => {
    const { state } = await runBare({
      tools: [createNotingTool('look', undefined, answer)],
      memories,
      replies: [callTools('look'), 'Done.'],
    });
    expect(state.memories.get('noted')).toEqual([]);
  });

  it('is discarded if the tool throws a signal, but its blackboard entries are kept', async () => {
    const leaving = decorate(createReadingTool('leave'), {
      async call(_, call) {
        call.record(notedMemory, 'left');
        call.blackboard.add('a clue');
        throw exitEarly('Enough.');
      },
    });
    const { state, end } = await runBare({ tools: [leaving], memories, replies: [callTools('leave')] });
    expect(end).toMatchObject({ outcome: 'cancelled', signal: { type: 'exit', reason: 'Enough.' } });
    expect(state.memories.get('noted')).toEqual([]);
    expect(state.blackboard).toEqual([{ value: 'a clue' }]);
  });

  it('is visible only to later calls of the batch with the same serial key', async () => {
    const { model } = await runBare({
      tools: [createNotingTool('slow', 'lane'), createNotingTool('next', 'lane'), createNotingTool('other')],
      memories,
      replies: [callTools('slow', 'next', 'other'), 'Done.'],
    });
    expect(getShownResults(model.requests.at(-1))).toEqual(['nothing', 'memory 0: slow', 'nothing']);
  });

  it('is visible only to calls with the same key if the serial key is a function of the input', async () => {
    const getLane = ({ at }: JsonObject): string => String(at);
    const { model } = await runBare({
      tools: [createNotingTool('slow', getLane), createNotingTool('next', getLane)],
      memories,
      replies: [
        {
          calls: [
            { name: 'slow', input: { at: 1 } },
            { name: 'next', input: { at: 1 } },
            { name: 'next', input: { at: 2 } },
          ],
        },
        'Done.',
      ],
    });
    expect(getShownResults(model.requests.at(-1))).toEqual(['nothing', 'memory 0: slow', 'nothing']);
  });

  it('is kept if it opens a frame, regardless of the outcome of the call', async () => {
    const dig = createDiggingTool([createNotingTool('look')], { facts: [createFact(notedMemory, 'opened')] });
    const failing = decorate(dig, {
      call: async (input, call) => error((await dig.call(input, call)).text()),
    });
    const { state, model } = await runBare({
      tools: [failing],
      memories,
      replies: [callTools('dig'), callTools('look'), 'Dug.', 'Done.'],
    });
    expect(getShownResults(model.requests[2])).toEqual(['memory/dig 0: opened']);
    expect(state.memories.get('noted')).toEqual(['memory/dig 0: opened', 'memory/dig 0: look']);
  });

  it('fails the turn if the app lacks the module that owns it', async () => {
    const { end, state } = await runBare({
      tools: [createNotingTool('look')],
      replies: [callTools('look'), 'Done.'],
    });
    expect([end.outcome, end.error, state.memories.size]).toEqual([
      'failed',
      {
        type: 'misconfigured',
        message:
          "The module 'noted' is missing here. Add it to `use` of createHoldfast, createTestSession or crashMatrix.",
      },
      0,
    ]);
  });

  it('makes the call fail with an error that includes its path if it is not JSON', async () => {
    const bad = decorate(createReadingTool('bad'), {
      async call(_, call) {
        call.record({ name: 'noted', initial: null, folding: FOLDING }, { at: Number.NaN });
        return text('ok');
      },
    });
    const { model } = await runBare({ tools: [bad], memories, replies: [callTools('bad'), 'Done.'] });
    expect(getShownResults(model.requests[1])).toEqual([
      "Error: a fact of 'noted': the value at `$.at` is NaN, which is not JSON.",
    ]);
  });
});

describe("a strategy's fact about a call", () => {
  const createNotingStrategy = (log: FactPlace['call'][]): InjectionStrategy => ({
    name: 'noting',
    offer: (tools) => tools,
    remarkOn({ id, tool, input, result }) {
      log.push(id);
      return {
        facts: [createFact(notedMemory, `${tool.name} ${input} ${result.text()}`)],
        remark: 'Well done.',
      };
    },
  });
  const createEndedTool = (name: string, answer: ToolResult): AnyTool =>
    decorate(createReadingTool(name), { call: async () => answer });

  it('is recorded, and its remark is shown to the model below the result', async () => {
    const { state, model } = await runBare({
      tools: [createEndedTool('look', text('Seen.'))],
      memories,
      strategies: [createNotingStrategy([])],
      replies: [{ calls: [{ name: 'look', input: { at: 1 } }] }, 'Done.'],
    });
    expect(getShownResults(model.requests[1])).toEqual(['Seen.\n\nWell done.']);
    expect(state.memories.get('noted')).toEqual(['memory 0: look {"at":1} Seen.']);
  });

  it('is not requested if the call failed or was withheld', async () => {
    const log: string[] = [];
    const { model } = await runBare({
      tools: [
        createEndedTool('fails', error('No.')),
        createEndedTool('waits', createWithheldResult('Not yet.')),
      ],
      memories,
      strategies: [createNotingStrategy(log)],
      replies: [callTools('fails', 'waits'), 'Done.'],
    });
    expect(getShownResults(model.requests[1])).toEqual(['Error: No.', 'Not yet.']);
    expect(log).toEqual([]);
  });

  it('is omitted if the strategy throws, which is logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const throwing: InjectionStrategy = {
      name: 'broken',
      offer: (tools) => tools,
      remarkOn() {
        throw new Error('This call belongs to another strategy.');
      },
    };
    const { model } = await runBare({
      tools: [createReadingTool('look')],
      strategies: [throwing],
      replies: [callTools('look'), 'Done.'],
    });
    expect(getShownResults(model.requests[1])).toEqual(['look done']);
    expect(log).toHaveBeenCalledWith("holdfast: the strategy 'broken' threw in remarkOn", expect.any(Error));
    log.mockRestore();
  });
});

describe('a tool that routes calls to another tool', () => {
  const target = defineTool({
    name: 'target',
    description: 'Is meant.',
    input: jsonSchema({ type: 'object', properties: { at: { type: 'number' } }, required: ['at'] }),
    effect: 'read',
    returnDirect: true,
    run: ({ at }) => `target at ${at}`,
  });
  const facade: AnyTool = {
    ...createReadingTool('facade'),
    route: (input) => ('target' in input ? { tool: target, input: { at: 1 } } : undefined),
  };

  it('runs the other tool with its schema, effect and options', async () => {
    const { end, state } = await runBare({
      tools: [facade],
      replies: [{ calls: [{ name: 'facade', input: { target: {} } }] }],
    });
    expect(end.outcome).toBe('returned-direct');
    expect(state.messages.at(-1)).toMatchObject({
      calls: [{ name: 'facade', ended: { result: { content: 'target at 1' }, direct: true } }],
    });
  });

  it('runs itself for other inputs, and if a decorator wraps its call', async () => {
    const guarded = decorate(facade, { name: 'guarded', call: async () => text('asked first') });
    const { model } = await runBare({
      tools: [facade, guarded],
      replies: [
        {
          calls: [
            { name: 'facade', input: {} },
            { name: 'guarded', input: { target: {} } },
          ],
        },
        'Done.',
      ],
    });
    expect(getShownResults(model.requests[1])).toEqual(['facade done', 'asked first']);
  });
});
