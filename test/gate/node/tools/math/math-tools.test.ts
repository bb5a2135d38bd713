import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../../../src/index.ts';
import { mathTools } from '../../../../../src/modules/math/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';

const clerk = defineAgent({
  name: 'clerk',
  description: 'Counts.',
  instructions: 'Count.',
  tools: [mathTools],
});

/** The result that the model reads of one call. */
async function runMathTool(name: string, input: object): Promise<string | undefined> {
  const session = createTestSession(clerk, { replies: [{ calls: [{ name, input }] }, 'Done.'] });
  await session.send('Count.');
  const last = session.requests[1]?.messages.at(-1);
  return last?.role === 'tool' ? last.text : undefined;
}

describe('the math tools (TGR-08)', () => {
  it('are a read-only group for the core role', () => {
    expect(mathTools.role).toBe('math');
    expect(mathTools.tools.map(({ name }) => name)).toEqual([
      'add',
      'subtract',
      'multiply',
      'divide',
      'mean',
      'min',
      'max',
      'floor',
      'ceiling',
      'round',
    ]);
    expect(new Set(mathTools.tools.map(({ effect }) => effect))).toEqual(new Set(['read']));
  });

  it.each<[string, object, string]>([
    ['add', { a: 2, b: 3.5 }, '5.5'],
    ['subtract', { a: 2, b: 3 }, '-1'],
    ['multiply', { a: 4, b: -2 }, '-8'],
    ['multiply', { a: 1e308, b: 10 }, 'Error: The result is too large to be a number.'],
    ['divide', { a: 7, b: 2 }, '3.5'],
    ['divide', { a: 7, b: 0 }, 'Cannot divide by zero'],
    ['divide', { a: 1e308, b: 1e-9 }, 'Error: The result is too large to be a number.'],
    ['mean', { numbers: [1, 2, 6] }, '3'],
    ['mean', { numbers: [1e308, 1e308] }, 'Error: The result is too large to be a number.'],
    ['min', { numbers: [3, -1, 2] }, '-1'],
    ['max', { numbers: [3, -1, 2] }, '3'],
    ['floor', { number: -1.5 }, '-2'],
    ['ceiling', { number: 1.2 }, '2'],
    ['round', { number: 2.5 }, '3'],
  ])('%s with %j returns %s (TGR-08)', async (name, input, text) => {
    expect(await runMathTool(name, input)).toBe(text);
  });

  it('find the smallest of 200,000 numbers', async () => {
    const numbers = Array.from({ length: 200_000 }, (_, i) => i - 7);
    expect(await runMathTool('min', { numbers })).toBe('-7');
  });

  it('return an error for the mean of an empty list', async () => {
    expect(await runMathTool('mean', { numbers: [] })).toBe(
      "Error: The input of tool 'mean' is not valid:\n" +
        '- numbers: Invalid length: Expected >=1 but received 0\nCall it again with a corrected input.',
    );
  });
});
