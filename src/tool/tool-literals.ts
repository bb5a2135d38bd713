/**
 * A separate file, since kinds of tools refer to it, and a bundler can drop the kernel's shapes only as a
 * whole file.
 */

/** The keys in the literals of all tools. */
export const NAMED_KEYS = { name: 'text', description: 'text' } as const;

/**
 * Options of other libraries for features that are modules here, each with the code to write and its import.
 */
export const MODULE_OPTIONS = {
  chaining: [
    'use: [chaining([chainFrom(Customer)])]',
    "import { chainFrom, chaining } from 'holdfast/kinds'",
  ],
  strategies: [
    'use: [defineInjectionStrategy({ name, evaluate })]',
    "import { defineInjectionStrategy } from 'holdfast/kinds'",
  ],
} as const;

/** Names of a tool's input in other libraries. */
export const FOREIGN_INPUT = {
  parameters: 'input',
  inputSchema: 'input',
  input_schema: 'input',
  schema: 'input',
  args: 'input',
} as const;
