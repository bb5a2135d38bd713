import type { Attack } from './attack.ts';
import { listApprovalAttacks } from './groups/approvals.ts';
import { listAuthenticationAttacks } from './groups/authentication.ts';
import { listBlockerAttacks } from './groups/blockers.ts';
import { listContextAttacks } from './groups/context.ts';
import { listCrowdAttacks } from './groups/crowds.ts';
import { listDeliveryAttacks } from './groups/deliveries.ts';
import { listEditAttacks } from './groups/edits.ts';
import { listEntranceAttacks } from './groups/entrances.ts';
import { listFileAttacks } from './groups/files.ts';
import { listInputAttacks } from './groups/input.ts';
import { listLocalModeAttacks } from './groups/local-mode.ts';
import { listMcpAskingAttacks } from './groups/mcp-asking.ts';
import { listMcpEndpointAttacks } from './groups/mcp-endpoint.ts';
import { listMcpQuestionAttacks } from './groups/mcp-questions.ts';
import { listMcpServerAttacks } from './groups/mcp-servers.ts';
import { listMcpTaskAttacks } from './groups/mcp-tasks.ts';
import { listMisplacedSecretAttacks } from './groups/misplaced-secrets.ts';
import { listOperatorAttacks } from './groups/operators.ts';
import { listOwnerAttacks } from './groups/owners.ts';
import { listPathAttacks } from './groups/paths.ts';
import { listPersonAttacks } from './groups/persons.ts';
import { listPoisonAttacks } from './groups/poison.ts';
import { listRunawayAttacks } from './groups/runaways.ts';
import { listSecretAttacks } from './groups/secrets.ts';
import { listSessionListAttacks } from './groups/session-lists.ts';
import { listStreamAttacks } from './groups/streams.ts';
import { listTurnTreeAttacks } from './groups/turn-trees.ts';
import { listWebhookAttacks } from './groups/webhooks.ts';
import type { Victims } from './victims.ts';

/** A group of related attacks, created when their targets are known. */
export interface Group {
  readonly name: string;
  readonly attacks: (victims: Victims) => readonly Attack[];
}

/** All groups, in the order in which they are played. */
export const GROUPS: readonly Group[] = [
  { name: 'authentication', attacks: listAuthenticationAttacks },
  { name: 'entrances', attacks: listEntranceAttacks },
  { name: 'local mode', attacks: listLocalModeAttacks },
  { name: 'owners', attacks: listOwnerAttacks },
  { name: 'persons', attacks: listPersonAttacks },
  { name: 'context', attacks: listContextAttacks },
  { name: 'approvals', attacks: listApprovalAttacks },
  { name: 'session lists', attacks: listSessionListAttacks },
  { name: 'operators', attacks: listOperatorAttacks },
  { name: 'edits', attacks: listEditAttacks },
  { name: 'webhooks', attacks: listWebhookAttacks },
  { name: 'deliveries', attacks: listDeliveryAttacks },
  { name: 'MCP endpoint', attacks: listMcpEndpointAttacks },
  { name: 'MCP asking', attacks: listMcpAskingAttacks },
  { name: 'MCP tasks', attacks: listMcpTaskAttacks },
  { name: 'MCP servers', attacks: listMcpServerAttacks },
  { name: 'MCP questions', attacks: listMcpQuestionAttacks },
  { name: 'paths', attacks: listPathAttacks },
  { name: 'input', attacks: listInputAttacks },
  { name: 'poison', attacks: listPoisonAttacks },
  { name: 'files', attacks: listFileAttacks },
  { name: 'streams', attacks: listStreamAttacks },
  { name: 'secrets', attacks: listSecretAttacks },
  { name: 'misplaced secrets', attacks: listMisplacedSecretAttacks },
  { name: 'crowds', attacks: listCrowdAttacks },
  { name: 'runaways', attacks: listRunawayAttacks },
  { name: 'blockers', attacks: listBlockerAttacks },
  { name: 'turn trees', attacks: listTurnTreeAttacks },
];
