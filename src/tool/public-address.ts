/**
 * IPv4 that is not for the public (IANA's special-purpose registry, RFC 6890): this network and the host itself, private networks, NAT of carriers,
 * loopback, link-local with the metadata of clouds, documentation, relays of 6to4, benchmarks, multicast, reserved, and broadcast.
 */
const PRIVATE_IPV4 =
  /^(?:0|10|127|22[4-9]|2[34]\d|25\d|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.(?:0\.[02]|88\.99|168)|198\.(?:1[89]|51\.100)|203\.0\.113)\./;

/** Names that only a private network resolves, if any, and those without a dot; `internal` holds the metadata hosts of clouds. */
const PRIVATE_NAME =
  /^[^.]*$|\.\.|\.(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|svc)$/;

/** An address that is refused. */
export interface WrongAddress {
  /** What is wrong with it, in words that follow "it". */
  readonly wrong: string;
  /** It leads into a private network. */
  readonly isPrivate?: true;
}

/**
 * Reads an address that comes from data: of an MCP server, or of a file that a model's provider fetches. Returns it, or what is wrong with it:
 * it must begin with `https:`, have no credentials, and lead to no host that is known to be private. Every spelling of
 * an IP address counts, since `URL` makes one of them. Ports are not looked at: TLS talks to no service that does not expect it.
 *
 * A public name may resolve to a private address, which Workers cannot see. Their own `fetch` reaches the public internet alone, unless a
 * private network is bound to them.
 *
 * @param allowPrivate Allows private hosts and plain `http`, for an app whose servers are there.
 */
export function publicAddress(given: unknown, allowPrivate = false): URL | WrongAddress {
  const address = typeof given === 'string' || given instanceof URL ? URL.parse(String(given)) : null;
  if (!address || !/^https?:$/.test(address.protocol)) return { wrong: 'is no http(s) URL' };
  if (address.username !== '' || address.password !== '') return { wrong: 'holds credentials' };
  if (allowPrivate) return address;
  if (address.protocol === 'http:') return { wrong: 'does not begin with https:' };
  return isPrivateHost(address.hostname)
    ? { wrong: 'leads into a private network', isPrivate: true }
    : address;
}

/** Returns whether a host, as `URL` writes it, is certainly not one for the public: a special address, or a name of private networks. */
export function isPrivateHost(host: string): boolean {
  if (host.startsWith('[')) return isPrivateIpv6(host);
  const name = host.replace(/\.$/, '');
  return PRIVATE_NAME.test(name) || (/^[\d.]+$/.test(name) && PRIVATE_IPV4.test(name)) || name.endsWith('.');
}

/**
 * Only 2000::/3 is global unicast: all else is loopback, mapped, translated (NAT64), local, multicast, or given to no one. Within it some ranges are
 * special, or hold an IPv4 address that may be private. The first two groups tell.
 */
function isPrivateIpv6(host: string): boolean {
  const [first = 0, second = 0] = host
    .slice(1, -1)
    .split(':')
    .map((group) => Number.parseInt(group || '0', 16));
  if (first >>> 13 !== 1) return true;
  if (first === 0x2001) return second < 0x200 || second === 0xdb8; // the IETF's own, as Teredo; documentation
  return first === 0x2002 || (first === 0x3fff && second < 0x1000); // 6to4; documentation
}
