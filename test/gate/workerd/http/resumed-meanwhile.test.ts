/**
 * A stream of a waiting turn whose decision arrives, and resumes the turn, just before the stream would end.
 */
import { describe, expect, it } from 'vitest';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  createSessionPath,
  post,
  readAllEvents,
  readJournal,
  readJson,
  SSE_HEADERS,
  send,
} from './client.ts';
import { answer } from './waiting.ts';

describe('a stream of a turn that resumes while its end is read', () => {
  it('shows the events of the resumed turn before its end', async () => {
    const session = createSessionPath('clerk');
    const approve = async (): Promise<unknown> => {
      const [{ links = {} } = {}] = (await readJson(await send(session))).pending as { links?: object }[]; // from the turn's state
      return (await answer(String(Object.values(links)[0]), { decision: 'approve' })).json();
    };
    let decided: unknown;
    const SESSIONS = wrapObjects((stub) => ({
      async read(query: Parameters<typeof stub.read>[0]) {
        // The read of the whole turn, from which the stream builds its last item.
        if (query.maxBytes !== undefined && query.turn !== undefined) decided ??= await approve();
        return stub.read(query);
      },
    }));
    const { message } = registerScript(
      { calls: [{ name: 'pay', input: { to: 'ann', amount: 1 } }] },
      'Done.',
    );
    const via = createTestApp({ agents: [clerk] }, { SESSIONS });
    const shown = await readAllEvents(
      await post(session, { message: message() }, { headers: SSE_HEADERS, via }),
    );
    expect(decided).toMatchObject({ outcome: 'completed' });
    const kept = (await readJournal(session)).flatMap(({ seq, turn }) => (turn === undefined ? [] : [seq]));
    expect(shown.flatMap(({ id }) => id ?? [])).toEqual(kept);
    expect(shown.slice(-2)).toMatchObject([
      { event: 'turn-ended' },
      { event: 'answer', data: { outcome: 'completed', text: 'Done.' } },
    ]);
  });
});
