import { partsOf } from '../discovery.ts';
import { isTool } from '../is-tool.ts';
import { memoized } from '../memoized.ts';
import type { AnyTool } from '../tool.ts';
import type { ToolProvider } from './tool-source.ts';

/**
 * The provider, each of its tools as `change` makes it, or left out where that answers `undefined`. The same tool is changed
 * once. What is no tool is left for whoever asks to refuse.
 */
export function changedTools(
  provider: ToolProvider,
  change: (tool: AnyTool) => AnyTool | undefined,
): ToolProvider {
  const changed = memoized((tool: AnyTool) => ({ tool: change(tool) }));
  return {
    toolsNow: (view) =>
      provider.toolsNow(view).flatMap((tool) => (isTool(tool) ? (changed(tool).tool ?? []) : [tool])),
    discover: partsOf(provider),
    about: provider.about,
    missing: provider.missing?.bind(provider),
  };
}
