/** The entry `holdfast/index/d1`: copies the reports of sessions to a D1 database. */
export { d1Reports } from './d1-reports.ts';
