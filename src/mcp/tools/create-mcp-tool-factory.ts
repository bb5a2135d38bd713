import { discoveryIn } from '../../loop/discovery.ts';
import { answers } from '../../modules/answers/answers.ts';
import { LISTINGS, listings } from '../../modules/listings/entry.ts';
import { defineUnfolding } from '../../modules/unfolding/define-unfolding.ts';
import type { UnfoldingOptions, UnfoldingTool } from '../../modules/unfolding/unfolding.ts';
import { requiredTools } from '../../sources/resolution/tool-provider.ts';
import type { ToolProvider } from '../../sources/resolution/tool-source.ts';
import { memoized } from '../../tool/async.ts';
import type { AnyTool, CallRun, LoopView } from '../../tool/tool.ts';
import { checkClients } from '../client/define-mcp-client.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { type FoundTools, findTools } from './find-tools.ts';
import { knownListing } from './listing.ts';
import type { McpTool, McpToolFilter } from './mcp-tool.ts';
import {
  areListed,
  chosenTools,
  type McpToolProviderConfig,
  mcpToolProvider,
  NO_TOOLS,
  unreachable,
} from './mcp-tool-provider.ts';

/** The literal that `createMcpToolFactory` takes. */
export interface McpToolFactoryConfig {
  /**
   * Each has a name of its own. When two clients have a tool of one name, the first client's is offered; behind an unfolding
   * tool the others are renamed.
   */
  readonly clients: readonly McpClient[];
  /**
   * Changes each tool before anybody is offered it: `(tool) => withUsageNote(tool, 'Only after the local sources.')`. What may be
   * called without asking anybody is named here: `(tool) => (READS.has(tool.name) ? tool : requireApproval(tool, 'May it?'))`. The
   * tool's `effect` may follow from what its server hints, and is no reason to ask nobody.
   */
  readonly adapt?: ((tool: AnyTool) => AnyTool) | undefined;
}

/**
 * Makes an unfolding tool with those tools of servers that `by` chooses. In place of the options a boolean may stand, which
 * was once `removeOnInvoke`, and is ignored.
 */
type UnfoldingBy<By> = <const Name extends string>(
  ...asked: UnfoldingArguments<Name, By>
) => UnfoldingTool<Name>;

type UnfoldingArguments<Name, By> = readonly [
  name: Name,
  description: string,
  by: By,
  options?: UnfoldingOptions | boolean,
];

/** Makes tools of what MCP servers have. No server is asked before a session needs its tools. */
export interface McpToolFactory {
  /** For inference only; never set: what it makes is listed among tools, and it is not. */
  readonly '~mcp'?: 'factory';
  /**
   * Finds the tool of this name, the server's or the model's, for a list of tools. There is none while no server has it.
   */
  toolByName(name: string): ToolProvider;
  /**
   * Finds the same; while no server has it, a stand-in has its name, and answers calls with what is missing and what there is.
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
  /** `removeOnInvoke` is accepted and ignored. */
  unfoldingByName<const Name extends string>(
    name: Name,
    description: string,
    toolNames: Iterable<string>,
    removeOnInvoke: boolean,
  ): UnfoldingTool<Name>;
  /** An unfolding tool with the tools in whose names any of the patterns is found: anywhere, unless it says otherwise. */
  unfoldingMatching<const Name extends string>(
    name: Name,
    description: string,
    patterns: readonly RegExp[],
    options?: UnfoldingOptions,
  ): UnfoldingTool<Name>;
  /** `removeOnInvoke` is accepted and ignored. */
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
  /** `removeOnInvoke` is accepted and ignored. */
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
  // An offer that has not changed stays the same offer: the same tool is made of the same tool.
  const from: Tools = { clients, adapted: adapt ? memoized(adapt) : (tool: AnyTool) => tool };
  return { ...toolsByName(from), ...unfoldingTools(from) };
}

/** What a factory makes tools of, and how it changes them. */
interface Tools {
  readonly clients: readonly McpClient[];
  adapted(tool: AnyTool): AnyTool;
}

function toolsByName({ clients, adapted }: Tools): Pick<McpToolFactory, 'toolByName' | 'requiredToolByName'> {
  const everything = mcpToolProvider({ clients });
  /** Those of servers alone: what stands in for the tools of one is none that there is. */
  const known: ToolProvider = {
    ...everything,
    toolsNow: (view) => (view ? chosenTools({ clients }, view).map(({ tool }) => tool) : []),
  };
  const found = (name: string, view: LoopView | undefined): readonly AnyTool[] =>
    view ? toolCalled(name, clients, view).map(adapted) : [];
  const toolByName = (name: string): ToolProvider => ({
    ...everything,
    toolsNow(view) {
      const tools = found(name, view);
      return tools.length > 0 || !view ? tools : unreachable(clients, view);
    },
  });
  return {
    toolByName,
    requiredToolByName(name) {
      const provider = toolByName(name);
      const standIn = requiredTools([name], [known]);
      return {
        ...provider,
        toolsNow(view) {
          const tools = found(name, view);
          return tools.length > 0 ? tools : [...standIn.toolsNow(view), ...provider.toolsNow(view)];
        },
      };
    },
  };
}

