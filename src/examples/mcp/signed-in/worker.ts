import * as v from 'valibot';
import { createHoldfast } from '../../../create-holdfast.ts';
import { defineTool } from '../../../index.ts';
import { defineMcpEndpoint } from '../../../mcp/server/entry.ts';

/** The identity provider, and this Worker's endpoint, for which its tokens must be issued. */
const LOGIN = 'https://login.example';
const ENDPOINT = 'https://agents.example/mcp';

/** The provider's response about a token (RFC 7662). */
const Said = v.object({
  active: v.boolean(),
  sub: v.optional(v.string()),
  aud: v.optional(v.string()),
  scope: v.optional(v.string(), ''),
});

const whoAmI = defineTool({
  name: 'who_am_i',
  description: 'Says who is signed in.',
  effect: 'read',
  run: (_, call) => call.principal.id,
});

const holdfast = createHoldfast({
  agents: [],
  use: [defineMcpEndpoint({ tools: [whoAmI], authorization: { servers: [LOGIN], scopes: ['agents'] } })],
  async auth(request, env) {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    if (token === undefined) return null; // a 401 response that names the provider
    const answer = await fetch(`${LOGIN}/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${env.INTROSPECTION}` },
      body: new URLSearchParams({ token }),
    });
    const said = v.parse(Said, await answer.json());
    // The provider knows whether the token is valid. The Worker must check its audience.
    if (!said.active || said.sub === undefined || said.aud !== ENDPOINT) return null;
    return { id: said.sub, roles: said.scope.split(' ') };
  },
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
