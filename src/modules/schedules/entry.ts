/** The entry `holdfast/schedules`: turns that start by the clock, and messages that calls send later. */

export type { ModuleUse } from '../../tool/module-use.ts';
export { defineSchedule } from './define-schedule.ts';
export type { ScheduleConfig } from './schedule.ts';
export { scheduleMessage } from './schedule-message.ts';
export { type LaterMessage, sendLater } from './send-later.ts';
