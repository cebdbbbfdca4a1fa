import type { ServedResource } from '../../src/apiserver/resource/served-resource.ts'

/** A custom resource as it is served: `gems.a.test/v1`, without verbs and subresources. */
export const servedCustomResource = (more: Partial<ServedResource> = {}): ServedResource => ({
  group: 'a.test',
  version: 'v1',
  resource: 'gems',
  kind: 'Gem',
  listKind: 'GemList',
  singular: 'gem',
  namespaced: true,
  verbs: [],
  subresources: [],
  custom: true,
  ...more,
})
