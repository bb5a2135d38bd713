/** The Worker of the page on traces. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, onTestFinished, vi } from 'vitest';
import worker, { TurnRunner } from '../../../../src/examples/traced/worker.ts';
import { parseSpans } from '../../../fixtures/otlp.ts';
import {
  createSessionPath,
  getSessionName,
  ORIGIN,
  post,
  readJournal,
  readJson,
  type Send,
} from '../http/client.ts';

const CALLER_TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const vars = {
  ...env,
  MODEL: 'offline',
  OTLP_ENDPOINT: 'https://otlp.example.com',
  OTLP_TOKEN: 'token-4711',
  SUBREQUESTS: '10000',
};

const via: Send = async (path, init) => {
  const headers = { ...Object(init?.headers), traceparent: CALLER_TRACE };
  const request = new Request(ORIGIN + path, { ...init, headers }) as Request<
    unknown,
    IncomingRequestCfProperties
  >; // the Worker does not read `cf`
  return worker.fetch(request, vars, createExecutionContext());
};

it('a turn is exported in the trace of its caller, and its tools propagate the trace', async () => {
  const session = createSessionPath('clerk');
  const sent: { readonly url: string; readonly headers: Headers; readonly body: unknown }[] = [];
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    sent.push({ url: String(url), headers: new Headers(init?.headers), body });
    return Response.json({});
  });
  onTestFinished(() => fetching.mockRestore());

  const answer = await post(session, { message: 'Where is order A7?' }, { via });
  const { turn, outcome } = await readJson(answer);
  expect(outcome).toBe('completed');
  const [order] = sent;
  expect(order?.url).toBe('https://orders.example.com/orders/A7');
  const seq = (await readJournal(session)).length;
  const row = { module: 'tracing', key: '', ref: JSON.stringify(['traces', turn, seq]), attempt: 1 };
  const due = await new TurnRunner(createExecutionContext(), vars).due({
    name: getSessionName(session),
    ...row,
  });
  expect(due).toBe('done');

  const exported = sent.at(-1);
  expect([exported?.url, exported?.headers.get('authorization')]).toEqual([
    'https://otlp.example.com/v1/traces',
    'Bearer token-4711',
  ]);
  const spans = parseSpans(exported?.body);
  expect(spans.map(({ name }) => name)).toEqual([
    'invoke_agent clerk',
    'chat offline',
    'execute_tool find_order',
    'chat offline',
  ]);
  expect(spans[0]).toMatchObject({ traceId: CALLER_TRACE.slice(3, 35), parent: CALLER_TRACE.slice(36, 52) });
  expect(order?.headers.get('traceparent')).toBe(`00-${CALLER_TRACE.slice(3, 35)}-${spans[2]?.id}-01`);
});
