import * as v from 'valibot';
import { createHoldfast } from '../../../create-holdfast.ts';
import { defineTool } from '../../../index.ts';
import { defineMcpEndpoint } from '../../../mcp/server/entry.ts';

/** The provider where people sign in, and the address of this Worker's endpoint, for which their tokens have to be. */
const LOGIN = 'https://login.example';
const ENDPOINT = 'https://agents.example/mcp';

/** What the provider says of a token (RFC 7662). */
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
    if (token === undefined) return null; // 401, which names the provider
    const answer = await fetch(`${LOGIN}/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${env.INTROSPECTION}` },
      body: new URLSearchParams({ token }),
    });
    const said = v.parse(Said, await answer.json());
    // The provider knows whether it has issued the token, and until when it counts; for whom it is, is ours to check.
    if (!said.active || said.sub === undefined || said.aud !== ENDPOINT) return null;
    return { id: said.sub, roles: said.scope.split(' ') };
  },
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
