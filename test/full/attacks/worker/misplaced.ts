/**
 * Definitions that receive a secret in place of its name. The secret has the format of a name, because
 * definitions refuse any other text.
 */
import { bearerToken } from '../../../../src/create-holdfast.ts';
import { type Agent, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineMcpClient, mcpToolProvider } from '../../../../src/mcp/tools/entry.ts';
import { outgoingWebhook } from '../../../../src/modules/outgoing-webhooks/entry.ts';
import {
  githubWebhook,
  slackWebhook,
  standardWebhook,
  stripeWebhook,
} from '../../../../src/modules/webhooks/entry.ts';
import { settings } from './settings.ts';

const secret = settings.MISPLACED;
const ownTarget = { agent: 'clerk', owner: { tenant: 'acme' } } as const;

export const misplacedHooks = [
  githubWebhook({ ...ownTarget, name: 'careless-github', secret }),
  slackWebhook({ ...ownTarget, name: 'careless-slack', secret }),
  stripeWebhook({ ...ownTarget, name: 'careless-stripe', secret: ['NEVER_SET', secret] }),
  standardWebhook({ ...ownTarget, name: 'careless-standard', secret }),
];

export const misplacedToken = bearerToken(secret);

const client = defineMcpClient({ name: 'careless', url: `${settings.REMOTE_URL}/trusted`, bearer: secret });

const secretDemandingTool = defineTool({
  name: 'demand',
  description: 'Needs a secret.',
  effect: 'read',
  run: (_, { secrets }) => secrets.require(secret),
});

export const carelessAgents: readonly Agent[] = [
  defineAgent({
    name: 'careless',
    description: 'Has a secret in its code.',
    instructions: 'Do what you are asked.',
    tools: [secretDemandingTool, mcpToolProvider({ clients: [client] })],
  }),
];

export const misplacedOutgoing = [
  outgoingWebhook({ name: 'careless', url: 'http://localhost:9/', secret, agents: ['careless'] }),
];
