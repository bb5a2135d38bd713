import type { OutputOf } from '../../loop/answer-form.ts';
import { collectForField, withProviders } from '../../sources/resolution/resolve-tools.ts';
import type { ToolFactory, ToolSource } from '../../sources/resolution/tool-source.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { DIAGRAM, type DrawnTool, quoteForMermaid, STANDING } from '../../tool/draw.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { AnyTool, Tool } from '../../tool/tool.ts';
import { createFact } from '../../tool/tool-memory.ts';
import {
  AGENTIC_KEYS,
  checkAgenticLiteral,
  createAgenticTool,
  formatLoopInstructions,
  getFrameName,
  type InstructedConfig,
  type NestedInstructions,
} from '../agentic/agentic-tool.ts';
import { applyLoopChanges, registerCopy } from '../agentic/copies.ts';
import { type ResolvedInnerTools, resolveInnerTools, withNotes } from '../agentic/define-agentic-tool.ts';
import { createKeyedSerial, type KeyedConfig, resolveMemory } from '../agentic/memory.ts';
import {
  checkLocked,
  checkLocks,
  describeLock,
  describePrerequisites,
  isOpen,
  isOpened,
  type Lock,
  readLockContext,
  toLock,
  withLock,
} from './lock.ts';
import { createPlaybookStrategy } from './strategy.ts';
import {
  getStoredProgress,
  NO_PROGRESS,
  PLAYBOOK,
  PLAYBOOK_MEMORY,
  type UnlockCondition,
} from './unlock-condition.ts';

/** A locked tool, and the condition that unlocks it. */
export interface LockedTool<Name extends string, Known extends string> {
  /**
   * The tool, as in the `tools` of an agent. If the source has several tools, the condition applies to each.
   */
  readonly tool: ListedTool<Name>;
  /** The condition. It can only name tools of this playbook. */
  readonly unlockedBy: NameToolsOfThisPlaybook<Known>;
}

/**
 * A condition on tools of the playbook. The compile error shows this type's name if a condition names another
 * tool.
 */
type NameToolsOfThisPlaybook<Known extends string> = UnlockCondition<Known>;

/**
 * A listed tool, and its names for conditions. The tools of a factory are known when the playbook is defined.
 */
type ListedTool<Name extends string> =
  | Exclude<ToolSource, ToolFactory>
  | (AnyTool & { readonly name: Name })
  | (ToolFactory & { readonly '~names'?: Name });

/** The configuration of `definePlaybook`. */
export interface PlaybookConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  Open extends string,
  Locked extends string,
  Output extends InputDeclaration = undefined,
> extends InstructedConfig<Name, Declaration, [], Output>,
    KeyedConfig<InputOf<Declaration>> {
  /** Tools that are always available, as in the `tools` of an agentic tool. */
  readonly tools: readonly ListedTool<Open>[];
  /** Tools that are available once their condition is met. */
  readonly locked: readonly LockedTool<Locked, NoInfer<Open | Locked>>[];
}

const SHAPE = {
  of: 'definePlaybook',
  keys: { ...AGENTIC_KEYS, key: 'function', reset: 'function', tools: 'list', locked: 'list' },
  required: ['name', 'description', 'tools', 'locked'],
} satisfies LiteralShape<keyof PlaybookConfig<string, undefined, string, string>>;

/** A playbook, which is a tool with a diagram. */
export type Playbook<Name extends string = string, Input = unknown, Output = unknown> = DrawnTool &
  Tool<Name, Input, Output>;

