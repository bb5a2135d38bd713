/** The entry `holdfast/run`: an agent in a script, without a Worker and without a session that is kept. */
export { type RunAgentOptions, type RunAnswer, runAgent } from './run-agent.ts';
