/** The entry `holdfast/schedules`: turns that start by the clock. */

export type { ModuleUse } from '../../tool/module-use.ts';
export { defineSchedule } from './define-schedule.ts';
export type { ScheduleConfig } from './schedule.ts';
