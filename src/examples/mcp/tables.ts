import { defineTool } from '../../index.ts';
import { askClient, defineMcpEndpoint } from '../../mcp/server/entry.ts';

const reserveTable = defineTool({
  name: 'reserve_table',
  description: 'Reserve a table for tonight.',
  effect: 'idempotent', // the tool runs again with the answer, so it must not be `once`
  async run(_, call) {
    const { guests } = await askClient(call, {
      guests: {
        method: 'elicitation/create',
        params: {
          message: 'A table for how many?',
          requestedSchema: {
            type: 'object',
            properties: { number: { type: 'integer', title: 'Guests', minimum: 1, maximum: 12 } },
            required: ['number'],
          },
        },
      },
    });
    if (!guests) return 'Nothing is reserved: this client cannot ask how many guests there will be.';
    if (guests.action !== 'accept') return 'Nothing is reserved, as the guest wished.';
    return `A table for ${guests.content?.number} is reserved.`;
  },
});

export const restaurant = defineMcpEndpoint({ name: 'restaurant', tools: [reserveTable] });
