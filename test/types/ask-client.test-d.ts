import type { CreateMessageResult, ElicitResult, ListRootsResult } from '@modelcontextprotocol/server';
import { expectTypeOf } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { askClient, defineMcpPrompt } from '../../src/mcp/server/entry.ts';

const form = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
} as const;

defineTool({
  name: 'greet',
  description: 'Greets.',
  effect: 'read',
  async run(_, call) {
    const answers = await askClient(call, {
      user: {
        method: 'elicitation/create',
        params: {
          message: 'Who?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      },
      said: {
        method: 'sampling/createMessage',
        params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 },
      },
      roots: { method: 'roots/list' },
    });
    // Questions go only to clients that declared the capability.
    expectTypeOf(answers).toEqualTypeOf<{
      readonly user: ElicitResult | undefined;
      readonly said: CreateMessageResult | undefined;
      readonly roots: ListRootsResult | undefined;
    }>();
    // @ts-expect-error -- only the asked questions have answers
    answers.other;
    // @ts-expect-error -- a form has a schema
    await askClient(call, { user: { method: 'elicitation/create', params: { message: 'Who?' } } });
    // @ts-expect-error -- a client answers no such method
    await askClient(call, { user: { method: 'tools/list', params: {} } });
    return 'Hello.';
  },
});

defineMcpPrompt({
  name: 'greeting',
  description: 'Greets.',
  async messages(_, call) {
    const { user } = await askClient(call, { user: form });
    expectTypeOf(user).toEqualTypeOf<ElicitResult | undefined>();
    return 'Greet me.';
  },
});

// @ts-expect-error -- only a call can ask
askClient({}, { user: form });
