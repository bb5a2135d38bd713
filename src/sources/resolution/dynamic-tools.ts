import { memoized } from '../../tool/async.ts';
import { sameTools } from '../../tool/decorate.ts';
import { warning } from '../../tool/log.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { usesOf } from '../../tool/uses.ts';
import { toRename, withProvided } from './resolve-tools.ts';
import { partsOf, type ToolProvider } from './tool-source.ts';

const NAME = 'dynamic-tools';

/** The log is told of as many names that are taken. */
const MAX_TOLD = 100;

/** Offers what an agent's tool providers answer now, beside its own tools. Names that are taken are logged once. */
function dynamicTools(providers: readonly ToolProvider[]): InjectionStrategy {
  const finding = providers.flatMap(partsOf);
  const offers = new WeakMap<readonly AnyTool[], readonly AnyTool[]>();
  const told = new Set<string>();
  const onTaken = ({ path, log }: LoopView, tool: AnyTool, taken: AnyTool): void => {
    if (told.has(tool.name) || told.size >= MAX_TOLD || undecorated(tool) === undecorated(taken)) return;
    told.add(tool.name);
    const leftOut = `a provider's tool of that name is left out${toRename(tool, taken)}.`;
    log(warning(`'${path}' has a tool '${tool.name}' already: ${leftOut}`));
  };
  return {
    name: NAME,
    uses: usesOf(providers),
    discover: finding.length > 0 ? finding : undefined,
    offer(tools, view) {
      const offered = withProvided(tools, providers, {
        view,
        onTaken: (tool, taken) => onTaken(view, tool, taken),
      });
      const former = offers.get(tools);
      // A list that has not changed stays the same list: then it is sorted and indexed once.
      if (former && sameTools(former, offered)) return former;
      offers.set(tools, offered);
      return offered;
    },
  };
}

/** The sources after one that asks these providers, in place of the one that asked only some of them. */
export function withProviders(
  sources: readonly InjectionStrategy[],
  providers: readonly ToolProvider[],
): readonly InjectionStrategy[] {
  const others = sources.filter(({ name }) => name !== NAME);
  return providers.length > 0 ? [dynamicTools(providers), ...others] : others;
}

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

/** Two groups may bring the same tool, each with its own card. */
const undecorated = (tool: AnyTool): AnyTool => (tool.delegate ? undecorated(tool.delegate) : tool);
