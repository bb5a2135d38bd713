/** The entry `holdfast/prompt-cache`: what of its requests an agent has its model's provider keep, if that is not what holds by default. */

export type { ModuleUse } from '../../tool/module-use.ts';
export { type CacheableRequest, type CacheSetting, promptCache } from './prompt-cache.ts';
