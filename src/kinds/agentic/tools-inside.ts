import { toToolObject } from '../../sources/objects/tool-object.ts';
import { withProviders } from '../../sources/resolution/dynamic-tools.ts';
import { collectTools } from '../../sources/resolution/resolve-tools.ts';
import {
  isToolProvider,
  ToolResolutionError,
  type ToolSource,
} from '../../sources/resolution/tool-source.ts';
import { isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import type { AnyTool, InjectionStrategy } from '../../tool/tool.ts';

/** What the list of an agentic tool comes to. */
interface ToolsInside {
  readonly tools: readonly AnyTool[];
  /** Offers what providers answer, which are asked anew each time. */
  readonly sources: readonly InjectionStrategy[];
}

/**
 * The tools of an agentic tool's list, which is like an agent's, but that an object without tools is silently left out
 * (AGT-07).
 *
 * @throws ToolDefinitionError for what an agent could not have either; ToolObjectError as `toolsOf`.
 */
export function toolsInside(name: string, sources: readonly ToolSource[]): ToolsInside {
  try {
    const { tools, providers } = collectTools(sources.filter((source) => !isToolless(source)));
    return { tools, sources: withProviders([], providers) };
  } catch (cause) {
    if (!(cause instanceof ToolResolutionError)) throw cause;
    const problem = `it cannot have these tools: ${cause.message}.`;
    throw new ToolDefinitionError(name, 'tools', { problem, cause });
  }
}

/** An object of a class that declares no tools. Groups and agents are not such: they were listed by mistake. */
function isToolless(source: ToolSource): boolean {
  if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return false;
  if (isTool(source) || isToolProvider(source) || Array.isArray(Reflect.get(source, 'tools'))) return false;
  return toToolObject(source).table.size === 0;
}
