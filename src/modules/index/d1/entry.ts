/** The entry `holdfast/index/d1`: what sessions report, in a D1 database too. */
export { d1Reports } from './d1-reports.ts';
