import { type AnyTool, defineAgent, defineTool } from '../../../../../src/index.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../../src/testing/entry.ts';

/** A session of an agent with these tools and a scripted model. */
export const startSession = (
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  context = {},
): TestSession =>
  createTestSession(defineAgent({ name: 'clerk', description: 'Helps.', instructions: 'Help.', tools }), {
    replies,
    context,
  });

/** A reply that calls tools without input. */
export const callTools = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });

/** The tool results in the last request, in order. */
export const getShownResults = (session: TestSession): string[] =>
  (session.requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [message.text] : [],
  );

/** A tool whose first call kills the Worker once earlier events are stored. Another Worker then resumes. */
export function createCrashingTool(session: () => TestSession): AnyTool {
  let isFirst = true;
  return defineTool({
    name: 'crash',
    description: 'Crashes.',
    effect: 'idempotent',
    run: () => {
      if (isFirst) session().kill();
      isFirst = false;
      return 'crashed';
    },
  });
}
