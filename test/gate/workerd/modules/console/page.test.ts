/** The page of the console, as the app serves it in development. */
import { describe, expect, it } from 'vitest';
import { console, consoleDescription } from '../../../../../src/modules/console/entry.ts';
import { openApi } from '../../../../../src/modules/openapi/entry.ts';
import { scripted } from '../../../../fixtures/scripted-agent.ts';
import { createTestApp } from '../../http/app.ts';
import { ORIGIN, readJson } from '../../http/client.ts';

const use = [console(), openApi({ descriptions: [consoleDescription] })];
const app = createTestApp({ agents: [scripted], use, auth: () => ({ id: 'ada' }) });
const closedApp = createTestApp({ agents: [scripted], use, auth: () => null });

const computeSha256 = async (text: string): Promise<string> => {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`;
};

describe('GET /console', () => {
  it('returns one HTML page whose policy allows only its own script and style', async () => {
    const response = await app('/console');
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(page) ?? [];
    const [, script = ''] = /<script type="module">(.*)<\/script>/s.exec(page) ?? [];
    expect(script.length).toBeGreaterThan(10_000);
    expect(script).not.toContain('</script');
    expect(response.headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${await computeSha256(script)}`,
      `style-src ${await computeSha256(style)}`,
      "connect-src 'self'",
      "img-src 'self' blob: data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('refuses a caller whom the app does not admit, and shows the command that sends a token', async () => {
    const response = await closedApp('/console');
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe(`Send valid credentials.

A browser sends no token when it opens a page. This command serves the same page on your machine, and sends
the token in HOLDFAST_TOKEN with its requests:

  npx holdfast console --url ${ORIGIN}
`);
  });

  it('is in the description, and linked from the root of the app', async () => {
    expect(await readJson(await app('/'))).toMatchObject({ console: '/console' });
    const { paths } = await readJson(await app('/openapi.json'));
    expect(Object(paths)['/console'].get).toMatchObject({ operationId: 'getConsole' });
  });
});
