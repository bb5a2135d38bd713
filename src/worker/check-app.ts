import type { Agent } from '../agent/define-agent.ts';
import { noPrices } from '../loop/budget.ts';
import { agentsAskedBy } from '../loop/loop-agent.ts';
import { modelProblem } from '../loop/loop-settings.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { notOneOf } from '../tool/check-definition.ts';
import { ended, type LiteralShape, literalFault, nearest, shown } from '../tool/check-literal.ts';
import type { Owner } from '../tool/owner.ts';

interface AgentsOf {
  readonly agents: readonly Agent[];
}

/** What starts turns of an agent; without a name, of whichever it chooses later. */
interface Starter {
  readonly name: string;
  readonly agent: string | undefined;
}

interface Starters extends AgentsOf {
  readonly webhooks?: readonly Starter[] | undefined;
  readonly schedules?: readonly Starter[] | undefined;
  readonly outgoingWebhooks?:
    | readonly { readonly name: string; readonly agents: readonly string[] | undefined }[]
    | undefined;
}

/** What the literal of an app holds. */
export const APP_SHAPE = {
  of: 'createHoldfast',
  keys: {
    agents: 'any',
    kinds: 'list',
    model: 'any',
    offline: 'function',
    log: 'any',
    toolGroups: 'list',
    context: 'any',
    bodyContext: 'list',
    secrets: 'function',
    auth: 'function',
    onBehalfOf: 'function',
    legacyTenants: 'flag',
    steering: 'any',
    contextHeaders: 'object',
    origins: 'list',
    webhooks: 'list',
    outgoingWebhooks: 'list',
    surfaces: 'list',
    mcp: 'object',
    maxBodyBytes: 'any',
    allowPrivateFiles: 'flag',
    maxStreams: 'any',
    basePath: 'text',
    schedules: 'list',
    platform: 'any',
    files: 'any',
    retention: 'any',
    location: 'object',
  },
  required: [],
  foreign: { agent: 'agents', hooks: 'webhooks', crons: 'schedules' },
} as const satisfies LiteralShape;

/** @throws ConfigurationError when a key is not known, the model is none, or the agents are no list of them. */
export function checkApp(
  config: { readonly agents: unknown; readonly model?: unknown },
  shape: LiteralShape,
): void {
  const fault =
    literalFault(config, shape)?.problem ?? modelProblem(config.model) ?? agentsFault(config.agents);
  if (fault !== undefined) throw new ConfigurationError(`createHoldfast ${ended(fault)}`);
}

/** Says which of the agents is none; callers without types may give anything. */
function agentsFault(agents: unknown): string | undefined {
  if (!Array.isArray(agents)) {
    const have = agents === undefined ? 'no' : `${shown(agents)} as its`;
    return `has ${have} 'agents': use a list, as in [agent]`;
  }
  const index = agents.findIndex((agent) => typeof Object(agent).loopIds !== 'string');
  return index < 0
    ? undefined
    : `has ${shown(agents[index])} at agents[${index}]: use what defineAgent makes`;
}

/** @throws ConfigurationError when a tool of an agent asks another, by a name that is not there: its model would be told in every call. */
export function checkSubagents({ agents }: AgentsOf): void {
  const known = byName('agents', agents);
  for (const { name, tools } of agents) {
    const stranger = [...agentsAskedBy(tools)].find((asked) => !known.has(asked));
    if (stranger === undefined) continue;
    throw new ConfigurationError(
      `Agent '${name}' has the subagent '${stranger}', which is not among the agents.${meant(stranger, known.keys())}`,
    );
  }
}

/** The end of an error about a name that is not there: the one that it is near to, if any. */
function meant(name: string, names: Iterable<string>): string {
  const near = nearest(name, [...names], Math.ceil(name.length / 3));
  return near === undefined ? '' : ` Did you mean '${near}'?`;
}

/** @throws ConfigurationError when two have the same name. */
export function byName<Named extends { readonly name: string }>(
  what: 'agents' | 'webhooks' | 'schedules' | 'outgoingWebhooks' | 'surfaces',
  all: readonly Named[],
): ReadonlyMap<string, Named> {
  const named = new Map<string, Named>();
  for (const one of all) {
    if (named.has(one.name)) throw new ConfigurationError(`Two ${what} are called '${one.name}'.`);
    named.set(one.name, one);
  }
  return named;
}

/**
 * Checks webhooks and schedules when the app is made: one that starts no agent would be found out by its first delivery,
 * or at its time, which may be months away.
 *
 * @throws ConfigurationError when two have the same name, or the agent of one is not among the agents; so also of outgoing webhooks.
 */
