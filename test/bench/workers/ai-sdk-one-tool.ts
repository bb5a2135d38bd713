/** A Worker with one tool of the AI SDK, for what its start takes. */
import { DurableObject } from 'cloudflare:workers';
import { generateText, tool } from 'ai';
import { z } from 'zod';

const look = tool({
  description: 'Looks.',
  inputSchema: z.object({ id: z.number(), name: z.string(), all: z.boolean().optional() }),
  execute: ({ id }) => ({ id, found: true }),
});

/** What a route of it would call. */
export const run = (prompt: string) => generateText({ model: 'none', prompt, tools: { look } });

export default { fetch: () => new Response(typeof run) };

/** Every measured Worker has the class that the others have. */
export class SessionObject extends DurableObject {}
