import type { ToolGroup } from '../../sources/define-tool-group.ts';

/** How an agent asks for a group: by role, by role with conditions, or the group itself (PRN-01). */
export type ToolGroupRequest = string | RoleRequest | ToolGroup;

/** A request by role, with what the agent cannot do without (PRN-02). */
export interface RoleRequest {
  readonly role: string;
  /**
   * Names of tools that the group must have. What only its providers may have is looked for in each loop; while it is not
   * there, calls of that name are answered with what is missing.
   */
  readonly required?: readonly string[] | undefined;
  /** Without such a group, or any tools in it, the agent goes without, and a warning is logged. */
  readonly optional?: boolean | undefined;
  /** Tells it from a group. */
  readonly tools?: undefined;
}

/** Whether the request is a group, and not a wish for one. */
export const isToolGroup = (request: ToolGroupRequest): request is ToolGroup =>
  typeof request !== 'string' && request.tools !== undefined;
