import { agenticTool, type InstructedConfig } from '../agentic/agentic-tool.ts';
import { defaultInstructions } from '../agentic/default-instructions.ts';
import { type KeyedConfig, memoryOf } from '../agentic/keyed-config.ts';
import { keyedLane } from '../agentic/keyed-lane.ts';
import { toolsInside } from '../agentic/tools-inside.ts';
import type { InputDeclaration, InputOf } from '../tools/input-schema.ts';
import type { ToolSource } from '../tools/resolution/tool-source.ts';
import { DIAGRAM, type DrawnTool } from '../tools/to-mermaid.ts';
import type { AnyTool, Tool } from '../tools/tool.ts';
import { factOf } from '../tools/tool-memory.ts';
import { checkLocks } from './check-locks.ts';
import { toLock } from './lock.ts';
import { playbookDiagram } from './playbook-diagram.ts';
import { PLAYBOOKS } from './playbook-progress.ts';
import { playbookStrategy } from './playbook-strategy.ts';
import type { UnlockCondition } from './unlock-condition.ts';

/** A tool that is not available at first, and what makes it available. */
export interface LockedTool<Name extends string, Known extends string> {
  readonly tool: AnyTool & { readonly name: Name };
  /** The tools that it names must be the playbook's own. */
  readonly unlockedBy: UnlockCondition<Known>;
}

/** The literal that `definePlaybook` takes. */
export interface PlaybookConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  Open extends string,
  Locked extends string,
> extends InstructedConfig<Name, Declaration>,
    KeyedConfig<InputOf<Declaration>> {
  /** Always available. As for an agentic tool: tool objects and providers may be among them. */
  readonly tools: readonly (ToolSource | (AnyTool & { readonly name: Open }))[];
  /** Each is available once its condition holds. */
  readonly locked: readonly LockedTool<Locked, NoInfer<Open | Locked>>[];
}

/** A playbook, as a tool that can be drawn. */
export type Playbook<Name extends string = string, Input = unknown> = DrawnTool & Tool<Name, Input, unknown>;

/**
 * Makes an agentic tool that brings its tools forward step by step: a locked tool is shown from the start, and answers
 * what it still needs until its condition holds. What has been done is remembered for the session, under its key; `when` and
 * conditions on the blackboard are asked anew.
 *
 * @throws ToolDefinitionError when the tool cannot work, a condition names a tool that is not the playbook's, or one of its
 *   tools could never be unlocked; ToolObjectError as `toolsOf`.
 */
export function definePlaybook<
  const Name extends string,
  Declaration extends InputDeclaration = undefined,
  Open extends string = never,
  Locked extends string = never,
>(config: PlaybookConfig<Name, Declaration, Open, Locked>): Playbook<Name, InputOf<Declaration>> {
  const { name, description, instructions = playbookInstructions(description) } = config;
  const { tools: open, sources } = toolsInside(name, config.tools);
  const locks = config.locked.map(({ tool, unlockedBy }) => toLock(tool, unlockedBy));
  checkLocks(name, open, locks);
  const tools = [...open, ...locks.map(({ tool }) => tool)];
  const own = new Set(tools.map((tool) => tool.name));
  const tool = agenticTool(config, {
    inner: tools,
    sources,
    whenEmpty: 'No tools available for PlaybookTool',
    serial: keyedLane(name, config.input, config.key),
    loop(input) {
      const memory = memoryOf(config, input);
      const { key, isReset } = memory;
      return {
        tools,
        sources,
        instructions,
        facts: isReset ? [factOf(PLAYBOOKS, { type: 'reset', key })] : [],
        strategies: [playbookStrategy({ locks, own, key, lane: name })],
        memory,
      };
    },
  });
  return { ...tool, [DIAGRAM]: () => playbookDiagram(open, locks) };
}

/** What the model of a playbook is told that was given no instructions (PLY-09). */
const playbookInstructions = (description: string): string =>
  `${defaultInstructions(description)}\n\n` +
  'Some tools have prerequisites and are not available yet: their descriptions, and their answers, say what is missing.\n' +
  'Use the tools that are needed first, and then those that have become available.';
