/** A number of this many bits begins a range of addresses. */
type Range = readonly [address: string, bits: number];

/** IPv4 that is not for the public (IANA's special-purpose registry, RFC 6890), multicast and what is reserved. */
const PRIVATE_IPV4: readonly Range[] = [
  ['0.0.0.0', 8], // this network; 0.0.0.0 is the host itself
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carriers' NAT
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local, and the metadata of clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/**
 * Only these are global unicast: whatever lies outside is loopback, mapped, translated, local, multicast or not given to
 * anybody.
 */
const PUBLIC_IPV6: Range = ['2000::', 3];

/** Ranges inside of that which are special, or holds an IPv4 address that may be private. */
const SPECIAL_IPV6: readonly Range[] = [
  ['2001::', 23], // the IETF's own: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
];

/** Names that are resolved inside of somebody's network, if at all; `internal` holds the metadata hosts of clouds. */
const PRIVATE_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'arpa',
  'svc',
];

/**
 * Says what is wrong with an address that comes from data, in words that go on after "it": only `https`, to a host that is not
 * known for a private one, and no credentials in it. Ports are not looked at: TLS talks to no service
 * that does not expect it. Where a name leads is not known on Workers; their `fetch` reaches the public internet only, unless
 * a private network is bound to them.
 */
export function addressProblem(address: URL): string | undefined {
  if (address.username !== '' || address.password !== '') return 'holds credentials';
  if (address.protocol !== 'https:') return 'does not begin with https:';
  return isPrivateHost(address.hostname) ? 'leads into a private network' : undefined;
}

/**
 * Tells whether a host, as `URL` writes it, is certainly not one for everybody: an address of a private or special range, or a name
 * that only a private network resolves. `URL` has already made one spelling of all those of an address (`0x7f.1`, `2130706433`).
 *
 * What a public name resolves to cannot be seen on Workers, so a name that leads to a private address is not found out here.
 */
export function isPrivateHost(host: string): boolean {
  if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isWithin(PRIVATE_IPV4, ipv4(host), 32);
  return isPrivateName(host);
}

function isPrivateName(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.');
  const last = labels.at(-1) ?? '';
  return labels.length < 2 || labels.includes('') || PRIVATE_SUFFIXES.includes(last);
}

function isPrivateIpv6(text: string): boolean {
  const address = ipv6(text);
  return !isWithin([PUBLIC_IPV6], address, 128) || isWithin(SPECIAL_IPV6, address, 128);
}

/** Tells whether an address of so many bits begins as one of the ranges does. */
const isWithin = (ranges: readonly Range[], address: bigint, size: 32 | 128): boolean =>
  ranges.some(([start, bits]) => {
    const shift = BigInt(size - bits);
    return address >> shift === (size === 32 ? ipv4(start) : ipv6(start)) >> shift;
  });

const ipv4 = (text: string): bigint => text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);

/** Reads the spelling that `URL` makes: groups in hex, without an IPv4 address at the end. */
function ipv6(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const between = Array.from(
    { length: tail === undefined ? 0 : 8 - before.length - after.length },
    () => '0',
  );
  return [...before, ...between, ...after].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
