import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { judgeLog } from './judge-log.ts';

const NOTICE = 'Cloudflare collects anonymous telemetry about your usage of Wrangler.';

it('the telemetry notice of the installed wrangler is not a finding', () => {
  const wrangler = readFileSync(
    new URL('../../../node_modules/wrangler/wrangler-dist/cli.js', import.meta.url),
    'utf8',
  );
  const start = wrangler.indexOf(NOTICE);
  const said = wrangler.slice(start, wrangler.indexOf('`', start));
  expect(said.length).toBeGreaterThan(NOTICE.length);
  expect(judgeLog(`\n\u001B[90m${said}\u001B[39m\n[wrangler:info] Ready on http://localhost:8787\n`)).toEqual(
    [],
  );
});

it('an unexpected line is a finding, unlike an expected line', () => {
  expect(
    judgeLog(`${NOTICE} Learn more.\n✘ [ERROR] Uncaught Error: lost\n⎔ Starting local server...`),
  ).toEqual([{ rule: 'log', where: 'wrangler', what: '✘ [ERROR] Uncaught Error: lost' }]);
});

it('the log line of a turn is a finding if the turn failed', () => {
  const formatLine = (outcome: string): string =>
    `{"owner":{"id":"local"},"agent":"chaos","session":"s07","turn":"72bf","level":"info","event":"turn","outcome":"${outcome}","ms":61}`;
  expect(
    judgeLog([formatLine('completed'), formatLine('cancelled'), formatLine('failed')].join('\n')),
  ).toEqual([{ rule: 'log', where: 'wrangler', what: formatLine('failed') }]);
});
