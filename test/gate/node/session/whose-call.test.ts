/** The session that runs a call, and the agent of that session. */
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../../../src/in-memory/entry.ts';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import {
  defineAgenticTool,
  defineInjectionStrategy,
  definePlaybook,
  defineSubagent,
  when,
} from '../../../../src/kinds/entry.ts';
import {
  createToolCallingManager,
  defineToolCallingOptions,
} from '../../../../src/modules/tool-calling/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';
import { callTools, createSession, createTool, getLastResults } from '../unfolding/scenes.ts';

const formatPlace = ({ session, agent }: { readonly session: string; readonly agent: string }): string =>
  `${agent}/${session}`;

const look = createTool('look', formatPlace);

describe('the session and the agent of a call', () => {
  it('are the names in the URL of the session', async () => {
    const session = createSession([look], [callTools('look'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['clerk/test']);
  });

  it('are those of the turn in its nested loops too, even if another agent runs there', async () => {
    const helper = defineAgent({
      name: 'helper',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [look],
    });
    const inside = defineAgenticTool({ name: 'inside', description: 'Inside.', tools: [look] });
    const session = createSession(
      [inside, defineSubagent({ agent: helper })],
      [
        callTools('inside'),
        callTools('look'),
        'Seen.',
        callTools(['helper', { message: 'Look.' }]),
        callTools('look'),
        'Seen.',
        'Done.',
      ],
    );
    await session.send('Go.');
    const seen = session.requests.flatMap(({ messages }) =>
      messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])),
    );
    expect(seen.filter((text) => text.includes('/'))).toEqual(['clerk/test', 'clerk/test']);
  });

  it('are visible to strategies, instructions and conditions', async () => {
    const seen: Record<string, string> = {};
    const recordPlace = (what: string, view: Parameters<typeof formatPlace>[0]): true => {
      seen[what] = formatPlace(view);
      return true;
    };
    const strategy = defineInjectionStrategy({
      name: 'mine',
      offer: (tools, view) => (recordPlace('strategy', view) ? tools : []),
    });
    const playbook = definePlaybook({
      name: 'book',
      description: 'Book.',
      tools: [look],
      locked: [{ tool: createTool('late'), unlockedBy: when((_, view) => recordPlace('condition', view)) }],
    });
    const inside = defineAgenticTool({
      name: 'inside',
      description: 'Inside.',
      instructions: (view) => (recordPlace('instructions', view) ? 'Look.' : ''),
      tools: [look],
    });
    const session = createSession(
      [playbook, inside],
      [callTools('book'), callTools('late'), 'Done.', callTools('inside'), 'Done.', 'Done.'],
      { use: [strategy] },
    );
    await session.send('Go.');
    expect(seen).toEqual({
      strategy: 'clerk/test',
      condition: 'clerk/test',
      instructions: 'clerk/test',
    });
  });

  it('are the same after a take-over, and so is the start time of the turn', async () => {
    const times = new Set<number>();
    const strategy = defineInjectionStrategy({
      name: 'mine',
      offer: (tools, { turnStartedAt }) => {
        times.add(turnStartedAt);
        return tools;
      },
    });
    const session = createTestSession(
      () =>
        defineAgent({
          name: 'clerk',
          description: 'Helps.',
          instructions: 'Help.',
          tools: [look],
          use: [strategy],
        }),
      { replies: [callTools('look'), callTools('look'), 'Done.'] },
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['clerk/test', 'clerk/test']);
    expect([...times]).toEqual([(await session.events()).find(({ type }) => type === 'turn-started')?.at]);
  });

  it("are a generated name and the agent's name in a run without a Worker", async () => {
    const agent = defineAgent({ name: 'solo', description: 'A.', instructions: 'A.', tools: [look] });
    const model = scriptedModel([callTools('look'), 'Done.']);
    await runAgent(agent, 'Go.', { model });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/"solo\/run-[0-9a-f-]{36}"/);
  });

  it('are empty outside a session', async () => {
    const seen: string[] = [];
    const tool = defineTool({
      name: 'look',
      description: 'Looks.',
      run: (_, { session, agent }) => void seen.push(session, agent),
    });
    const options = defineToolCallingOptions({ tools: [tool] });
    const toolCalls = [{ id: '1', name: 'look', input: '{}' }];
    const reply = { text: '', toolCalls, finish: 'tool-calls' } as const;
    await createToolCallingManager().executeToolCalls([{ role: 'user', text: 'Go.' }], reply, options);
    expect(seen).toEqual(['', '']);
  });
});
