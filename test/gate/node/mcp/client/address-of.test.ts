import { describe, expect, it } from 'vitest';
import { defineMcpClient, type McpClientConfig, type McpUser } from '../../../../../src/mcp/tools/entry.ts';
import { McpServerError, resolveServerUrl } from '../../../../doors/mcp.ts';
import { createCaller } from './open.ts';

const getServerUrl = (url: McpClientConfig['url'], allowPrivate?: boolean) =>
  resolveServerUrl(defineMcpClient({ name: 'files', url, allowPrivate }), createCaller({ KEY: 'planted' }))
    .href;
const createConnectError = (phrase: string) =>
  new McpServerError({
    server: 'files',
    during: 'connect',
    message: `MCP server 'files' cannot be reached: ${phrase}.`,
  });

describe('the URL of a server', () => {
  it('is the configured literal URL, even if it is private', () => {
    expect(getServerUrl('http://localhost:3000/mcp')).toBe('http://localhost:3000/mcp');
  });

  it('can be computed only from the principal and its context', () => {
    let given: McpUser | undefined;
    const computeUrl = (user: McpUser) => {
      given = user;
      return `https://${user.principal.tenant}.example.com/${user.context.get('locale')}`;
    };
    expect(getServerUrl(computeUrl)).toBe('https://acme.example.com/en');
    const { principal, context } = createCaller();
    expect(given).toEqual({ principal, context });
  });

  it.each([
    ['https://10.0.0.1/', 'its URL points to a private network'],
    ['http://mcp.example.com/', 'its URL does not begin with https:'],
    ['https://a:b@mcp.example.com/', 'its URL holds credentials'],
    ['nowhere', 'its URL is not an http(s) URL'],
  ])('is missing if the function returns %s', (url, phrase) => {
    expect(() => getServerUrl(() => url)).toThrow(createConnectError(phrase));
  });

  it('can be computed as a private address if the client allows that', () => {
    expect(getServerUrl(() => 'http://10.0.0.1/', true)).toBe('http://10.0.0.1/');
  });

  it('is missing if its function throws, which is the cause of the error, or returns a promise', () => {
    const planted = new Error('planted');
    const failToCreateUrl = () => {
      throw planted;
    };
    expect(() => getServerUrl(failToCreateUrl)).toThrow(createConnectError('its URL could not be made'));
    expect(() => getServerUrl(failToCreateUrl)).toThrow(expect.objectContaining({ cause: planted }));
    // @ts-expect-error: the types do not offer the secrets
    expect(() => getServerUrl(async () => 'https://mcp.example.com/')).toThrow(
      createConnectError('its URL is not an http(s) URL'),
    );
  });
});
