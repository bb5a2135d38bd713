/**
 * The entry `holdfast/durable-objects`. It contains no agent logic, so that the class keeps its identity
 * across deployments.
 */
export { SessionObject } from './session-object.ts';
