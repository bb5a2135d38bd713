import type { OutputOf } from '../../loop/answer-form.ts';
import { collectFor, withProviders } from '../../sources/resolution/resolve-tools.ts';
import type { ToolFactory, ToolSource } from '../../sources/resolution/tool-source.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { DIAGRAM, type DrawnTool, inMermaid } from '../../tool/draw.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { AnyTool, Tool } from '../../tool/tool.ts';
import { factOf } from '../../tool/tool-memory.ts';
import {
  AGENTIC_KEYS,
  agenticTool,
  checkAgenticLiteral,
  defaultInstructions,
  frameName,
  type InstructedConfig,
  type NestedInstructions,
} from '../agentic/agentic-tool.ts';
import { changed, copiedBy } from '../agentic/copies.ts';
import { type ToolsInside, toolsInside, withNotes } from '../agentic/define-agentic-tool.ts';
import { type KeyedConfig, keyedSerial, memoryOf } from '../agentic/memory.ts';
import {
  checkLocked,
  checkLocks,
  type Lock,
  lockedSource,
  prerequisites,
  toLock,
  wasOpened,
} from './lock.ts';
import { playbookStrategy } from './strategy.ts';
import {
  NO_PROGRESS,
  PLAYBOOK,
  PLAYBOOKS,
  storedProgress,
  type UnlockCondition,
} from './unlock-condition.ts';

/** What is not available at first, and what makes it available. */
export interface LockedTool<Name extends string, Known extends string> {
  /** Listed as for an agent: of several tools each is available once the condition holds. */
  readonly tool: Listed<Name>;
  /** The tools that it names must be the playbook's own. */
  readonly unlockedBy: NameToolsOfThisPlaybook<Known>;
}

/** A condition on tools of the playbook. The name of the type is the compile error of one that names another. */
type NameToolsOfThisPlaybook<Known extends string> = UnlockCondition<Known>;

/** What is listed, and the names that conditions may use of it; what a factory makes is known when the playbook is defined. */
type Listed<Name extends string> =
  | Exclude<ToolSource, ToolFactory>
  | (AnyTool & { readonly name: Name })
  | (ToolFactory & { readonly '~names'?: Name });

/** The literal that `definePlaybook` takes. */
export interface PlaybookConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  Open extends string,
  Locked extends string,
  Output extends InputDeclaration = undefined,
> extends InstructedConfig<Name, Declaration, [], Output>,
    KeyedConfig<InputOf<Declaration>> {
  /** These are always available; they are listed as for an agentic tool. */
  readonly tools: readonly Listed<Open>[];
  /** Each is available once its condition holds. */
  readonly locked: readonly LockedTool<Locked, NoInfer<Open | Locked>>[];
}

const SHAPE = {
  of: 'definePlaybook',
  keys: { ...AGENTIC_KEYS, key: 'function', reset: 'function', tools: 'list', locked: 'list' },
  required: ['name', 'description', 'tools', 'locked'],
} satisfies LiteralShape<keyof PlaybookConfig<string, undefined, string, string>>;

/** A playbook, as a tool that can be drawn. */
export type Playbook<Name extends string = string, Input = unknown, Output = unknown> = DrawnTool &
  Tool<Name, Input, Output>;

/**
 * Makes an agentic tool that brings its tools forward step by step: a locked tool is shown from the start, with its own
 * description, and answers what it still needs until its condition holds. The instructions end with what each of those
 * needs that are locked when a call begins, also those of its author, in words that stay the same. What has been done is remembered for the session, under its key; `when` and
 * conditions on the blackboard are asked anew.
 *
 * @throws ToolDefinitionError when the tool cannot work, a condition names a tool that is not the playbook's, or one of its
 *   tools could never be unlocked; ToolObjectError as `toolsOf`.
 *
 * @example
 * ```ts
 * const refunding = definePlaybook({
 *   name: 'refund',
 *   description: 'Refund an order by the book.',
 *   input: v.object({ orderId: v.number() }),
 *   tools: [findOrder],
 *   locked: [{ tool: refundOrder, unlockedBy: after('find_order') }],
 * });
 * ```
 */
export function definePlaybook<
  const Name extends string,
  const Declaration extends InputDeclaration = undefined,
  Open extends string = never,
  Locked extends string = never,
  const Output extends InputDeclaration = undefined,
>(
  config: PlaybookConfig<Name, Declaration, Open, Locked, Output>,
): Playbook<Name, InputOf<Declaration>, OutputOf<Output>> {
  checkAgenticLiteral(config, SHAPE);
  const { name } = config;
  checkLocked(name, config.locked);
  const { tools: open, sources: openSources, notes: openNotes } = toolsInside(name, config.tools);
  const locked = config.locked.map((entry, index) => readLocked(name, entry, index));
  const locks = locked.flatMap((one) => one.locks);
  checkLocks(name, open, locks);
  const sources = [...openSources, ...locked.flatMap((one) => one.sources)];
  const notes = [...new Set([...openNotes, ...locked.flatMap((one) => one.notes)])];
  const tools = [...open, ...locks.flatMap(({ tool }) => tool ?? [])];
  const own = new Set(tools.map((tool) => tool.name));
  const tool = agenticTool(config, {
    inner: tools,
    sources,
    uses: [PLAYBOOK],
    whenEmpty: 'No tools available for PlaybookTool',
    serial: keyedSerial(name, config.input, config.key),
    loop(input, call) {
      const memory = memoryOf(config, input, call);
      const { key, isReset } = memory;
      const path = `${call.view.path}/${frameName(name, call)}`;
      // As of the reply that asked for this call, also when another invocation goes on with it.
      const before = isReset ? NO_PROGRESS : storedProgress(call.view.recall(PLAYBOOKS, path), key);
      const shut = locks.filter((lock) => !wasOpened(lock, before));
      return {
        tools,
        sources,
        instructions: withNotes(playbookInstructions(config, shut), notes),
        facts: isReset ? [factOf(PLAYBOOKS, { type: 'reset', key })] : [],
        strategies: [playbookStrategy({ locks, own, key, serialKey: name })],
        memory,
      };
    },
  });
  const playbook = { ...tool, [DIAGRAM]: () => playbookDiagram(open, locks) };
  return copiedBy(playbook, ({ tools: more = [], ...changes }) =>
    definePlaybook({ ...changed(config, changes), tools: [...config.tools, ...more] }),
  );
}