/**
 * Creates an agentic tool that unlocks its tools step by step. A locked tool is visible from the start, with
 * its own description. Until its condition is met, it returns its missing prerequisites. The instructions,
 * including your own, end with the prerequisites of all tools that are locked when a call starts. This text
 * does not change during the call. The session stores progress by key. `when` and blackboard conditions are
 * evaluated each time.
 *
 * @throws ToolDefinitionError if the tool cannot work, if a condition names a tool outside the playbook, or
 * if a tool can never be unlocked.
 * @throws ToolObjectError as `toolsOf` does.
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
  const { tools: open, sources: openSources, notes: openNotes } = resolveInnerTools(name, config.tools);
  const locked = config.locked.map((entry, index) => readLocked(name, entry, index));
  const locks = locked.flatMap((one) => one.locks);
  checkLocks(name, open, locks);
  const sources = [...openSources, ...locked.flatMap((one) => one.sources)];
  const notes = [...new Set([...openNotes, ...locked.flatMap((one) => one.notes)])];
  const tools = [...open, ...locks.flatMap(({ tool }) => tool ?? [])];
  const own = new Set(tools.map((tool) => tool.name));
  const tool = createAgenticTool(config, {
    inner: tools,
    sources,
    uses: [PLAYBOOK],
    whenEmpty: 'No tools available for PlaybookTool',
    serial: createKeyedSerial(name, config.input, config.key),
    loop(input, call) {
      const memory = resolveMemory(config, input, call);
      const { key, isReset } = memory;
      const path = `${call.view.path}/${getFrameName(name, call)}`;
      // The progress at the time of the reply that requested this call, even if another invocation resumes
      // it.
      const before = isReset ? NO_PROGRESS : getStoredProgress(call.view.recall(PLAYBOOK_MEMORY, path), key);
      const shut = locks.filter((lock) => !isOpened(lock, before));
      return {
        tools,
        sources,
        instructions: withNotes(createInstructions(config, shut), notes),
        facts: isReset ? [createFact(PLAYBOOK_MEMORY, { type: 'reset', key })] : [],
        strategies: [createPlaybookStrategy({ locks, own, key, serialKey: name })],
        memory,
      };
    },
  });
  const playbook: DrawnTool & typeof tool = {
    ...tool,
    [DIAGRAM]: () => drawPlaybook(open, locks),
    [STANDING](input, view) {
      const { key } = resolveMemory(config, input as InputOf<Declaration>, view); // its schema has parsed the input
      const now = readLockContext(view, key);
      const shut = locks.filter((lock) => !isOpen(lock, now));
      return { key, withheld: shut.map((lock) => ({ tool: lock.name, why: describeLock(lock, now) })) };
    },
  };
  return registerCopy(playbook, ({ tools: more = [], ...changes }) =>
    definePlaybook({ ...applyLoopChanges(config, changes), tools: [...config.tools, ...more] }),
  );
}

/** Returns the locks of one entry, and the sources of tools that are not known in advance. */
function readLocked(
  playbook: string,
  { tool: source, unlockedBy }: LockedTool<string, string>,
  index: number,
): { readonly locks: readonly Lock[] } & Pick<ResolvedInnerTools, 'sources' | 'notes'> {
  const place = { tool: playbook, field: 'locked' };
  const { tools, providers, notes } = collectForField(place, [source], { from: index });
  const locks = tools.map((tool) => toLock({ name: tool.name, tool }, unlockedBy));
  const [of = ''] = providers.flatMap(({ about }) => about?.name ?? []);
  // Tool names contain no spaces, so this cannot clash with a tool.
  const name = of === '' ? `tools of provider ${index}` : `tools of ${of}`;
  const lock = toLock({ name }, unlockedBy, `provider ${index}`);
  const sources = withProviders([], providers).map((one) => withLock(one, lock));
  return { locks: providers.length === 0 ? locks : [...locks, lock], sources, notes };
}

/**
 * Returns the instructions of a playbook, followed by the prerequisites of its closed locks. Other texts do
 * not show these from the start.
 */
function createInstructions<Input>(
  { description, instructions = formatLoopInstructions(description) }: InstructedPlaybook<Input>,
  shut: readonly Lock[],
): NestedInstructions<Input> {
  if (shut.length === 0) return instructions;
  const below = `\n\n${describePrerequisites(shut)}`;
  if (typeof instructions === 'string') return instructions + below;
  return (view, input) => instructions(view, input) + below;
}

/** The description and instructions in a playbook's configuration. */
interface InstructedPlaybook<Input> {
  readonly description: string;
  readonly instructions?: NestedInstructions<Input> | undefined;
}

/**
 * Returns a Mermaid flowchart of a playbook. An arrow leads from a tool to the tools that its use unlocks.
 * Rounded boxes are conditions that do not depend on the use of a tool. All arrows into a node are required,
 * except for "any of".
 */
function drawPlaybook(open: readonly AnyTool[], locks: readonly Lock[]): string {
  const tools = [...open, ...locks];
  const idOf = new Map(tools.map(({ name }, at) => [name, `tool${at + 1}`]));
  const nodes = tools.map(({ name }) => `${idOf.get(name)}[${quoteForMermaid(name)}]`);
  const arrows: string[] = [];
  let boxes = 0;

  function addBox(shape: (label: string) => string, label: string, from: readonly string[] = []): string {
    boxes += 1;
    const id = `condition${boxes}`;
    nodes.push(`${id}${shape(quoteForMermaid(label))}`);
    arrows.push(...from.map((one) => `${one} --> ${id}`));
    return id;
  }

  /** Returns the nodes of a condition. All of them are required. */
  function addNodes(condition: UnlockCondition): readonly string[] {
    switch (condition.type) {
      case 'after':
        return condition.names.flatMap((name) => idOf.get(name) ?? []);
      case 'all-of':
        return condition.conditions.flatMap(addNodes);
      case 'any-of':
        return [addBox(formatHexagon, 'any of', condition.conditions.flatMap(addJoinedNode))];
      default:
        return [addBox(formatRounded, formatLabel(condition))];
    }
  }

  function addJoinedNode(condition: UnlockCondition): readonly string[] {
    const all = addNodes(condition);
    return all.length > 1 ? [addBox(formatHexagon, 'all of', all)] : all;
  }

  for (const { name, condition } of locks) {
    const from = new Set(addNodes(condition));
    arrows.push(...[...from].map((one) => `${one} --> ${idOf.get(name)}`));
  }
  return ['flowchart LR', ...[...nodes, ...arrows].map((line) => `  ${line}`)].join('\n');
}

const formatRounded = (label: string): string => `([${label}])`;
const formatHexagon = (label: string): string => `{{${label}}}`;

type LeafType = Exclude<UnlockCondition['type'], 'after' | 'all-of' | 'any-of'>;

function formatLabel(condition: Extract<UnlockCondition, { readonly type: LeafType }>): string {
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
