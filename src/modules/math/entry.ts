/** The entry `holdfast/tools/math`: a tool group for arithmetic. */
import * as v from 'valibot';
import { defineTool } from '../../tool/define-tool.ts';
import { error, type ToolResult } from '../../tool/tool-result.ts';
import { CORE_ROLES, defineToolGroup } from '../tool-groups/entry.ts';

const two = v.object({ a: v.number(), b: v.number() });
const one = v.object({ number: v.number() });
const some = v.object({ numbers: v.pipe(v.array(v.number()), v.minLength(1)) });

/** Returns an error for infinite results, because JSON has no infinity. */
const finite = (value: number): number | ToolResult =>
  Number.isFinite(value) ? value : error('The result is too large to be a number.');

const ofTwo = <const Name extends string>(
  name: Name,
  description: string,
  run: (a: number, b: number) => number,
) => defineTool({ name, description, effect: 'read', input: two, run: ({ a, b }) => finite(run(a, b)) });

const ofOne = <const Name extends string>(name: Name, description: string, run: (number: number) => number) =>
  defineTool({ name, description, effect: 'read', input: one, run: ({ number }) => run(number) });

const ofSome = <const Name extends string>(
  name: Name,
  description: string,
  run: (numbers: readonly number[]) => number,
) =>
  defineTool({ name, description, effect: 'read', input: some, run: ({ numbers }) => finite(run(numbers)) });

/** Uses `reduce`, because spreading a long list into arguments would overflow the stack. */
const best = (better: (a: number, b: number) => number) => (numbers: readonly number[]) =>
  numbers.reduce((a, b) => better(a, b));

const divide = defineTool({
  name: 'divide',
  description: 'Divide the first number by the second.',
  effect: 'read',
  input: two,
  // Division by zero is a normal answer, not a failure of the tool.
  run: ({ a, b }) => (b === 0 ? 'Cannot divide by zero' : finite(a / b)),
});

/**
 * Arithmetic tools, because models often calculate wrongly. Register the group with the app, or pass it to an
 * agent.
 */
export const mathTools = defineToolGroup({
  role: CORE_ROLES.math,
  description: 'Arithmetic: use it instead of calculating yourself.',
  tools: [
    ofTwo('add', 'Add two numbers.', (a, b) => a + b),
    ofTwo('subtract', 'Subtract the second number from the first.', (a, b) => a - b),
    ofTwo('multiply', 'Multiply two numbers.', (a, b) => a * b),
    divide,
    ofSome('mean', 'The mean of a list of numbers.', mean),
    ofSome('min', 'The smallest of a list of numbers.', best(Math.min)),
    ofSome('max', 'The largest of a list of numbers.', best(Math.max)),
    ofOne('floor', 'Round a number down to a whole number.', Math.floor),
    ofOne('ceiling', 'Round a number up to a whole number.', Math.ceil),
    ofOne('round', 'Round a number to the nearest whole number, halves up.', Math.round),
  ],
});

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
