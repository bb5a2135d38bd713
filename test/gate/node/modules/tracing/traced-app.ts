/** An app whose turns are exported, in memory and with a manual clock. */
import { vi } from 'vitest';
import type { DueRow, LogEntry } from '../../../../../src/create-holdfast.ts';
import { defineAgent, defineTool, type ModuleUse, ToolCallContext } from '../../../../../src/index.ts';
import { type TracingConfig, traceHeaders, tracing } from '../../../../../src/modules/tracing/entry.ts';
import {
  createManualClock,
  createMemorySessions,
  type ScriptedReply,
  scriptedModel,
} from '../../../../../src/testing/entry.ts';
import { collectAppModules, runDueRow } from '../../../../doors/agent.ts';
import { toSessionName } from '../../../../doors/session.ts';
import { createTurnSteps } from '../../../../doors/testing.ts';

const START = Date.UTC(2026, 10, 23, 9);

/** The trace context of each tool call, as the call received it and as headers. */
export const contexts: unknown[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  run: (_, call) => {
    contexts.push([call.context.get('traceparent'), traceHeaders(call)]);
    return 'Paid.';
  },
});

/** A request to the receiver. */
export interface SentRequest {
  readonly at: number;
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

interface AppSetting {
  readonly replies?: readonly ScriptedReply[];
  readonly config?: Partial<TracingConfig>;
  readonly context?: Readonly<Record<string, string>>;
  /** Bindings in addition to the receiver's key. */
  readonly env?: Readonly<Record<string, unknown>>;
}

/** An app with one session in memory, and a receiver that returns 200 by default. */
export function createTracedApp({
  replies = [PAY_REPLY, 'Done.'],
  config = {},
  context = {},
  ...more
}: AppSetting = {}) {
  const clock = createManualClock(START);
  const sent: SentRequest[] = [];
  const responses: (Response | Error)[] = [];
  vi.stubGlobal('fetch', async (url: string, { headers, body }: RequestInit) => {
    const at = (clock.now() - START) / 1000;
    sent.push({ at, url, headers: new Headers(headers), body: JSON.parse(String(body)) });
    const response = responses.shift() ?? Response.json({});
    if (response instanceof Error) throw response;
    return response;
  });
  const logged: LogEntry[] = [];
  const over: DueRow[] = [];
  const name = toSessionName({ owner: { id: 'ann' }, agent: 'clerk', session: 's1' });
  const model = scriptedModel(replies);
  const agent = defineAgent({ name: 'clerk', description: 'Pays.', instructions: '', tools: [pay], model });
  const use: readonly ModuleUse[] = [
    tracing({
      endpoint: 'https://otlp.example/base/',
      headers: (env) => ({ 'x-key': env.OTLP_KEY }),
      ...config,
    }),
  ];
  const env = { OTLP_KEY: 'k-12345', ...more.env };
  const host = {
    modules: { uses: use },
    session: () => port,
    clock,
    log: (entry: LogEntry) => void logged.push(entry),
  };
  const sessions = createMemorySessions({
    clock,
    leaseMs: 20_000,
    dispatch: () => {},
    due: (row) => runDueRow({ host, env }, row).finally(() => over.push(row)),
  });
  const port = sessions.session(name);
  const modules = collectAppModules({ use, agents: [agent] });
  const steps = createTurnSteps({
    port,
    agent,
    modules,
    uses: use,
    model: scriptedModel([]),
    clock,
    log: () => {},
  });
  return {
    ...{ clock, sent, responses, logged, over, port, steps, model },
    async say(message: string): Promise<string> {
      const leased = await steps.begin({ message, context: ToolCallContext.of(context) });
      if (leased.status !== 'leased') throw new Error(`The lease was refused: ${leased.status}.`);
      await steps.run(leased);
      return leased.page.openTurn?.id ?? '';
    },
  };
}

export const PAY_REPLY: ScriptedReply = {
  calls: [{ name: 'pay', input: {} }],
  usage: { inputTokens: 100, outputTokens: 10 },
};
