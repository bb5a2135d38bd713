/** Functions that extract data from a reading. */
import * as v from 'valibot';
import type { KeptReading } from './kept.ts';

const request = v.object({
  messages: v.array(
    v.object({
      role: v.string(),
      content: v.nullable(v.string()),
      tool_call_id: v.optional(v.string()),
      tool_calls: v.optional(v.array(v.object({ id: v.string(), function: v.object({ name: v.string() }) }))),
    }),
  ),
  tools: v.optional(v.array(v.object({ function: v.object({ name: v.string() }) }))),
});

const parseRequest = ({ asked }: KeptReading, index: number) => v.parse(request, asked[index]);

/** Returns the tools in a request to a model. Defaults to its first request. */
export const getOfferedTools = (reading: KeptReading, index = 0): readonly string[] =>
  parseRequest(reading, index).tools?.map((tool) => tool.function.name) ?? [];

/** Returns the user messages in a request. */
export const getUserTexts = (reading: KeptReading, index = 0): readonly string[] =>
  parseRequest(reading, index).messages.flatMap(({ role, content }) =>
    role === 'user' ? (content ?? '') : [],
  );

/** Returns the results of a tool's last calls in all requests to the model. */
export function collectToolResults(reading: KeptReading, tool: string): ReadonlySet<string> {
  const all = reading.asked.flatMap((_, index) => {
    const { messages } = parseRequest(reading, index);
    const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
    const ids = calls.flatMap((call) => (call.function.name === tool ? call.id : []));
    return messages.flatMap(({ tool_call_id: id = '', content }) =>
      ids.includes(id) ? (content ?? '') : [],
    );
  });
  return new Set(all);
}
