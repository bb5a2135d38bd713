/** A Worker whose agent accepts any file, and pages of the same origin that show files. */
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { defineAgent } from '../../../src/index.ts';
import { files } from '../../../src/modules/files/entry.ts';

const seer = defineAgent({
  name: 'seer',
  description: 'Sees.',
  instructions: 'Look.',
  accepts: ['image/*', 'text/*', 'application/*'],
  model: { name: 'seeing', ask: async () => ({ text: 'Seen.', toolCalls: [], finish: 'stop' }) },
});

const { worker, TurnRunner } = createHoldfast({ agents: [seer], use: [files()] });

export default {
  ...worker,
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    const [type, body] = [searchParams.get('type'), searchParams.get('body')];
    // Serves the body and type from the query string, like a careless app.
    if (pathname === '/careless') return new Response(body, { headers: { 'content-type': type ?? '' } });
    if (pathname === '/ran') return new Response();
    return worker.fetch(request, env, ctx);
  },
} satisfies typeof worker;

export { SessionObject } from '../../../durable-objects/index.ts';
export { TurnRunner };
