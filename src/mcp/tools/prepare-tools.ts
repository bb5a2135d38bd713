import { LISTINGS } from '../../tools/listings.ts';
import type { ToolInvocation } from '../../tools/tool.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { type FoundTools, findTools } from './find-tools.ts';
import { knownListing } from './known-listing.ts';
import { chosenTools, type McpToolProviderConfig, NO_TOOLS } from './mcp-tool-provider.ts';

/** As a facade says it: a remark when it opens, or what is wrong. */
type Prepared = string | { readonly remark: string } | undefined;

/**
 * Asks the servers of a facade for their tools before it opens, and records what they have. With many servers an invocation
 * may have no room for all: then it opens with those of some, and the model is told how to come by the others.
 *
 * @throws CallInterrupted when nothing was found, for lack of room: another invocation begins the call anew.
 */
export async function prepareTools(of: McpToolProviderConfig, invocation: ToolInvocation): Promise<Prepared> {
  const answers = await answersOf(of.clients, invocation);
  for (const { facts } of answers) for (const fact of facts) invocation.record(LISTINGS, fact);
  const problems = answers.flatMap(({ problem }) => problem ?? []);
  const isEmpty = problems.length === answers.length && chosenTools(of, invocation.view).length === 0;
  if (isEmpty) {
    const why = problems.length > 0 ? problems.join(' ') : NO_TOOLS;
    return `Tool '${invocation.tool}' cannot show its tools now. ${why} Go on without them.`;
  }
  const missing = answers.filter(({ problem, client }) => problem && !knownListing(client, invocation.view));
  return missing.length === 0 ? undefined : { remark: remarkOf(missing, invocation) };
}

interface Answer extends FoundTools {
  readonly client: McpClient;
  /** The invocation had no room for it. */
  readonly isPutOff: boolean;
}

async function answersOf(
  clients: readonly McpClient[],
  invocation: ToolInvocation,
): Promise<readonly Answer[]> {
  const { discovery } = invocation;
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
function remarkOf(missing: readonly Answer[], { tool }: ToolInvocation): string {
  const problems = missing.map(({ problem }) => problem).join(' ');
  const again = missing.some(({ isPutOff }) => isPutOff) ? ` Call '${tool}' again for the other tools.` : '';
  return `Some tools of '${tool}' are not here. ${problems}${again}`;
}
