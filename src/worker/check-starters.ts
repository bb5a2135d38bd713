import { ConfigurationError } from '../model/configuration-error.ts';
import type { Owner } from '../tool/owner.ts';
import { mustHaveAgent } from './check-app.ts';
import type { HttpHost } from './route.ts';

/** What starts turns: of an agent, or of whichever it chooses later; for an owner, or for whom its mapping or `auth` names later. */
interface Starter {
  readonly name: string;
  readonly agent?: string | undefined;
  readonly owner?: Owner | undefined;
}

/**
 * Checks schedules or webhooks when the app is made: a mistake would show at their time, or with their first delivery, which may be months
 * away. Each must have an owner, because a user of the app's own `auth` might have any name that were made up.
 *
 * @throws ConfigurationError if the app does not have the agent of one, or if neither one nor `auth` says whose its sessions are.
 */
export function checkStarters(
  { agents, auth }: Pick<HttpHost, 'agents' | 'auth'>,
  kind: 'schedule' | 'webhook',
  starters: readonly Starter[],
): void {
  const Kind = kind === 'schedule' ? 'Schedule' : 'Webhook';
  for (const { name, agent, owner } of starters) {
    if (agent !== undefined) mustHaveAgent(agents, `${Kind} '${name}' starts the agent`, agent);
    if (owner === undefined && auth.owner === undefined) {
      throw new ConfigurationError(
        `${Kind} '${name}' has no owner, and the app has an \`auth\` of its own. ` +
          `Give the ${kind} \`owner\`: { tenant } or { id } of the callers who may read its sessions.`,
      );
    }
  }
}
