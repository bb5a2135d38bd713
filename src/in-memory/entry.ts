/** The entry `holdfast/run`: runs an agent in a script, without a Worker or a stored session. */
export { type RunAgentOptions, type RunAnswer, type RunEvent, runAgent } from './run-agent.ts';
