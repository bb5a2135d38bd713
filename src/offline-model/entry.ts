export { type OfflineModelOptions, offlineModel } from './offline-model.ts';
export { orOffline } from './or-offline.ts';
