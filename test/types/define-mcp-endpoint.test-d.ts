import { expectTypeOf } from 'vitest';
import { createHoldfast } from '../../src/create-holdfast.ts';
import type { ModuleUse } from '../../src/index.ts';
import { defineAgent, defineTool, error } from '../../src/index.ts';
import { defineMcpEndpoint, defineMcpPrompt, type McpPrompt, mcpResult } from '../../src/mcp/server/entry.ts';

const clerk = defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay.' });
const greet = defineTool({ name: 'greet', description: 'Greets.', run: () => 'Hello.' });

// `createHoldfast` accepts an endpoint as a module. Optional properties accept undefined.
const endpoint = defineMcpEndpoint({
  name: 'clerks',
  version: undefined,
  instructions: undefined,
  tools: [greet],
  agents: ['clerk', clerk, { agent: clerk, as: 'ask_clerk', description: undefined }],
  prompts: undefined,
});
expectTypeOf(endpoint).toEqualTypeOf<ModuleUse>();
createHoldfast({ agents: [clerk], use: [endpoint] });
createHoldfast({ agents: [clerk], use: undefined });
// @ts-expect-error an endpoint is made by defineMcpEndpoint
createHoldfast({ agents: [clerk], use: [{ tools: [greet] }] });
// @ts-expect-error a tool is made by defineTool
defineMcpEndpoint({ tools: [{ name: 'greet' }] });
// @ts-expect-error an agent has a name
defineMcpEndpoint({ agents: [{ as: 'ask_clerk' }] });

// The arguments of a prompt determine the type of its values. Required ones are always present.
const prompt = defineMcpPrompt({
  name: 'summary',
  description: 'Sums up.',
  arguments: [{ name: 'topic', required: true }, { name: 'style' }],
  messages(values) {
    expectTypeOf(values.topic).toEqualTypeOf<string>();
    expectTypeOf(values.style).toEqualTypeOf<string | undefined>();
    // @ts-expect-error there is no such argument
    return `${values.topic} ${values.tpoic}`;
  },
});
expectTypeOf(prompt).toEqualTypeOf<McpPrompt<'summary'>>();
defineMcpEndpoint({ prompts: [prompt, { name: 'plain', description: 'Plain.', messages: () => 'Hello.' }] });
defineMcpPrompt({
  name: 'p',
  description: 'P.',
  // @ts-expect-error a message is of the user or of the assistant
  messages: () => [{ role: 'system', content: { type: 'text', text: '' } }],
});

// Content has the types of the protocol.
defineTool({
  name: 'see',
  description: 'Sees.',
  run: () => mcpResult([{ type: 'image', data: 'aA==', mimeType: 'image/png' }]),
});
defineTool({ name: 'fail', description: 'Fails.', run: () => error('No.') });
// @ts-expect-error an image has data
mcpResult([{ type: 'image', mimeType: 'image/png' }]);
