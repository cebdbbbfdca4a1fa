import type { ServedResource } from '../../src/apiserver/resource/served-resource.ts'

/** A custom resource as it is served: `widgets.a.test/v1`, without verbs and subresources. */
export const servedCustomResource = (more: Partial<ServedResource> = {}): ServedResource => ({
  group: 'a.test',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  listKind: 'WidgetList',
  singular: 'widget',
  namespaced: true,
  verbs: [],
  subresources: [],
  custom: true,
  ...more,
})
