import { defineMcpPrompt, type McpPrompt } from '../../../../src/mcp/server/entry.ts';
import { PNG } from './samples.ts';

const createTextMessage = (words: string) =>
  ({ role: 'user', content: { type: 'text', text: words } }) as const;

/** The prompts for the suite's server scenarios. */
export const serverPrompts: readonly McpPrompt[] = [
  defineMcpPrompt({
    name: 'test_simple_prompt',
    description: 'One text.',
    messages: () => 'This is a simple prompt for testing.',
  }),
  defineMcpPrompt({
    name: 'test_prompt_with_arguments',
    description: 'One text, made of two values.',
    arguments: [
      {
        name: 'arg1',
        description: 'The first value.',
        required: true,
        complete: (typed) => ['test value', 'testament', 'paris'].filter((one) => one.startsWith(typed)),
      },
      { name: 'arg2', description: 'The second value.', required: true },
    ],
    messages: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  }),
  defineMcpPrompt({
    name: 'test_prompt_with_embedded_resource',
    description: 'A resource, and a text about it.',
    arguments: [{ name: 'resourceUri', description: 'What the resource is called.', required: true }],
    messages: ({ resourceUri: uri }) => [
      {
        role: 'user',
        content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Some content.' } },
      },
      createTextMessage('Please process the embedded resource above.'),
    ],
  }),
  defineMcpPrompt({
    name: 'test_prompt_with_image',
    description: 'An image, and a text about it.',
    messages: () => [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      createTextMessage('Please analyze the image above.'),
    ],
  }),
];
