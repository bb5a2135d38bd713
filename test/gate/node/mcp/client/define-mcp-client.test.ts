import { describe, expect, it } from 'vitest';
import {
  defineMcpClient,
  type McpClientConfig,
  McpClientDefinitionError,
} from '../../../../../src/mcp/tools/entry.ts';

const BEARER_PROBLEM =
  'its bearer must be the name of a secret that `secrets` of createHoldfast returns, of letters, digits, `_` and ' +
  '`-`. Do not put the secret itself in code.';

const files = { name: 'files', url: 'https://mcp.example.com/mcp' } as const;

describe('an MCP client', () => {
  it('has defaults for omitted options', () => {
    expect(defineMcpClient(files)).toEqual({
      ...files,
      timeout: 30_000,
      connectTimeout: 10_000,
      maxResponseBytes: 4_194_304,
      drift: 'refuse-weaker',
      elicitation: {},
    });
  });

  it('has the given options', () => {
    const config = {
      ...files,
      timeout: 900_000,
      connectTimeout: 1,
      maxResponseBytes: 1_024,
      refreshAfter: 0,
      drift: 'refuse',
      elicitation: { by: 'admin', expires: 1_000 },
      prefix: 'fs_',
      effects: { read_file: 'read', write_file: 'idempotent', send: 'once' },
      transport: 'sse',
      bearer: 'FILES_TOKEN',
    } as const satisfies McpClientConfig;
    expect(defineMcpClient(config)).toEqual(config);
    expect(defineMcpClient({ ...files, elicitation: 'refuse' }).elicitation).toBe('refuse');
  });

  it('does not connect, and does not run its functions, when it is defined', () => {
    const fail = () => {
      throw new Error('The function ran.');
    };
    const client = { ...files, url: fail, headers: fail, oauth: fail, fetch: fail };
    expect(() => defineMcpClient(client)).not.toThrow();
  });
});

describe('an invalid client', () => {
  it.each<[string, object, string]>([
    ['name', { name: '' }, 'its name must be 1 to 64 letters, digits, `_` or `-`.'],
    ['name', { name: 'my files' }, 'its name must be 1 to 64 letters, digits, `_` or `-`.'],
    ['url', { url: 'mcp.example.com' }, "its url is 'mcp.example.com'. It must be an absolute http(s) URL."],
    ['url', { url: 'stdio://files' }, "its url is 'stdio://files'. It must be an absolute http(s) URL."],
    [
      'url',
      { url: 'https://ada:secret@mcp.example.com/' },
      'its url contains credentials. Name a secret in `bearer`, or send them in `headers`.',
    ],
    ['bearer', { bearer: ' ' }, BEARER_PROBLEM],
    ['bearer', { bearer: 'Bearer WIKI_TOKEN' }, BEARER_PROBLEM],
    ['bearer', { bearer: 'ghp_0a1B2c3D4e5F6g7H8i9J' }, BEARER_PROBLEM],
    ['bearer', { bearer: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl' }, BEARER_PROBLEM],
    ['bearer', { bearer: 'lemur-4711/+=' }, BEARER_PROBLEM],
    [
      'oauth',
      { bearer: 'TOKEN', oauth: () => undefined },
      'it has `bearer` and `oauth`, which both send a token. Use one of them.',
    ],
    ['prefix', { prefix: '' }, 'its prefix must be 1 to 32 letters, digits, `_` or `-`.'],
    ['prefix', { prefix: 'fs.' }, 'its prefix must be 1 to 32 letters, digits, `_` or `-`.'],
    ['prefix', { prefix: 'x'.repeat(33) }, 'its prefix must be 1 to 32 letters, digits, `_` or `-`.'],
    [
      'effects.write_file',
      { effects: { read_file: 'read', write_file: 'write' } },
      "the effect of 'write_file' is 'write'. It must be 'read' or 'idempotent' or 'once'.",
    ],
    [
      'effects.send',
      { effects: { send: 'Once' } },
      "the effect of 'send' is 'Once'. It must be 'read' or 'idempotent' or 'once'. Did you mean 'once'?",
    ],
    ['timeout', { timeout: 0 }, 'its timeout is 0. It must be more than 0 and at most 900000 milliseconds.'],
    [
      'timeout',
      { timeout: 900_001 },
      'its timeout is 900001. It must be more than 0 and at most 900000 milliseconds.',
    ],
    [
      'connectTimeout',
      { connectTimeout: Number.NaN },
      'its connectTimeout is NaN. It must be more than 0 and at most 900000 milliseconds.',
    ],
    [
      'maxResponseBytes',
      { maxResponseBytes: 1_000 },
      'its maxResponseBytes are 1000. They must be a whole number from 1024 to 33554432.',
    ],
    [
      'maxResponseBytes',
      { maxResponseBytes: Number.POSITIVE_INFINITY },
      'its maxResponseBytes are Infinity. They must be a whole number from 1024 to 33554432.',
    ],
    ['refreshAfter', { refreshAfter: -1 }, 'its refreshAfter is -1. It must be 0 milliseconds or more.'],
    ['transport', { transport: 'stdio' }, "its transport is 'stdio'. It must be 'streamable-http' or 'sse'."],
    [
      'keepSession',
      { transport: 'sse', keepSession: true },
      "it has `keepSession`, but sessions of the transport 'sse' end with their connection. Use another transport.",
    ],
    ['keepSession', { keepSession: 'yes' }, "it has 'yes' as its 'keepSession'. Use true or false."],
    [
      'drift',
      { drift: 'ignore' },
      "its drift is 'ignore'. It must be 'report' or 'refuse-weaker' or 'refuse'.",
    ],
    ['elicitation', { elicitation: 'allow' }, "its elicitation is 'allow'. It must be 'refuse'."],
    ['elicitation.by', { elicitation: { by: '' } }, 'its elicitation.by is blank. It must be a role.'],
    [
      'elicitation.expires',
      { elicitation: { expires: 0 } },
      'its elicitation.expires is 0. It must be more than 0 milliseconds.',
    ],
  ])('is rejected with an error about its %s when it is defined', (field, wrong, problem) => {
    const config = { ...files, ...wrong } as McpClientConfig; // as untyped code may write it
    const { name } = config;
    const error = new McpClientDefinitionError(name, field, problem);
    expect(() => defineMcpClient(config)).toThrow(error);
    expect(error).toMatchObject({ client: name, field, message: `MCP client '${name}': ${problem}` });
  });
});