/** The locks of one entry, and what offers the tools that are not known beforehand. */
function readLocked(
  playbook: string,
  { tool: source, unlockedBy }: LockedTool<string, string>,
  index: number,
): { readonly locks: readonly Lock[] } & Pick<ToolsInside, 'sources' | 'notes'> {
  const place = { tool: playbook, field: 'locked' };
  const { tools, providers, notes } = collectFor(place, [source], { from: index });
  const locks = tools.map((tool) => toLock({ name: tool.name, tool }, unlockedBy));
  const [of = ''] = providers.flatMap(({ about }) => about?.name ?? []);
  // A tool has no such name, nor an id of its own that begins so.
  const name = of === '' ? `tools of provider ${index}` : `tools of ${of}`;
  const lock = toLock({ name }, unlockedBy, `provider ${index}`);
  const sources = withProviders([], providers).map((one) => lockedSource(one, lock));
  return { locks: providers.length === 0 ? locks : [...locks, lock], sources, notes };
}

/**
 * Tells the model of a playbook what to do, and below that, whoever wrote it, what opens the locks that are shut: nothing else
 * says it from the start.
 */
function playbookInstructions<Input>(
  { description, instructions = defaultInstructions(description) }: Instructed<Input>,
  shut: readonly Lock[],
): NestedInstructions<Input> {
  if (shut.length === 0) return instructions;
  const below = `\n\n${prerequisites(shut)}`;
  if (typeof instructions === 'string') return instructions + below;
  return (view, input) => instructions(view, input) + below;
}

/** What the literal of a playbook says of its instructions. */
interface Instructed<Input> {
  readonly description: string;
  readonly instructions?: NestedInstructions<Input> | undefined;
}

/**
 * A playbook as a Mermaid flowchart: an arrow leads from a tool to what its use unlocks. What is no use of a tool stands in
 * a round box. Arrows that meet are all needed, except in an "any of".
 */
function playbookDiagram(open: readonly AnyTool[], locks: readonly Lock[]): string {
  const tools = [...open, ...locks];
  const idOf = new Map(tools.map(({ name }, at) => [name, `tool${at + 1}`]));
  const nodes = tools.map(({ name }) => `${idOf.get(name)}[${inMermaid(name)}]`);
  const arrows: string[] = [];
  let boxes = 0;

  function box(shape: (label: string) => string, label: string, from: readonly string[] = []): string {
    boxes += 1;
    const id = `condition${boxes}`;
    nodes.push(`${id}${shape(inMermaid(label))}`);
    arrows.push(...from.map((one) => `${one} --> ${id}`));
    return id;
  }

  /** Makes the nodes that stand for a condition; all of them are needed. */
  function nodesOf(condition: UnlockCondition): readonly string[] {
    switch (condition.type) {
      case 'after':
        return condition.names.flatMap((name) => idOf.get(name) ?? []);
      case 'all-of':
        return condition.conditions.flatMap(nodesOf);
      case 'any-of':
        return [box(hexagon, 'any of', condition.conditions.flatMap(oneNodeOf))];
      default:
        return [box(rounded, labelOf(condition))];
    }
  }

  function oneNodeOf(condition: UnlockCondition): readonly string[] {
    const all = nodesOf(condition);
    return all.length > 1 ? [box(hexagon, 'all of', all)] : all;
  }

  for (const { name, condition } of locks) {
    const from = new Set(nodesOf(condition));
    arrows.push(...[...from].map((one) => `${one} --> ${idOf.get(name)}`));
  }
  return ['flowchart LR', ...[...nodes, ...arrows].map((line) => `  ${line}`)].join('\n');
}

const rounded = (label: string): string => `([${label}])`;
const hexagon = (label: string): string => `{{${label}}}`;

type Other = Exclude<UnlockCondition['type'], 'after' | 'all-of' | 'any-of'>;

function labelOf(condition: Extract<UnlockCondition, { readonly type: Other }>): string {
  switch (condition.type) {
    case 'artifact':
      return `artifact: ${condition.of.name}`;
    case 'artifact-matching':
      return condition.of ? `artifact: ${condition.of.name} that matches` : 'artifact that matches';
    case 'blackboard':
      return condition.of ? `blackboard: ${condition.of.name}` : 'blackboard entry that matches';
    case 'when':
      return condition.holds.name || 'a condition on progress';
  }
}
