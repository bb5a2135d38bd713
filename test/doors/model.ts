/**
 * Internals for tests: the port to a model, its errors and prices, and parts of the adapters and the planner.
 */
export { fromAiSdkWithClock } from '../../src/model/ai-sdk/from-ai-sdk.ts';
export { createDataParser, MAX_STREAM_BYTES } from '../../src/model/chat-completions/read-stream.ts';
export { createReplyAssembly } from '../../src/model/chat-completions/reply-assembly.ts';
export { ConfigurationError } from '../../src/model/configuration-error.ts';
export { fitFiles } from '../../src/model/given-to.ts';
export { initialToolsOf } from '../../src/model/late-tools.ts';
export { createMessageSanitizer } from '../../src/model/message-gate.ts';
export { openaiCompatibleWithClock } from '../../src/model/openai-compatible/adapter.ts';
export type { Fetch } from '../../src/model/openai-compatible/ask-once.ts';
export { toRequestBody } from '../../src/model/openai-compatible/request-body.ts';
export { costOf, roundUsd } from '../../src/model/prices.ts';
export { type RetryClock, withRetries } from '../../src/model/retry.ts';
export { readRequestLength } from '../../src/model/server-error.ts';
export { MAX_REPLY_LENGTH, withUniqueIds } from '../../src/model/untrusted-reply.ts';
export { workersAiWithClock } from '../../src/model/workers-ai/workers-ai.ts';
export { fillForm } from '../../src/offline-model/answer-in-form.ts';
export { similarityTo as likeness } from '../../src/offline-model/fill-value.ts';
export { messageText } from '../../src/offline-model/memory.ts';
export { absentFactsIn, factsIn, mentionsIn } from '../../src/offline-model/mentions.ts';
export { offlineNotice } from '../../src/offline-model/offline-model.ts';
export { paramsOf } from '../../src/offline-model/params.ts';
export { stepsOf } from '../../src/offline-model/steps.ts';
export { readToolCard } from '../../src/offline-model/tool-card.ts';
export { changeOf, changesOf, stem, stemsOf } from '../../src/offline-model/words.ts';
