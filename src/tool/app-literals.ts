/** Checks the options of an app. Runs in development only: other files reach it through `literals.ts`. */
import { findInnerFault, findLiteralFault, findNearestKey } from './check-literal.ts';
import { FIXES } from './developer-hints.ts';
import { INNER_SHAPES, LITERAL_SHAPES } from './kernel-literals.ts';
import { describeUnknownAgent, withFullStop } from './shown.ts';

/** The options of an app that are checked here. */
interface DeclaredApp<Model, Use> {
  readonly agents: readonly DeclaredAgent<Use>[];
  readonly model?: Model;
  readonly use?: readonly Use[] | undefined;
  readonly http?: unknown;
}

interface DeclaredAgent<Use> {
  readonly name: string;
  readonly tools: readonly AgentTool[];
  readonly uses: readonly Use[];
  readonly model?: unknown;
  readonly modelOf?: unknown;
}

interface AgentTool {
  /** The name of the agent to which it delegates. */
  readonly asks?: string | undefined;
  readonly delegate?: AgentTool | readonly AgentTool[] | undefined;
  readonly inner?: readonly AgentTool[] | undefined;
}

/**
 * Returns the first problem of an app, or `undefined`. `refused`: returns why a model cannot be used with
 * these modules, or `undefined`.
 */
export function findAppProblem<Model, Use>(
  config: DeclaredApp<Model, Use>,
  refused: (model: Model, uses: readonly Use[]) => string | undefined,
): string | undefined {
  const fault = findLiteralFault(config, LITERAL_SHAPES.createHoldfast);
  if (fault) return `createHoldfast ${withFullStop(fault.problem)}`;
  const { agents, model, use = [], http } = config;
  const inHttp = findInnerFault(http, INNER_SHAPES.http);
  if (inHttp) return `createHoldfast has ${inHttp.value} as its 'http.${inHttp.path}'. Use ${inHttp.use}.`;
  const stranger = findUnknownSubagentProblem(agents);
  if (stranger !== undefined) return stranger;
  const without = agents.filter((agent) => agent.model === undefined && agent.modelOf === undefined);
  if (without.length === 0) return undefined;
  if (model === undefined) return describeMissingModel(without);
  for (const { name, uses } of without) {
    const problem = refused(model, [...use, ...uses]);
    if (problem !== undefined) return `Agent '${name}' ${problem}.`;
  }
  return undefined;
}

function describeMissingModel(agents: readonly { readonly name: string }[]): string {
  const names = agents.map(({ name }) => `'${name}'`).join(', ');
  const subject = agents.length === 1 ? `Agent ${names} has` : `Agents ${names} have`;
  return `${subject} no model, and neither has the app. ${FIXES.model}`;
}

/** Returns the error for the first agent that a tool refers to but the app lacks, or `undefined`. */
function findUnknownSubagentProblem<Use>(agents: readonly DeclaredAgent<Use>[]): string | undefined {
  const names = agents.map(({ name }) => name);
  for (const { name, tools } of agents) {
    const asked = listAskedAgents(tools).find((one) => !names.includes(one));
    if (asked !== undefined)
      return describeUnknownAgent(`Agent '${name}' has the subagent`, asked, findNearestKey(asked, names));
  }
  return undefined;
}

/** Returns the names of the agents that tools ask, including tools inside them and below decorators. */
function listAskedAgents(tools: readonly AgentTool[], seen = new Set<AgentTool>()): readonly string[] {
  return tools.flatMap((tool) => {
    if (seen.has(tool)) return [];
    seen.add(tool);
    return [tool.asks ?? [], listAskedAgents([tool.delegate ?? [], tool.inner ?? []].flat(), seen)].flat();
  });
}
