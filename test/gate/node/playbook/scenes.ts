import * as v from 'valibot';
import type { ModuleUse } from '../../../../src/index.ts';
import {
  type AnyTool,
  artifact,
  type CallContext,
  defineAgent,
  defineDomainType,
  defineTool,
} from '../../../../src/index.ts';
import { definePlaybook, type PlaybookConfig } from '../../../../src/kinds/entry.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { getShownResults } from '../tool-loop/scenes.ts';

export const Document = defineDomainType({
  name: 'Document',
  schema: v.object({ title: v.string(), pages: v.number() }),
});

/** Defines a `read` tool that runs this function, which defaults to reporting the tool's name. */
export const createTool = <const Name extends string>(
  name: Name,
  run: (call: CallContext) => unknown = () => `${name} done`,
) => defineTool({ name, description: `Does ${name}.`, effect: 'read', run: (_, call) => run(call) });

/** Defines a tool that returns this value as a `Document` artifact. */
export const createReturningTool = <const Name extends string>(name: Name, value: unknown) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    effect: 'read',
    run: () => artifact('Found.', Document, value),
  });

export const search = createTool('search');
export const analyze = createTool('analyze');
export const report = createTool('report');

/** Makes a reply that calls these tools without input. */
export const useTools = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

/** Makes a reply that calls the playbook with these topics. */
export const callPlaybook = (...topics: string[]) => ({
  calls: topics.map((topic) => ({ name: 'researcher', input: { topic } })),
});

export type PlaybookSetup<Open extends string, Locked extends string> = Pick<
  PlaybookConfig<'researcher', typeof TopicInput, Open, Locked>,
  'tools' | 'locked'
> &
  Partial<PlaybookConfig<'researcher', typeof TopicInput, Open, Locked>>;

const TopicInput = v.object({ topic: v.string() });

export const createResearcher = <Open extends string, Locked extends string>(
  config: PlaybookSetup<Open, Locked>,
) => definePlaybook({ name: 'researcher', description: 'Researches a topic.', input: TopicInput, ...config });

/** Returns a session of an agent with these tools. */
export function startSession(
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  use: readonly ModuleUse[] = [],
  warm = false,
): TestSession {
  const desk = { name: 'desk', description: 'Helps.', instructions: 'Help.', tools };
  return createTestSession(defineAgent(desk), { replies, use, warm });
}

/** Runs one turn in which the model calls the playbook, makes these replies inside it, and then answers. */
export async function playPlaybook<Open extends string, Locked extends string>(
  config: PlaybookSetup<Open, Locked>,
  inside: readonly ScriptedReply[],
  warm = false,
): Promise<PlayedSession> {
  const replies = [callPlaybook('tides'), ...inside, 'Researched.', 'Done.'];
  const session = startSession([createResearcher(config)], replies, [], warm);
  const answer = await session.send('Go.');
  return { session, answer, inside: session.requests.slice(1, -1) };
}

export interface PlayedSession {
  readonly session: TestSession;
  readonly answer: Awaited<ReturnType<TestSession['send']>>;
  /** The requests to the model of the nested loop. */
  readonly inside: readonly ModelRequest[];
}

/** Returns all tool results of the nested loop, from its last request. */
export const getInnerResults = ({ inside }: Pick<PlayedSession, 'inside'>): readonly string[] =>
  getShownResults(inside.at(-1));

/** Returns the description of a tool in each request. */
export const listDescriptions = (
  name: string,
  requests: readonly ModelRequest[],
): readonly (string | undefined)[] =>
  requests.map(({ tools }) => tools.find((tool) => tool.name === name)?.description);

/** Returns the end of a playbook's instructions, which lists its unlock conditions. */
export const formatPrerequisites = (...needed: readonly string[]): string =>
  [
    'Some tools have prerequisites. One that is called before they are met does nothing, and answers what is missing:',
    ...needed.map((line) => `- ${line}`),
    'Use the tools that are needed first, and then those that they have made available.',
  ].join('\n');

/** Returns the memory of playbooks in the session. */
export const readPlaybookMemory = async (session: TestSession): Promise<unknown> =>
  (await session.state()).memories.get('playbooks');

/** Returns the result of calling a locked tool. */
export const formatLocked = (hint: string): string => `This tool is not yet available. ${hint}`;