function unfoldingTools({
  clients,
  adapted,
}: Tools): Pick<McpToolFactory, 'unfoldingByName' | 'unfoldingMatching' | 'unfolding'> {
  const unfoldingBy =
    <By>(toFilter: (by: By) => McpToolFilter): UnfoldingBy<By> =>
    (...[name, description, by, options = {}]) => {
      const chosen = { clients, filter: toFilter(by) };
      return defineUnfolding({
        ...(typeof options === 'boolean' ? {} : options),
        name,
        description,
        prepare: (call) => prepareTools(chosen, call),
        isKnown: (view) => areListed(clients, view),
        uses: [listings, answers],
        tools: (view) => chosenTools(chosen, view).map(({ tool }) => adapted(tool)),
      });
    };
  return {
    unfoldingByName: unfoldingBy((listed) => {
      const names = new Set(listed);
      return ({ name }) => names.has(name);
    }),
    // A pattern with the flag `g` remembers where it was; `search` does not go by that.
    unfoldingMatching: unfoldingBy(
      (patterns) =>
        ({ name }) =>
          patterns.some((pattern) => name.search(pattern) >= 0),
    ),
    unfolding: unfoldingBy((filter) => filter),
  };
}

/** Finds the first tool that its server calls so, or, with the client's prefix, the model. */
function toolCalled(name: string, clients: readonly McpClient[], view: LoopView): readonly AnyTool[] {
  const isCalled = ({ tool, listed }: McpTool): boolean => listed.name === name || tool.name === name;
  return chosenTools({ clients }, view)
    .filter(isCalled)
    .slice(0, 1)
    .map(({ tool }) => tool);
}

/** A remark goes with the tools when they unfold; a text says what is wrong, and nothing unfolds. */
type Prepared = string | { readonly remark: string } | undefined;

/**
 * Asks servers for their tools before an unfolding tool unfolds, and records what they have. With many servers an invocation
 * may have no room for all: then it unfolds into those of some, and the model is told how to come by the others.
 *
 * @throws CallInterrupted when nothing was found, for lack of room: another invocation begins the call anew.
 */
async function prepareTools(of: McpToolProviderConfig, call: CallRun): Promise<Prepared> {
  const answers = await answersOf(of.clients, call);
  for (const { facts } of answers) for (const fact of facts) call.record(LISTINGS, fact, { on: 'end' });
  const problems = answers.flatMap(({ problem }) => problem ?? []);
  const isEmpty = problems.length === answers.length && chosenTools(of, call.view).length === 0;
  if (isEmpty) {
    const why = problems.length > 0 ? problems.join(' ') : NO_TOOLS;
    return `Tool '${call.tool}' cannot show its tools now. ${why} Go on without them.`;
  }
  const missing = answers.filter(({ problem, client }) => problem && !knownListing(client, call.view));
  return missing.length === 0 ? undefined : { remark: remarkOf(missing, call) };
}

interface Answer extends FoundTools {
  readonly client: McpClient;
  /** The invocation had no room for it. */
  readonly isPutOff: boolean;
}

async function answersOf(clients: readonly McpClient[], call: CallRun): Promise<readonly Answer[]> {
  const discovery = discoveryIn(call);
  const settled = await Promise.allSettled(clients.map((client) => findTools(client, discovery)));
  discovery.signal.throwIfAborted();
  const hasFound = settled.some((one) => one.status === 'fulfilled' && one.value.facts.length > 0);
  return clients.flatMap((client, index): readonly Answer[] => {
    const one = settled[index];
    if (one?.status === 'fulfilled') return [{ client, isPutOff: false, ...one.value }];
    // Something has to come of an invocation, or the model would call for the rest without end.
    if (!hasFound) throw one?.reason;
    const problem = `MCP server '${client.name}' is not asked yet.`;
    return [{ client, isPutOff: true, facts: [], problem }];
  });
}

/** What is missing, and that it can be had, where nothing but room was lacking. */
function remarkOf(missing: readonly Answer[], { tool }: CallRun): string {
  const problems = missing.map(({ problem }) => problem).join(' ');
  const again = missing.some(({ isPutOff }) => isPutOff) ? ` Call '${tool}' again for the other tools.` : '';
  return `Some tools of '${tool}' are not here. ${problems}${again}`;
}
