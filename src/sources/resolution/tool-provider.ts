import { checkNaming, isTool } from '../../tool/check-definition.ts';
import { hasSameTools } from '../../tool/decorate.ts';
import { formatMcpRenameAdvice } from '../../tool/developer-hints.ts';
import { shorten } from '../../tool/json.ts';
import { createWarningEntry } from '../../tool/log.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { collectUses } from '../../tool/uses.ts';
import {
  getDiscoverySteps,
  PROVIDER_FUNCTIONS_KEY,
  type ProvideOptions,
  type ProviderFunctions,
  SOURCE_KEY,
  type ToolProvider,
  type ToolProviderConfig,
  ToolResolutionError,
} from './tool-source.ts';

/**
 * Creates a source of tools that can change over time. List it wherever tools are listed, such as among the
 * tools of an agent.
 *
 * @example
 * ```ts
 * const tools = toolProvider({ toolsNow: (view) => (view?.context.get('refunds') === true ? [refundOrder] : []) });
 * ```
 */
export const toolProvider = (config: ToolProviderConfig): ToolProvider => ({
  toolsNow: (view) => config.toolsNow(view),
  discover: config.discover && getDiscoverySteps(config),
  ...(config.isKnown && { isKnown: config.isKnown.bind(config) }),
  uses: config.uses,
  about: config.about,
  missing: config.missing?.bind(config),
  [SOURCE_KEY]() {
    return { providers: [this] };
  },
  [PROVIDER_FUNCTIONS_KEY]: providerFunctions,
});

function withProvided(
  tools: readonly AnyTool[],
  providers: readonly ToolProvider[],
  { view, onTaken }: ProvideOptions = {},
): readonly AnyTool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const [at, provider] of providers.entries()) {
    for (const [index, tool] of provider.toolsNow(view).entries()) {
      if (!isTool(tool)) {
        throw new ToolResolutionError(`Tool at index ${index} of tool provider ${at} is not a tool`);
      }
      checkNaming(tool.name, tool.description);
      const taken = byName.get(tool.name);
      if (taken) onTaken?.(tool, taken);
      else byName.set(tool.name, tool);
    }
  }
  return [...byName.values()];
}

const STRATEGY_NAME = 'dynamic-tools';

function withProviders(
  sources: readonly InjectionStrategy[],
  providers: readonly ToolProvider[],
): readonly InjectionStrategy[] {
  return [createDynamicTools(providers), ...sources.filter(({ name }) => name !== STRATEGY_NAME)];
}

const providerFunctions: ProviderFunctions = { withProvided, withProviders };

/** The maximum number of duplicate names to log. */
const MAX_LOGGED_NAMES = 100;

/** Offers the current tools of an agent's providers beside its own tools. Logs each duplicate name once. */
function createDynamicTools(providers: readonly ToolProvider[]): InjectionStrategy {
  const finding = providers.flatMap(getDiscoverySteps);
  const offers = new WeakMap<readonly AnyTool[], readonly AnyTool[]>();
  const told = new Set<string>();
  const onTaken = ({ path, log }: LoopView, tool: AnyTool, taken: AnyTool): void => {
    if (
      told.has(tool.name) ||
      told.size >= MAX_LOGGED_NAMES ||
      removeDecorators(tool) === removeDecorators(taken)
    )
      return;
    told.add(tool.name);
    const leftOut = `a provider's tool of that name is left out${formatMcpRenameAdvice(tool, taken)}.`;
    log(createWarningEntry(`'${path}' has a tool '${tool.name}' already: ${leftOut}`));
  };
  return {
    name: STRATEGY_NAME,
    uses: collectUses(providers),
    discover: finding.length > 0 ? finding : undefined,
    offer(tools, view) {
      const offered = withProvided(tools, providers, {
        view,
        onTaken: (tool, taken) => onTaken(view, tool, taken),
      });
      const former = offers.get(tools);
      // An unchanged list stays the same array, so that it is sorted and indexed once.
      if (former && hasSameTools(former, offered)) return former;
      offers.set(tools, offered);
      return offered;
    },
  };
}

/** Returns the original of a tool. Two groups can contain the same tool, each with its own card. */
const removeDecorators = (tool: AnyTool): AnyTool => (tool.delegate ? removeDecorators(tool.delegate) : tool);

/** The maximum characters of the names listed to a model, since a catalog can have thousands. */
const MAX_LISTED_CHARACTERS = 2_000;

/**
 * Returns a provider with stand-ins for the names that the providers lack in a loop. List it after them. A
 * model that lacks a promised tool would otherwise invent its results. Each call of a stand-in reports the
 * missing tool and lists the available ones, in the text of the first provider that defines `missing`. The
 * log reports it once. Outside of a loop there are no stand-ins, since the missing tools are not known.
 *
 * @throws ToolDefinitionError if a name is not valid for a tool.
 */
export function createRequiredToolProvider(
  names: readonly string[],
  providers: readonly ToolProvider[],
): ToolProvider {
  const listAvailable = (view: LoopView): readonly string[] =>
    [...new Set(providers.flatMap((provider) => provider.toolsNow(view).map(({ name }) => name)))].sort();
  const speaking = providers.find(({ missing }) => missing !== undefined);
  const describeMissing = (name: string, known: readonly string[]): string =>
    speaking?.missing?.(name, known) ?? formatMissingTool(name, known);
  const standIns = [...new Set(names)].map((name) =>
    createStandInTool(name, (view) => describeMissing(name, listAvailable(view))),
  );
  const warned = new Set<string>();
  return toolProvider({
    toolsNow(view) {
      if (!view) return [];
      const known = listAvailable(view);
      const offered = standIns.filter(({ name }) => !known.includes(name));
      for (const { name } of offered.filter((one) => !warned.has(one.name))) {
        warned.add(name);
        view.log(
          createWarningEntry(`'${view.path}' lacks a tool that it requires: ${describeMissing(name, known)}`),
        );
      }
      return offered;
    },
  });
}

/** Returns the message for providers that do not define one, as for MCP tools. */
const formatMissingTool = (name: string, available: readonly string[]): string =>
  `Required tool '${name}' not found. ` +
  (available.length > 0
    ? `Available tools: ${shorten(available.join(', '), MAX_LISTED_CHARACTERS)}`
    : 'No tools are available where it should come from.');

/**
 * Returns a tool that has no effect. A call that the real tool began is therefore still reported as unknown.
 */
function createStandInTool(name: string, say: (view: LoopView) => string): AnyTool {
  const description = 'Not available now. A call returns the tools that are available instead.';
  checkNaming(name, description);
  return {
    name,
    description,
    inputSchema: { type: 'object', properties: {} },
    effect: 'read',
    returnDirect: false,
    metadata: {},
    check: async (input) => ({ ok: true, value: input }),
    call: async (_input, { view }) => error(say(view)),
  };
}
