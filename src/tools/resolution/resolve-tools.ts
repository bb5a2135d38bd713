import type { LoopView } from '../injection.ts';
import { isTool } from '../is-tool.ts';
import type { AnyTool } from '../tool.ts';
import { type CollectOptions, checkName, collectTools } from './collect-tools.ts';
import { ToolResolutionError } from './tool-resolution-error.ts';
import type { ToolProvider, ToolSource } from './tool-source.ts';

/** The tools of a list as it stands now. */
export interface ResolvedTools {
  /** Those that were listed, in order, then those that providers answered. */
  readonly tools: readonly AnyTool[];
  /** For names that come from outside (AEV-08). */
  readonly byName: ReadonlyMap<string, AnyTool>;
}

/**
 * The tools of a list that may mix tools, tool objects and providers, which are asked each time (AET-08). A provider's
 * tool whose name is taken is left out (AEV-05).
 *
 * @throws ToolResolutionError, ToolDefinitionError or ToolObjectError as `collectTools`; ToolResolutionError when a
 *   provider answers with something else than tools.
 */
export function resolveTools(sources: readonly ToolSource[], options: CollectOptions = {}): ResolvedTools {
  const { tools: listed, providers } = collectTools(sources, options);
  const tools = withProvided(listed, providers, options);
  return { tools, byName: new Map(tools.map((tool) => [tool.name, tool])) };
}

/** What the providers are asked with. */
export interface ProvideOptions extends CollectOptions {
  readonly view?: LoopView | undefined;
  /** Told of what is left out, and of what has its name. */
  readonly onTaken?: ((tool: AnyTool, taken: AnyTool) => void) | undefined;
}

/** The tools, and those that the providers answer now. @throws as `resolveTools`, and what a provider throws. */
export function withProvided(
  tools: readonly AnyTool[],
  providers: readonly ToolProvider[],
  options: ProvideOptions = {},
): readonly AnyTool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const [at, provider] of providers.entries()) {
    for (const [index, tool] of provider.toolsNow(options.view).entries()) {
      if (!isTool(tool)) {
        throw new ToolResolutionError(`Tool at index ${index} of tool provider ${at} is not a tool`);
      }
      checkName(tool, options);
      const taken = byName.get(tool.name);
      if (taken) options.onTaken?.(tool, taken);
      else byName.set(tool.name, tool);
    }
  }
  return [...byName.values()];
}
