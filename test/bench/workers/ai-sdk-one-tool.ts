/** A Worker with one tool of the AI SDK. Measures the cost of its start. */
import { DurableObject } from 'cloudflare:workers';
import { generateText, tool } from 'ai';
import { z } from 'zod';

const look = tool({
  description: 'Looks.',
  inputSchema: z.object({ id: z.number(), name: z.string(), all: z.boolean().optional() }),
  execute: ({ id }) => ({ id, found: true }),
});

/** Keeps the code of a route in the bundle. */
export const run = (prompt: string) => generateText({ model: 'none', prompt, tools: { look } });

export default { fetch: () => new Response(typeof run) };

/** Every measured Worker exports this class, because they share a configuration. */
export class SessionObject extends DurableObject {}
