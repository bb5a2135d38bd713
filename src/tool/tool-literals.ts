/** Apart from the kernel's shapes, since kinds of tools refer to it, and a bundler leaves out the shapes only as a whole file. */

/** What the literals of all tools hold. */
export const NAMED = { name: 'text', description: 'text' } as const;

/** What other libraries call the input of a tool. */
export const FOREIGN_INPUT = {
  parameters: 'input',
  inputSchema: 'input',
  input_schema: 'input',
  schema: 'input',
  args: 'input',
} as const;
