/**
 * Checks the options of agents and of nested loops. Runs in development only: other files reach it through
 * `literals.ts`.
 */
import { findInnerFault, type InnerFault, type LiteralFault } from './check-literal.ts';
import { INNER_SHAPES } from './kernel-literals.ts';
import type { AnyTool } from './tool.ts';
import { type Choice, findChoiceProblem, type NamedTool } from './tool-choices.ts';

interface DeclaredSettings {
  readonly settings: { readonly toolChoice?: DeclaredChoice } | undefined;
  readonly tools: readonly NamedTool[];
  /** `true` if some tools become known only in a turn. */
  readonly hasMoreTools: boolean;
}

type DeclaredChoice = Choice | { readonly first?: Choice; readonly every?: Choice };

function findSettingsFault({ settings, tools, hasMoreTools }: DeclaredSettings): LiteralFault | undefined {
  if (settings === undefined) return undefined;
  const use = hasMoreTools ? undefined : findChoiceProblem(listChoices(settings.toolChoice), tools);
  const choice =
    use === undefined ? undefined : { path: 'toolChoice', value: JSON.stringify(settings.toolChoice), use };
  const bad = findInnerFault(settings, INNER_SHAPES.settings) ?? choice;
  return (
    bad && {
      field: `settings.${bad.path}`,
      problem: `has a setting '${bad.path}' of ${bad.value}. Use ${bad.use}`,
    }
  );
}

/** Returns the tool choices that a declared choice can produce. */
function listChoices(declared: DeclaredChoice): readonly Choice[] {
  if (typeof declared !== 'object' || 'tool' in declared) return [declared];
  return [...('first' in declared ? [declared.first] : []), ...('every' in declared ? [declared.every] : [])];
}

/** The policies of an agent, or of a tool-calling manager. */
interface DeclaredPolicies {
  readonly unknownTools?: object | undefined;
  readonly blankReplies?: object | undefined;
}

/** Returns the first unknown or invalid policy, with its valid values, or `undefined`. */
export const findPolicyProblem = (declared: DeclaredPolicies = {}): InnerFault | undefined =>
  findInnerFault(declared, INNER_SHAPES.policies) ??
  findNestedPolicyFault(declared, 'unknownTools') ??
  findNestedPolicyFault(declared, 'blankReplies');

function findNestedPolicyFault(
  declared: DeclaredPolicies,
  policy: keyof DeclaredPolicies,
): InnerFault | undefined {
  const fault = findInnerFault(declared[policy], INNER_SHAPES[policy]);
  return fault && { ...fault, path: `${policy}.${fault.path}` };
}

/** The options of an agent that are checked here. */
interface DeclaredAgent {
  readonly settings?: DeclaredSettings['settings'];
  readonly policies?: DeclaredPolicies | undefined;
}

/** A source that offers tools in a turn, such as a module use. */
interface ToolFinder {
  declares?(): readonly string[];
  refuses?(tools: readonly AnyTool[]): string | undefined;
}

/** Data about an agent that is not in its literal. */
interface AgentParts {
  readonly tools: readonly AnyTool[];
  readonly finders: readonly object[];
  /** Returns why the agent's model cannot be used with its modules, or `undefined`. */
  refusedUse(): string | undefined;
  /** Returns why the agent's model would refuse its settings, or `undefined`. */
  refusedSettings(): string | undefined;
}

/** Returns why a module of the agent cannot add any tools, or `undefined`. */
function findUselessFinderProblem({
  tools,
  finders,
}: Pick<AgentParts, 'tools' | 'finders'>): string | undefined {
  const asked: readonly ToolFinder[] = finders;
  if (!asked.every(({ refuses }) => refuses)) return undefined;
  return asked.map((finder) => finder.refuses?.(tools)).find((problem) => problem !== undefined);
}

/** Returns the first problem in the literal of an agent, or `undefined`. */
export function findAgentFault(
  { settings, policies }: DeclaredAgent,
  { tools, finders, refusedUse, refusedSettings }: AgentParts,
): LiteralFault | undefined {
  const hasMoreTools = finders.length > 0;
  const policy = findPolicyProblem(policies);
  return (
    toFault('use', findNameClash(tools, finders)) ??
    toFault('use', refusedUse() ?? findUselessFinderProblem({ tools, finders })) ??
    findSettingsFault({ settings, tools, hasMoreTools }) ??
    toFault('settings', refusedSettings()) ??
    (policy && {
      field: `policies.${policy.path}`,
      problem: `has a policy '${policy.path}' of ${policy.value}. Use ${policy.use}`,
    })
  );
}

/** Returns the problem if a tool found during a turn would have the name of a listed tool, or `undefined`. */
function findNameClash(tools: readonly NamedTool[], finders: readonly unknown[]): string | undefined {
  const taken = finders.flatMap(listDeclaredNames).find((name) => tools.some((tool) => tool.name === name));
  return taken === undefined
    ? undefined
    : `has a tool '${taken}', and so have the objects that it chains, whose tool would not be offered. Rename one, as with withName from 'holdfast/decorators'`;
}

function listDeclaredNames(finder: unknown): readonly string[] {
  const known: ToolFinder = Object(finder);
  return known.declares?.() ?? [];
}

const toFault = (field: string, problem: string | undefined): LiteralFault | undefined =>
  problem === undefined ? undefined : { field, problem };
