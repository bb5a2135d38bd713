import { memoized } from '../../tool/async.ts';
import type { AnyTool, InjectionStrategy } from '../../tool/tool.ts';
import { ASKS, type ToolProvider } from './tool-source.ts';

/** The sources after one that asks these providers, in place of the one that asked only some of them. */
export const withProviders = (
  sources: readonly InjectionStrategy[],
  providers: readonly ToolProvider[],
): readonly InjectionStrategy[] => providers[0]?.[ASKS].withProviders(sources, providers) ?? sources;

/** The same source, each tool that it adds as `change` makes it. An unchanged list stays the same list. */
export function changedSource(
  source: InjectionStrategy,
  change: (tool: AnyTool) => AnyTool,
): InjectionStrategy {
  const changed = memoized(change);
  const lists = new WeakMap<readonly AnyTool[], Changed>();
  return {
    name: source.name,
    uses: source.uses,
    discover: source.discover,
    offer(tools, view) {
      const offered = source.offer(tools, view);
      if (offered === tools) return tools;
      const known = lists.get(offered);
      if (known?.of === tools) return known.made;
      const made = offered.map((tool) => (tools.includes(tool) ? tool : changed(tool)));
      lists.set(offered, { of: tools, made });
      return made;
    },
  };
}

/** What was made of an offer, and to what that was added. */
interface Changed {
  readonly of: readonly AnyTool[];
  readonly made: readonly AnyTool[];
}
