import { abortAllDurableObjects } from 'cloudflare:test';
import { type Agent, defineAgent } from '../../../../src/index.ts';
import { type ScriptedModel, type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readJson } from './client.ts';
import { answer } from './waiting.ts';

type BossConfig = Partial<Parameters<typeof defineAgent>[0]>;

/**
 * A session whose object is killed and whose Worker is replaced before each request, so that only rows
 * survive.
 */
export interface KilledSession {
  readonly session: string;
  readonly model: ScriptedModel;
  /** Kills the object, and sends the request to a new Worker: a message, an answer, or a read. */
  send(path: string, body?: object): Promise<Record<string, unknown>>;
  /** Returns the tool results in the model's last request. */
  results(): readonly string[];
  /** Returns the sorted tools of each request. */
  offered(): readonly string[];
}

/**
 * Creates a session of the agent `boss`. `make` runs for each request, because each request has a new Worker.
 */
export function createKilledSession(
  make: () => BossConfig & { readonly others?: readonly Agent[] },
  replies: readonly ScriptedReply[],
): KilledSession {
  const model = scriptedModel(replies);
  const createBossApp = () => {
    const { others = [], ...more } = make();
    const boss = defineAgent({ name: 'boss', description: 'Leads.', instructions: 'Lead.', ...more });
    return createTestApp({ agents: [boss, ...others], model, http: { bodyContext: ['desk'] } });
  };
  return {
    session: createSessionPath('boss'),
    model,
    async send(path, body) {
      await abortAllDurableObjects();
      const via = createBossApp();
      if (!body) return readJson(await via(path));
      return readJson(await ('message' in body ? post(path, body, { via }) : answer(path, body, { via })));
    },
    results: () =>
      model.requests.at(-1)?.messages.flatMap((message) => (message.role === 'tool' ? message.text : [])) ??
      [],
    offered: () =>
      model.requests.map(({ tools }) =>
        tools
          .map(({ name }) => name)
          .toSorted()
          .join(' '),
      ),
  };
}
