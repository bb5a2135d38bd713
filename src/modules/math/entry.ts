/** The entry `holdfast/tools/math`: a tool group for arithmetic. */
export { mathTools } from './math-tools.ts';
