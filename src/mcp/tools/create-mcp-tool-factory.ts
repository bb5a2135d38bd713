import type { UnfoldingOptions, UnfoldingTool } from '../../tools/facades/unfolding-config.ts';
import type { LoopView } from '../../tools/injection.ts';
import { memoized } from '../../tools/memoized.ts';
import { requiredTools } from '../../tools/resolution/required-tools.ts';
import type { ToolProvider } from '../../tools/resolution/tool-source.ts';
import type { AnyTool } from '../../tools/tool.ts';
import { defineUnfolding } from '../../unfolding/define-unfolding.ts';
import { checkClients } from '../client/check-clients.ts';
import type { McpClient } from '../client/mcp-client.ts';
import type { McpTool, McpToolFilter } from './known-mcp-tools.ts';
import { chosenTools, mcpToolProvider } from './mcp-tool-provider.ts';
import { prepareTools } from './prepare-tools.ts';

/** What the literal of a factory says. */
export interface McpToolFactoryConfig {
  /**
   * Each by a name of its own. When two clients have a tool of one name, the first client's is offered; behind an unfolding tool
   * the others are renamed (UNF-31).
   */
  readonly clients: readonly McpClient[];
  /** Changes each tool before anybody is offered it: `(tool) => withNote(tool, 'Only after the local sources.')`. */
  readonly adapt?: ((tool: AnyTool) => AnyTool) | undefined;
}

/** Makes tools of what MCP servers have (MCP-01). No server is asked before a session needs its tools (MCP-08). */
export interface McpToolFactory {
  /** The tool of this name, the server's or the model's; none while no server has it. For a list of tools. */
  toolByName(name: string): ToolProvider;
  /**
   * The same; while no server has it, a stand-in of this name whose calls are answered with what is missing and what there
   * is (MCP-02).
   *
   * @throws ToolDefinitionError for a name that no tool can have.
   */
  requiredToolByName(name: string): ToolProvider;
  /** An unfolding tool with the tools of these names. */
  unfoldingByName<const Name extends string>(
    name: Name,
    description: string,
    toolNames: Iterable<string>,
    options?: UnfoldingOptions,
  ): UnfoldingTool<Name>;
  /** @deprecated `removeOnInvoke` is ignored, so leave it out (UNF-15). */
  unfoldingByName<const Name extends string>(
    name: Name,
    description: string,
    toolNames: Iterable<string>,
    removeOnInvoke: boolean,
  ): UnfoldingTool<Name>;
  /** An unfolding tool with the tools in whose names any of the patterns is found: anywhere, unless it says otherwise (MCP-03). */
  unfoldingMatching<const Name extends string>(
    name: Name,
    description: string,
    patterns: readonly RegExp[],
    options?: UnfoldingOptions,
  ): UnfoldingTool<Name>;
  /** @deprecated `removeOnInvoke` is ignored, so leave it out (UNF-15). */
  unfoldingMatching<const Name extends string>(
    name: Name,
    description: string,
    patterns: readonly RegExp[],
    removeOnInvoke: boolean,
  ): UnfoldingTool<Name>;
  /** An unfolding tool with the tools that the filter takes. */
  unfolding<const Name extends string>(
    name: Name,
    description: string,
    filter: McpToolFilter,
    options?: UnfoldingOptions,
  ): UnfoldingTool<Name>;
  /** @deprecated `removeOnInvoke` is ignored, so leave it out (UNF-15). */
  unfolding<const Name extends string>(
    name: Name,
    description: string,
    filter: McpToolFilter,
    removeOnInvoke: boolean,
  ): UnfoldingTool<Name>;
}

/**
 * Makes a factory of clients; nothing is asked of them.
 *
 * @throws McpClientDefinitionError when two clients share a name.
 */
export function createMcpToolFactory({ clients: listed, adapt }: McpToolFactoryConfig): McpToolFactory {
  const clients = checkClients(listed);
  // The same tool for the same tool: an offer that has not changed stays the same offer.
  const adapted = adapt ? memoized(adapt) : (tool: AnyTool) => tool;

  const named = (name: string): ToolProvider => ({
    ...mcpToolProvider({ clients }),
    toolsNow: (view) => (view ? toolCalled(name, clients, view).map(adapted) : []),
  });

  const unfolding = <const Name extends string>(
    name: Name,
    description: string,
    filter: McpToolFilter,
    options: UnfoldingOptions | boolean = {},
  ): UnfoldingTool<Name> =>
    defineUnfolding({
      ...(typeof options === 'boolean' ? {} : options),
      name,
      description,
      prepare: (invocation) => prepareTools({ clients, filter }, invocation),
      tools: (view) => chosenTools({ clients, filter }, view).map(({ tool }) => adapted(tool)),
    });

  return {
    toolByName: named,
    requiredToolByName(name) {
      const provider = named(name);
      const standIn = requiredTools([name], [mcpToolProvider({ clients })]);
      return {
        ...provider,
        toolsNow(view) {
          const tools = provider.toolsNow(view);
          return tools.length > 0 ? tools : standIn.toolsNow(view);
        },
      };
    },
    unfoldingByName(
      name: string,
      description: string,
      toolNames: Iterable<string>,
      options?: UnfoldingOptions | boolean,
    ) {
      const names = new Set(toolNames);
      return unfolding(name, description, (listed) => names.has(listed.name), options);
    },
    // A pattern with the flag `g` remembers where it was; `search` does not go by that.
    unfoldingMatching: (name, description, patterns, options) =>
      unfolding(name, description, (listed) => patterns.some((one) => listed.name.search(one) >= 0), options),
    unfolding,
  };
}

/** The first tool that either side calls so: its server, or, with the client's prefix, the model. */
function toolCalled(name: string, clients: readonly McpClient[], view: LoopView): readonly AnyTool[] {
  const isCalled = ({ tool, listed }: McpTool): boolean => listed.name === name || tool.name === name;
  return chosenTools({ clients }, view)
    .filter(isCalled)
    .slice(0, 1)
    .map(({ tool }) => tool);
}
