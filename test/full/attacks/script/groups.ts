import type { Attack } from './attack.ts';
import { approvals } from './groups/approvals.ts';
import { authentication } from './groups/authentication.ts';
import { blockers } from './groups/blockers.ts';
import { context } from './groups/context.ts';
import { crowds } from './groups/crowds.ts';
import { deliveries } from './groups/deliveries.ts';
import { edits } from './groups/edits.ts';
import { entrances } from './groups/entrances.ts';
import { files } from './groups/files.ts';
import { input } from './groups/input.ts';
import { localMode } from './groups/local-mode.ts';
import { mcpAsking } from './groups/mcp-asking.ts';
import { mcpEndpoint } from './groups/mcp-endpoint.ts';
import { mcpQuestions } from './groups/mcp-questions.ts';
import { mcpServers } from './groups/mcp-servers.ts';
import { mcpTasks } from './groups/mcp-tasks.ts';
import { misplacedSecrets } from './groups/misplaced-secrets.ts';
import { operatorAccess } from './groups/operators.ts';
import { owners } from './groups/owners.ts';
import { paths } from './groups/paths.ts';
import { persons } from './groups/persons.ts';
import { poison } from './groups/poison.ts';
import { runaways } from './groups/runaways.ts';
import { secrets } from './groups/secrets.ts';
import { sessionLists } from './groups/session-lists.ts';
import { streams } from './groups/streams.ts';
import { turnTrees } from './groups/turn-trees.ts';
import { webhooks } from './groups/webhooks.ts';
import type { Victims } from './victims.ts';

/** A group of related attacks, created when their targets are known. */
export interface Group {
  readonly name: string;
  readonly attacks: (victims: Victims) => readonly Attack[];
}

/** All groups, in the order in which they are played. */
export const GROUPS: readonly Group[] = [
  { name: 'authentication', attacks: authentication },
  { name: 'entrances', attacks: entrances },
  { name: 'local mode', attacks: localMode },
  { name: 'owners', attacks: owners },
  { name: 'persons', attacks: persons },
  { name: 'context', attacks: context },
  { name: 'approvals', attacks: approvals },
  { name: 'session lists', attacks: sessionLists },
  { name: 'operators', attacks: operatorAccess },
  { name: 'edits', attacks: edits },
  { name: 'webhooks', attacks: webhooks },
  { name: 'deliveries', attacks: deliveries },
  { name: 'MCP endpoint', attacks: mcpEndpoint },
  { name: 'MCP asking', attacks: mcpAsking },
  { name: 'MCP tasks', attacks: mcpTasks },
  { name: 'MCP servers', attacks: mcpServers },
  { name: 'MCP questions', attacks: mcpQuestions },
  { name: 'paths', attacks: paths },
  { name: 'input', attacks: input },
  { name: 'poison', attacks: poison },
  { name: 'files', attacks: files },
  { name: 'streams', attacks: streams },
  { name: 'secrets', attacks: secrets },
  { name: 'misplaced secrets', attacks: misplacedSecrets },
  { name: 'crowds', attacks: crowds },
  { name: 'runaways', attacks: runaways },
  { name: 'blockers', attacks: blockers },
  { name: 'turn trees', attacks: turnTrees },
];
