import { isPrivateHost } from './private-address.ts';

/**
 * What is wrong with an address that comes from data, as a phrase that goes on after "it": only `https`, to a host that is not
 * known for a private one, and no credentials in it (issue 6, build item 6). Ports are not looked at: TLS talks to no service
 * that does not expect it. Where a name leads is not known on Workers; their `fetch` reaches the public internet only, unless
 * a private network is bound to them.
 */
export function addressProblem(address: URL): string | undefined {
  if (address.username !== '' || address.password !== '') return 'holds credentials';
  if (address.protocol !== 'https:') return 'does not begin with https:';
  return isPrivateHost(address.hostname) ? 'leads into a private network' : undefined;
}
