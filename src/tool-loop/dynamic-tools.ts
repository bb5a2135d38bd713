import type { InjectionStrategy } from '../tools/injection.ts';
import { withProvided } from '../tools/resolution/resolve-tools.ts';
import type { ToolProvider } from '../tools/resolution/tool-source.ts';
import { sameTools } from '../tools/same-tools.ts';
import type { AnyTool } from '../tools/tool.ts';

/** Offers what an agent's tool providers answer now, beside its own tools (AEV-07). */
export function dynamicTools(providers: readonly ToolProvider[]): InjectionStrategy {
  const finding = providers.flatMap((provider) => provider.discover?.bind(provider) ?? []);
  const offers = new WeakMap<readonly AnyTool[], readonly AnyTool[]>();
  return {
    name: 'dynamic-tools',
    ...(finding.length > 0 && {
      discover: async (discovery) =>
        (await Promise.all(finding.map((discover) => discover(discovery)))).flat(),
    }),
    offer(tools, view) {
      const offered = withProvided(tools, providers, { view });
      const former = offers.get(tools);
      // A list that has not changed stays the same list: then it is sorted and indexed once.
      if (former && sameTools(former, offered)) return former;
      offers.set(tools, offered);
      return offered;
    },
  };
}
