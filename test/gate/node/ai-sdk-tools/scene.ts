import { MockLanguageModelV4 } from 'ai/test';

type GenerateFunction = MockLanguageModelV4['doGenerate'];
type GenerateResult = Awaited<ReturnType<GenerateFunction>>;

/** The calls of one reply, with their inputs. */
export type ScriptedCalls = readonly { readonly name: string; readonly input: object }[];

const usage: GenerateResult['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Returns a model of the AI SDK that makes the calls of each reply in turn, and then ends. */
export function createCallingModel(...replies: readonly ScriptedCalls[]): MockLanguageModelV4 {
  const calling = replies.map(
    (calls, at): GenerateResult => ({
      content: calls.map(({ name, input }, index) => ({
        type: 'tool-call',
        toolCallId: `c${at}.${index}`,
        toolName: name,
        input: JSON.stringify(input),
      })),
      finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
      usage,
      warnings: [],
    }),
  );
  const done: GenerateResult = {
    content: [{ type: 'text', text: 'Done.' }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage,
    warnings: [],
  };
  return new MockLanguageModelV4({ doGenerate: [...calling, done] });
}

/** Returns the tool results in the last request to the model. */
export function getShownResults({ doGenerateCalls }: MockLanguageModelV4): readonly unknown[] {
  const prompt = doGenerateCalls.at(-1)?.prompt ?? [];
  return prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : [],
  );
}
