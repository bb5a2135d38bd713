/**
 * IPv4 addresses that are not public (IANA's special-purpose registry, RFC 6890): this network and the host
 * itself, private networks, carrier NAT, loopback, link-local with the metadata services of clouds,
 * documentation, 6to4 relays, benchmarks, multicast, reserved, and broadcast.
 */
const PRIVATE_IPV4 =
  /^(?:0|10|127|22[4-9]|2[34]\d|25\d|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.(?:0\.[02]|88\.99|168)|198\.(?:1[89]|51\.100)|203\.0\.113)\./;

/**
 * Matches names that only a private network can resolve, and names without a dot. `internal` includes the
 * metadata hosts of clouds.
 */
const PRIVATE_NAME =
  /^[^.]*$|\.\.|\.(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|svc)$/;

export interface RefusedAddress {
  /** The problem, as the text after "it". */
  readonly wrong: string;
  /** `true` if it points to a private network. */
  readonly isPrivate?: true;
}

/**
 * Parses a URL that comes from data, such as that of an MCP server or of a file that a model's provider
 * fetches. Returns the URL or its problem: it must begin with `https:`, contain no credentials, and point to
 * no host that is known to be private. All spellings of an IP address are covered, since `URL` normalizes
 * them. Ports are not checked, since TLS fails with services that do not support it. A Worker cannot detect
 * that a public name resolves to a private address. But its own `fetch` reaches only the public internet,
 * unless a private network is bound to it.
 *
 * @param allowPrivate Allows private hosts and plain `http`, for an app whose servers are there.
 */
export function parsePublicAddress(given: unknown, allowPrivate = false): URL | RefusedAddress {
  const address = typeof given === 'string' || given instanceof URL ? URL.parse(String(given)) : null;
  if (!address || !/^https?:$/.test(address.protocol)) return { wrong: 'is not an http(s) URL' };
  if (address.username !== '' || address.password !== '') return { wrong: 'holds credentials' };
  if (allowPrivate) return address;
  if (address.protocol === 'http:') return { wrong: 'does not begin with https:' };
  return isPrivateHost(address.hostname)
    ? { wrong: 'points to a private network', isPrivate: true }
    : address;
}

/**
 * Returns whether a host, as normalized by `URL`, is certainly not public: a special address, or a name in a
 * private network.
 */
export function isPrivateHost(host: string): boolean {
  if (host.startsWith('[')) return isPrivateIpv6(host);
  const name = host.replace(/\.$/, '');
  return PRIVATE_NAME.test(name) || (/^[\d.]+$/.test(name) && PRIVATE_IPV4.test(name)) || name.endsWith('.');
}

/**
 * Only 2000::/3 is global unicast. Everything else is loopback, mapped, translated (NAT64), local, multicast
 * or unassigned. Within 2000::/3, some ranges are special, or contain an IPv4 address that can be private.
 * The first two groups determine the range.
 */
function isPrivateIpv6(host: string): boolean {
  const [first = 0, second = 0] = host
    .slice(1, -1)
    .split(':')
    .map((group) => Number.parseInt(group || '0', 16));
  if (first >>> 13 !== 1) return true;
  if (first === 0x2001) return second < 0x200 || second === 0xdb8; // IETF assignments such as Teredo, and documentation.
  return first === 0x2002 || (first === 0x3fff && second < 0x1000); // 6to4, and documentation.
}
