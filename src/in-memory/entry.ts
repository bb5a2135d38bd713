/** The entry `holdfast/run`: an agent in a script, without a Worker and without a session that is kept. */
export { type RunAgentOptions, type RunAnswer, type RunEvent, runAgent } from './run-agent.ts';
