/** Apart from the kernel's shapes, since kinds of tools refer to it, and a bundler leaves out the shapes only as a whole file. */

/** What the literals of all tools hold. */
export const NAMED = { name: 'text', description: 'text' } as const;

/** Options of other libraries, for what modules of a loop do here: each with what to write, and its import. */
export const IN_USE = {
  chaining: [
    'use: [chaining([chainFrom(Customer)])]',
    "import { chainFrom, chaining } from 'holdfast/kinds'",
  ],
  strategies: [
    'use: [defineInjectionStrategy({ name, evaluate })]',
    "import { defineInjectionStrategy } from 'holdfast/kinds'",
  ],
} as const;

/** What other libraries call the input of a tool. */
export const FOREIGN_INPUT = {
  parameters: 'input',
  inputSchema: 'input',
  input_schema: 'input',
  schema: 'input',
  args: 'input',
} as const;
