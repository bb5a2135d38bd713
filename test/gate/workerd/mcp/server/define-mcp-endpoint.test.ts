import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, createHoldfast } from '../../../../../src/create-holdfast.ts';
import { defineTool } from '../../../../../src/index.ts';
import { definePlaybook, defineSubagent, defineUnfolding } from '../../../../../src/kinds/entry.ts';
import {
  defineMcpEndpoint,
  type McpEndpointConfig,
  McpEndpointDefinitionError,
} from '../../../../../src/mcp/server/entry.ts';
import { humanInput, manual } from '../../../../../src/modules/decorators/entry.ts';
import { scripted } from '../../../../fixtures/scripted-agent.ts';

const hello = defineTool({ name: 'hello', description: 'Greets.', run: () => 'Hello.' });

const formatNeedsSession = (name: string): string =>
  `MCP endpoint: the tool '${name}' needs a session, since it opens a loop of its own, unfolds, or waits for a person. ` +
  'Publish an agent that has it instead.';

describe('defineMcpEndpoint', () => {
  it.each<[string, McpEndpointConfig, string, string]>([
    [
      'two tools with one name',
      { tools: [hello, hello] },
      'tools[1]',
      "MCP endpoint: two of its entries are called 'hello'. Rename one.",
    ],
    [
      'a tool and an agent with one name',
      { tools: [hello], agents: [{ agent: 'support', as: 'hello' }] },
      'agents[0]',
      "MCP endpoint: two of its entries are called 'hello'. Rename one.",
    ],
    [
      'an agent under an invalid tool name',
      { agents: [{ agent: scripted, as: 'ask support' }] },
      'agents[0]',
      "MCP endpoint: 'ask support' is not a valid tool name. Use 1 to 64 of the characters A-Z a-z 0-9 _ and -.",
    ],
    [
      'two prompts with one name',
      {
        prompts: [
          { name: 'p', description: 'P.', messages: () => 'Hi' },
          { name: 'p', description: 'P.', messages: () => 'Hi' },
        ],
      },
      'prompts[1]',
      "MCP endpoint: two prompts are called 'p'. Rename one.",
    ],
    [
      'a prompt without a name',
      { prompts: [{ name: ' ', description: 'P.', messages: () => 'Hi' }] },
      'prompts',
      "MCP endpoint: the prompt ' ' has a blank name.",
    ],
    [
      'an invalid prompt',
      { prompts: ['p' as never] },
      'prompts',
      "MCP endpoint: the prompt '' received 'p'. Pass one object, as in defineMcpPrompt({ ... }).",
    ],
    ['a blank name', { name: '' }, 'name', 'MCP endpoint: its name is blank.'],
    ['a blank version', { version: ' ' }, 'version', 'MCP endpoint: its version is blank.'],
    // As untyped callers can.
    [
      'an invalid tool',
      { tools: [{ name: 'x' } as never] },
      'tools[0]',
      'MCP endpoint: tools[0] is not a tool.',
    ],
    ['a tool that the caller runs', { tools: [manual(hello)] }, 'tools[0]', formatNeedsSession('hello')],
    ['a question to people', { tools: [humanInput()] }, 'tools[0]', formatNeedsSession(humanInput().name)],
    [
      'a subagent',
      { tools: [defineSubagent({ agent: scripted })] },
      'tools[0]',
      formatNeedsSession('scripted'),
    ],
    [
      'an unfolding tool',
      { tools: [defineUnfolding({ name: 'more', description: 'More.', tools: [hello] })] },
      'tools[0]',
      formatNeedsSession('more'),
    ],
    [
      'a playbook',
      {
        tools: [
          definePlaybook({
            name: 'book',
            description: 'By the book.',
            input: v.object({}),
            tools: [hello],
            locked: [],
          }),
        ],
      },
      'tools[0]',
      formatNeedsSession('book'),
    ],
  ])('refuses %s', (_, config, field, message) => {
    const define = () => defineMcpEndpoint(config);
    expect(define).toThrow(McpEndpointDefinitionError);
    expect(define).toThrow(expect.objectContaining({ message, field }));
  });

  it('requires the app to have each published agent', () => {
    const endpoint = defineMcpEndpoint({
      tools: [hello],
      agents: ['support', scripted, { agent: 'triage', as: 'ask_triage' }],
    });
    const named = ['support', 'scripted', 'triage'].map((name) => ({ ...scripted, name }));
    expect(() => createHoldfast({ agents: named, use: [endpoint] })).not.toThrow();
    for (const { name } of named) {
      const others = named.filter((one) => one.name !== name);
      expect(() => createHoldfast({ agents: others, use: [endpoint] })).toThrow(
        new ConfigurationError(
          `The MCP endpoint publishes the agent '${name}', which is not among the agents.`,
        ),
      );
    }
  });
});

describe('createHoldfast', () => {
  it('refuses an endpoint that publishes an agent of another app', () => {
    const create = () =>
      createHoldfast({ agents: [scripted], use: [defineMcpEndpoint({ agents: ['support'] })] });
    expect(create).toThrow(
      new ConfigurationError(
        "The MCP endpoint publishes the agent 'support', which is not among the agents.",
      ),
    );
  });
});
