export { type AiBinding, type WorkersAiOptions, workersAi } from './workers-ai.ts';
