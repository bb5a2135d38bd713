import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTextTool, defineTool, ToolDefinitionError } from '../../../../../src/index.ts';
import { definePipeline, type PipelineStep } from '../../../../../src/kinds/entry.ts';

const createStep = (name: string, more: Partial<AnyTool> = {}): AnyTool => ({
  ...defineTextTool({ name, description: 'Steps.', effect: 'read', run: (input) => `${input} ${name}` }),
  ...more,
});
const find = defineTool({
  name: 'find',
  description: 'Finds.',
  effect: 'read',
  input: v.object({ query: v.string() }),
  run: ({ query }) => ({ rows: [query] }),
});

describe('the name and description of a pipeline', () => {
  it('are derived from its steps (AEP-07)', () => {
    expect(
      definePipeline({ steps: [createStep('wash'), createStep('dry'), createStep('fold')] }),
    ).toMatchObject({
      name: 'wash_then_dry_then_fold',
      description: 'Pipeline: wash -> dry -> fold',
    });
  });

  it('have at most 64 characters in the name, however long the pipeline is (AEP-07)', () => {
    const { name } = definePipeline({ steps: [createStep('a'.repeat(40)), createStep('b'.repeat(40))] });
    expect(name).toBe(`${'a'.repeat(40)}_then_${'b'.repeat(18)}`);
  });

  it('can be set in the definition (AEP-08)', () => {
    const pipeline = definePipeline({
      name: 'laundry',
      description: 'Does the laundry.',
      steps: [createStep('wash')],
    });
    expect(pipeline).toMatchObject({ name: 'laundry', description: 'Does the laundry.' });
  });
});

describe('the definition of a pipeline', () => {
  it('has the input and the schema of its first step if that step is typed (AEP-11)', async () => {
    const pipeline = definePipeline({ steps: [find, createStep('sum')] });
    expect(pipeline.inputSchema).toEqual(find.inputSchema);
    expect(pipeline.readInput).toBeUndefined();
    expect(await pipeline.check({ query: 'kelp' })).toEqual({ ok: true, value: { query: 'kelp' } });
  });

  it('has one string as its input if its first step is a text tool (AEP-11)', async () => {
    const pipeline = definePipeline({ steps: [createStep('sum'), find] });
    expect(pipeline.inputSchema).toEqual(createStep('sum').inputSchema);
    expect(pipeline.readInput?.('plain')).toEqual({ input: 'plain' });
  });

  it('reports an invalid input under the name of the pipeline, not of the step', async () => {
    expect(await definePipeline({ name: 'both', steps: [find] }).check({})).toMatchObject({
      answer: { message: expect.stringContaining("The input of tool 'both' is not valid:") },
    });
  });

  it('has no effect of its own, its steps as inner tools, and the output of the last step', () => {
    const output = v.object({ sum: v.number() });
    const last = createStep('sum', { output, returnDirect: true, serial: 'till' });
    const pipeline = definePipeline({ steps: [find, last] });
    expect(pipeline).toMatchObject({ effect: 'none', returnDirect: false, serial: 'till', metadata: {} });
    expect(pipeline.inner).toEqual([find, last]);
    expect(pipeline.output).toBe(output);
  });

  it('is unaffected by later changes to its list of steps (AEP-08)', () => {
    const steps: PipelineStep[] = [find];
    const pipeline = definePipeline({ name: 'fixed', steps });
    steps.push(createStep('later'));
    expect(pipeline.inner).toEqual([find]);
  });
});

describe('an invalid pipeline', () => {
  it.each<[string, object, string, string]>([
    [
      'a blank name',
      { name: ' ', steps: [find] },
      'name',
      "Tool ' ': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'a blank description',
      { description: '', steps: [find] },
      'description',
      "Tool 'find': its description is blank. The model chooses tools by their descriptions.",
    ],
    [
      'no name and no step to derive it from',
      { steps: [] },
      'name',
      "Tool '': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'a step that is null',
      { name: 'p', steps: [find, null] },
      'steps[1]',
      "Tool 'p': its step at index 1 must not be null.",
    ],
    [
      'a step that is undefined',
      { name: 'p', steps: [undefined] },
      'steps[0]',
      "Tool 'p': its step at index 0 must not be undefined.",
    ],
    [
      'an adapter without a step',
      { name: 'p', steps: [{ adapt: () => 'x' }] },
      'steps[0]',
      "Tool 'p': its step at index 0 is neither a tool nor { tool, adapt }.",
    ],
    [
      'a step that is a function',
      { name: 'p', steps: [() => 'x'] },
      'steps[0]',
      "Tool 'p': its step at index 0 is neither a tool nor { tool, adapt }.",
    ],
    [
      'an adapter that is null',
      { name: 'p', steps: [{ tool: find, adapt: null }] },
      'steps[0]',
      "Tool 'p': its step at index 0 has an adapt that is not a function.",
    ],
    [
      'an unknown policy',
      { name: 'p', steps: [find], onFailure: null },
      'onFailure',
      "Tool 'p': its onFailure is 'null'. It must be 'fail-fast' or 'continue'.",
    ],
  ])('is refused when it is defined: %s (AEP-08)', (_, config, field, message) => {
    let thrown: unknown;
    try {
      definePipeline(config as Parameters<typeof definePipeline>[0]); // The types forbid these.
    } catch (failure) {
      thrown = failure;
    }
    expect(thrown).toBeInstanceOf(ToolDefinitionError);
    expect(thrown).toMatchObject({ field, message });
  });
});
