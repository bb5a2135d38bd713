import { isJSONRPCResultResponse, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Each answer to a server is a request of its own, of which an invocation has few. */
const MAX_ANSWERS = 12;

/**
 * Whether one more answer to a server is sent, on one connection. Those that people gave are: each call puts so many questions
 * and no more.
 */
export function createAnswerLimit(): (answer: JSONRPCMessage) => boolean {
  let answers = 0;
  return (answer) => isOfPeople(answer) || ++answers <= MAX_ANSWERS;
}

const isOfPeople = (answer: JSONRPCMessage): boolean =>
  isJSONRPCResultResponse(answer) && Object.hasOwn(answer.result, 'action');
