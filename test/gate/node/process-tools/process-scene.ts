import { type AgentConfig, type AnyTool, defineAgent } from '../../../../src/index.ts';
import { agentProcessTools } from '../../../../src/kinds/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  scriptedModel,
} from '../../../../src/testing/entry.ts';
import { callTools, getShownResults } from '../tool-loop/scenes.ts';

export const PRICES = { input: 2, output: 10 };

interface SceneOptions extends Pick<AgentConfig<'clerk'>, 'limits' | 'use'> {
  readonly tools?: readonly AnyTool[];
  readonly prices?: typeof PRICES;
}

export const clock = createManualClock(1_000_000);

/** Returns a session whose agent can inspect its own process. */
export function createScene(
  replies: readonly ScriptedReply[],
  { tools = [], limits, use, prices }: SceneOptions = {},
) {
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools: [agentProcessTools(), ...tools],
    limits,
    use,
  });
  return createTestSession(agent, { model: scriptedModel(replies, { prices }), clock });
}

/** Unfolds the process tools, plays `before`, and returns this tool's result. */
export async function getResult(
  tool: string,
  before: readonly ScriptedReply[] = [],
  more: SceneOptions = {},
) {
  const session = createScene([callTools('agent_process'), ...before, callTools(tool), 'Done.'], more);
  const answer = await session.send('Go.');
  return { answer, session, text: getShownResults(session.requests.at(-1)).at(-1) ?? '' };
}

export const joinLines = (...all: string[]): string => all.join('\n');
