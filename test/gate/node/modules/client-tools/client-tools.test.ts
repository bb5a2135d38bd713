/** The client tools that a loop offers, from those stored with its turn. */
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool, type JsonObject } from '../../../../../src/index.ts';
import { defineAgenticTool, defineUnfolding } from '../../../../../src/kinds/entry.ts';
import { type ClientToolsConfig, clientTools } from '../../../../../src/modules/client-tools/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
} from '../../../../../src/testing/entry.ts';

const createAgentTool = (name: string): AnyTool =>
  defineTool({ name, description: 'Of the agent.', run: () => 'Done.' });
const paintTool = { name: 'paint', description: 'Paints.', parameters: { type: 'object', properties: {} } };
const paintReply = { calls: [{ name: 'paint', input: {} }] };

interface Scene {
  readonly tools?: readonly AnyTool[];
  readonly kept?: unknown;
  readonly replies?: ScriptedReply[];
  readonly config?: ClientToolsConfig;
}

/** Plays a turn that stores these client tools. */
async function playScene({ tools = [], kept = [paintTool], replies = ['Hi.'], config }: Scene) {
  const clock = createManualClock();
  const agent = defineAgent({
    name: 'guide',
    description: 'Guides.',
    instructions: '',
    tools,
    use: [clientTools(config)],
  });
  const session = createTestSession(agent, { replies, clock });
  const context = { 'holdfast.clientTools': kept } as JsonObject; // The stored value may be anything.
  const answer = await session.send('Hello', { context });
  const getOfferedTools = () => session.requests.map(({ tools = [] }) => tools.map(({ name }) => name));
  return { session, answer, offered: getOfferedTools, clock };
}

describe('`clientTools`', () => {
  it('offers the stored tools of a turn in every invocation that continues the turn', async () => {
    const { session, answer, offered } = await playScene({ replies: [paintReply, 'Painted.'] });
    expect(answer).toMatchObject({
      outcome: 'suspended',
      pending: [{ tool: 'paint', for: 'result', message: "Run 'paint' and send its result." }],
    });
    const call = answer.outcome === 'suspended' ? (answer.pending[0]?.call ?? '') : '';
    const last = await session.result(call, { text: 'Red.' });
    expect(last).toMatchObject({ outcome: 'completed', text: 'Painted.' });
    expect(offered()).toEqual([['paint'], ['paint']]);
  });

  it('offers no tools in a nested loop', async () => {
    const helper = defineAgenticTool({
      name: 'helper',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [createAgentTool('dig')],
    });
    const { offered } = await playScene({
      tools: [helper],
      replies: [{ calls: [{ name: 'helper', input: {} }] }, 'Dug.', 'Done.'],
    });
    expect(offered()).toEqual([['helper', 'paint'], ['dig'], ['helper', 'paint']]);
  });

  it('offers no tool whose name an inner tool of the agent has', async () => {
    const more = defineUnfolding({
      name: 'more',
      description: 'Shows more.',
      tools: [createAgentTool('paint')],
    });
    const { session } = await playScene({ tools: [more] });
    expect(session.requests[0]?.tools?.map(({ name, description }) => [name, description])).toEqual([
      ['more', expect.any(String)],
    ]);
  });

  it('shows invisible characters in a description', async () => {
    const { session } = await playScene({ kept: [{ ...paintTool, description: 'Paints\u202e.' }] });
    expect(session.requests[0]?.tools?.[0]?.description).toBe('Paints\\u{202e}.');
  });

  it('adds a description and an empty input to a tool without them', async () => {
    const { session } = await playScene({ kept: [{ name: 'paint' }] });
    expect(session.requests[0]?.tools).toEqual([
      {
        name: 'paint',
        description: "Runs 'paint' at the client.",
        inputSchema: { type: 'object', properties: {} },
      },
    ]);
  });

  it('does not check the parts of a schema that it does not support', async () => {
    const parameters = {
      type: 'object',
      properties: { at: { type: 'string', pattern: '^(a+)+$' }, of: { $ref: '#/properties/at' } },
      minProperties: 3,
      patternProperties: 7,
    };
    const replies = [{ calls: [{ name: 'paint', input: { at: `${'a'.repeat(50)}!`, of: 7 } }] }];
    const { session, answer } = await playScene({ kept: [{ ...paintTool, parameters }], replies });
    expect(session.requests[0]?.tools?.[0]?.inputSchema).toEqual(parameters);
    expect(answer.outcome).toBe('suspended');
  });

  it.each([
    ['a text', 'paint'],
    ['a tool that cannot be offered', [paintTool, { ...paintTool, name: 'no name' }]],
    ['a number', [7]],
  ])('offers no tools if the client has stored %s in the context', async (_, kept) => {
    const { offered } = await playScene({ kept });
    expect(offered()).toEqual([[]]);
  });

  it('returns an error for a call whose result does not arrive in time', async () => {
    const { session, clock } = await playScene({
      replies: [paintReply, 'It took too long.'],
      config: { expires: 60_000 },
    });
    await clock.advance(60_000);
    await expect.poll(() => session.requests.length).toBe(2);
    expect(session.requests[1]?.messages.at(-1)?.text).toContain('Error:');
  });

  it.each([0, -1, Number.NaN])('refuses %d ms as the waiting time for a result', (expires) => {
    expect(() => clientTools({ expires })).toThrow(
      new RangeError(`clientTools has ${expires} as its 'expires'. It must be more than 0 milliseconds.`),
    );
  });

  it('refuses an unknown key', () => {
    expect(() => clientTools({ timeout: 7 } as ClientToolsConfig)).toThrow(
      new TypeError("clientTools has 'timeout' instead of 'expires'. Rename it."),
    );
  });

  it('appears in the error about an agent option with its name', () => {
    const config = { name: 'guide', description: 'Guides.', instructions: '', clientTools: true };
    expect(() => defineAgent(config)).toThrow(
      /use: \[clientTools\(\)\], and import { clientTools } from 'holdfast\/client-tools'/,
    );
  });
});
