import { describe, expect, it } from 'vitest';
import { isPrivateHost, parsePublicAddress } from '../../../doors/tools.ts';

const parseHostname = (host: string) => new URL(`https://${host}/`).hostname;

const formatAddress = (read: ReturnType<typeof parsePublicAddress>): string =>
  read instanceof URL ? read.href : read.wrong;

describe('a private host', () => {
  it.each([
    // IPv4: both ends of each range
    ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
    ...['127.0.0.1', '127.255.255.255', '169.254.0.0', '169.254.169.254', '172.16.0.0', '172.31.255.255'],
    ...['192.0.0.1', '192.0.0.255', '192.0.2.1', '192.88.99.1', '192.168.0.0', '192.168.255.255'],
    ...['198.18.0.0', '198.19.255.255', '198.51.100.7', '203.0.113.7', '224.0.0.1', '239.255.255.255'],
    ...['240.0.0.1', '255.255.255.255'],
    // IPv4 in the spellings that resolvers accept
    ...['127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '017700000001', '0177.0.0.1', '0xa9fea9fe'],
    ...['0', '0x0', '127.0.0.1.', '１２７.０.０.１', '127。0。0。1', '%31%32%37.0.0.1'],
    // IPv6
    ...[
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[fe80::1]',
      '[febf::1]',
      '[fec0::1]',
      '[fc00::1]',
      '[fdff:ffff::1]',
    ],
    ...[
      '[ff02::1]',
      '[100::1]',
      '[5f00::1]',
      '[4000::1]',
      '[2001:db8::1]',
      '[3fff::1]',
      '[2001:2::1]',
      '[2001:10::1]',
    ],
    // IPv4 inside IPv6: mapped, compatible, translated, 6to4, Teredo
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:8.8.8.8]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]'],
    ...[
      '[64:ff9b::7f00:1]',
      '[64:ff9b::10.0.0.1]',
      '[64:ff9b:1::1]',
      '[2002:7f00:1::]',
      '[2002:a9fe:a9fe::1]',
    ],
    ...['[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
    // names
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      'ⓛocalhost',
      'metadata',
      'metadata.google.internal',
    ],
    ...[
      'instance-data.ec2.internal',
      'printer.local',
      'nas.lan',
      'router.home',
      'router.home.arpa',
      'git.corp',
    ],
    ...[
      'wiki.intranet',
      'db.private',
      'localhost.localdomain',
      'kubernetes.default.svc',
      'api.svc.cluster.local',
    ],
    ...['intranet', 'a..b', 'example.com..'],
  ])('can be %s', (host) => {
    expect(isPrivateHost(parseHostname(host))).toBe(true);
  });
});

describe('a potentially public host', () => {
  it.each([
    ...[
      'mcp.example.com',
      'example.com.',
      'xn--bcher-kva.example',
      'localhost.example.com',
      'local.example.com',
    ],
    ...['internal.example.com', '10.0.0.1.example.com', 'home.arpa.example.com'],
    ...[
      '8.8.8.8',
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
    ],
    ...[
      '128.0.0.0',
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '192.167.255.255',
    ],
    ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '134744072'],
    ...[
      '[2606:4700:4700::1111]',
      '[2a00:1450:4001:80e::200e]',
      '[2001:4860:4860::8888]',
      '[2003::1]',
      '[3ffe::1]',
    ],
  ])('can be %s', (host) => {
    expect(isPrivateHost(parseHostname(host))).toBe(false);
  });
});

describe('parsePublicAddress', () => {
  it.each([
    ['https://mcp.example.com/mcp', 'https://mcp.example.com/mcp'],
    ['https://mcp.example.com:8443/mcp', 'https://mcp.example.com:8443/mcp'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['http://mcp.example.com/mcp', 'does not begin with https:'],
    ['wss://mcp.example.com/mcp', 'is not an http(s) URL'],
    ['file:///etc/passwd', 'is not an http(s) URL'],
    ['mcp.example.com', 'is not an http(s) URL'],
    [undefined, 'is not an http(s) URL'],
    ['https://ada@mcp.example.com/', 'holds credentials'],
    ['https://:secret@mcp.example.com/', 'holds credentials'],
    ['https://10.0.0.1/', 'points to a private network'],
    ['https://0x7f.1/', 'points to a private network'],
    ['https://[::1]:8443/', 'points to a private network'],
    ['https://[::ffff:10.0.0.1]/', 'points to a private network'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'points to a private network'],
    ['https://printer.local./', 'points to a private network'],
  ])('parses %s, or returns the problem: %s', (address, expected) => {
    expect(formatAddress(parsePublicAddress(address))).toBe(expected);
  });

  it.each([
    ['http://localhost:3000/mcp', 'http://localhost:3000/mcp'],
    ['https://10.0.0.1/', 'https://10.0.0.1/'],
    ['https://ada:pw@10.0.0.1/', 'holds credentials'],
    ['ftp://10.0.0.1/', 'is not an http(s) URL'],
  ])(
    'accepts a private address if that is allowed, but still refuses credentials: %s: %s',
    (address, expected) => {
      expect(formatAddress(parsePublicAddress(address, true))).toBe(expected);
    },
  );
});
