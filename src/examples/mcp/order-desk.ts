import {
  defineMcpEndpoint,
  defineMcpPrompt,
  defineMcpResource,
  type McpAsked,
  type McpCompleter,
} from '../../mcp/server/entry.ts';

/** Replaces a table in the app's database, such as `asked.env.DB`. */
const ORDERS = [
  { order: '1001', tenant: 'corner', lines: ['40 m of rope', 'a lamp'] },
  { order: '1002', tenant: 'corner', lines: ['tar'] },
  { order: '2001', tenant: 'harbor', lines: ['a compass'] },
];

/** Returns only the caller's orders. Clients cannot change the principal. */
const listOrders = ({ principal }: McpAsked) => ORDERS.filter(({ tenant }) => tenant === principal.tenant);

const complete: McpCompleter = (typed, asked) =>
  listOrders(asked).flatMap(({ order }) => (order.startsWith(typed) ? [order] : []));

const terms = defineMcpResource({
  name: 'terms',
  uri: 'shop://terms',
  description: 'What may be sent back, and until when.',
  mimeType: 'text/markdown',
  read: () => '# Terms\n\nRope that was cut is not taken back.',
  ttlMs: 3_600_000, // how long clients may cache it; defaults to no caching
  cacheScope: 'public', // the same response for all callers
});

const order = defineMcpResource({
  name: 'order',
  uri: 'shop://orders/{order}',
  description: 'An order, with its lines.',
  read: (values, asked) => listOrders(asked).find((one) => one.order === values.order), // returns JSON, or `undefined` if it does not exist
  list: (asked) => listOrders(asked).map((one) => ({ values: { order: one.order } })),
  complete: { order: complete },
});

const chase = defineMcpPrompt({
  name: 'chase',
  description: 'Asks where an order is.',
  arguments: [{ name: 'order', description: 'Its number', required: true, complete }],
  messages: (values) => `Read shop://orders/${values.order}, and ask the warehouse where it is.`,
});

export const orderDesk = defineMcpEndpoint({ resources: [terms, order], prompts: [chase] });
