import * as v from 'valibot';
import { defineAgent, defineDomainType, defineTool } from '../../index.ts';
import { chainFrom, chaining } from '../../kinds/entry.ts';

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string(), name: v.string() }),
  tools: ({ name }) => [
    defineTool({
      name: 'write_letter',
      description: 'Write a letter to the customer.',
      input: v.object({ words: v.string() }),
      effect: 'once',
      run: ({ words }) => `Dear ${name}, ${words}`,
    }),
  ],
});

const findCustomer = defineTool({
  name: 'find_customer',
  description: 'Find a customer by id.',
  input: v.object({ id: v.string() }),
  effect: 'read',
  output: Customer, // its result adds the tools of the customer
  run: ({ id }) => ({ id, name: 'Maren' }),
});

export const correspondent = defineAgent({
  name: 'correspondent',
  description: 'Writes to customers.',
  instructions: 'Find the customer, then write.',
  tools: [findCustomer],
  use: [chaining([chainFrom(Customer)])],
});
