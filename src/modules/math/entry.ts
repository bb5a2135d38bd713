/** The entry `holdfast/tools/math`: a tool group for arithmetic. */
import * as v from 'valibot';
import { defineTool } from '../../tool/define-tool.ts';
import { error, type ToolResult } from '../../tool/tool-result.ts';
import { CORE_ROLES, defineToolGroup } from '../tool-groups/entry.ts';

const TWO_NUMBERS = v.object({ a: v.number(), b: v.number() });
const ONE_NUMBER = v.object({ number: v.number() });
const NUMBER_LIST = v.object({ numbers: v.pipe(v.array(v.number()), v.minLength(1)) });

/** Returns an error for infinite results, because JSON has no infinity. */
const toFiniteResult = (value: number): number | ToolResult =>
  Number.isFinite(value) ? value : error('The result is too large to be a number.');

const defineBinary = <const Name extends string>(
  name: Name,
  description: string,
  run: (a: number, b: number) => number,
) =>
  defineTool({
    name,
    description,
    effect: 'read',
    input: TWO_NUMBERS,
    run: ({ a, b }) => toFiniteResult(run(a, b)),
  });

const defineUnary = <const Name extends string>(
  name: Name,
  description: string,
  run: (number: number) => number,
) => defineTool({ name, description, effect: 'read', input: ONE_NUMBER, run: ({ number }) => run(number) });

const defineAggregate = <const Name extends string>(
  name: Name,
  description: string,
  run: (numbers: readonly number[]) => number,
) =>
  defineTool({
    name,
    description,
    effect: 'read',
    input: NUMBER_LIST,
    run: ({ numbers }) => toFiniteResult(run(numbers)),
  });

/** Uses `reduce`, because spreading a long list into arguments would overflow the stack. */
const selectBy = (better: (a: number, b: number) => number) => (numbers: readonly number[]) =>
  numbers.reduce((a, b) => better(a, b));

const divide = defineTool({
  name: 'divide',
  description: 'Divide the first number by the second.',
  effect: 'read',
  input: TWO_NUMBERS,
  // Division by zero is a normal answer, not a failure of the tool.
  run: ({ a, b }) => (b === 0 ? 'Cannot divide by zero' : toFiniteResult(a / b)),
});

/**
 * Arithmetic tools, for models that make calculation errors. Register the group with the app, or pass it to
 * an agent.
 */
export const mathTools = defineToolGroup({
  role: CORE_ROLES.math,
  description: 'Arithmetic: use it instead of calculating yourself.',
  tools: [
    defineBinary('add', 'Add two numbers.', (a, b) => a + b),
    defineBinary('subtract', 'Subtract the second number from the first.', (a, b) => a - b),
    defineBinary('multiply', 'Multiply two numbers.', (a, b) => a * b),
    divide,
    defineAggregate('mean', 'The mean of a list of numbers.', computeMean),
    defineAggregate('min', 'The smallest of a list of numbers.', selectBy(Math.min)),
    defineAggregate('max', 'The largest of a list of numbers.', selectBy(Math.max)),
    defineUnary('floor', 'Round a number down to a whole number.', Math.floor),
    defineUnary('ceiling', 'Round a number up to a whole number.', Math.ceil),
    defineUnary('round', 'Round a number to the nearest whole number, halves up.', Math.round),
  ],
});

function computeMean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
