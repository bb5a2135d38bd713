/** The entry `holdfast/tool-groups`: tools that agents ask for by the role that they play. */

export type { ModuleUse } from '../../tool/module-use.ts';
export { CORE_ROLES, defineToolGroup } from './define-tool-group.ts';
export { type ToolGroupConfig, ToolGroupDefinitionError } from './to-group.ts';
export { toolGroups } from './tool-groups.ts';
