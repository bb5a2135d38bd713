import * as v from 'valibot';
import {
  type Agent,
  artifact,
  type DomainType,
  defineAgent,
  defineDomainType,
  defineTool,
  type ToolSource,
} from '../../../../src/index.ts';
import { type Chained, chaining } from '../../../../src/kinds/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';

/** Returns a reply that calls these tools. Each is a name, or a name with its input. */
export const callTools = (...wanted: readonly (string | readonly [name: string, input: unknown])[]) => ({
  calls: wanted.map((one) => (typeof one === 'string' ? { name: one } : { name: one[0], input: one[1] })),
});

/** Returns a reply that retrieves this customer. */
export const getCall = (id: string) => callTools(['get_customer', { id }]);

export const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string(), name: v.string(), since: v.pipe(v.string(), v.toDate()) }),
  tools: (customer) => [
    defineTool({
      name: 'average_spend',
      description: 'What the customer spends on average.',
      input: v.object({ months: v.number() }),
      effect: 'read',
      // A method of `Date`, which exists only after the schema has parsed the value.
      run: ({ months }) => `${customer.name} ${customer.since.getUTCFullYear()}: ${months * 10}`,
    }),
  ],
});

/** Returns a customer as the tools return it. */
export const createCustomerData = (id: string) => ({ id, name: `Name of ${id}`, since: '2020-05-01' });

export const Id = v.object({ id: v.string() });

export const getCustomer = defineTool({
  name: 'get_customer',
  description: 'Gets a customer.',
  input: Id,
  effect: 'read',
  output: Customer,
  run: ({ id }) => createCustomerData(id),
});

/** Defines a `read` tool that returns this value, or the result of this function. */
export const createAnsweringTool = (name: string, value: unknown) =>
  defineTool({
    name,
    description: 'Answers.',
    effect: 'read',
    run: () => resolveValue(value),
  });

const resolveValue = (value: unknown): unknown => (typeof value === 'function' ? value() : value);

/** Defines a `read` tool that returns an artifact of a type. */
export const createReturningTool = (name: string, output: DomainType, value: unknown) =>
  defineTool({ name, description: 'Returns.', effect: 'read', output, run: () => resolveValue(value) });

/** Defines a `read` tool that returns several customers. */
export const listCustomers = (...ids: readonly string[]) =>
  defineTool({
    name: 'list_customers',
    description: 'Lists customers.',
    effect: 'read',
    run: () => artifact('Listed.', Customer, ids.map(createCustomerData)),
  });

export const createClerk = (
  tools: readonly ToolSource[],
  entries?: readonly Chained[],
  more: Partial<Omit<Parameters<typeof defineAgent>[0], 'name'>> = {},
): Agent =>
  defineAgent({
    name: 'clerk',
    description: 'Helps.',
    instructions: 'Help.',
    tools,
    ...more,
    use: [...(entries ? [chaining(entries)] : []), ...(more.use ?? [])],
  });

/** Returns a session after one turn. */
export async function runTurn(agent: Agent, replies: readonly ScriptedReply[], more = {}) {
  const session = createTestSession(agent, { replies: [...replies, 'Done.'], ...more });
  const answer = await session.send('Go.');
  return { session, answer };
}

/** Returns the names of the tools that each request offered. */
export const getOfferedTools = ({ requests }: Pick<TestSession, 'requests'>): string[][] =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

/** Returns the description of a tool in the last request. */
export const getDescription = ({ requests }: Pick<TestSession, 'requests'>, name: string) =>
  requests.at(-1)?.tools.find((tool) => tool.name === name)?.description;

/** Returns the tool results in the last request. */
export const getResults = ({ requests }: Pick<TestSession, 'requests'>): string[] =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));

export const UNBOUND_ERROR =
  'This tool is not yet available. You must first retrieve a single Customer instance.';
