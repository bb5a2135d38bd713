import { describe, expect, it } from 'vitest';
import { defineAgent, toolProvider } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import {
  defineToolGroup,
  toolGroups as registered,
  toolGroup,
} from '../../../../src/modules/tool-groups/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { askAgents, createAgent, createAnsweringTool } from '../../node/agentic/scenes.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readJson } from './client.ts';

describe('an app', () => {
  const web = defineToolGroup({
    role: 'web',
    name: 'web',
    description: 'The web.',
    tools: [createAnsweringTool('fetch', 'page')],
  });

  it('resolves the agents that other agents refer to, with the app’s model and their own tool groups', async () => {
    const ofApp = scriptedModel([{ calls: [{ name: 'fetch' }] }, 'Filed.']);
    const boss = defineAgent({
      name: 'boss',
      description: 'Leads.',
      instructions: 'Lead.',
      // An unknown name in this list would be refused at the start.
      tools: [
        defineSubagent({ agent: 'clerk' }),
        toolProvider({ toolsNow: () => [defineSubagent({ agent: 'cook' })] }),
      ],
      model: scriptedModel([askAgents('clerk', 'cook'), 'Done.']),
    });
    const clerk = createAgent('clerk', [toolGroup('web')]);
    const via = createTestApp({ agents: [boss, clerk], model: ofApp, use: [registered([web])] });
    const session = createSessionPath('boss');
    const answer = await readJson(await post(session, { message: 'Go.' }, { via }));
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', iterations: 4, toolCalls: 3 });
    expect(ofApp.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['fetch'], ['fetch']]);
    expect(await readJson(await via(session))).toMatchObject({
      messages: [
        {},
        {
          toolCalls: [
            { result: 'Filed.' },
            { result: "Error: Agent 'cook' not found. Available agents: boss, clerk." },
          ],
        },
        {},
      ],
    });
  });
});