export function checkStarters({
  agents,
  webhooks = [],
  schedules = [],
  outgoingWebhooks = [],
}: Starters): void {
  const known = byName('agents', agents);
  const all = [
    ...Array.from(byName('webhooks', webhooks).values(), (one) => ({ kind: 'Webhook', ...one })),
    ...Array.from(byName('schedules', schedules).values(), (one) => ({ kind: 'Schedule', ...one })),
  ];
  for (const { kind, name, agent } of all) {
    if (agent === undefined || known.has(agent)) continue;
    throw new ConfigurationError(
      `${kind} '${name}' starts the agent '${agent}', which is not among the agents.${meant(agent, known.keys())}`,
    );
  }
  mustBeMade({ outgoingWebhooks }, 'announce', 'outgoingWebhook');
  for (const { name, agents: told = [] } of byName('outgoingWebhooks', outgoingWebhooks).values()) {
    const stranger = told.find((one) => !known.has(one));
    if (stranger === undefined) continue;
    throw new ConfigurationError(
      `Outgoing webhook '${name}' is told of the agent '${stranger}', which is not among the agents.${meant(stranger, known.keys())}`,
    );
  }
}

/** @throws ConfigurationError when something of a list has no such method, by which what was made for it is known. */
export function mustBeMade(
  named: Readonly<Record<string, readonly unknown[]>>,
  method: string,
  maker: string,
): void {
  for (const [key, list] of Object.entries(named)) {
    const place = list.findIndex((one) => typeof Object(one)[method] !== 'function');
    if (place < 0) continue;
    throw new ConfigurationError(
      `createHoldfast has ${shown(list[place])} at ${key}[${place}]: use what ${maker} makes.`,
    );
  }
}

interface Publishing extends AgentsOf {
  readonly mcp?: { readonly agents: readonly string[] } | undefined;
}

/** @throws ConfigurationError when the MCP endpoint publishes an agent that is not among the agents. */
export function checkEndpoint({ agents, mcp }: Publishing): void {
  const known = byName('agents', agents);
  const stranger = mcp?.agents.find((name) => !known.has(name));
  if (stranger === undefined) return;
  throw new ConfigurationError(
    `The MCP endpoint publishes the agent '${stranger}', which is not among the agents.${meant(stranger, known.keys())}`,
  );
}

/** @throws ConfigurationError when `steering` is none of its words: a slip would let in whom it keeps out, or the other way round. */
export function checkSteering({ steering }: { readonly steering?: unknown }): void {
  const use = steering === undefined ? undefined : notOneOf(steering, ['requester', 'anyone']);
  if (use) throw new ConfigurationError(`\`steering\` is '${String(steering)}'; it must be ${use}.`);
}

/** What starts turns for an owner; without one, for whom its mapping, or `auth`, names later. */
interface OwnedStarter {
  readonly name: string;
  readonly owner?: Owner | undefined;
}

interface Owned {
  readonly webhooks?: readonly OwnedStarter[] | undefined;
  readonly schedules?: readonly OwnedStarter[] | undefined;
  /** Absent: the built-in authentication, which names an owner. */
  readonly auth?: { readonly owner?: unknown } | undefined;
  readonly legacyTenants?: boolean | undefined;
}

/**
 * Checks that everything which starts turns has an owner: any name that were made up for the owner, a user of the app's
 * own `auth` might have.
 *
 * @throws ConfigurationError when neither a webhook or a schedule nor `auth` says whose its sessions are, or an id owns sessions
 *   where it might be called like a tenant.
 */
export function checkOwners({ webhooks = [], schedules = [], auth, legacyTenants }: Owned): void {
  const ofId = legacyTenants && [...webhooks, ...schedules].find(({ owner }) => owner?.id !== undefined);
  if (ofId) {
    throw new ConfigurationError(
      `'${ofId.name}' has an owner { id }, which may be called like a tenant: with legacyTenants use { tenant }.`,
    );
  }
  if (auth === undefined || auth.owner !== undefined) return;
  const refuseNobodys = (kind: 'webhook' | 'schedule', starters: readonly OwnedStarter[]): void => {
    const nobodys = starters.find(({ owner }) => owner === undefined);
    if (!nobodys) return;
    throw new ConfigurationError(
      `${kind === 'webhook' ? 'Webhook' : 'Schedule'} '${nobodys.name}' has no owner, and the app has an \`auth\` of its own. ` +
        `Give the ${kind} \`owner\`: { tenant } or { id } of the callers who may read its sessions.`,
    );
  };
  refuseNobodys('webhook', webhooks);
  refuseNobodys('schedule', schedules);
}

/** @throws ConfigurationError when an agent has a cost limit, and the model that the app declares has no prices. */
export function checkPrices({
  agents,
  model,
}: AgentsOf & { readonly model?: ChatModel | ((env: never) => ChatModel) | undefined }): void {
  if (model === undefined || typeof model === 'function' || model.prices) return;
  const limited = agents.find((agent) => !agent.model && !agent.modelOf && agent.limits.cost !== undefined);
  if (limited) throw new ConfigurationError(`Agent '${limited.name}' ${noPrices(model)}.`);
}
